"""What is wrong with a file, as codes and facts; the sentences are made in the reader's language elsewhere.

Facts that end in ``?`` may be None or missing. ``allowed`` is a list of texts: words that may stand there, or kinds of value
(``true-false``, ``whole-number``, ``fraction``, ``text``, ``list``, ``table``, ``other``). ``nearest?`` is the allowed word most like it.

**TOML** (``toml``, ``tomlscan``, ``write``): ``at`` is ``line 3, column 7``; all have facts ``line``, ``column`` (from 1) and ``quoted``
(the text of that line, at most 80 characters), and besides:

==========================  ============================================================================================
nothing-written             - (no line): a player's own text with no line in it
too-large                   size, cap (bytes; no line). Also of whole files, plain texts, and mails (characters)
not-utf8                    guess? (``utf-16``)
byte-order-mark             only in signed bytes; a player's own text may have one
control-character           found (``U+0000``); NUL and line ends of old Macs are among them
direction-override          found (``U+202E``)
no-break-space              found (``U+00A0``): a blank that is not one, outside of a text
typographic-quotes          found
full-width-character        found, nearest (the plain one)
line-break-in-braces        opened (line of the ``{``)
trailing-comma-in-braces    -
missing-comma               opened (line of the bracket); column is behind the value before
unquoted-word               found
colon-for-equals            key
capital-boolean             found, nearest
key-twice                   key?, first? (line)
orders-twice                key, first (line)
bracket-not-closed          found (``[`` or ``{``), opened (line), key? (what stood where the end was expected)
braces-missing              key, opened: ``[ do = "move" ]``
comma-at-line-end           found
text-after-value            found: two things on one line
missing-equals              key
missing-value               -
missing-key-name            -
bad-key-character           found
header-not-closed           expected (``]`` or ``]]``)
stray-character             found
string-not-closed           found (the quote that opened it)
bad-escape                  found
not-toml-1-0                found (``\\e``, ``\\x``, ``seconds``): TOML 1.1 has it
bad-number                  found
bad-value                   found
number-too-long             limit (characters), also what does not fit in 64 bits
number-not-finite           found
date-not-allowed            found
nested-too-deep             limit
dotted-too-deep             limit
syntax                      -: anything else
line-too-long               size, cap (bytes); in ``write``, of the line as it would be written
==========================  ============================================================================================

**Fields** (``convert``, ``plans``, ``head``, ``file``, ``join``, ``making``, ``request``): ``at`` is a key or ``orders[1].deploy``.

==========================  ============================================================================================
missing-key                 key, allowed (kinds, or for ``do`` the orders)
unknown-key                 found, allowed, nearest?
unknown-order               found, allowed, nearest?: of ``do``
unknown-word                found, allowed, nearest?, also? (kinds of value that may stand there too)
wrong-type                  found (kind), quoted, allowed
out-of-range                found, low?, high?
not-a-multiple              found, of
wrong-length                found, low?, high?, of (``text``: characters; ``list``; ``table``)
not-one-line                -: a text of one line is wanted
bad-form                    found, expected (``slug``: a-z 0-9 and -, at most 40; ``phase``: also dots; ``after``: number, -, 32 hex;
                            ``language``; ``zone``; ``hex-32``; ``base64-32``; ``trimmed``: no blanks around; else a pattern)
does-not-fit-together       reason (a title's own words, English)
too-many-orders             found, cap
too-many-alternatives       found, cap
plan-word-in-alternative    key: ``or``, ``otherwise``, ``watch`` inside an alternative
alternative-for-several     found: an alternative that stands for several orders
stands-for-nothing          -: an order that stands for several, with an empty list
key-below-orders            key: a line of the head that stands below ``[[orders]]``, or inside an order
open-beside-sealed          key: ``orders`` or ``then`` beside ``[sealed]``
seal-to-left                -: signed by hand with ``seal_to`` still in it
signer-not-the-key          found, expected (fingerprints): a join file signed by another key than the one in it
==========================  ============================================================================================

**Signatures, keys, seals, armour**: ``at`` is a path, a key, or "".

==========================  ============================================================================================
no-signature                -
second-signature            -
text-after-signature        -
bad-signature               reason: ``form``, ``base64``, ``key`` (key_reason), ``namespace`` (found, allowed), ``hash`` (found, allowed),
                            ``does-not-verify``
bad-key                     reason: ``form``, ``private``, ``type`` (found?, allowed?), ``base64``, ``length``, ``small-order``,
                            ``not-canonical``, ``not-on-curve``, ``comment``, ``x25519``
key-file-missing            -
key-file-unreadable         reason (the system's words)
not-a-private-key           found: ``public-key``, ``putty``, ``pem``, ``damaged``, ``other``
key-not-ed25519             found, allowed
passphrase-needed           -
passphrase-wrong            -
passphrase-unsupported      -: the bcrypt package is not installed
file-exists                 -
file-not-written            reason (the system's words)
bad-sealed                  reason: ``form``, ``commitment``, ``base64``, ``size``
box-does-not-open           -
commitment-mismatch         -
bad-padding                 -
letter-does-not-open        -
bad-seal-to                 reason: ``form``, ``signer`` (found, expected: fingerprints), or one of bad-signature
processor-unknown           -: the text asks for a seal, and no processor's key was remembered at joining
bad-invite                  reason: ``length`` (found), ``character`` (found), ``ending``
armour-damaged              number (of the block, from 1)
armour-not-closed           number
pasted-damaged              -: a signed file pasted into a text, changed beyond mending
too-many-files              cap
==========================  ============================================================================================
"""

from collections.abc import Iterable
from typing import Any

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """One fault. ``at``: ``line 3, column 7``, ``orders[1].deploy``, a path, or "" for the whole file. ``facts``: plain values."""

    code: str
    at: str = ""
    facts: dict[str, Any] = {}


class Unreadable(Exception):
    """A file that cannot be taken as it is. ``findings`` holds at least one fault, in the order of the file."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__("; ".join(f"{finding.at}: {finding.code}" if finding.at else finding.code for finding in findings))
        self.findings = findings


def refusal(code: str, at: str = "", **facts: Any) -> Unreadable:
    """The exception for a single finding, to be raised."""
    return Unreadable([Finding(code, at, facts)])


def nearest(word: str, allowed: Iterable[str]) -> str | None:
    """The allowed word most like ``word``, capitals aside, or None when none is like it. Long words are cut first."""
    import difflib

    by_folded = {each.casefold(): each for each in allowed}
    found = difflib.get_close_matches(word[:80].casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


def shortened(text: str, limit: int = 80) -> str:
    """``text`` in at most ``limit`` characters, to be quoted."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
