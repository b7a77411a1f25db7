"""What pbem sign says before a file is sent that does not mean what its player thinks."""

from __future__ import annotations

import pytest

from .desk import GAME, Desk


def test_an_untouched_template_is_signed_and_said_to_hold_nothing(desk: Desk) -> None:
    told = desk.run("sign", "bo.toml", "--key", "bo.key")
    assert "There is no order in it" in told
    assert "withdraws" in told
    assert (desk.folder / "bo.order.toml").is_file()
    desk.take_off("bo.toml", 'district = "zhili-b"')
    assert "There is no order" not in desk.run("sign", "bo.toml", "--key", "bo.key")


def test_a_signed_file_is_not_signed_again(desk: Desk) -> None:
    desk.run("sign", "bo.toml", "--key", "bo.key")
    before = sorted(desk.folder.iterdir())
    told = desk.run("sign", "bo.order.toml", "--key", "bo.key", status=1)
    assert "error: bo.order.toml is signed already" in told
    assert sorted(desk.folder.iterdir()) == before


@pytest.mark.parametrize("output", ["bo.toml", "./bo.toml", "games/../bo.toml"])
def test_a_file_is_not_written_over_itself(desk: Desk, output: str) -> None:
    before = (desk.folder / "bo.toml").read_bytes()
    assert "is the file itself" in desk.run("sign", "bo.toml", "--key", "bo.key", "-o", output, status=1)
    assert (desk.folder / "bo.toml").read_bytes() == before


def test_every_slip_in_the_orders_is_found_without_the_campaign(desk: Desk) -> None:
    desk.edit("bo.toml", "orders = [", 'orders = [\n  { do = "prinse", district = "zhili-b" },\n  { do = "prince", distrikt = "zhili-b" },')
    (desk.folder / GAME).rename(desk.folder / "away")
    told = desk.run("sign", "bo.toml", "--key", "bo.key", status=1)
    assert "prince" in told
    assert "district" in told
    assert told.count("error: ") >= 2
    assert not (desk.folder / "bo.order.toml").exists()


def test_a_keyring_of_before_signs_as_before(desk: Desk) -> None:
    desk.edit("bo.toml", "#:schema", "# schema")
    desk.edit("bo.key.pbem", 'title = "ming-dynasty"', "")
    desk.edit("bo.toml", "orders = [", 'orders = [\n  { do = "prinse", district = "zhili-b" },')
    assert "ready to send" in desk.run("sign", "bo.toml", "--key", "bo.key")


def test_a_template_names_its_title_to_the_signer_whose_keyring_has_none_or_another(desk: Desk) -> None:
    desk.edit("bo.toml", "orders = [", 'orders = [\n  { do = "prinse", district = "zhili-b" },')
    for title in ('title = "azure"', ""):
        ring = desk.folder / "bo.key.pbem"
        text = ring.read_text(encoding="utf-8").replace('title = "ming-dynasty"', title).replace('title = "azure"', title)
        ring.write_text(text, encoding="utf-8")
        assert 'Did you mean "prince"?' in desk.run("sign", "bo.toml", "--key", "bo.key", status=1)


@pytest.mark.parametrize("line", ['"nonsense"', '""', f'"{"ab" * 16}0 1 x y"'])
def test_a_damaged_seal_to_is_a_finding(desk: Desk, line: str) -> None:
    desk.edit("bo.toml", 'then = "ask"', f'then = "ask"\nseal_to = {line}')
    told = desk.run("sign", "bo.toml", "--key", "bo.key", status=1)
    assert "seal_to is damaged" in told
    assert "joined" not in told


def test_a_stand_in_says_which_key_to_sign_with(desk: Desk) -> None:
    told = desk.run("bot", GAME, "--seat", "bo", "--seconds", "0.01", "-o", "bot.toml")
    assert "pbem sign bot.toml --key bo.key" in told
