"""The last entry: the result, every public file with its digest, and the private secret. After it any changed byte is found."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.campaign.archive import Archive, Fault
from pbem.campaign.folder import CampaignError, Folder, read
from pbem.campaign.records import Entry, Ranked
from pbem.campaign.standings import standings
from pbem.orders.encoding import sha256
from pbem.orders.findings import Unreadable
from pbem.orders.signed import CAP, split

if TYPE_CHECKING:
    from pbem.campaign.course import Course


def public_files(folder: Folder) -> list[str]:
    """Everything that lies in the public folders of a campaign, as it is named in entries, sorted; hidden files do not count."""
    found = [folder.relative(folder.game)]
    for where in (folder.orders, folder.receipts, folder.ledger, folder.letters):
        found += _files_in(where, folder.relative(where))
    return sorted(found)


def _files_in(where: Path, name: str) -> Iterator[str]:
    """The files of a folder and of those in it, by their names below ``name``; a folder that is only linked to is not looked into."""
    left = [(str(where), name)]
    while left:
        folder, name = left.pop()
        try:
            entries = list(os.scandir(folder))
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
        except OSError as error:
            raise CampaignError("cannot-read", path=folder, reason=error.strerror or str(error)) from None
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                left.append((entry.path, f"{name}/{entry.name}"))
            elif not entry.name.startswith(".") and _is_file(entry):
                yield f"{name}/{entry.name}"


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link that leads back to itself is none
        return False


def accounted(archive: Archive) -> set[str]:
    """The public files that a receipt or an entry stands for, as they are named in entries; none of them need be there."""
    folder = archive.folder
    paths = [folder.game]
    for kept in archive.entries:
        paths.append(kept.path)
        paths += [folder.letter(seat, f"e{kept.record.number:04}") for seat in kept.record.letters]
    for kept in archive.receipts:
        receipt = kept.record
        paths.append(kept.path)
        if receipt.accepted:
            path = archive.file_of(receipt)
            paths += [path, *_signature_beside(path)]
        if receipt.letter:
            paths.append(folder.letter(receipt.seat, f"r{receipt.number:04}"))
    return {folder.relative(path) for path in paths}


def _signature_beside(path: Path) -> list[Path]:
    """Where the signature of a file lies beside it; nowhere when it is in the file."""
    beside = path.with_name(path.name + ".sig")
    if not beside.is_file():
        return []
    try:
        split(read(path, CAP))
    except (CampaignError, Unreadable):
        return [beside]
    return []


def end_facts(course: Course) -> dict[str, object]:
    """What the ``end`` entry says."""
    if course.secret is None:
        raise CampaignError("no-secret", path=str(course.archive.folder.root))
    folder = course.archive.folder
    # What else lies there is none of ours: were it listed, taking it away could never make the campaign right again.
    ours = accounted(course.archive)
    return {
        "private": course.secret.private.hex(),
        "files": {name: sha256(read(folder.root / name)).hex() for name in public_files(folder) if name in ours},
        "result": ranked(course),
    }


def ranked(course: Course) -> list[Ranked]:
    """The result as it stands in the entry: the title's, with those who gave up behind all others."""
    if course.table.position is None:
        return []
    lines = standings(course.title, course.table.position, course.conceded)
    return [Ranked(seat=line.seat, points=line.points, place=line.place) for line in lines]


def check_end(course: Course, entry: Entry, name: str) -> None:
    """Fault unless the game is over and the entry says how, and what the private secret is."""
    if course.ended or not (course.over or course.abandoned or entry.ground):
        raise Fault("end-too-early", name)
    if sha256(bytes.fromhex(entry.private)).hex() != course.private_hash:
        raise Fault("wrong-private", name)
    if entry.result != ranked(course):
        raise Fault("result-differs", name)


def check_files(archive: Archive) -> None:
    """After the end: every file is there, to the byte, and no other. Fault names the first that is not."""
    if not archive.entries or archive.entries[-1].record.kind != "end":
        return
    end = archive.entries[-1]
    listed: dict[str, str] = end.record.files
    own = archive.folder.relative(end.path)
    for name in public_files(archive.folder):
        if name != own and name not in listed:
            raise Fault("unaccounted", name)
    for name, digest in listed.items():
        path = archive.folder.root / name
        if ".." in name.split("/") or not path.is_file():
            raise Fault("missing", name)
        try:
            same = sha256(read(path)).hex() == digest
        except CampaignError as error:
            if error.code != "too-large":
                raise
            same = False
        if not same:
            raise Fault("file-changed", name)
