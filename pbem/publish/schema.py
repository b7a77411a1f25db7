"""The JSON Schema of a title's order files, so that an editor can complete keys and mark slips while a player writes.

What ``orders.file.read_order`` takes, it takes; it says less than the reader, which also knows the position, the ledger and the key. Only
keywords that editors with an older draft know too are used. Sources: JSON Schema 2020-12; the keys are those of ``docs/formats.md``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from pbem.engine.title import Title
from pbem.orders import head
from pbem.orders.plans import ALTERNATIVE_CAP, ORDER_CAP, OTHERWISE, THEN, WATCH_CAP
from pbem.orders.seal import BOX_LINE, SEAL_TO_CAP

DRAFT = "https://json-schema.org/draft/2020-12/schema"
FOLDER = "schema"
"""Where a site keeps the schemas, below its root."""

_PLAIN_LINE = r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$"
_ABOUT_THE_FILE = (
    "Orders for one phase. Every line answers one decision, in sequence; pbem check tries the file out, pbem sign makes what is sent."
)


def file_name(slug: str) -> str:
    """Where the schema of a title lies below the root of a site: ``schema/ming-dynasty.json``."""
    return f"{FOLDER}/{slug}.json"


def order_schema(title: Title[Any]) -> dict[str, Any]:
    """The schema as a table: templates, signed files and sealed files of this title are all valid by it."""
    _, components = msgspec.json.schema_components(title.orders, ref_template="#/$defs/{name}")
    shapes = {name: _without_null(shape) for name, shape in components.items()}
    kinds = {_tag(kind): kind for kind in title.orders}
    flat = {_tag_of(shape): name for name, shape in shapes.items() if _tag_of(shape) in kinds}
    planned = {f"planned-{tag}": _planned(shapes[name]) for tag, name in flat.items()}
    for name in flat.values():
        shapes[name]["additionalProperties"] = False
    alternative = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in flat.values()]}
    return {
        "$schema": DRAFT,
        "$id": f"urn:pbem:orders:{title.slug}:{title.rules}",
        "title": f"{title.name}: order file",
        "description": _ABOUT_THE_FILE,
        "type": "object",
        "properties": {
            **_head(),
            "orders": {
                "description": f"What to do, at most {ORDER_CAP} lines; [] withdraws what was filed before.",
                "type": "array", "maxItems": ORDER_CAP, "items": {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in planned]},
            },
            "sealed": {"$ref": "#/$defs/sealed"},
        },
        "required": ["game", "player", "phase", "revision", "after"],
        "additionalProperties": False,
        "if": {"required": ["sealed"]},
        "then": {"properties": {"orders": False, "then": False, "seal_to": False}},
        "else": {"required": ["orders"]},
        "$defs": {**shapes, **planned, "alternative": alternative, "sealed": _sealed()},
    }  # fmt: skip


def schema_text(title: Title[Any]) -> str:
    """The schema as it is published: the same title gives the same bytes."""
    return json.dumps(order_schema(title), ensure_ascii=False, indent=2) + "\n"


def _tag(kind: type[msgspec.Struct]) -> str:
    return str(kind.__struct_config__.tag)


def _tag_of(shape: Mapping[str, Any]) -> str:
    return str(shape.get("properties", {}).get("do", {}).get("enum", [""])[0])


def _without_null(shape: Any) -> Any:
    """The same without null, which TOML does not have, and with its descriptions as plain text."""
    if isinstance(shape, list | tuple):
        return [_without_null(each) for each in shape]
    if not isinstance(shape, dict):
        return shape
    made = {key: _without_null(value) for key, value in shape.items() if not (key == "default" and value is None)}
    if isinstance(made.get("anyOf"), list):
        made["anyOf"] = [each for each in made["anyOf"] if each != {"type": "null"}]
        if len(made["anyOf"]) == 1:
            [only] = made.pop("anyOf")
            made = {**only, **made}
    if isinstance(made.get("description"), str):
        made["description"] = re.sub(r"(?<!\n)\n(?!\n)", " ", made["description"]).replace("``", "")
    return made


def _planned(shape: Mapping[str, Any]) -> dict[str, Any]:
    """An order as a line of a plan: with the plan words."""
    words: dict[str, Any] = {
        "or": {
            "description": f"What to do instead when this is not possible then: an order, or a list of at most {ALTERNATIVE_CAP}.",
            "anyOf": [
                {"$ref": "#/$defs/alternative"},
                {"type": "array", "maxItems": ALTERNATIVE_CAP, "items": {"$ref": "#/$defs/alternative"}},
            ],
        },
        "otherwise": {
            "description": "When nothing of this line is possible: ask me, skip the line, or do what silence means.",
            "enum": list(OTHERWISE), "default": OTHERWISE[0],
        },
        "watch": {
            "description": "Places: if somebody else has acted there since, the plan stops and I am asked.",
            "type": "array", "maxItems": WATCH_CAP, "items": {"type": "string"},
        },
    }  # fmt: skip
    return {**shape, "properties": {**shape["properties"], **words}, "additionalProperties": False}


def _form(key: str) -> str:
    return f"^(?:{head.FORMS[key][0].pattern})$"


def _head() -> dict[str, Any]:
    return {
        "game": {"description": "Name of the campaign.", "type": "string", "pattern": _form("game")},
        "player": {"description": "Your seat.", "type": "string", "pattern": _form("player")},
        "phase": {"description": "Id of the phase these orders are for, such as 3.move.", "type": "string", "pattern": _form("phase")},
        "revision": {
            "description": "The highest one that came in time counts; pbem sign counts it up.",
            "type": "integer", "minimum": 1, "maximum": head.REVISION_CAP,
        },
        "after": {
            "description": "The last ledger entry you had seen: its number and 32 hex digits. Leave it as it is.",
            "type": "string", "pattern": _form("after"),
        },
        "note": {
            "description": "A line that everybody can read in the report.",
            "type": "string", "maxLength": head.NOTE_CAP, "pattern": _PLAIN_LINE,
        },
        "then": {
            "description": "After the last line: ask me, pass, or do what silence means.", "enum": list(THEN), "default": THEN[0],
        },
        "seal_to": {
            "description": "For pbem sign, which seals the orders with it. Leave it as it is.", "type": "string", "maxLength": SEAL_TO_CAP,
        },
    }  # fmt: skip


def _sealed() -> dict[str, Any]:
    return {
        "title": "Sealed",
        "description": "What pbem sign makes of sealed orders: nobody can read them before the phase has closed.",
        "type": "object",
        "properties": {
            "commitment": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "box": {"type": "array", "minItems": 1, "items": {"type": "string", "pattern": f"^[A-Za-z0-9+/=]{{1,{BOX_LINE}}}$"}},
        },
        "required": ["commitment", "box"],
        "additionalProperties": False,
    }
