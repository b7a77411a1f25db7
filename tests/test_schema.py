"""The JSON Schema of order files, held to the reader by a validator that is not ours: what the reader takes, the schema takes."""

from __future__ import annotations

import json
import random
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pbem import cli
from pbem.engine import registry
from pbem.engine.chance import SeededChance
from pbem.engine.playout import playout
from pbem.engine.position import to_table
from pbem.engine.steps import first_step
from pbem.orders.file import read_order
from pbem.orders.findings import Unreadable
from pbem.orders.signed import split
from pbem.orders.write import dump
from pbem.publish.schema import order_schema
from pbem.publish.template import order_template
from pbem.publish.words import Words

SLUGS = registry.slugs()
NAMES = ("an", "bo", "chen", "dai", "emil", "fang")
EXAMPLES = sorted((Path(__file__).parents[1] / "games").glob("example-*"))
HEAD: dict[str, Any] = {"game": "winter-court", "player": "an", "phase": "3.move", "revision": 1, "after": f"7-{'3f' * 16}"}


@cache
def validator(slug: str) -> Draft202012Validator:
    return Draft202012Validator(order_schema(registry.title(slug)))


def takes(slug: str, table: dict[str, Any]) -> bool:
    return bool(validator(slug).is_valid(table))


def reader_takes(slug: str, table: dict[str, Any]) -> bool:
    try:
        read_order(dump(table), registry.title(slug).orders)
    except Unreadable:
        return False
    return True


@cache
def orders_of(slug: str) -> list[dict[str, Any]]:
    """Every different order of two random games, as they stand in files."""
    title = registry.title(slug)
    seats = NAMES[: title.seats.stop - 1]
    found: dict[str, dict[str, Any]] = {}
    for seed in (5, 6):
        for step in playout(title, title.options(), seats, seed)[1]:
            for order in step.orders.values():
                table = to_table(order)
                found.setdefault(json.dumps(table, sort_keys=True), table)
    return list(found.values())


def files(slug: str, dice: random.Random) -> Iterator[dict[str, Any]]:
    """Order files without end, with everything a plan can say."""
    orders = orders_of(slug)
    while True:
        lines = []
        for order in dice.choices(orders, k=dice.randrange(5)):
            line = dict(order)
            if dice.random() < 0.4:
                line["or"] = dice.choice([dice.choice(orders), dice.choices(orders, k=dice.randrange(9))])
            if dice.random() < 0.3:
                line["otherwise"] = dice.choice(["ask", "skip", "default"])
            if dice.random() < 0.3:
                line["watch"] = [f"place-{dice.randrange(9)}" for _ in range(dice.randrange(4))]
            lines.append(line)
        table = HEAD | {"revision": dice.randrange(1, 1000), "orders": lines}
        if dice.random() < 0.5:
            table["then"] = dice.choice(["ask", "pass", "default"])
        if dice.random() < 0.5:
            table["note"] = dice.choice(["Sorry, Bo.", "", "对不起", "x" * 280])
        yield table


def changed(value: Any, dice: random.Random) -> Any:
    """A value with one thing in it made otherwise."""
    others = [0, -1, 10**12, True, 1.5, "", "all", "an", [], {}, ["a"], {"do": "pass"}]
    if isinstance(value, dict) and value and dice.random() < 0.9:
        key = dice.choice(list(value))
        made = dict(value)
        match dice.randrange(5):
            case 0:
                del made[key]
            case 1:
                made[dice.choice(["or", "watch", "otherwise", "orders", "then", "note", "nonsense"])] = dice.choice(others)
            case _:
                made[key] = changed(value[key], dice)
        return made
    if isinstance(value, list) and value and dice.random() < 0.9:
        at = dice.randrange(len(value))
        match dice.randrange(4):
            case 0:
                return value[:at] + value[at + 1 :]
            case 1:
                return value + value[at : at + 1] * dice.choice([1, 70])
            case _:
                return [*value[:at], changed(value[at], dice), *value[at + 1 :]]
    return dice.choice(others)


@pytest.mark.parametrize("slug", SLUGS)
def test_it_is_a_schema_of_its_draft(slug: str) -> None:
    schema = order_schema(registry.title(slug))
    Draft202012Validator.check_schema(schema)
    told = json.dumps(schema)
    assert '"null"' not in told and "``" not in told
    for kind in registry.title(slug).orders:
        planned = schema["$defs"][f"planned-{kind.__struct_config__.tag}"]
        assert planned["description"] and {"or", "otherwise", "watch"} <= planned["properties"].keys()


@pytest.mark.parametrize("slug", SLUGS)
def test_orders_of_random_games_are_taken(slug: str) -> None:
    for table in islice(files(slug, random.Random(7)), 60):  # noqa: S311 — repeatable
        assert reader_takes(slug, table)
        errors = [error.message for error in validator(slug).iter_errors(table)]
        assert not errors, table


@pytest.mark.parametrize("slug", SLUGS)
def test_what_the_reader_takes_the_schema_takes(slug: str) -> None:
    dice = random.Random(8)  # noqa: S311 — repeatable
    seen = {(reader, schema): 0 for reader in (False, True) for schema in (False, True)}
    for table in islice(files(slug, dice), 350):
        mutant = changed(table, dice)
        if not isinstance(mutant, dict):
            continue
        seen[reader_takes(slug, mutant), takes(slug, mutant)] += 1
        assert not seen[True, False], mutant
    assert seen[True, True] > 20
    # Few slips of form escape it: most of what the reader refuses is marked in the editor too.
    assert seen[False, False] > 10 * seen[False, True], seen


@pytest.mark.parametrize("game", EXAMPLES, ids=[game.name for game in EXAMPLES])
def test_every_order_file_of_the_examples_is_taken(game: Path) -> None:
    slug = tomllib.loads((game / "game.toml").read_text(encoding="utf-8"))["title"]
    paths = [path for path in sorted(game.glob("orders/*/*.toml")) if path.parent.name not in ("join", "request")]
    tables = [tomllib.loads(split(path.read_bytes()).signed.decode()) for path in paths]
    # The one example that is played by silence alone has no orders.
    assert len(tables) > 10 or game.name == "example-every-entry-hidden"
    for path, table in zip(paths, tables, strict=True):
        assert takes(slug, table), path
    for kind in ("orders", "sealed"):
        for table in [table for table in tables if kind in table][:1]:
            for key in table.keys() - {"note", "then"}:
                assert not takes(slug, {name: value for name, value in table.items() if name != key}), key


SEALED = {"commitment": "0f" * 32, "box": ["QUJD" * 19]}
PASS: dict[str, Any] = {"do": "pass"}


@pytest.mark.parametrize(
    ("why", "change"),
    [
        ("an unknown key", {"not": "x"}),
        ("an unknown order", {"orders": [{"do": "fly"}]}),
        ("no order", {"orders": [{"path": ["a"]}]}),
        ("a key of another order", {"orders": [{**PASS, "path": ["a"]}]}),
        ("a wrong type", {"orders": [{"do": "move", "deploy": "some"}]}),
        ("a plan word in an alternative", {"orders": [{**PASS, "or": {**PASS, "watch": []}}]}),
        ("too many orders", {"orders": [PASS] * 65}),
        ("too many alternatives", {"orders": [{**PASS, "or": [PASS] * 9}]}),
        ("too much watched", {"orders": [{**PASS, "watch": ["a"] * 33}]}),
        ("orders as a table", {"orders": PASS}),
        ("no such end", {"then": "wait"}),
        ("a revision of nought", {"revision": 0}),
        ("a revision of a thousand", {"revision": 1000}),
        ("a note of two lines", {"note": "a\nb"}),
        ("a note too long", {"note": "x" * 281}),
        ("a game's name with a blank", {"game": "winter court"}),
        ("a head too short", {"after": "7-3f"}),
        ("sealed and open", {"sealed": SEALED}),
        ("sealed with an end", {"sealed": SEALED, "orders": None, "then": "ask"}),
        ("a commitment in capitals", {"sealed": SEALED | {"commitment": "0F" * 32}, "orders": None}),
        ("neither orders nor sealed", {"orders": None}),
    ],
)
def test_what_the_schema_refuses_the_reader_refuses(why: str, change: dict[str, Any]) -> None:
    whole: dict[str, Any] = HEAD | {"orders": [PASS]}
    assert takes("ming-dynasty", whole) and reader_takes("ming-dynasty", whole)
    table = {key: value for key, value in (whole | change).items() if value is not None}
    assert not takes("ming-dynasty", table), why
    assert not reader_takes("ming-dynasty", table), why


@pytest.mark.parametrize("slug", SLUGS)
def test_a_template_names_it_and_is_taken_by_it(slug: str) -> None:
    title = registry.title(slug)
    seats = NAMES[: title.seats.start]
    position, _ = first_step(title, title.options(), seats, SeededChance(5))
    phase = title.phase(position)
    assert phase is not None
    seat = phase.asked(position)[0]
    seal_to = "00" * 16 + " 7 KEY SIGNATURE"
    text = order_template(title, title.view(position, seat), seat, Words(title), campaign="x", after=HEAD["after"], seal_to=seal_to)
    assert text.startswith(f"#:schema ./schema/{slug}.json\n")
    assert takes(slug, tomllib.loads(text))
    text = order_template(
        title, title.view(position, seat), seat, Words(title), campaign="x", after=HEAD["after"], site="https://games.example/"
    )
    assert text.startswith(f"#:schema https://games.example/schema/{slug}.json\n")


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as done:
        cli.main(["schema", "ming-dynasty"])
    assert not done.value.code
    assert json.loads(capsys.readouterr().out) == order_schema(registry.title("ming-dynasty"))
    target = tmp_path / "schema" / "ming-dynasty.json"
    for status, more in ((0, []), (1, []), (0, ["--force"])):
        with pytest.raises(SystemExit) as done:
            cli.main(["schema", "ming-dynasty", "-o", str(target), *more])
        assert (done.value.code or 0) == status
    assert json.loads(target.read_text(encoding="utf-8"))["title"] == "Ming Dynasty: order file"
    with pytest.raises(SystemExit) as done:
        cli.main(["schema", "ming-dynasti"])
    assert done.value.code == 1 and "ming-dynasty" in capsys.readouterr().err
