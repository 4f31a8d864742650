"""The consistency of an audit as published with CRISP, to hold beside published values; not the default."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ...bench_data.questions import AnswerType, Question, Truth
from ..consistency import PublishedItem, published_consistency
from ..derive import derive_published
from .results import AuditPart

__all__ = ["PublishedValues", "published_values"]

_FAILED = {True: "FAILED: Scene Graph Missing", False: "FAILED: Missing Data"}


class PublishedValues(BaseModel):
    """Consistency by the published rules: their parser, their solver, their means.

    Attributes:
        consistency: the mean of ``by_group``; None where nothing was asked.
        valid_rate: share of derivations that gave an answer.
        by_group: "MCQ size", "NA distance" ... -> mean.
        by_difficulty: plain means.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    consistency: float | None
    valid_rate: float | None
    by_group: dict[str, float]
    by_difficulty: dict[str, float]


def published_values(part: AuditPart) -> PublishedValues:
    """The published consistency of the questions asked with the picture alone."""
    found = published_consistency(_items(part))
    return PublishedValues(
        consistency=found.overall,
        valid_rate=found.valid_rate,
        by_group={f"{form} {ability}": score for (form, ability), score in found.by_group.items()},
        by_difficulty=dict(found.by_difficulty),
    )


def _items(part: AuditPart) -> Iterator[PublishedItem]:
    plain = part.experiment.in_role("plain")
    for name, row in ({} if plain is None else part.answers[plain.name]).items():
        item = part.items[name]
        question = item.question
        drawn = part.graphs.get((item.picture.known.id, "shown"))
        graph = None if drawn is None else drawn.graph
        value = None if graph is None else derive_published(graph, question).value
        form: Literal["MCQ", "NA"] = "NA" if question.answer_type is AnswerType.NUMBER else "MCQ"
        yield PublishedItem(
            form=form,
            ability=question.tags.get("ability", question.kind),
            difficulty=question.tags.get("difficulty", ""),
            reply=row.text,
            derived=_FAILED[graph is None] if value is None else _written(question, value),
        )


def _written(question: Question, value: Truth) -> str:
    """A derived answer as the published solver writes it: a letter, yes or no, or a number."""
    if question.answer_type is AnswerType.CHOICE:
        keys = [option.key for option in question.options]
        return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[keys.index(str(value))] if str(value) in keys else "FAILED: Option Mismatch"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
