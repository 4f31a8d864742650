"""The edges of a graph as models write them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...bench_data.questions import Unit
from ...bench_data.scene_graphs import OPPOSITE, Relation
from ..replies.result import JsonValue
from .fields import EDGE_FIELDS, Field, fields_of
from .findings import FindingKind, FindingLog
from .lengths import read_id, read_number
from .schema import SceneEdge
from .words import in_order, read_relation_words

__all__ = ["MAX_EDGES", "read_edges"]

MAX_EDGES = 20_000
_MAX_RELATIONS = 24
_CAMERA = frozenset({"camera", "cam", "ego", "viewer", "observer", "相机"})
_PAIR = re.compile(r"\D{0,12}([0-9]{1,9})\D{1,12}([0-9]{1,9})\D{0,4}")
_FLAG_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_HALF = 0.5


def read_edges(value: JsonValue, unit: Unit | None, centre: int | None, log: FindingLog) -> list[SceneEdge]:
    """The edges in the order of the reply; of two from one object to another the later one counts."""
    edges: dict[tuple[int, int], SceneEdge] = {}
    for count, (path, entry, key) in enumerate(_entries(value, log)):
        if count >= MAX_EDGES:
            log.add(FindingKind.TOO_MANY, path, f"more than {MAX_EDGES} entries; the others are left out")
            break
        edge = _edge(entry, key, path, unit, centre, log)
        if edge is None:
            continue
        pair = (edge.source, edge.target)
        if pair in edges:
            same = edges[pair] == edge
            log.add(
                FindingKind.REPEATED if same else FindingKind.CONFLICT,
                path,
                f"the edge from {pair[0]} to {pair[1]} stands twice"
                + ("" if same else ", differently; the later one counts"),
            )
        edges[pair] = edge
    return list(edges.values())


def _entries(value: JsonValue, log: FindingLog) -> Iterator[tuple[str, JsonValue, str | None]]:
    if isinstance(value, list):
        for index, entry in enumerate(value):
            yield f"edges[{index}]", entry, None
    elif isinstance(value, dict):
        log.add(FindingKind.OTHER_FORM, "edges", "a record instead of a list")
        for key, entry in value.items():
            yield f"edges.{key[:40]}", entry, key
    elif value is not None:
        log.add(FindingKind.WRONG_TYPE, "edges", "neither a list nor a record")


def _edge(
    entry: JsonValue, key: str | None, path: str, unit: Unit | None, centre: int | None, log: FindingLog
) -> SceneEdge | None:
    if not isinstance(entry, dict):
        log.add(FindingKind.WRONG_TYPE, path, "no edge")
        return None
    found = fields_of(entry, EDGE_FIELDS)
    ends = _ends(found, key, centre, path, log)
    if ends is None:
        return None
    return SceneEdge(
        source=ends[0],
        target=ends[1],
        distance_m=_number(found.get("distance"), Unit.METRE, unit, f"{path}.distance", log),
        relations=_relations(found["relations"].value if "relations" in found else None, f"{path}.relations", log),
        bearing_deg=_number(found.get("bearing"), Unit.DEGREE, None, f"{path}.bearing", log),
    )


def _number(found: Field | None, unit: Unit, assumed: Unit | None, path: str, log: FindingLog) -> float | None:
    if found is None:
        return None
    known = found.unit or assumed if unit is Unit.METRE else None
    read = read_number(found.value, unit, assumed=known, signed=unit is Unit.DEGREE)
    if read.problem:
        log.add(FindingKind.BAD_NUMBER, path, read.problem)
    elif read.note:
        log.add(FindingKind.NUMBER_CONVERTED, path, read.note)
    return read.value


def _ends(
    found: dict[str, Field], key: str | None, centre: int | None, path: str, log: FindingLog
) -> tuple[int, int] | None:
    told = [found[name].value if name in found else None for name in ("source", "target")]
    if any(isinstance(one, str) and one.strip().casefold() in _CAMERA for one in told):
        log.add(FindingKind.CAMERA_EDGE, path, "an edge with the camera; distances to it belong to the objects")
        return None
    source, target = (read_id(one) for one in told)
    if told == [None, None] and key is not None and len(key) <= 40 and (pair := _PAIR.fullmatch(key)):
        source, target = int(pair[1]), int(pair[2])
    elif told[0] is None and target is not None and centre is not None:
        source = centre
        log.add(FindingKind.SOURCE_ASSUMED, f"{path}.from", f"taken to be the centre, object {centre}")
    if source is None or target is None:
        log.add(FindingKind.NO_ID, path, "an end is no number of an object")
        return None
    if any(isinstance(one, str) for one in told):
        log.add(FindingKind.OTHER_FORM, path, f"read as from {source} to {target}")
    if source == target:
        log.add(FindingKind.SELF_EDGE, path, f"from object {source} to itself")
        return None
    return source, target


def _relations(value: JsonValue, path: str, log: FindingLog) -> tuple[Relation, ...] | None:
    """The relations that hold, from a list, a phrase or flags; None where nothing was said or nothing understood."""
    if value is None:
        return None
    held: list[Relation] = []
    stated = True
    if isinstance(value, list):
        understood = [_phrase(one, held, path, log) for one in value[:_MAX_RELATIONS]]
        stated = not understood or any(understood)
        if len(value) > _MAX_RELATIONS:
            log.add(FindingKind.TOO_MANY, path, f"more than {_MAX_RELATIONS} relations")
    elif isinstance(value, dict):
        log.add(FindingKind.OTHER_FORM, path, "flags instead of words")
        items = list(value.items())[:_MAX_RELATIONS]
        understood = [_flag(name, flag, held, path, log) for name, flag in items]
        stated = any(understood)
    elif isinstance(value, str):
        log.add(FindingKind.OTHER_FORM, path, "a phrase instead of a list")
        stated = _phrase(value, held, path, log)
    else:
        log.add(FindingKind.WRONG_TYPE, path, "neither a list nor words")
        stated = False
    if not stated:
        return None
    relations = in_order(held)
    both = [f"{one} and {OPPOSITE[one]}" for one in ("left", "front", "above") if {one, OPPOSITE[one]} <= {*relations}]
    if both:
        log.add(FindingKind.CONTRADICTION, path, ", ".join(both))
    return relations


def _phrase(value: JsonValue, held: list[Relation], path: str, log: FindingLog) -> bool:
    """Add what a phrase says to ``held``; whether it was understood."""
    if not isinstance(value, str):
        log.add(FindingKind.WRONG_TYPE, path, "a relation that is no text")
        return False
    read = read_relation_words(value)
    if read.unknown:
        log.add(FindingKind.UNKNOWN_WORD, path, ", ".join(read.unknown)[:80])
    if read.unsure:
        log.add(FindingKind.UNSURE_WORD, path, f"{value[:40]!r} may mean two things")
    held += read.relations
    return read.stated


def _flag(name: str, flag: JsonValue, held: list[Relation], path: str, log: FindingLog) -> bool:
    """A flag under a relation's name, or a phrase under an axis's ("horizontal": "left"); whether it was understood."""
    if flag is None:
        return False
    if isinstance(flag, str):
        known = _FLAG_WORDS.get(flag.strip().casefold())
        if known is None:
            return _phrase(flag, held, path, log)
        flag = known
    if isinstance(flag, list | dict):
        log.add(FindingKind.WRONG_TYPE, f"{path}.{name[:40]}", "no flag")
        return False
    if flag >= _HALF:
        return _phrase(name, held, path, log)
    return bool(read_relation_words(name).relations)
