import html
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.orders.armour import BEGIN, END, FILE_COUNT, TEXT_CAP, armour, find_armoured, search
from pbem.orders.findings import Unreadable
from pbem.orders.signed import CAP, sign_file

from .ssh import AN

FILE = sign_file(AN, "order@pbem", 'game = "g"\nplayer = "an"\nnote = "明"\n'.encode())
OTHER = sign_file(AN, "order@pbem", b'game = "g"\nplayer = "an"\nrevision = 2\n')
FOOTER = "\n-- \nAn | sent from a telephone\n____\nlist@example.org unsubscribe <https://example.org>\n"


def quoted(text, mark):
    return "\n".join(mark + line for line in text.split("\n"))



def body_rewrapped(text, width):
    def wrap(match):
        inside = match[0].replace("\n", "")
        return "\n" + "\n".join(inside[at:at + width] for at in range(0, len(inside), width)) + "\n"
    return re.sub(r"(?<=ORDER-----)\n[^-]+\n(?=-----END)", wrap, text)


MANGLINGS = {
    "as it is": lambda t: t,
    "> ": lambda t: quoted(t, "> "),
    "> > ": lambda t: quoted(t, "> > "),
    ">>": lambda t: quoted(t, ">>"),
    "| ": lambda t: quoted(t, "| "),
    "indented": lambda t: quoted(t, "\t    "),
    "CRLF": lambda t: t.replace("\n", "\r\n"),
    "CR": lambda t: t.replace("\n", "\r"),
    "wrapped at 40": lambda t: body_rewrapped(t, 40),
    "wrapped at 76": lambda t: body_rewrapped(t, 76),
    "one line": lambda t: t.replace("\n", " "),
    "no line ends at all": lambda t: t.replace("\n", ""),
    "marker wrapped": lambda t: t.replace("BEGIN PBEM", "BEGIN\n> PBEM").replace("END PBEM", "END\r\nPBEM"),
    "empty lines": lambda t: t.replace("\n", "\n\n"),
    "trailing blanks": lambda t: t.replace("\n", "  \n"),
    "no-break spaces": lambda t: quoted(t, "\u00a0\u00a0").replace("PBEM ", "PBEM\u00a0"),
    "zero-width": lambda t: t.replace("\n", "\u200b\n\ufeff"),
    "words around": lambda t: "Hello > Bo,\nmy orders --> |\n" + t + FOOTER,
    "html pre": lambda t: f"<html><body><pre>{html.escape(t)}</pre></body></html>",
    "html br": lambda t: "<div>" + t.replace("\n", "<br>\n").replace(" ", "&nbsp;") + "</div>",
    "html p": lambda t: "".join(f'<p class="x" style="a > b">{line}</p>' if line == "" else f"<p>{line}</p>" for line in t.split("\n")),
    "html quote": lambda t: "<blockquote>" + "<br />".join("&gt;&nbsp;" + line for line in t.split("\n")) + "</blockquote>",
    "html span": lambda t: t.replace("PBEM", "<b>PBEM</b>").replace("+", "&#43;").replace("/", "&#x2F;").replace("=", "&equals;"),
    "html wbr": lambda t: t.replace("A", "A<wbr/>"),
}


@pytest.mark.parametrize("name", MANGLINGS)
def test_a_block_is_found_whatever_the_way_did(name):
    assert find_armoured(MANGLINGS[name](armour(FILE))) == [FILE]


@pytest.mark.parametrize("name", MANGLINGS)
def test_several_blocks_are_found_in_order(name):
    text = MANGLINGS[name](armour(FILE) + "and\n\n" + armour(OTHER))
    assert find_armoured(text) == [FILE, OTHER]


@given(st.binary(min_size=1, max_size=400), st.lists(st.sampled_from(sorted(MANGLINGS)), max_size=1), st.integers(1, 200))
@settings(max_examples=60)
def test_any_bytes_survive(data, names, width):
    text = body_rewrapped(armour(data), width)
    for name in names:
        text = MANGLINGS[name](text) if "wrapped at" not in name else text
    assert find_armoured(text) == [data]


def test_the_same_file_twice_is_one_file():
    assert find_armoured(armour(FILE) + quoted(armour(FILE), "> ")) == [FILE]


def faults(text):
    return [(finding.code, finding.facts.get("number")) for finding in search(text).faults]


def test_a_damaged_block_is_told_and_the_others_are_found():
    good = armour(FILE)
    cut = good.replace(good.split("\n")[2][:5], "", 1)
    assert faults(cut + armour(OTHER)) == [("armour-damaged", 1)]
    assert find_armoured(cut + armour(OTHER)) == [OTHER]
    assert faults(armour(OTHER) + good[:100]) == [("armour-not-closed", 2)]
    assert faults(good[:100] + "\n" + armour(OTHER)) == [("armour-not-closed", 1)]
    assert find_armoured(good[:100] + "\n" + armour(OTHER)) == [OTHER]
    assert faults(f"{BEGIN}\n{END}\n") == [("armour-damaged", 1)]
    assert faults(f"{BEGIN}\nQUJ\n{END}\n") == [("armour-damaged", 1)]
    assert faults(f"{BEGIN}\nQUJD é\n{END}\n") == [("armour-damaged", 1)]
    assert find_armoured(END + "\n" + BEGIN) == []


def test_too_much_is_refused():
    assert faults(armour(bytes(CAP + 1))) == [("too-large", None)]
    assert faults(armour(bytes(9 * CAP))) == [("armour-damaged", 1)]
    many = "".join(armour(bytes([number, 1])) for number in range(FILE_COUNT + 5))
    assert len(find_armoured(many)) == FILE_COUNT
    assert faults(many) == [("too-many-files", None)]
    with pytest.raises(Unreadable):
        search("x" * (TEXT_CAP + 1))


HOSTILE = [
    BEGIN * 20_000, "-----BEGIN" + " " * 500_000, "-----BEGIN<" * 50_000, (BEGIN + "<") * 20_000, "<" * 500_000,
    BEGIN + "<" * 200_000 + END, "-----BEGIN &nbsp;" * 30_000, "#\n" * 200_000, "a =\n\n" * 100_000, "> " * 300_000,
    "# -----BEGIN SSH SIGNATURE-----\n# -----END SSH SIGNATURE-----\n" * 5000,
    "#\n" * 100_000 + "# -----BEGIN SSH SIGNATURE-----\n# -----END SSH SIGNATURE-----\n",
    "\n\n" + "#\n\n" * 100_000 + "# -----BEGIN SSH SIGNATURE-----\n# -----END SSH SIGNATURE-----\n",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_mails_take_no_time(text):
    start = time.process_time()
    search(text)
    assert time.process_time() - start < 2


BARE = FILE.decode()


@pytest.mark.parametrize("text", [
    BARE, BARE.replace("\n", "\r\n"), "\ufeff" + BARE, BARE + FOOTER, "Hello Bo, here = them:\n\n" + BARE + FOOTER,
    quoted("Hello\n\n" + BARE, "> "), "\n\n" + BARE,
])
def test_signed_toml_pasted_as_it_is(text):
    assert find_armoured(text) == [FILE]


def test_two_files_pasted_as_they_are():
    assert find_armoured(BARE + "\n" + OTHER.decode()) == [FILE, OTHER]


def test_comments_above_belong_to_what_was_signed():
    signed = sign_file(AN, "order@pbem", b"# round 3\n# you are An\ngame = \"g\"\n")
    assert find_armoured("Hello,\n\n" + signed.decode()) == [signed]


def test_nothing_is_found_in_ordinary_mail():
    assert search("Hello,\n\ngame = fun\n" + FOOTER).files == []
    assert search("").files == []
