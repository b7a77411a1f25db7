import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.orders import signed
from pbem.orders.encoding import sha256
from pbem.orders.findings import Unreadable
from pbem.orders.signed import CAP, attach, open_signed, sign_file, split
from pbem.orders.sshsig import sign

from .ssh import AN, BO, key_file, ssh_keygen

TEXT = b'game = "winter-court"\nplayer = "an"\n'
FILE = sign_file(AN, "order@pbem", TEXT)


def code(call, *arguments):
    with pytest.raises(Unreadable) as caught:
        call(*arguments)
    return caught.value.findings[0].code


def test_a_signed_file_opens_to_what_was_signed():
    signed, signer = open_signed(FILE, "order@pbem")
    assert (signed.signed, signer, signed.identity) == (TEXT, AN.public, sha256(TEXT))


def test_a_missing_last_line_end_is_added_before_signing():
    assert open_signed(sign_file(AN, "order@pbem", TEXT[:-1]), "order@pbem")[0].signed == TEXT
    with pytest.raises(ValueError, match="line end"):
        attach(TEXT[:-1], sign(AN, "order@pbem", TEXT))


def test_windows_line_ends_are_the_one_repair():
    assert open_signed(FILE.replace(b"\n", b"\r\n"), "order@pbem")[0].identity == sha256(TEXT)
    assert code(open_signed, FILE.replace(b"\n", b"\r"), "order@pbem") == "no-signature"
    assert code(open_signed, FILE.replace(b"an\"\n", b"an\" \n"), "order@pbem") == "bad-signature"
    assert code(open_signed, b"\xef\xbb\xbf" + FILE, "order@pbem") == "bad-signature"


def test_the_block_may_be_rewrapped_without_another_identity():
    _, begin, *lines, end = FILE[len(TEXT) - 1:].decode().rstrip("\n").split("\n")
    body = "".join(line[2:] for line in lines)
    wrapped = "\n".join([begin, *(f"#   {body[at:at + 30]} " for at in range(0, len(body), 30)), end.replace("# ", "#")])
    assert open_signed(TEXT + wrapped.encode(), "order@pbem")[0].identity == sha256(TEXT)


def test_nothing_may_stand_behind_the_block():
    assert code(split, FILE + b"then = \"pass\"\n") == "text-after-signature"
    assert code(split, FILE + b"# a comment\n") == "text-after-signature"
    assert code(split, FILE + b"\n") == "text-after-signature"
    assert code(split, FILE + FILE) == "second-signature"
    assert code(split, FILE + FILE[len(TEXT):]) == "second-signature"
    assert code(split, FILE, sign(AN, "order@pbem", TEXT)) == "second-signature"
    assert code(split, FILE[:-1] + b" -----BEGIN SSH SIGNATURE-----") == "bad-signature"


def test_files_without_a_whole_block_are_refused():
    assert code(split, TEXT) == "no-signature"
    assert code(split, b"") == "no-signature"
    assert code(split, FILE[:-10]) == "bad-signature"
    assert code(split, FILE.replace(b"# U1N", b"U1N")) == "bad-signature"
    assert code(split, FILE.replace(b"# U1N", b"# \xffU1N")) == "bad-signature"


def test_the_cap_comes_first():
    assert code(split, bytes(CAP + 1)) == "too-large"
    assert split(TEXT + bytes(CAP), "sig", cap=2 * CAP).block == "sig\n"


def test_a_detached_signature_of_ssh_keygen_is_taken(tmp_path):
    made = ssh_keygen("-Y", "sign", "-n", "order@pbem", "-f", key_file(tmp_path, BO), stdin=TEXT).stdout.decode()
    signed, signer = open_signed(TEXT, "order@pbem", detached=made.replace("\n", "\r\n"))
    assert (signed.identity, signer) == (sha256(TEXT), BO.public)
    assert open_signed(attach(TEXT, signed.block), "order@pbem")[1] == BO.public


@given(st.data())
@settings(max_examples=80)
def test_no_changed_byte_opens_to_something_else(data):
    changed = bytearray(FILE)
    at = data.draw(st.integers(0, len(FILE) - 1))
    changed[at] = data.draw(st.integers(0, 255).filter(lambda byte: byte != FILE[at]))
    try:
        signed, signer = open_signed(bytes(changed), "order@pbem")
    except Unreadable:
        return
    assert (signed.signed, signer) == (TEXT, AN.public)   # only the wrapping of the block had changed


@given(st.lists(st.text(alphabet="# \tAx+/=-\r\x0b", max_size=6), min_size=1, max_size=4))
def test_the_short_way_through_a_block_gives_what_the_long_one_gives(lines: list[str]) -> None:
    text = "\n".join(f"# {line}" for line in lines).encode()
    long_way = "".join(f"{found[1]}\n" for line in text.decode().split("\n") if (found := signed._COMMENT.match(line)))
    assert signed._uncomment(text) == long_way
