"""GraphRequest: what a model is asked for, in words; and the legend that explains a graph which a model is given."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import Literal, Self

from ...bench_data.questions.query import ScaledZone
from ...bench_data.scene_graphs import GraphFrame
from ...bench_data.scene_graphs.placed import Sides
from ..errors import DiagnosticsError
from .parsing import ParsedGraph, parse_scene_graph
from .schema import RelationReading, SceneGraph
from .truth import EdgePlan

__all__ = ["PROMPT_VERSION", "GraphMedium", "GraphRequest", "graph_legend"]

GraphMedium = Literal["json", "prose", "birds_eye"]
"""In which form a graph is shown: `prompt_json`, `prose`, or `birds_eye_image`."""

_JSON: tuple[GraphMedium, ...] = ("json",)

PROMPT_VERSION = 1
"""Of the words; results that were asked for in other words are not comparable."""


@dataclass(frozen=True, kw_only=True)
class GraphRequest:
    """A scene graph to be asked for.

    Args:
        ids: numbers of the objects, as marked in the picture.
        centre: the object that a star is drawn around.
        edges: which pairs are asked for.
        frame, sides, reading: as in `SceneGraph`; they become the legend.
        positions: whether positions and headings are asked for too.
        pictures: how many the model is shown.

    Raises:
        DiagnosticsError: no ids, one twice, or a star without a centre among them.
    """

    ids: tuple[int, ...]
    centre: int | None = None
    edges: EdgePlan = "star"
    frame: GraphFrame = "level"
    sides: Sides = "ground"
    reading: RelationReading | None = None
    positions: bool = False
    pictures: int = 1

    def __post_init__(self) -> None:
        if not self.ids or len(set(self.ids)) != len(self.ids):
            raise DiagnosticsError(f"a graph is asked for at least one object, each once; got {self.ids}")
        if self.edges == "star" and len(self.ids) > 1 and self.centre not in self.ids:
            raise DiagnosticsError(f"a star needs a centre among its objects; got {self.centre}")

    @classmethod
    def of(cls, truth: SceneGraph, *, positions: bool = False, pictures: int = 1) -> Self:
        """The request whose right answer is this graph.

        Args:
            truth: the true graph; its edges are taken as a star if it has a centre, and else as all pairs.
            positions: ask for positions and headings too.
            pictures: how many the model is shown.
        """
        plan: EdgePlan = "star" if truth.centre is not None else "full" if truth.edges else "none"
        return cls(
            ids=truth.ids,
            centre=truth.centre,
            edges=plan,
            frame=truth.frame,
            sides=truth.sides,
            reading=truth.reading,
            positions=positions,
            pictures=pictures,
        )

    @property
    def text(self) -> str:
        """The prompt: the objects, the form of the answer, and the legend."""
        task = _words()["task"]
        has_edges = self.edges != "none" and len(self.ids) > 1
        lines = [
            task["picture" if self.pictures == 1 else "pictures"],
            task["wanted"],
            task["objects_positions" if self.positions else "objects"],
            *([task[self.edges], task["relations"]] if has_edges else [task["none"]]),
            task["unknown"],
        ]
        filled = _filled(lines, ids=", ".join(str(number) for number in self.ids), centre=str(self.centre))
        legend = _lines(
            self.frame,
            self.sides,
            self.reading,
            positions=self.positions,
            edges=has_edges,
            pictures=self.pictures,
            relations=_words()["legend"]["relations"],
        )
        return "\n".join([*filled, "", _listed(legend), "", task["answer"]])

    def parse(self, reply: str, *, cut: bool = False) -> ParsedGraph:
        """The graph of a reply to `text`; never raises."""
        return parse_scene_graph(
            reply, centre=self.centre, frame=self.frame, sides=self.sides, reading=self.reading, cut=cut
        )


def graph_legend(graph: SceneGraph, *, media: Collection[GraphMedium] = _JSON, pictures: int = 1) -> str:
    """How to read a graph that is put into a prompt: units, frame, sides, and what its relations mean.

    Args:
        graph: what is shown; only what it states is explained.
        media: in which forms it is shown.
        pictures: how many the model is shown beside it.
    """
    told = "json" in media or "prose" in media
    words = _words()["legend"]
    lines = _lines(
        graph.frame,
        graph.sides,
        graph.reading,
        positions=told and any(one.position_m is not None for one in graph.objects),
        edges=told and bool(graph.edges),
        pictures=pictures,
        relations=words["relations" if "json" in media else "relations_prose"],
    )
    if "birds_eye" in media:
        lines.append(words["birds_eye"])
    return _listed(lines)


def _lines(
    frame: GraphFrame,
    sides: Sides,
    reading: RelationReading | None,
    *,
    positions: bool,
    edges: bool,
    pictures: int,
    relations: str,
) -> list[str]:
    words = _words()["legend"]
    lines = [words["units"], words["distances"], words[f"sides_{sides}"], words[f"frame_{frame}"]]
    if pictures > 1:
        lines.append(words["frame_first"])
    if edges:
        lines.append(relations)
        lines += _zone(reading) if reading is not None else []
    if positions:
        lines += [words["positions"], words["headings"]]
    return lines


def _listed(lines: Iterable[str]) -> str:
    return "\n".join([_words()["legend"]["heading"], *(f"- {line.strip()}" for line in lines)])


def _zone(reading: RelationReading) -> list[str]:
    words = _words()["legend"]
    zone = reading.zone
    if isinstance(zone, ScaledZone):
        lines = _filled(
            [words["zone_scaled"]],
            side_percent=f"{100 * zone.side_share:g}",
            least=f"{zone.least_m:g}",
            height_percent=f"{100 * zone.height_share:g}",
        )
    else:
        lines = _filled([words["zone_fixed"]], zone=f"{zone:g}")
    return lines if reading.exclusive else [*lines, words["both"]]


def _filled(lines: list[str], **values: str) -> list[str]:
    return [Template(line.strip()).substitute(values) for line in lines]


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    file = files(f"{__package__}.prompts").joinpath(f"graph-{PROMPT_VERSION}.toml")
    words: Mapping[str, Mapping[str, str]] = tomllib.loads(file.read_text(encoding="utf-8"))
    return words
