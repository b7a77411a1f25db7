"""What builds of a site remember in its folders: what every file was made from."""

import os
import tempfile
from pathlib import Path

import msgspec

MANIFEST = ".pbem-site.json"
_FORM = 2


class Manifest(msgspec.Struct, kw_only=True):
    """What earlier builds made: of a campaign, in its folder; of what all share, in that of the site, with the campaigns on it."""

    form: int = _FORM
    key: str = ""
    files: dict[str, str] = {}
    headlines: dict[str, str] = {}
    row: dict[str, str] = {}
    campaigns: list[str] = []


def read_manifest(folder: Path) -> Manifest | None:
    """None when there is none that can be read: then everything is made anew, and nothing is removed."""
    try:
        found = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except (OSError, ValueError):
        return None
    return found if found.form == _FORM else None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    write(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest, order="sorted"), indent=0))


def write(path: Path, data: bytes) -> None:
    """Writes a file so that it is there whole or not at all; makes its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".pbem-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
