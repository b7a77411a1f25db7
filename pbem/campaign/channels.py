"""The channels that bring files in, and until when each has been read (``private/channels.toml``).

At a closing time every known channel has to be read once more after it has passed: what nobody looked for is not missing. Their names
stand in the ledger, so they say what kind of channel it is ("mail", "github") and never whose.
"""

from __future__ import annotations

import re
import tomllib
from datetime import datetime, timedelta
from pathlib import Path

import tomli_w

from pbem.campaign import clock
from pbem.campaign.folder import CampaignError, Folder, held, read, write

NAME = re.compile(r"[a-z][a-z0-9-]{0,19}")
KEPT = 240
"""Readings that are remembered of a channel, at most one an hour: they show that a machine was not down."""


def mark_read(folder: Folder, channel: str, until: datetime) -> None:
    """Says that a channel has been read: everything that had reached it by ``until`` has been answered.

    Call it after the last receipt of what was read is written, with the time at which reading began. It has a lock of its own, so it may
    be called with the campaign's lock held or without. ValueError for a name that is none: [a-z0-9-], at most 20.
    """
    if not NAME.fullmatch(channel):
        raise ValueError(channel)
    folder.require()
    folder.private.mkdir(exist_ok=True)
    with held(folder.private / "channels.lock", 30, folder.root):
        known = readings(folder)
        # The last reading counts, even when it is dated earlier: a clock that ran ahead must not be believed for ever.
        times = [time for time in known.get(channel, []) if time < until]
        if len(times) > 1 and until - times[-2] < timedelta(hours=1):
            times.pop()
        known[channel] = [*times, until][-KEPT:]
        _write(folder, known)


def readings(folder: Folder) -> dict[str, list[datetime]]:
    """Channel → times until which it was read, the last one last. CampaignError "bad-channels" when the file cannot be read."""
    path = _path(folder)
    if not path.is_file():
        return {}
    try:
        table = tomllib.loads(read(path).decode())
        return {name: [clock.parse(str(time)) for time in times] for name, times in table.items() if NAME.fullmatch(name)}
    except (ValueError, TypeError):
        raise CampaignError("bad-channels", path=str(path)) from None


def _write(folder: Folder, known: dict[str, list[datetime]]) -> None:
    table = {channel: [clock.text(time) for time in times] for channel, times in sorted(known.items())}
    write(_path(folder), tomli_w.dumps(table).encode())


def _path(folder: Folder) -> Path:
    return folder.private / "channels.toml"
