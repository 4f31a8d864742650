"""What came of an audit, question by question: everything that tables, diagnoses and pages are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...bench_data.building import AskedQuestion
from ...bench_data.questions import Question
from ..derive import Derived
from ..interventions import Experiment, PictureSource
from ..judging import ReadAnswer
from ..scene_graph import GraphScores, ParsedGraph, SceneGraph
from .pictures import AuditedPicture, PictureChoice

__all__ = ["AnswerRow", "AuditPart", "DrawnGraph", "Item"]


@dataclass(frozen=True, slots=True)
class DrawnGraph:
    """A graph that the model was asked to draw of a picture.

    Args:
        parsed: what was read; None for a call that failed.
        scores: against the true graph.
        text: the reply.
        problem: why there is no graph; "" where there is one.
    """

    parsed: ParsedGraph | None
    scores: GraphScores
    text: str
    problem: str = ""

    @property
    def graph(self) -> SceneGraph | None:
        """The graph; None where none could be read."""
        return None if self.parsed is None else self.parsed.graph


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """What the model said to one question under one condition of the experiment.

    Args:
        read: the answer.
        score: of it, 0 to 1; None for a call that failed.
        text: the reply.
        named: what it said was done to the picture, where it was asked; None where it named nothing.
    """

    read: ReadAnswer
    score: float | None
    text: str
    named: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """A question with the picture it is about."""

    picture: AuditedPicture
    asked: AskedQuestion

    @property
    def question(self) -> Question:
        """As it is asked under the condition of its picture."""
        return self.asked.question


@dataclass(frozen=True, kw_only=True)
class AuditPart:
    """The audit of one condition of a data set.

    Args:
        model: its name.
        condition: of the data set.
        experiment: the conditions of asking.
        choice: the pictures.
        items: question -> question and picture, in order.
        graphs: (picture, what was shown of it) -> what the model drew.
        answers: condition of the experiment -> question -> what the model said.
        missing: condition of the experiment -> questions that it could not be asked, with the reason.
        derived: question -> what follows from the model's own graph; questions without one are missing.
        ceilings: question -> what follows from the true graph in the same form.
    """

    model: str
    condition: str
    experiment: Experiment
    choice: PictureChoice
    items: Mapping[str, Item]
    graphs: Mapping[tuple[str, PictureSource], DrawnGraph] = field(repr=False)
    answers: Mapping[str, Mapping[str, AnswerRow]] = field(repr=False)
    missing: Mapping[str, Mapping[str, str]] = field(repr=False)
    derived: Mapping[str, Derived] = field(repr=False)
    ceilings: Mapping[str, Derived] = field(repr=False)
