"""The objects of a graph as models write them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping

from ...bench_data.questions import Unit
from ..replies.result import JsonValue
from .fields import OBJECT_FIELDS, SIDE_FIELDS, Field, fields_of
from .findings import FindingKind, FindingLog
from .lengths import read_id, read_number
from .schema import SceneObject, Vector

__all__ = ["MAX_LABEL_CHARS", "MAX_OBJECTS", "clean_label", "read_objects"]

MAX_OBJECTS = 10_000
MAX_LABEL_CHARS = 80
_MAX_ATTRIBUTES = 16
_POSITION_AXES = ("right", "up", "forward")


def read_objects(value: JsonValue, unit: Unit | None, log: FindingLog) -> dict[int, SceneObject]:
    """Number -> object, in the order of the reply; of two with one number the later one counts."""
    objects: dict[int, SceneObject] = {}
    for count, (path, entry, key) in enumerate(_entries(value, log)):
        if count >= MAX_OBJECTS:
            log.add(FindingKind.TOO_MANY, path, f"more than {MAX_OBJECTS} entries; the others are left out")
            break
        one = _object(entry, key, path, unit, log)
        if one is None:
            continue
        earlier = objects.get(one.id)
        if earlier is not None:
            same = earlier == one
            log.add(
                FindingKind.REPEATED if same else FindingKind.CONFLICT,
                f"{path}.id",
                f"object {one.id} stands twice" + ("" if same else ", differently; the later one counts"),
            )
        objects[one.id] = one
    return objects


def _entries(value: JsonValue, log: FindingLog) -> Iterator[tuple[str, JsonValue, str | None]]:
    """(path, entry, its key in a record of objects)."""
    if isinstance(value, list):
        for index, entry in enumerate(value):
            yield f"objects[{index}]", entry, None
    elif isinstance(value, dict):
        log.add(FindingKind.OTHER_FORM, "objects", "a record instead of a list")
        for key, entry in value.items():
            yield f"objects.{key[:40]}", entry, key
    else:
        log.add(FindingKind.WRONG_TYPE, "objects", "neither a list nor a record")


def _object(entry: JsonValue, key: str | None, path: str, unit: Unit | None, log: FindingLog) -> SceneObject | None:
    if not isinstance(entry, dict):
        number = read_id(entry)
        if number is None:
            log.add(FindingKind.WRONG_TYPE, path, "no object")
            return None
        log.add(FindingKind.OTHER_FORM, path, "a number alone")
        return SceneObject(id=number)
    found = fields_of(entry, OBJECT_FIELDS)
    number = _number_of(found, key, path, log)
    if number is None:
        return None
    lengths = _sizes(found, path, unit, log)
    told = read_number(found["heading"].value if "heading" in found else None, Unit.DEGREE, signed=True)
    if told.problem:
        log.add(FindingKind.BAD_NUMBER, f"{path}.heading", told.problem)
    elif told.note:
        log.add(FindingKind.NUMBER_CONVERTED, f"{path}.heading", told.note)
    return SceneObject(
        id=number,
        label=clean_label(found["label"].value, f"{path}.label", log) if "label" in found else "",
        distance_to_camera_m=_length(found.get("distance"), path, unit, log),
        length_m=lengths.get("length"),
        width_m=lengths.get("width"),
        height_m=lengths.get("height"),
        position_m=_position(found.get("position"), path, unit, log),
        heading_deg=told.value,
        attributes=_attributes(found.get("attributes"), path, log),
    )


def _number_of(found: Mapping[str, Field], key: str | None, path: str, log: FindingLog) -> int | None:
    """The number of an object: from its id, else from its key, else from a name such as "object 3"."""
    for value in (
        found["id"].value if "id" in found else None,
        key,
        found["label"].value if "label" in found else None,
    ):
        number = read_id(value)
        if number is not None:
            if "id" not in found or value is not found["id"].value or isinstance(value, str):
                log.add(FindingKind.OTHER_FORM, f"{path}.id", f"read as object {number}")
            return number
    log.add(FindingKind.NO_ID, f"{path}.id", "no number of an object")
    return None


def _sizes(found: Mapping[str, Field], path: str, unit: Unit | None, log: FindingLog) -> dict[str, float | None]:
    """Length, width and height, from a record of sizes or from fields of the object itself."""
    sides = {name: found[name] for name in ("length", "width", "height") if name in found}
    size = found.get("size")
    if size is not None and isinstance(size.value, dict):
        unit = size.unit or unit
        sides = {**sides, **fields_of(size.value, SIDE_FIELDS)}
    elif size is not None and size.value is not None:
        log.add(FindingKind.WRONG_TYPE, f"{path}.size", "sizes without names; which is which is not guessed")
    return {name: _length(one, path, unit, log) for name, one in sides.items()}


def _length(found: Field | None, path: str, unit: Unit | None, log: FindingLog) -> float | None:
    """Metres."""
    if found is None:
        return None
    read = read_number(found.value, Unit.METRE, assumed=found.unit or unit)
    if read.problem:
        log.add(FindingKind.BAD_NUMBER, f"{path}.{found.name[:40]}", read.problem)
    elif read.note:
        log.add(FindingKind.NUMBER_CONVERTED, f"{path}.{found.name[:40]}", read.note)
    return read.value


def _position(found: Field | None, path: str, unit: Unit | None, log: FindingLog) -> Vector | None:
    """(right, up, forward), from a record with these names or a list in this order."""
    if found is None or found.value is None:
        return None
    value = found.value
    if isinstance(value, dict):
        value = [value.get(axis, value.get(f"{axis}_m")) for axis in _POSITION_AXES]
    if not isinstance(value, list) or len(value) != len(_POSITION_AXES):
        log.add(FindingKind.WRONG_TYPE, f"{path}.position", "not right, up and forward")
        return None
    numbers = [read_number(one, Unit.METRE, assumed=found.unit or unit, signed=True) for one in value]
    notes = [one.note for one in numbers if one.note]
    if notes:
        log.add(FindingKind.NUMBER_CONVERTED, f"{path}.position", notes[0])
    right, up, forward = (one.value for one in numbers)
    if right is None or up is None or forward is None:
        problem = next((one.problem for one in numbers if one.value is None), "") or "not all of right, up and forward"
        log.add(FindingKind.BAD_NUMBER, f"{path}.position", problem)
        return None
    return right, up, forward


def clean_label(value: JsonValue, path: str, log: FindingLog) -> str:
    """A label as plain text on one line: control and format characters dropped, blanks joined, cut to a length."""
    if value is None:
        return ""
    if not isinstance(value, str):
        log.add(FindingKind.WRONG_TYPE, path, "a label that is no text")
        return ""
    start = value[: 8 * MAX_LABEL_CHARS]
    kept = "".join(" " if char.isspace() else char for char in start if char.isspace() or _is_plain(char))
    label = " ".join(kept.split())[:MAX_LABEL_CHARS].rstrip()
    if label != value.strip():
        log.add(FindingKind.LABEL_CLEANED, path, "cut, or rid of control characters")
    return label


def _is_plain(char: str) -> bool:
    return not unicodedata.category(char).startswith("C")


def _attributes(found: Field | None, path: str, log: FindingLog) -> dict[str, str]:
    if found is None or found.value is None:
        return {}
    if not isinstance(found.value, dict):
        log.add(FindingKind.WRONG_TYPE, f"{path}.attributes", "no record")
        return {}
    items = list(found.value.items())
    if len(items) > _MAX_ATTRIBUTES:
        log.add(FindingKind.TOO_MANY, f"{path}.attributes", f"more than {_MAX_ATTRIBUTES}")
    where = f"{path}.attributes"
    return {clean_label(key, where, log): clean_label(value, where, log) for key, value in items[:_MAX_ATTRIBUTES]}
