"""The corpus while it is made: each mail with what must come out of it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Corpus:
    """Name → bytes, and name → outcome."""

    mails: dict[str, bytes] = field(default_factory=dict)
    outcomes: dict[str, dict[str, object]] = field(default_factory=dict)

    def add(self, name: str, data: bytes, *files: str, faults: list[str] | None = None, bad: int = 0) -> None:
        """``files``: what comes out, in this order; ``faults``: the codes told; ``bad``: files handed on whose signature does not hold.

        Nothing of all that: there is nothing in it.
        """
        assert name not in self.mails, name
        self.mails[name] = data
        said = {"files": list(files), "faults": faults or [], "bad": bad}
        self.outcomes[name] = {key: value for key, value in said.items() if value}
