"""All replies of several runs over the same items, as arrays in which pairs stand at the same place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ....bench_data.questions import AnswerType, Unit
from ...metrics import chance_level
from ...runs import JudgedRun, RunItem
from ...runs.scoring import is_right_or_wrong
from ..summary import By, Subject
from .conditions import ordered_conditions

__all__ = ["Categories", "Observations", "observe"]

_TASK_TAGS: Final = ("task_group", "task", "ability")


@dataclass(frozen=True)
class Categories:
    """One way of grouping items.

    Attributes:
        names: in order.
        codes: (m,) place in ``names`` of each item.
    """

    names: tuple[str, ...]
    codes: NDArray[np.intp]

    @classmethod
    def of(cls, values: Sequence[str]) -> Categories:
        names, codes = np.unique(np.array(values, dtype=object), return_inverse=True)
        return cls(tuple(names.tolist()), codes.reshape(-1).astype(np.intp))

    def is_like(self, other: Categories) -> bool:
        """Whether both group alike, under the same names."""
        return self.names == other.names and bool(np.array_equal(self.codes, other.codes))


@dataclass(frozen=True)
class Observations:
    """s subjects, m items, r repeats. Not every subject is asked about every item as often as others are.

    Attributes:
        runs: with their labels as subjects have them.
        run_of: (s,) place in ``runs``.
        items: in the order of their ids.
        conditions: in order.
        condition: (m,) place in ``conditions``.
        clean: (m,) place of the item with the same question on clean pictures; -1 without one, and for clean items.
        cluster: (m,) number of the scene.
        categories: ways of grouping items.
        chance: (m,) chance level.
        has_truth: (m,) whether a reply can be scored at all.
        is_binary: (m,) whether answers are right or wrong and nothing between.
        call: (s, m, r) place in the columns of the run; -1 where the subject is not asked.
        status: (s, m, r) place in `STATUSES`.
        score: (s, m, r) 0 to 1; NaN without one.
        unique: (s, m, r) number of the call among the run's unique ones; -1 where the subject is not asked.
        is_blind: (s,) asked without pictures.
    """

    runs: tuple[JudgedRun, ...]
    subjects: tuple[Subject, ...]
    run_of: NDArray[np.intp]
    items: Sequence[RunItem]
    conditions: tuple[str, ...]
    condition: NDArray[np.intp]
    clean: NDArray[np.intp]
    cluster: NDArray[np.intp]
    categories: dict[By, Categories]
    chance: NDArray[np.float64]
    has_truth: NDArray[np.bool_]
    is_binary: NDArray[np.bool_]
    call: NDArray[np.intp]
    status: NDArray[np.int8]
    score: NDArray[np.float64]
    unique: NDArray[np.intp]
    is_blind: NDArray[np.bool_]

    @property
    def seed(self) -> int:
        """Of intervals and of the choice of examples: the first run's."""
        return self.runs[0].plan.settings.seed

    def clean_scores(self, subject: int) -> NDArray[np.float64]:
        """(m, r) scores of the same questions on clean pictures; NaN without any."""
        scores: NDArray[np.float64] = self.score[subject][self.clean]
        scores[self.clean < 0] = np.nan
        return scores


def observe(runs: Sequence[JudgedRun], labels: Sequence[str], *, blind_prompts: frozenset[str]) -> Observations:
    """Puts runs over the same items side by side.

    Args:
        runs: at least one; all with equal items.
        labels: of the runs.
        blind_prompts: names of the prompts that show no picture.
    """
    items = runs[0].items
    conditions = ordered_conditions(item.condition for item in items)
    subjects, run_of, parts = [], [], []
    repeats = max(run.plan.settings.repeats for run in runs)
    for place, (run, label) in enumerate(zip(runs, labels, strict=True)):
        calls = _calls_of(run, repeats)
        for arm, planned_arm in enumerate(run.plan.settings.arms):
            for prompt, planned_prompt in enumerate(run.plan.settings.prompts):
                subjects.append(Subject(run=label, arm=planned_arm.name, prompt=planned_prompt.name))
                run_of.append(place)
                parts.append(calls[arm, prompt])
    call = np.stack(parts)
    found = [_taken(runs[place], call[subject]) for subject, place in enumerate(run_of)]
    places = {condition: place for place, condition in enumerate(conditions)}
    return Observations(
        runs=tuple(runs),
        subjects=tuple(subjects),
        run_of=np.array(run_of),
        items=items,
        conditions=conditions,
        condition=np.array([places[item.condition] for item in items], np.intp),
        clean=_clean_twins(items),
        cluster=Categories.of([item.cluster for item in items]).codes,
        categories=_categories(items),
        chance=np.array([chance_level(item.answer_format) for item in items]),
        has_truth=np.array([item.truth is not None or item.mask is not None for item in items]),
        is_binary=np.array([is_right_or_wrong(item.answer_format) for item in items]),
        call=call,
        status=np.stack([one[0] for one in found]),
        score=np.stack([one[1] for one in found]),
        unique=np.stack([one[2] for one in found]),
        is_blind=np.array([subject.prompt in blind_prompts for subject in subjects]),
    )


def _calls_of(run: JudgedRun, repeats: int) -> NDArray[np.intp]:
    """(arms, prompts, m, repeats) places in the run's columns; -1 where there is none."""
    settings = run.plan.settings
    table = np.full((len(settings.arms), len(settings.prompts), len(run.items), repeats), -1, np.intp)
    table[run.arm, run.prompt, run.item, run.repeat] = np.arange(len(run.item))
    return table


def _taken(run: JudgedRun, call: NDArray[np.intp]) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.intp]]:
    there = call >= 0
    status = np.where(there, run.status[call], 0).astype(np.int8)
    return status, np.where(there, run.score[call], np.nan), np.where(there, run.unique[call], -1)


def _clean_twins(items: Sequence[RunItem]) -> NDArray[np.intp]:
    """Of questions that come several times under one condition, the first is paired with the first, and so on."""
    clean: dict[tuple[str, int], int] = {}
    counts: dict[tuple[str, str], int] = defaultdict(int)
    keys = []
    for place, item in enumerate(items):
        number = counts[item.question_id, item.condition]
        counts[item.question_id, item.condition] += 1
        keys.append((item.question_id, number))
        if item.condition == "clean":
            clean[item.question_id, number] = place
    return np.array(
        [-1 if item.condition == "clean" else clean.get(key, -1) for item, key in zip(items, keys, strict=True)],
        np.intp,
    )


def _categories(items: Sequence[RunItem]) -> dict[By, Categories]:
    ways: dict[By, Categories] = {
        "all": Categories.of(["all"] * len(items)),
        "kind": Categories.of([item.kind_name for item in items]),
        "task": Categories.of([_task(item) for item in items]),
        "answer_format": Categories.of([_form(item) for item in items]),
        "suite": Categories.of([item.suite or "unnamed" for item in items]),
    }
    # A single task or suite is all items again.
    return {by: ways[by] for by in ways if by not in ("task", "suite") or len(ways[by].names) > 1}


def _task(item: RunItem) -> str:
    return next((item.tags[name] for name in _TASK_TAGS if item.tags.get(name)), item.kind_name)


def _form(item: RunItem) -> str:
    form = item.answer_format
    return "count" if form.unit is Unit.COUNT and form.answer_type is AnswerType.NUMBER else form.answer_type.value
