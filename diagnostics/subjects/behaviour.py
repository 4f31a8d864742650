"""How each kind of subject answers and draws: which world it has in mind, and whom it believes."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from ...bench_data.degrade.seeds import derived_rng
from ...bench_data.errors import BenchDataError
from ...bench_data.questions import AnswerType, Question, SceneFacts, SceneTruth, Truth, Unit, evaluate
from ...bench_data.questions.options import number_key
from ..derive import derive
from ..errors import DiagnosticsError
from ..scene_graph import SceneGraph
from .sheet import KnownPicture, Sheet
from .worlds import graph_of_world, imagined_world, perceived_world

__all__ = ["SUBJECT_KINDS", "Behaviour", "SubjectKind"]

PERCEPTION_NOISE = 0.03
"""Of the eyes of most subjects; the dial of `SubjectKind.GROUNDED` replaces it."""
_POOR_EYES = 0.08
_MINDS_KEPT = 64
_USUAL_LENGTH_M, _LENGTH_SPREAD = 1.5, 0.7
_MOST_GUESSED = 6


class SubjectKind(StrEnum):
    """A known fault."""

    GROUNDED = "grounded"
    SHORTCUT = "shortcut"
    DISCONNECTED = "disconnected"
    TRUSTING = "trusting"
    BLIND = "blind"
    HALLUCINATING = "hallucinating"


SUBJECT_KINDS: Mapping[SubjectKind, str] = {
    SubjectKind.GROUNDED: "answers and draws from one noisy view of the scene; its dial is the noise",
    SubjectKind.SHORTCUT: "answers rightly, and draws a scene of usual things in usual places",
    SubjectKind.DISCONNECTED: "draws rightly, and guesses its answers unless it can read them from a text",
    SubjectKind.TRUSTING: "answers rightly, draws wrongly, and believes any graph that it reads",
    SubjectKind.BLIND: "overlooks pictures, guessing about them and drawing what it likes, and sees the others poorly",
    SubjectKind.HALLUCINATING: "answers and draws from one and the same scene that is not there",
}

_DRAWS_WRONGLY = (SubjectKind.SHORTCUT, SubjectKind.TRUSTING, SubjectKind.BLIND, SubjectKind.HALLUCINATING)
_BELIEVES_TEXT = (SubjectKind.DISCONNECTED, SubjectKind.TRUSTING, SubjectKind.BLIND)


class _Mind(NamedTuple):
    """A world, and what is true of its one picture."""

    world: SceneTruth
    facts: SceneFacts


@dataclass(frozen=True)
class Behaviour:
    """A subject without a voice: typed answers and graphs.

    Args:
        kind: its fault.
        strength: the share of pictures (of `SubjectKind.DISCONNECTED`: of questions) on which the fault shows, 0 to 1;
            of `SubjectKind.GROUNDED` the noise of its eyes.
        seed: of all that it draws; the same in every process.

    Raises:
        DiagnosticsError: the strength is not within 0 and 1.
    """

    kind: SubjectKind
    strength: float
    seed: int = 0
    _minds: OrderedDict[tuple[str, bool], _Mind] = field(
        default_factory=OrderedDict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if not 0 <= self.strength <= 1:
            raise DiagnosticsError(f"the strength of a fault must be from 0 to 1, got {self.strength}")

    def answer(self, sheet: Sheet) -> Truth:
        """What it answers to the question of a sheet.

        Raises:
            DiagnosticsError: the sheet holds no question.
        """
        question = sheet.question
        if question is None:
            raise DiagnosticsError(f"the sheet of picture {sheet.picture.id} holds no question to answer")
        if sheet.given is not None and (self.kind in _BELIEVES_TEXT or not sheet.sees):
            derived = derive(sheet.given, question)
            if derived.value is not None:
                return derived.value
        if not sheet.sees or self._guesses(sheet.picture, question):
            return self._guess(question, "seen" if sheet.sees else "unseen")
        mind = self._mind(sheet.picture, self.kind is SubjectKind.HALLUCINATING)
        found = _answer_in(question, mind.facts)
        return self._guess(question, "seen") if found is None else found

    def graph(self, sheet: Sheet) -> SceneGraph:
        """The graph that it draws of the picture of a sheet."""
        picture = sheet.picture
        if not sheet.sees:
            return graph_of_world(picture, imagined_world(picture, self._rng("unseen", picture.id)))
        return graph_of_world(picture, self._mind(picture, self.kind in _DRAWS_WRONGLY).world)

    def _guesses(self, picture: KnownPicture, question: Question) -> bool:
        if self.kind is SubjectKind.BLIND:
            return self._errs(picture)
        if self.kind is SubjectKind.DISCONNECTED:
            return float(self._rng("guesses", question.id).random()) < self.strength
        return False

    def _errs(self, picture: KnownPicture) -> bool:
        return float(self._rng("errs", picture.id).random()) < self.strength

    def _mind(self, picture: KnownPicture, may_err: bool) -> _Mind:
        """The world it has in mind; where the fault may show it is another one on a share of the pictures."""
        imagined = may_err and self._errs(picture)
        key = picture.id, imagined
        if key not in self._minds:
            rng = self._rng("imagined" if imagined else "perceived", picture.id)
            noises = {SubjectKind.GROUNDED: self.strength, SubjectKind.BLIND: _POOR_EYES}
            noise = noises.get(self.kind, PERCEPTION_NOISE)
            world = imagined_world(picture, rng) if imagined else perceived_world(picture, noise, rng)
            self._minds[key] = _Mind(world, world.facts([0]))
            if len(self._minds) > _MINDS_KEPT:
                self._minds.popitem(last=False)
        return self._minds[key]

    def _guess(self, question: Question, occasion: str) -> Truth:
        rng = self._rng("guess", occasion, question.id)
        match question.answer_type:
            case AnswerType.CHOICE:
                return question.options[int(rng.integers(len(question.options)))].key
            case AnswerType.YES_NO:
                return bool(rng.random() < 0.5)
            case AnswerType.CLOCK:
                return int(rng.integers(1, 13))
            case AnswerType.NUMBER if question.unit is Unit.COUNT:
                return int(rng.integers(0, _MOST_GUESSED))
        count = len(question.truth) if isinstance(question.truth, tuple) else 1
        usual = math.log(_USUAL_LENGTH_M)
        lengths = tuple(float(one) for one in np.exp(rng.normal(usual, _LENGTH_SPREAD, count)))
        return lengths if isinstance(question.truth, tuple) else lengths[0]

    def _rng(self, *about: str) -> np.random.Generator:
        return derived_rng("calibration subject", self.kind.value, self.seed, *about)


def _answer_in(question: Question, facts: SceneFacts) -> Truth | None:
    """What is true of a question in a world; None where it has no answer there, or none among its options."""
    try:
        value = evaluate(question.query, facts).value
    except BenchDataError:
        return None
    if question.answer_type is not AnswerType.CHOICE:
        return value
    keys = [option.key for option in question.options]
    if isinstance(value, bool):
        value = "yes" if value else "no"
    elif isinstance(value, int | float):
        value = number_key(value, len(keys[0].partition(".")[2]))
    return value if value in keys else None
