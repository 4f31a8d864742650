"""Pictures with questions, truth and ceilings, drawn from made-up rooms without rendering anything."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from seeworthy.bench_data.questions import Question, Refusals
from seeworthy.bench_data.questions.suites.crisp import CrispSettings, generate
from seeworthy.diagnostics.auditing import true_graph
from seeworthy.diagnostics.consistency import Compared
from seeworthy.diagnostics.derive import Derived, derive
from seeworthy.diagnostics.diagnosis import Evidence
from seeworthy.diagnostics.diagnosis.gather import gather_evidence
from seeworthy.diagnostics.judging import score_answer
from seeworthy.diagnostics.subjects import Behaviour, KnownPicture, Sheet, SubjectKind
from tests.bench_data.questions.indoor import a_room

ROOMS, VIEWS = 10, 14


class PooledPicture(NamedTuple):
    known: KnownPicture
    questions: tuple[Question, ...]
    ceilings: dict[str, Derived]


@cache
def room_pictures(seed: int) -> tuple[PooledPicture, ...]:
    """The pictures of one room."""
    truth = a_room(seed, views=VIEWS)
    by_view: dict[str, list[Question]] = {}
    for question in generate(truth, CrispSettings(), seed, Refusals()):
        by_view.setdefault(question.views[0], []).append(question)
    found = []
    for name, questions in by_view.items():
        view, marks = truth.view_index(name), dict(questions[0].marks)
        graph = true_graph(truth, view, marks)
        known = KnownPicture(id=f"{truth.scene}/{name}", truth=truth, view=view, marks=marks, graph=graph)
        ceilings = {question.id: derive(graph, question) for question in questions}
        found.append(PooledPicture(known, tuple(questions), ceilings))
    return tuple(found)


def pool() -> tuple[PooledPicture, ...]:
    """About sixty pictures."""
    return tuple(picture for seed in range(ROOMS) for picture in room_pictures(seed))


def drawn(count: int, seed: int) -> list[PooledPicture]:
    """Some of the pool."""
    pictures = pool()
    order = np.random.default_rng(seed).permutation(len(pictures))[:count]
    return [pictures[place] for place in order]


def examined(
    kind: SubjectKind, strength: float, *, seed: int, pictures: int = 40, questions_each: int = 3
) -> tuple[Evidence, ...]:
    """What an audit with the picture, without it, and with the subject's own graph would bring to light.

    Args:
        questions_each: of a picture at most, of those that the true graph decides; questions come in random order.
    """
    behaviour = Behaviour(kind, strength, seed)
    items: list[Compared] = []
    blind: dict[str, float] = {}
    own: dict[str, float] = {}
    for known, questions, ceilings in drawn(pictures, seed):
        graph = behaviour.graph(Sheet(picture=known))
        decided = [question for question in questions if ceilings[question.id].is_determined]
        for question in decided[:questions_each]:
            items.append(
                Compared(
                    question=question,
                    picture=known.id,
                    direct=behaviour.answer(Sheet(picture=known, question=question)),
                    derived=derive(graph, question),
                    ceiling=ceilings[question.id],
                )
            )
            unseen = behaviour.answer(Sheet(picture=known, question=question, sees=False))
            told = behaviour.answer(Sheet(picture=known, question=question, given=graph))
            blind[question.id], own[question.id] = score_answer(question, unseen), score_answer(question, told)
    return gather_evidence(items, blind=blind, own=own)
