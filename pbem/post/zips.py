"""A zip archive that came as an attachment, opened within bounds: sizes, counts and ratios are checked before and while it is unpacked."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator

from pbem.orders.findings import Finding
from pbem.orders.signed import CAP

LARGEST = 2 * 1024 * 1024     # of the archive
MOST_MEMBERS = 100
LARGEST_MEMBER = 4 * CAP      # what is read of a file in it
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)   # others may ask for gigabytes
_OFFICE = "[Content_Types].xml"
_ENCRYPTED = 0x1
_OF_INTEREST = (".toml", ".txt", ".eml")
_OTHER_ARCHIVES = (".7z", ".rar", ".gz", ".tgz", ".tar", ".bz2", ".xz", ".zst")

Contents = Iterator[tuple[str, bytes] | Finding] | Iterator[tuple[str, bytes]]


def is_zip(data: bytes) -> bool:
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def is_other_archive(name: str) -> bool:
    """Whether a file calls itself an archive of a kind that is not opened."""
    return name.lower().endswith(_OTHER_ARCHIVES)


def files(data: bytes) -> Iterator[tuple[str, bytes] | Finding]:
    """Name and content of each small file in the archive; findings ``zip-…`` for what cannot be opened. Office documents hold nothing."""
    if len(data) > LARGEST:
        yield Finding("zip-too-large", "", {"cap": LARGEST})
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield from _members(archive)
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError, OverflowError, RuntimeError, zlib.error):
        yield Finding("zip-damaged")


def _members(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes] | Finding]:
    members = [each for each in archive.infolist() if not each.is_dir() and not each.filename.startswith("__MACOSX/")]
    if any(each.filename == _OFFICE for each in members):
        return
    if len(members) > MOST_MEMBERS:
        yield Finding("zip-too-large", "", {"cap": LARGEST})
        return
    for member in members:
        if member.flag_bits & _ENCRYPTED:
            yield Finding("zip-encrypted")
            return
        if member.compress_type not in _METHODS:
            yield Finding("zip-damaged")
            continue
        if member.filename.lower().endswith((".zip", *_OTHER_ARCHIVES)):
            yield Finding("zip-nested")
            continue
        content = _content(archive, member)
        if is_zip(content):
            yield Finding("zip-nested")
        elif len(content) <= LARGEST_MEMBER:
            yield member.filename, content
        elif member.filename.lower().endswith(_OF_INTEREST):
            yield Finding("zip-too-large", "", {"cap": LARGEST_MEMBER})


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """At most one byte more than is read of a file, whatever its header says of its size."""
    if member.file_size > LARGEST_MEMBER:
        return bytes(LARGEST_MEMBER + 1)
    with archive.open(member) as stream:
        return stream.read(LARGEST_MEMBER + 1)
