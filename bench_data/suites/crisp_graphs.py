"""CRISP's files of scene graphs: the raw ones with positions, and the short ones that are put into prompts."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from ..errors import BenchDataError
from ..scene_graphs import (
    PUBLISHED_WORDS,
    GraphEdge,
    GraphNode,
    Relation,
    RelationGraph,
    published_injected_form,
)
from .files.json_tree import json_tree_rows
from .files.rows import BadRow
from .findings import Fields, RecordError
from .limits import SuiteLimits
from .paths import relative_path
from .writing import new_text_file

__all__ = ["PictureGraph", "read_crisp_graphs", "write_crisp_graphs"]

_RELATIONS: dict[str, Relation] = {word: relation for relation, word in PUBLISHED_WORDS.items()}


@dataclass(frozen=True, slots=True)
class PictureGraph:
    """The scene graph of a picture, whose path is relative to the suite's folder."""

    image: str
    graph: RelationGraph


def read_crisp_graphs(path: str | Path, *, limits: SuiteLimits | None = None) -> Iterator[PictureGraph]:
    """The graphs of a JSON list, raw or short, one after the other; edges from the camera are left out.

    Relations hold in the tilted camera's frame, as published. Numbers are those drawn on the picture; objects without
    one are left out, as in the published task.

    Raises:
        BenchDataError: a record cannot be read; the message names file, line and field.
    """
    file = Path(path)
    for raw in json_tree_rows(file, limits=limits or SuiteLimits()):
        if isinstance(raw, BadRow):
            raise BenchDataError(f"{file.name} line {raw.line}: {raw.message}")
        fields = Fields(raw.fields, warn=_unheard)
        try:
            yield PictureGraph(fields.path("image"), _graph(fields))
        except (RecordError, BenchDataError) as error:
            where = f", {error.field}" if isinstance(error, RecordError) and error.field else ""
            raise BenchDataError(f"{file.name} line {raw.line}{where}: {error}") from error


def write_crisp_graphs(graphs: Iterable[PictureGraph], path: str | Path) -> int:
    """Writes graphs in the short form; positions and labels are left out. Gives their number."""
    count = 0
    with new_text_file(Path(path)) as stream:
        stream.write("[")
        for one in graphs:
            record = {"image": relative_path(one.image), **published_injected_form(one.graph)}
            stream.write((",\n" if count else "\n") + json.dumps(record, ensure_ascii=False, allow_nan=False))
            count += 1
        stream.write("\n]\n")
    return count


def _graph(fields: Fields) -> RelationGraph:
    nodes: list[GraphNode] = []
    numbers: dict[str, int] = {}
    for place in _parts(fields, "objects"):
        node = _raw_node(place, numbers) if place.has("attributes") or place.has("node_id") else _short_node(place)
        if node is not None:
            nodes.append(node)
            numbers.setdefault(str(node.id), node.id)
    known = {node.id for node in nodes}
    edges = []
    for place in _parts(fields, "edges"):
        if place.values.get("from") == "ego":
            continue
        ends = [_number(place, name, numbers) for name in ("from", "to")]
        if None not in ends and all(end in known for end in ends):
            source, target = (end for end in ends if end is not None)
            edges.append(GraphEdge(source, target, place.number("distance"), _relations(place)))
        elif None not in ends:
            raise place.error("unknown_object", "to", f"the edge from {ends[0]} to {ends[1]} names an unknown object")
    sources = {edge.source for edge in edges}
    return RelationGraph(
        nodes=tuple(nodes),
        edges=tuple(edges),
        centre=sources.pop() if len(sources) == 1 else None,
        frame="camera",
    )


def _parts(fields: Fields, name: str) -> list[Fields]:
    parts = []
    for number, value in enumerate(fields.listed(name)):
        if not isinstance(value, Mapping):
            raise fields.error("wrong_type", name, f"item {number} must be a record")
        parts.append(Fields(value, warn=_unheard, within=f"{name}[{number}]."))
    return parts


def _short_node(place: Fields) -> GraphNode:
    size = place.part("size")
    w, l, h = (size.number(name) for name in "wlh")  # noqa: E741 - the published keys
    return GraphNode(place.whole("id"), place.number("dist_to_cam"), l, w, h)


def _raw_node(place: Fields, numbers: dict[str, int]) -> GraphNode | None:
    if not place.has("local_id"):
        numbers[place.text("node_id")] = -1
        return None
    number = place.whole("local_id")
    numbers[place.text("node_id")] = number
    attributes = place.part("attributes")
    at, size = attributes.part("translation"), attributes.part("size")
    x, y, z = (at.number(name) for name in ("x", "y", "z_cam"))
    w, l, h = (size.number(name) for name in "wlh")  # noqa: E741 - the published keys
    label = attributes.text("category_name", "")
    return GraphNode(number, math.sqrt(x * x + y * y + z * z), l, w, h, label=label, position_m=(x, -y, z))


def _number(place: Fields, name: str, numbers: Mapping[str, int]) -> int | None:
    """The number of an object that an edge names; None for one that has no number drawn."""
    end = numbers.get(place.text(name))
    if end is None:
        raise place.error("unknown_object", name, f"{place.text(name)[:40]!r} is no object of this picture")
    return None if end < 0 else end


def _relations(place: Fields) -> tuple[Relation, ...]:
    value: JsonValue = place.values.get("relation")
    words = [word for word, flag in value.items() if flag] if isinstance(value, dict) else value
    if not isinstance(words, list):
        raise place.error("wrong_type", "relation", "a list of words, or a record of flags, is expected")
    unknown = [word for word in words if not isinstance(word, str) or word not in _RELATIONS]
    if unknown:
        raise place.error("unknown_relation", "relation", f"{unknown[0]!r} is none of {', '.join(_RELATIONS)}")
    return tuple(relation for word, relation in _RELATIONS.items() if word in words)


def _unheard(code: str, field: str, message: str) -> None:
    """Graphs have no warnings."""
