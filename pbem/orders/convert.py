"""A raw table becomes a typed struct, field by field, so that every fault of it is found and not only the first."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, cast

import msgspec
from msgspec import inspect

from pbem.orders.findings import Finding, nearest, shortened

Struct = msgspec.Struct


def kind_of(value: Any) -> str:
    """The word for what a raw value is: ``true-false``, ``whole-number``, ``fraction``, ``text``, ``list``, ``table`` or ``other``."""
    kinds = ((bool, "true-false"), (int, "whole-number"), (float, "fraction"), (str, "text"), (list | tuple, "list"), (dict, "table"))
    return next((word for kind, word in kinds if isinstance(value, kind)), "other")


def shown(value: Any) -> str:
    """A raw value as a short quotation."""
    return shortened({True: "true", False: "false"}[value] if isinstance(value, bool) else str(value))


def converted(table: Mapping[str, Any], kind: type[Struct], at: str = "") -> tuple[Struct | None, list[Finding]]:
    """``table`` as a struct of this kind, or None and all that is wrong with it.

    The tag field, if the kind has one, is taken as right. Codes: those of group Fields in ``findings``.
    """
    info = _type_info(kind)
    # Nearly every file is right: only one that is not is walked field by field.
    if not table.keys() - {info.tag_field, *(field.encode_name for field in info.fields)}:
        try:
            return msgspec.convert(dict(table), kind, strict=True), []
        except msgspec.ValidationError:
            pass
    found = _fields(table, info, at)
    if found:
        return None, found
    try:
        return msgspec.convert(dict(table), kind, strict=True), []
    except msgspec.ValidationError as fault:   # a check of the struct's own, over several fields
        return None, [Finding("does-not-fit-together", at, {"reason": shortened(str(fault).split(" - at ")[0], 200)})]


@cache
def _type_info(kind: type[Struct]) -> inspect.StructType:
    return cast(inspect.StructType, inspect.type_info(kind))


def wrong_type(value: Any, at: str, *allowed: str) -> Finding:
    """The finding for a value of another kind than the allowed ones (words of ``kind_of``, or words that may stand there)."""
    return Finding("wrong-type", at, {"found": kind_of(value), "quoted": shown(value), "allowed": list(allowed)})


def unknown_keys(table: Mapping[str, Any], allowed: Iterable[str], at: str = "") -> list[Finding]:
    """A finding for each key that is not allowed."""
    allowed = list(allowed)
    return [
        Finding("unknown-key", inside(at, key), {"found": shortened(key), "allowed": allowed, "nearest": nearest(key, allowed)})
        for key in table if key not in allowed
    ]


def inside(at: str, key: str) -> str:
    """The place of a key in the table at ``at``."""
    return f"{at}.{shortened(key, 40)}" if at else shortened(key, 40)


def _fields(table: Mapping[str, Any], info: inspect.StructType, at: str) -> list[Finding]:
    tag = {info.tag_field} if info.tag_field else set()
    by_key = {field.encode_name: field for field in info.fields}
    found = unknown_keys({key: None for key in table if key not in tag}, by_key, at)
    for key, field in by_key.items():
        if key in table:
            found += faults(table[key], field.type, inside(at, key))
        elif field.required:
            found.append(Finding("missing-key", inside(at, key), {"key": key, "allowed": _allowed(field.type)}))
    return found


def faults(value: Any, info: inspect.Type, at: str) -> list[Finding]:
    """All that is wrong with a value where a type is expected; an empty list when nothing is."""
    options = info.types if isinstance(info, inspect.UnionType) else (info,)
    fitting = [option for option in options if _fits(value, option)]
    if not fitting:
        return [wrong_type(value, at, *_allowed(info))]
    attempts = [_within(value, option, at) for option in fitting]
    best = min(attempts, key=len)
    if best and best[0].code == "unknown-word" and best[0].at == at:   # name the other ways to write it too
        facts = best[0].facts
        best = [Finding("unknown-word", at, facts | {"also": [word for word in _allowed(info) if word not in facts["allowed"]]})]
    return best


def _fits(value: Any, info: inspect.Type) -> bool:
    """Whether a value is of the kind of a type, whatever its content."""
    kind = kind_of(value)
    match info:
        case inspect.AnyType():
            return True
        case inspect.BoolType():
            return kind == "true-false"
        case inspect.IntType():
            return kind == "whole-number"
        case inspect.FloatType():
            return kind in ("whole-number", "fraction")
        case inspect.StrType():
            return kind == "text"
        case inspect.LiteralType(values=values):
            return any(kind_of(each) == kind for each in values)
        case inspect.ListType() | inspect.VarTupleType() | inspect.TupleType() | inspect.SetType() | inspect.FrozenSetType():
            return kind == "list"
        case inspect.DictType() | inspect.StructType():
            return kind == "table"
        case inspect.Metadata(type=inner):
            return _fits(value, inner)
        case inspect.CustomType():
            return True
    return False


def _within(value: Any, info: inspect.Type, at: str) -> list[Finding]:
    match info:
        case inspect.IntType() | inspect.FloatType():
            return _number(value, info, at)
        case inspect.StrType():
            return _text(value, info, at)
        case inspect.LiteralType(values=values):
            if any(value == each and type(value) is type(each) for each in values):
                return []
            words = [str(each) for each in values]
            return [Finding("unknown-word", at, {"found": shown(value), "allowed": words, "nearest": nearest(str(value), words)})]
        case inspect.ListType() | inspect.VarTupleType() | inspect.SetType() | inspect.FrozenSetType():
            found = _length(value, info.min_length, info.max_length, at)
            return found + [each for i, item in enumerate(value) for each in faults(item, info.item_type, f"{at}[{i}]")]
        case inspect.TupleType(item_types=types):
            if len(value) != len(types):
                return _length(value, len(types), len(types), at)
            return [each for i, item in enumerate(value) for each in faults(item, types[i], f"{at}[{i}]")]
        case inspect.DictType():
            found = _length(value, info.min_length, info.max_length, at)
            for key, item in value.items():
                found += _key_faults(key, info.key_type, inside(at, key)) + faults(item, info.value_type, inside(at, key))
            return found
        case inspect.StructType():
            return _fields(value, info, at)
        case inspect.Metadata(type=inner):
            return _within(value, inner, at)
    return []


def _number(value: float, info: inspect.IntType | inspect.FloatType, at: str) -> list[Finding]:
    low = info.ge if info.ge is not None else info.gt + 1 if info.gt is not None else None
    high = info.le if info.le is not None else info.lt - 1 if info.lt is not None else None
    if (low is not None and value < low) or (high is not None and value > high):
        return [Finding("out-of-range", at, {"found": shown(value), "low": low, "high": high})]
    if info.multiple_of is not None and value % info.multiple_of:
        return [Finding("not-a-multiple", at, {"found": shown(value), "of": info.multiple_of})]
    return []


def _text(value: str, info: inspect.StrType, at: str) -> list[Finding]:
    found = _length(value, info.min_length, info.max_length, at)
    if info.pattern is not None and not found:
        try:
            msgspec.convert(value, _patterned(info.pattern))
        except msgspec.ValidationError:
            found = [Finding("bad-form", at, {"found": shown(value), "expected": info.pattern})]
    return found


def _patterned(pattern: str) -> Any:
    from typing import Annotated
    return Annotated[str, msgspec.Meta(pattern=pattern)]


def _key_faults(key: str, info: inspect.Type, at: str) -> list[Finding]:
    """A table's key of a wrong word is an unknown key, not an unknown value."""
    return [
        Finding("unknown-key", each.at, each.facts) if each.code == "unknown-word" else each
        for each in faults(key, info, at)
    ]


def _length(value: Any, low: int | None, high: int | None, at: str) -> list[Finding]:
    if (low is not None and len(value) < low) or (high is not None and len(value) > high):
        return [Finding("wrong-length", at, {"found": len(value), "low": low, "high": high, "of": kind_of(value)})]
    return []


def _allowed(info: inspect.Type) -> list[str]:
    """What may stand there: words themselves, and kinds of value."""
    match info:
        case inspect.UnionType(types=types):
            return [word for each in types for word in _allowed(each)]
        case inspect.LiteralType(values=values):
            return [str(each) for each in values]
        case inspect.Metadata(type=inner):
            return _allowed(inner)
    samples = {"true-false": True, "whole-number": 0, "text": "", "list": [], "table": {}}
    return [kind for kind, sample in samples.items() if _fits(sample, info)][:1]   # a fraction's field takes whole numbers too
