"""What mutated files are given to, and what must hold of the answer.

``Target.feed`` gives a word for what came of a file: "taken", "refused: CODE", … Anything raised in it is a failure.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

import msgspec

from pbem.campaign.archive import Fault, load
from pbem.campaign.folder import CampaignError, Folder
from pbem.campaign.intake import Incoming
from pbem.campaign.petitions import PETITIONS
from pbem.campaign.replay import begin
from pbem.cli.options import installed_title
from pbem.engine import cases, registry
from pbem.engine.chance import SeededChance
from pbem.engine.playout import playout
from pbem.engine.position import digest, to_table
from pbem.engine.refusals import Malformed, Refusal
from pbem.engine.steps import first_step, play_step
from pbem.orders.armour import armour
from pbem.orders.file import read_order
from pbem.orders.findings import Unreadable
from pbem.orders.join import invite_bytes
from pbem.orders.making import sign_order
from pbem.orders.plans import read_plans
from pbem.orders.signed import split
from pbem.orders.sshsig import sign as ssh_sign
from pbem.orders.toml import read as read_toml
from pbem.orders.write import dump
from pbem.titles.ming_dynasty import board

from ..helpers import Campaign
from . import independent
from .campaigns import Draft, Office, drafts, is_signed_receipt, orders_by_phase, sealed, signed
from .mutate import mutated, tree_changed

Dice = random.Random
ORDER_KEYS = {"game", "player", "phase", "revision", "after", "note", "then", "orders"}


@dataclass(frozen=True)
class Target:
    """A kind of file. ``share``: how many of 100 files are of this kind."""

    name: str
    share: int
    feed: Callable[[Dice], str]


def whole_lines(body: bytes) -> bytes:
    """A text as it is signed: its last line is ended."""
    return body if body.endswith(b"\n") else body + b"\n"


# -- order files ----------------------------------------------------------------------------------------------------------


class OrderFiles:
    """Order files to a campaign; half of them signed again after the change, by the right key."""

    def __init__(self, campaign: Campaign, count: int = 24) -> None:
        self.office = Office.open(campaign)
        self.drafts = drafts(self.office, count)
        self.bodies = [draft.body for draft in self.drafts]
        self.originals = [signed(self.office, draft.seat, draft.body, "order@pbem") for draft in self.drafts]
        self.genuine = {split(data).signed for data in self.originals}
        self.boxes = {str(self._sealed(body)) for body in self.bodies}

    @staticmethod
    def _sealed(body: bytes) -> Any:
        table = independent.told(body)
        return {key: table.get(key) for key in ("player", "phase", "revision", "sealed")} if "sealed" in table else None

    def __call__(self, dice: Dice) -> str:
        at = dice.randrange(len(self.drafts))
        draft, detached = self.drafts[at], None
        again = dice.random() < 0.5
        genuine, boxes = set(self.genuine), set(self.boxes)
        if again:
            body = whole_lines(self._changed(draft, dice, genuine, boxes))
            genuine.add(body)
            data = signed(self.office, draft.seat, body, "order@pbem")
            if dice.random() < 0.1:
                genuine.add(body := body.replace(b"\r\n", b"\n"))
                data, detached = body, ssh_sign(self.office.campaign.players[draft.seat].key, "order@pbem", body)
        else:
            data = mutated(self.originals[at], dice, self.originals)
        way = dice.random()
        if way < 0.1 and detached is None:
            data = armour(data).encode()
            data = data if again else mutated(data, dice, [data])
        return self.answered(data, detached, genuine, boxes)

    def _changed(self, draft: Draft, dice: Dice, genuine: set[bytes], boxes: set[str]) -> bytes:
        if draft.plain and dice.random() < 0.5:
            # The change is made inside the box: sealed as its player would.
            plain = mutated(draft.plain, dice, self.bodies)[: 20 * 1024].replace(b"\0", b"")
            table = independent.told(draft.body)
            head = {key: value for key, value in table.items() if key != "sealed"}
            body = sealed(self.office, draft.seat, draft.phase, draft.revision, head, plain)
            boxes.add(str(self._sealed(body)))
            return body
        return self._plausible(draft, dice) if dice.random() < 0.3 else mutated(draft.body, dice, self.bodies)

    def _plausible(self, draft: Draft, dice: Dice) -> bytes:
        """A well-formed file that says something else: only what the campaign knows can refuse it."""
        course = self.office.course
        table, other = independent.told(draft.body), independent.told(dice.choice(self.bodies))
        changes: list[Callable[[], dict[str, Any]]] = [
            lambda: {"phase": dice.choice([*course.keys, "9.move"])},
            lambda: {"player": dice.choice(course.seats)},
            lambda: {"revision": dice.choice((1, 2, 3, 999))},
            lambda: {"after": dice.choice(list(course.entries))},
            lambda: {key: other[key] for key in ("orders", "then", "sealed") if key in other},
            lambda: {"orders": [], "then": dice.choice(("ask", "pass", "default"))},
            lambda: {"note": dice.choice("xé對") * dice.choice((279, 280, 281))},
            lambda: {"orders": self._at_the_limits(table.get("orders"), dice)} if table.get("orders") else {},
        ]
        for change in dice.sample(changes, dice.choice((1, 1, 2, 3))):
            table |= change()
        if "sealed" in table and "orders" in table and dice.random() < 0.8:
            table = {key: value for key, value in table.items() if key not in (("sealed",), ("orders", "then"))[dice.randrange(2)]}
        return dump(table)

    @staticmethod
    def _at_the_limits(lines: list[dict[str, Any]], dice: Dice) -> list[dict[str, Any]]:
        """As much of something as may just be, or one more."""
        line = dict(dice.choice(lines))
        flat = {key: value for key, value in line.items() if key not in independent.PLAN_WORDS}
        match dice.randrange(4):
            case 0:
                return lines[:1] * dice.choice((63, 64, 65))
            case 1:
                line["or"] = [flat] * dice.choice((7, 8, 9))
            case 2:
                line["watch"] = ["x"] * dice.choice((31, 32, 33))
            case _:
                line["otherwise"] = dice.choice(("ask", "skip", "default", "pass", "", "ASK"))
        return [line]

    def answered(self, data: bytes, detached: str | None, genuine: set[bytes], boxes: set[str]) -> str:
        """Sends bytes in and checks everything that is said of them."""
        found, course, memory = self.office.answers(data, detached)
        assert found, "bytes came in and nothing was said of them"
        words = []
        for incoming, said in found:
            receipt = said.receipt
            assert receipt.size == len(incoming.data)
            if said.repeated:
                words.append("repeated")
                continue
            path = course.archive.folder.receipt(receipt.number)
            is_signed_receipt(self.office, memory.files[path])
            if receipt.accepted:
                self._check(incoming, said, course, memory.files, genuine, boxes)
                words.append("taken")
            else:
                kept = course.archive.folder.refused / f"{receipt.number:04}.toml"
                assert memory.files[kept] == incoming.data, "a refused file is kept as it came"
                words.append(f"refused: {receipt.reason}")
        return words[0]

    def _check(
        self, incoming: Incoming, said: Any, course: Any, written: dict[Path, bytes], genuine: set[bytes], boxes: set[str]
    ) -> None:
        receipt = said.receipt
        assert receipt.kind == "order"
        body, raw = independent.opened(incoming.data, incoming.detached, b"order@pbem")
        assert body in genuine, "accepted, and nobody signed this"
        assert raw == self.office.campaign.players[receipt.seat].key.public.raw
        assert written[course.archive.file_of(receipt)] == incoming.data, "an accepted file lies in orders/ as it came"
        table = independent.told(body)
        is_sealed = "sealed" in table
        independent.head(table, (ORDER_KEYS - {"orders", "then"}) | {"sealed"} if is_sealed else ORDER_KEYS)
        assert (table["game"], table["player"], table["phase"], table["revision"]) == (
            course.archive.game.name, receipt.seat, receipt.phase, receipt.revision,
        )  # fmt: skip
        assert table["after"] in course.entries
        assert table["phase"] in course.keys and table["phase"] not in course.closed
        before = self.office.course.current(receipt.seat, receipt.phase)
        assert before is None or before.receipt.revision < receipt.revision
        plan = course.current(receipt.seat, receipt.phase).plan
        assert plan.file == receipt.file
        if is_sealed:
            assert str(self._sealed(body)) in boxes, "accepted, and nobody sealed this"
            assert receipt.verdict == "taken"
            return
        assert course.archive.game.seal == "bids" and not course.title.phase_named(receipt.phase).simultaneous
        wanted = independent.plan(table["orders"], course.title.orders)
        assert [(one.orders, one.otherwise, one.watch) for one in plan.plans] == wanted
        assert plan.then == table.get("then", "ask")
        assert receipt.verdict in (("taken",) if course.title.hidden else ("partial", "complete"))


# -- joins and requests -------------------------------------------------------------------------------------------------------


class JoinFiles:
    """Join files to a campaign in which one seat is taken."""

    def __init__(self, campaign: Campaign) -> None:
        first = campaign.seats[0]
        assert campaign.receive(campaign.join_file(first))[0].receipt.accepted
        campaign.process()
        self.campaign, self.office = campaign, Office.open(campaign)
        self.originals = {seat: campaign.join_file(seat, name=f"{seat} the first", zone="Europe/Paris") for seat in campaign.seats}
        self.genuine = {split(data).signed for data in self.originals.values()}

    def __call__(self, dice: Dice) -> str:
        seat, genuine = dice.choice(self.campaign.seats), set(self.genuine)
        if dice.random() < 0.5:
            bodies = sorted(self.genuine)
            original = split(self.originals[seat]).signed
            body = whole_lines(self._plausible(original, dice) if dice.random() < 0.3 else mutated(original, dice, bodies))
            data = signed(self.office, seat, body, "join@pbem")
            genuine.add(body)
        else:
            data = mutated(self.originals[seat], dice, list(self.originals.values()))
        found, course, memory = self.office.answers(data)
        assert found
        said, incoming = found[0][1], found[0][0]
        if not said.receipt.accepted or said.repeated:
            return "repeated" if said.repeated else f"refused: {said.receipt.reason}"
        body, raw = independent.opened(incoming.data, None, b"join@pbem")
        table = independent.told(body)
        assert body in genuine and raw == self.campaign.players[said.receipt.seat].key.public.raw
        assert table.keys() <= {"game", "id", "seat", "name", "language", "zone", "key", "letter_key", "nonce", "proof"}
        assert table["id"] == self.campaign.made.game.id
        assert table["seat"] == said.receipt.seat != self.campaign.seats[0]
        assert len(table.get("name", "")) <= 40 and table.get("name", "").isprintable()
        invite = invite_bytes(self.campaign.made.invites[table["seat"]])
        assert table["proof"] == independent.proof(invite, raw, bytes.fromhex(table["id"]))
        assert memory.files[course.archive.file_of(said.receipt)] == incoming.data
        return "taken"


    def _plausible(self, body: bytes, dice: Dice) -> bytes:
        """A well-formed join file that says something else."""
        table, other = independent.told(body), independent.told(dice.choice(sorted(self.genuine)))
        for key in dice.sample(sorted(table), dice.choice((1, 1, 2, 3))):
            table[key] = other[key]
        return dump(table)


class Requests:
    """Requests to a running campaign."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign, self.office = campaign, Office.open(campaign)
        head = {"game": campaign.made.game.name, "after": self.office.course.archive.head(), "number": 1}
        asked: list[dict[str, Any]] = [
            {"do": "concede"}, {"do": "consent", "step": "rollback", "to": 5}, {"do": "consent", "step": "vacate", "seat": "bo"},
            {"do": "profile", "name": "Anna", "language": "en", "zone": "Europe/Paris"},
            {"do": "rekey", "key": campaign.players["an"].key.public.line(), "letter_key": "A" * 43 + "="},
        ]  # fmt: skip
        self.bodies = [
            (seat, dump({"game": head["game"], "player": seat, **head, "request": request})) for seat in campaign.seats for request in asked
        ]

    def __call__(self, dice: Dice) -> str:
        seat, body = dice.choice(self.bodies)
        texts = [text for _, text in self.bodies]
        if again := dice.random() < 0.5:
            changed = mutated(body, dice, texts)
            data = signed(self.office, seat, changed, "request@pbem")
        else:
            data = mutated(signed(self.office, seat, body, "request@pbem"), dice, texts)
        (incoming, said), *_ = self.office.answers(data)[0]
        if not said.receipt.accepted or said.repeated:
            return "repeated" if said.repeated else f"refused: {said.receipt.reason}"
        text, raw = independent.opened(incoming.data, None, b"request@pbem")
        table = independent.told(text)
        assert again or text in texts
        assert raw == self.campaign.players[table["player"]].key.public.raw
        assert table.keys() == {"game", "player", "after", "number", "request"} and type(table["number"]) is int
        assert table["after"] in self.office.course.entries and 1 <= table["number"] <= 9999
        msgspec.convert(table["request"], reduce(or_, PETITIONS))
        return "taken"


# -- signing, reading, playing ------------------------------------------------------------------------------------------------


class Texts:
    """A player's own text to ``sign_order``: what it signs can be read, and says the same."""

    def __init__(self, orders: OrderFiles) -> None:
        self.orders = orders
        self.texts = [
            body + f'seal_to = "{orders.office.course.keys[phase].seal_to}"\n'.encode() if number % 4 == 0 else body
            for number, body in enumerate(body for body in orders.bodies if b"[sealed]" not in body)
            for phase in (independent.told(body)["phase"],)
        ]

    def __call__(self, dice: Dice) -> str:
        course, key = self.orders.office.course, self.orders.office.campaign.players["an"].key
        text = mutated(dice.choice(self.texts), dice, self.texts)
        kinds = course.title.orders if dice.random() < 0.7 else None
        try:
            made = sign_order(text, key, processor=course.archive.key, order_types=kinds, nonce=bytes(32))
        except Unreadable as refused:
            return f"refused: {refused.findings[0].code}"
        body, raw = independent.opened(made.data, None, b"order@pbem")
        assert raw == key.public.raw
        if kinds is not None:
            file = read_order(body, kinds)
            assert (file.game, file.player, file.phase, file.revision) == (made.game, made.player, made.phase, made.revision)
            assert (file.sealed is None) == (made.plain is None)
        return "signed"


class Moves:
    """Orders of every title, well formed and senseless, to the rules: refused, or played without a stumble."""

    def __init__(self, slug: str, games: int = 1) -> None:
        title = registry.title(slug)
        seats = ("an", "bo", "chen", "dai", "emil", "fang")[: title.seats.stop - 1]
        self.title, self.moments = title, list[tuple[Any, dict[str, Any]]]()
        self.pool = [table for tables in orders_by_phase(slug, seats).values() for table in tables]
        for seed in range(games):
            chance, dice = SeededChance(seed), random.Random(seed)  # noqa: S311 — repeatable
            position, _ = first_step(title, title.options(), seats, chance)
            while (phase := title.phase(position)) is not None:
                orders = {seat: dice.choice(list(phase.choices(position, seat))) for seat in phase.asked(position)}
                self.moments.append((position.copy(), orders))
                play_step(title, position, orders, chance)

    def __call__(self, dice: Dice) -> str:
        position, orders = dice.choice(self.moments)
        title, phase, position = self.title, self.title.phase(position), position.copy()
        seat = dice.choice(list(orders))
        table: Any = to_table(orders[seat])
        pool = [value for other in dice.choices(self.pool, k=3) for value in other.values()]
        for _ in range(dice.choice((0, 1, 1, 2, 3))):
            table = tree_changed(table, dice, pool)
        plans, found = read_plans([table], title.orders)
        if found:
            return f"refused: {found[0].code}"
        order, before = plans[0].orders[0], digest(position)
        try:
            normal = phase.complete(position, seat, order)
        except Refusal as refusal:
            assert digest(position) == before, "a refusal changed the position"
            return f"refused: {refusal.code}"
        assert digest(position) == before, "completing an order changed the position"
        assert phase.complete(position, seat, normal) == normal
        if not phase.sampled(position, seat):
            assert to_table(normal)["do"] in {to_table(each)["do"] for each in phase.choices(position, seat)}
        play_step(title, position, {**orders, seat: normal}, SeededChance(1))
        if (then := title.phase(position)) is not None:
            for other in then.asked(position):
                assert next(iter(then.choices(position, other)), None) is not None
                then.default(position, other)
        return "played"


# -- boards, cases, game files ----------------------------------------------------------------------------------------------------


class Boards:
    """Board files of Ming Dynasty: refused with a reason, or a board that can be played on."""

    def __init__(self, folder: Path) -> None:
        self.texts = [path.read_bytes() for path in sorted(folder.glob("*.toml"))]

    def __call__(self, dice: Dice) -> str:
        data = mutated(dice.choice(self.texts), dice, self.texts)
        text = data.decode("utf-8", "replace")
        try:
            made = board.parse(text)
        except Malformed as refused:
            return f"refused: {refused.code}"
        table = independent.tomllib.loads(text)
        assert len(made.districts) == len(set(made.districts)) == 18
        assert [(a, b, kind) for a, b, kind in made.borders] == [tuple(border) for border in table["borders"]]
        joined = {made.districts[0]}
        for _ in made.districts:
            joined |= {end for border in made.borders for end in border[:2] if joined & set(border[:2])}
        assert joined == set(made.districts)
        title = registry.title("ming-dynasty")
        seats = ("an", "bo", "chen", "dai", "emil")[: dice.choice(title.seats)]
        if "\n" in text and dice.random() < 0.04:
            try:
                playout(title, msgspec.convert({"board": text}, title.options), seats, 1)
            except Malformed as refused:
                return f"refused: {refused.code}"
        return "a board"


class Cases:
    """Case files of every title, as ``pbem case`` runs them."""

    def __init__(self, folder: Path) -> None:
        self.texts = [path.read_bytes() for path in sorted(folder.rglob("*.toml"))]

    def __call__(self, dice: Dice) -> str:
        data = mutated(dice.choice(self.texts), dice, dice.choices(self.texts, k=3))
        try:
            table = read_toml(data, cap=4 * 1024 * 1024)
            cases.run(table, installed_title(str(table.get("title", ""))))
        except Unreadable as refused:
            return f"refused: {refused.findings[0].code}"
        except CampaignError as refused:
            return f"refused: {refused.code}"
        except cases.CaseFailed:
            return "failed"
        return "holds"


class GameFiles:
    """Game files: of a campaign with a ledger any change is found; without one it is refused, or what it says can be begun."""

    def __init__(self, played: Campaign, base: Path) -> None:
        self.played, self.base = played, base
        self.original = played.folder.game.read_bytes()

    def __call__(self, dice: Dice) -> str:
        data = mutated(self.original, dice, [self.original])
        alone = Folder(self.base)
        self.base.mkdir(exist_ok=True)
        alone.game.write_bytes(data)
        if data != self.original:
            self.found(data)
        try:
            archive = load(alone, check=True)
            course = begin(archive, None)
        except (Fault, CampaignError) as refused:
            return f"refused: {refused.code}"
        table = independent.tomllib.loads(data.decode())
        game = archive.game
        assert (game.protocol, game.id, game.name, game.title) == (1, table["id"], table["name"], table["title"])
        assert len(bytes.fromhex(game.id)) == 16 and len(bytes.fromhex(game.processor.beacon)) == 32
        assert [seat.name for seat in game.seats] == [seat["name"] for seat in table["seats"]]
        assert all(part not in seat.name for seat in game.seats for part in ("/", ".", "\\", "\0"))
        assert course.phase_id() == "" and course.waiting() is None
        return "begun"

    def found(self, data: bytes) -> None:
        """The same bytes in the campaign they were taken from: its ledger names another game file."""
        linked = self.base / "linked"
        if not linked.exists():
            linked.mkdir()
            for name in ("receipts", "ledger", "orders", "letters"):
                (linked / name).symlink_to(self.played.folder.root / name)
        (linked / "game.toml").write_bytes(data)
        try:
            load(Folder(linked), check=True)
        except (Fault, CampaignError):
            return
        raise AssertionError("a changed game file was not found")


def pick(targets: Sequence[Target], dice: Dice) -> Target:
    """A kind of file by its share."""
    return dice.choices(targets, weights=[target.share for target in targets])[0]
