"""Differences between two sets of replies to the same questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...metrics import Flips, Interval, mcnemar_exact
from ..summary import ALL_DEGRADED, By, Contrast, PairedRow, Subject
from .groups import Grouping, counted, means_in
from .observations import Observations

__all__ = ["ComparedSubjects", "compared_subjects", "flip_masks", "holm", "paired_rows"]


class ComparedSubjects(NamedTuple):
    """Two subjects, by their places."""

    contrast: Contrast
    before: int
    after: int
    wraps: bool


class _Side(NamedTuple):
    """(m, r) scores before and after, and whose they are."""

    contrast: Contrast
    before: Subject
    after: Subject
    score_before: NDArray[np.float64]
    score_after: NDArray[np.float64]


def compared_subjects(observed: Observations) -> tuple[ComparedSubjects, ...]:
    """Which subjects are compared: two models with the same prompt, two prompts of the same model, two runs.

    Runs are compared model by model; those that share no model, every model with every other. A wrapped model comes
    after the one that it wraps, and a prompt with pictures after one without.
    """
    arms = defaultdict(set)
    for subject in observed.subjects:
        arms[subject.run].add(subject.arm)
    found = []
    for one, other in combinations(range(len(observed.subjects)), 2):
        first, second = observed.subjects[one], observed.subjects[other]
        contrast = _contrast(first, second)
        if contrast is None:
            continue
        if contrast == "run" and first.arm != second.arm and arms[first.run] & arms[second.run]:
            continue
        turned = _wraps(first, second) or (
            contrast == "prompt" and observed.is_blind[other] and not observed.is_blind[one]
        )
        before, after = (other, one) if turned else (one, other)
        wraps = contrast == "arm" and _wraps(observed.subjects[after], observed.subjects[before])
        found.append(ComparedSubjects(contrast, before, after, wraps))
    return tuple(found)


def paired_rows(
    observed: Observations, grouping: Grouping, compared: Sequence[ComparedSubjects]
) -> tuple[PairedRow, ...]:
    """Every degraded condition against clean for each subject, then every pair of subjects under each condition.

    A subject that sees no picture cannot tell conditions apart, so it is not compared with itself, and two such
    subjects are compared under the first condition alone.
    """
    degraded = grouping.of_items(observed.clean >= 0)
    by_condition = [
        _Side("condition", who, who, observed.clean_scores(place), observed.score[place])
        for place, who in enumerate(observed.subjects)
        if not observed.is_blind[place]
    ]
    blind = [one for one in compared if observed.is_blind[one.before] and observed.is_blind[one.after]]
    rows = _rows(observed, degraded, by_condition) if len(degraded.item) and by_condition else []
    rows += _between(observed, grouping, [one for one in compared if one not in blind])
    # What nobody saw is the same under every condition.
    rows += _between(observed, grouping.of_items(observed.condition == 0), blind)
    return _with_holm(rows)


def _between(observed: Observations, grouping: Grouping, compared: Sequence[ComparedSubjects]) -> list[PairedRow]:
    sides = [
        _Side(
            one.contrast,
            observed.subjects[one.before],
            observed.subjects[one.after],
            observed.score[one.before],
            observed.score[one.after],
        )
        for one in compared
    ]
    return _rows(observed, grouping, sides) if sides else []


def _rows(observed: Observations, grouping: Grouping, sides: Sequence[_Side]) -> list[PairedRow]:
    differences = np.stack([side.score_after - side.score_before for side in sides])
    intervals = means_in(grouping, differences, observed)
    rows: list[PairedRow] = []
    for side, found in zip(sides, intervals, strict=True):
        rows += _rows_of_side(observed, grouping, side, found)
    return rows


def _rows_of_side(
    observed: Observations, grouping: Grouping, side: _Side, intervals: Sequence[Interval | None]
) -> list[PairedRow]:
    before, after = side.score_before, side.score_after
    paired = np.isfinite(before) & np.isfinite(after)
    pairs = counted(grouping, paired)
    totals = [counted(grouping, np.where(paired, score, 0.0)) for score in (before, after)]
    tables = {
        name: counted(grouping, mask).astype(int).tolist()
        for name, mask in flip_masks(observed.is_binary, before, after).items()
    }
    rows = []
    for place, group in enumerate(grouping.groups):
        difference = intervals[place]
        if difference is None:
            continue
        table = {name: counts[place] for name, counts in tables.items()}
        count = sum(table.values())
        flips = Flips(**table) if count else None
        once = group.condition != ALL_DEGRADED and before.shape[1] == 1
        p = mcnemar_exact(flips.gained, flips.lost) if flips is not None and once else None
        rows.append(
            PairedRow(
                contrast=side.contrast,
                before=side.before,
                after=side.after,
                condition_before="clean" if side.contrast == "condition" else group.condition,
                condition_after=group.condition,
                by=group.by,
                category=group.category,
                n=int(pairs[place]),
                score_before=float(totals[0][place] / pairs[place]),
                score_after=float(totals[1][place] / pairs[place]),
                difference=difference,
                flip_items=count,
                flips=flips,
                negative_flip_rate=flips.lost / count if flips else None,
                mcnemar_p=p,
                mcnemar_p_holm=None,
            )
        )
    return rows


def flip_masks(
    is_binary: NDArray[np.bool_], before: NDArray[np.float64], after: NDArray[np.float64]
) -> dict[str, NDArray[np.bool_]]:
    """(m, r) which pairs are in each cell of the two-by-two table; those with graded answers in none."""
    right = [is_binary[:, None] & (score == 1) for score in (before, after)]
    wrong = [is_binary[:, None] & (score == 0) for score in (before, after)]
    return {
        "both_right": right[0] & right[1],
        "both_wrong": wrong[0] & wrong[1],
        "gained": wrong[0] & right[1],
        "lost": right[0] & wrong[1],
    }


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values after Holm's step-down correction for several tests.

    Range: (0, 1]; never below the uncorrected ones.

    Source: Holm 1979.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    corrected = [0.0] * len(p_values)
    least = 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, p_values[place] * (len(p_values) - rank)))
        corrected[place] = least
    return corrected


def _with_holm(rows: Sequence[PairedRow]) -> tuple[PairedRow, ...]:
    families: dict[tuple[Contrast, By], list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        if row.mcnemar_p is not None:
            families[row.contrast, row.by].append(place)
    found = list(rows)
    for members in families.values():
        corrected = holm([row.mcnemar_p for row in (rows[place] for place in members) if row.mcnemar_p is not None])
        for place, p in zip(members, corrected, strict=True):
            found[place] = rows[place].model_copy(update={"mcnemar_p_holm": p})
    return tuple(found)


def _contrast(one: Subject, other: Subject) -> Contrast | None:
    if one.prompt != other.prompt:
        return "prompt" if (one.run, one.arm) == (other.run, other.arm) else None
    if one.run != other.run:
        return "run"
    return "arm"


def _wraps(one: Subject, other: Subject) -> bool:
    """Whether the first is the other one within something: ``robust(other)``, ``rectified-only(other)``."""
    return one.arm.endswith(f"({other.arm})")
