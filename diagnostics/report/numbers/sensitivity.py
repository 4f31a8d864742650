"""How strongly scores depend on a degradation: SpaceDG's sensitivity, over items and over models."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..summary import ALL, By, SensitivityRow, Subject
from .conditions import named_condition
from .groups import Group, Grouping, intervals_of, sums_in
from .observations import Observations

__all__ = ["sensitivity_rows", "signed_paired_r", "signed_r"]

_BY: Final[tuple[By, ...]] = ("all", "answer_format", "task")
_ROUNDING: Final = 1e-8
"""Less variance than this share of the mean square is rounding."""
_NONE: Final = np.array([])


class _Means(NamedTuple):
    """(s, groups) mean scores of each subject on clean and on degraded pictures; NaN without a pair."""

    before: NDArray[np.float64]
    after: NDArray[np.float64]


def sensitivity_rows(observed: Observations) -> tuple[SensitivityRow, ...]:
    """For all subjects that see pictures together, then for each of them; groups without a pair are left out."""
    grouping = _grouped_by_degradation(observed)
    if not len(grouping.item):
        return ()
    terms = np.stack([_terms(observed, subject) for subject in range(len(observed.subjects))])
    seeing = np.flatnonzero(~observed.is_blind)
    # All subjects as further repeats of one.
    pooled = [(None, np.concatenate(list(terms[seeing]), axis=1))] if len(seeing) else []
    rows: list[SensitivityRow] = []
    means = _means_by_subject(observed, grouping, terms[seeing]) if len(seeing) else None
    alone = ((observed.subjects[subject], terms[subject]) for subject in seeing.tolist())
    for who, values in (*pooled, *alone):
        rows += _rows(observed, grouping, who, values, means if who is None else None)
    return tuple(rows)


def _rows(
    observed: Observations,
    grouping: Grouping,
    who: Subject | None,
    values: NDArray[np.float64],
    means: _Means | None,
) -> list[SensitivityRow]:
    cells, n = sums_in(grouping, values[None], observed, blocks=1)
    items, paired = intervals_of(cells, observed, _items_r), intervals_of(cells, observed, _paired_r)
    rows = []
    for place, group in enumerate(grouping.groups):
        if not n[0, place]:
            continue
        there = np.isfinite(means.before[:, place]) if means is not None else np.array([True])
        between = means is not None and there.sum() > 1
        before, after = (means.before[there, place], means.after[there, place]) if means is not None else (_NONE, _NONE)
        rows.append(
            SensitivityRow(
                subject=who,
                degradation=group.condition,
                by=group.by,
                category=group.category,
                n=int(n[0, place]),
                items=items[place],
                items_paired=paired[place],
                subjects=int(there.sum()),
                models=signed_r(before, after) if between else None,
                models_paired=signed_paired_r(before, after) if between else None,
            )
        )
    return rows


def signed_r(before: NDArray[np.float64], after: NDArray[np.float64]) -> float | None:
    """Point-biserial correlation of "after" with the values, with its sign; None where it cannot be estimated.

    >>> round(signed_r(np.array([0.8, 0.6]), np.array([0.5, 0.3])), 6)
    -0.83205
    """
    return None if len(before) < 2 else _number(_items_r(_sums_of(before, after)))


def signed_paired_r(before: NDArray[np.float64], after: NDArray[np.float64]) -> float | None:
    """The same once each pair's own level is taken out; None where it cannot be estimated."""
    return None if len(before) < 2 else _number(_paired_r(_sums_of(before, after)))


def _grouped_by_degradation(observed: Observations) -> Grouping:
    """Items with a clean twin, by degradation without its level, and all together."""
    names = [named_condition(name).name for name in observed.conditions]
    degradation = np.array(names, dtype=object)[observed.condition]
    paired = observed.clean >= 0
    groups: list[Group] = []
    items, members = [], []
    there = sorted(set(degradation[paired].tolist()), key=names.index)
    for name in (*([ALL] if len(there) > 1 else []), *there):
        inside = np.flatnonzero(paired if name == ALL else paired & (degradation == name))
        for by in (by for by in _BY if by in observed.categories):
            categories = observed.categories[by]
            items.append(inside)
            members.append(len(groups) + categories.codes[inside])
            groups += [Group(name, by, category) for category in categories.names]
    if not items:
        return Grouping((), np.array([], np.intp), np.array([], np.intp))
    return Grouping(tuple(groups), np.concatenate(items), np.concatenate(members))


def _terms(observed: Observations, subject: int) -> NDArray[np.float64]:
    """(m, r, 5) what each pair adds to the sums of `_items_r` and `_paired_r`; NaN without a pair."""
    return _terms_of(observed.clean_scores(subject), observed.score[subject])


def _terms_of(before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
    pair = before + after
    ones = np.where(np.isfinite(pair), 1.0, np.nan)
    return np.stack([after - before, ones, before + after, before**2 + after**2, (after - before) ** 2], axis=-1)


def _sums_of(before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(_terms_of(before, after).sum(axis=0))


def _items_r(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Half the mean difference by the spread of all scores, which is r for as many clean as degraded ones."""
    difference, n, total, squares, _ = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = squares / (2 * n) - (total / (2 * n)) ** 2
        spread = np.sqrt(np.where(variance > _ROUNDING * np.maximum(squares / (2 * n), 1e-300), variance, np.nan))
        return np.asarray(np.clip(difference / (2 * n) / spread, -1.0, 1.0))


def _paired_r(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean difference by the root of the mean squared difference."""
    difference, n, _, _, squares = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.sqrt(np.where(squares > _ROUNDING * n, squares / n, np.nan))
        return np.asarray(np.where(n > 1, np.clip(difference / n / size, -1.0, 1.0), np.nan))


def _means_by_subject(observed: Observations, grouping: Grouping, terms: NDArray[np.float64]) -> _Means:
    cells, _ = sums_in(grouping, terms, observed, blocks=len(terms))
    difference, n, total, _, _ = np.moveaxis(cells.totals.reshape(len(terms), len(grouping.groups), 5), -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return _Means((total - difference) / (2 * n), (total + difference) / (2 * n))


def _number(value: NDArray[np.float64]) -> float | None:
    found = float(value)
    return found if math.isfinite(found) else None
