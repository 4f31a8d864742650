"""Numbering: which object of a graph is meant by a number of a question."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Literal, TypeAlias

from ...bench_data.questions import Question
from ..scene_graph import SceneGraph

__all__ = ["Numbering", "numbers_by_name", "numbers_of"]

Numbering: TypeAlias = Literal["auto", "scene", "marks", "names"] | Mapping[int, int]
"""How objects are numbered in a graph.

scene: as in the scene and in the question's query. marks: by the numbers drawn on the picture. names: by none of these;
objects are found by their labels, see `numbers_by_name`. auto: by marks where the question has any, else as in the
scene. Or the scene's number -> the graph's.
"""

_ARTICLE = re.compile(r"^(?:the|an?)\s+")
_BLANKS = re.compile(r"[\s_-]+")


def numbers_of(graph: SceneGraph, question: Question, numbering: Numbering) -> Mapping[int, int] | None:
    """The scene's numbers -> the graph's; None where they are the same."""
    if isinstance(numbering, Mapping):
        return numbering
    if numbering == "names":
        return numbers_by_name(graph, question)
    return question.marks if numbering == "marks" or (numbering == "auto" and question.marks) else None


def numbers_by_name(graph: SceneGraph, question: Question) -> dict[int, int]:
    """Objects of a question by what the text calls them: an object of the graph with that label, if it is the only one.

    An article, capitals, hyphens and blanks make no difference. A label may be followed or preceded by the words that
    describe the object: {"colour": "red"} and "sofa" is "the red sofa".

    Returns:
        The scene's number -> the graph's, without those that are not found, or found twice.
    """
    labelled: defaultdict[str, set[int]] = defaultdict(set)
    for one in graph.objects:
        label = _plain(one.label)
        if label:
            labelled[label].add(one.id)
            for word in one.attributes.values():
                labelled[f"{_plain(word)} {label}"].add(one.id)
    found = {}
    for number, name in question.names.items():
        same = labelled.get(_plain(name), set())
        if len(same) == 1:
            found[number] = next(iter(same))
    return found


def _plain(name: str) -> str:
    return _ARTICLE.sub("", _BLANKS.sub(" ", name).strip().casefold())
