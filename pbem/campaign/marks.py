"""What the processor remembers of its beacon, so that a run need not walk there from the seed again.

It may be deleted at any time, and is believed only as far as it proves itself.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from pbem.campaign import secret as secrets
from pbem.campaign.beacon import Links
from pbem.campaign.course import Course
from pbem.campaign.folder import CampaignError, Folder, read, write

_LINE = re.compile(rb"([0-9]{1,5}) ([0-9a-f]{64})\n")


def links_of(course: Course) -> Links:
    """The processor's links, from where the last run left off, if there is a mark. CampaignError "no-secret"."""
    if course.links is not None:
        return course.links
    if course.secret is None:
        raise CampaignError("no-secret", path=str(course.archive.folder.root))
    links = Links(course.secret.beacon_seed, base=course.beacon_base)
    with contextlib.suppress(CampaignError):
        if _kept_here(course.archive.folder) and (found := _LINE.fullmatch(read(_path(course.archive.folder), 100))):
            links.begin_at(int(found[1]), bytes.fromhex(found[2].decode()), course.beacon_end)
    course.links = links
    return links


def keep_mark(course: Course) -> None:
    """Remembers where the links of this run begin. A disk that cannot take it loses only time."""
    links, folder = course.links, course.archive.folder
    if links is None or not links.walked or links.mark is None or not _kept_here(folder):
        return
    top, link = links.mark
    with contextlib.suppress(OSError):
        write(_path(folder), f"{top} {link.hex()}\n".encode(), mode=0o600)


def _kept_here(folder: Folder) -> bool:
    """A mark foretells chance as the secret does, so it lies only where that lies itself, not on a machine that is lent the secret."""
    return secrets.from_environment() is None and folder.secret.is_file()


def _path(folder: Folder) -> Path:
    return folder.private / "beacon"
