"""Question suites: each turns the truth of a scene into questions, and says why it refused the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from ..registry import Registry
from .question import Question
from .scene_truth import SceneTruth

__all__ = ["QUESTION_SUITES", "QuestionSuite", "Refusals", "SuiteSettings", "question_suite"]


class SuiteSettings(BaseModel):
    """What all suites can be told; a suite's own settings inherit from this.

    Args:
        published: follow the published generator, faults included; its questions say so.
        most_per_kind: at most so many questions of a kind a scene; None for all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    published: bool = False
    most_per_kind: int | None = None


@dataclass
class Refusals:
    """How many candidates of each kind were refused, and why."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, kind: str, reason: str, count: int = 1) -> None:
        """Counts refused candidates. Reasons are few and fixed ("margin below 0.1 m"), not one a candidate."""
        self.counts[kind, reason] += count

    def __add__(self, other: Refusals) -> Refusals:
        return Refusals(self.counts + other.counts)


Generate = Callable[[SceneTruth, SuiteSettings, int, Refusals], Iterator[Question]]
"""``(truth, settings, seed, refusals)`` -> questions, in a fixed order, the same in every process."""


@dataclass(frozen=True)
class QuestionSuite:
    """A family of questions."""

    name: str
    summary: str
    kinds: tuple[str, ...]
    settings: type[SuiteSettings]
    generate: Generate


QUESTION_SUITES: Registry[QuestionSuite] = Registry(
    "question suite", package="seeworthy.bench_data.questions.suites", entry_point_group="seeworthy.question_suites"
)


def question_suite(
    name: str, *, summary: str, kinds: tuple[str, ...], settings: type[SuiteSettings] = SuiteSettings
) -> Callable[[Generate], Generate]:
    """Registers a generator of questions."""

    def register(generate: Generate) -> Generate:
        QUESTION_SUITES.add(name, QuestionSuite(name, summary, kinds, settings, generate))
        return generate

    return register
