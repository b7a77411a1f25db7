"""``format=flowed`` undone (RFC 3676): lines that end in a blank go on in the next one of the same depth of quoting."""

from __future__ import annotations


def unflowed(text: str, *, delsp: bool) -> str:
    """The text with its paragraphs on one line each. ``delsp``: the blank that marks a soft break is not part of the text."""
    out: list[str] = []
    flowing, depth_before = False, 0
    for line in text.replace("\r\n", "\n").split("\n"):
        rest = line.lstrip(">")
        depth = len(line) - len(rest)
        rest = rest.removeprefix(" ")
        soft = rest.endswith(" ") and rest != "-- "
        kept = rest[:-1] if soft and delsp else rest
        if flowing and depth == depth_before and rest != "-- ":
            out[-1] += kept
        else:
            out.append(">" * depth + (" " if depth else "") + kept)
        flowing, depth_before = soft, depth
    return "\n".join(out)
