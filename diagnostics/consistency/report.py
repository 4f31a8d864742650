"""The consistency of a model: coverage, agreement where there is coverage, and what of it is more than chance.

Agreement alone says little: two coins agree half the time, and two right answers always. So beside it stand coverage,
chance and the split by who is right, and beside all of it what the true graph gives (the ceiling).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BaseModel, ConfigDict

from ..derive.derived import Status
from ..errors import DiagnosticsError
from ..judging import Tolerances, agreement, is_comparable, is_right
from ..metrics import Interval, cluster_bootstrap_sums
from .chance import expected_agreement, expected_same_wrong
from .compared import Compared, Outcome, outcome_of

__all__ = ["Ceiling", "ConsistencyReport", "GroupConsistency", "SharedErrors", "consistency"]


_ROUNDING = 1e-9


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Ceiling(_Record):
    """What the engine makes of the true graph in the form that the model was asked for.

    Attributes:
        questions: for which it was worked out.
        determined: share of them that the true graph decides.
        right: share of the decided ones that it decides rightly; None where it decides none.
    """

    questions: int
    determined: float
    right: float | None

    @property
    def overall(self) -> float:
        """Share of all questions that the true graph answers rightly: no model's graph can be expected to do better."""
        return self.determined * (self.right or 0.0)


class SharedErrors(_Record):
    """Wrong answers that are wrong in the same way on both routes.

    Attributes:
        questions: compared ones on which two wrong answers could have differed (three options or more, or a measure).
        both_wrong: of these.
        same: of the both wrong.
        expected: of the both wrong, how many would be the same by chance.
        excess: (same - expected) / questions, with its interval; None without such questions.
    """

    questions: int
    both_wrong: int
    same: int
    expected: float
    excess: Interval | None


class GroupConsistency(_Record):
    """One ability, or one kind of question. Values are None where nothing could be compared."""

    name: str
    questions: int
    compared: int
    coverage: float
    agreement: float | None
    chance: float | None
    kappa: float | None
    ceiling: Ceiling | None


class ConsistencyReport(_Record):
    """Consistency over all questions.

    Attributes:
        questions: all that can be compared at all.
        answered: with an answer of the model's own.
        determined, ambiguous, undefined, no_graph: what followed from its graphs.
        compared: with both an answer and a determined derivation.
        coverage: ``compared / questions``.
        agreement: how alike the two answers are, over the compared ones; range [0, 1].
        chance: the agreement to expect if the two routes had nothing but their habits in common.
        kappa: ``(agreement - chance) / (1 - chance)``; 1 is perfect, 0 is chance. None where chance is 1.
        compatible: of the answered questions that the graph leaves ambiguous, the share whose answer it allows.
        outcomes: of the compared ones.
        shared_errors: consistent hallucination.
        ceiling: None where it was not worked out.
        groups: by ability, in order of first appearance.
        not_comparable: questions left out for the form of their answer (points).
    """

    questions: int
    answered: int
    determined: int
    ambiguous: int
    undefined: int
    no_graph: int
    compared: int
    coverage: Interval
    agreement: Interval | None
    chance: float | None
    kappa: Interval | None
    compatible: float | None
    outcomes: dict[Outcome, int]
    shared_errors: SharedErrors
    ceiling: Ceiling | None
    groups: tuple[GroupConsistency, ...]
    not_comparable: int = 0


class _Columns(NamedTuple):
    """(n,) arrays over the items; agreement and chance are NaN where there are not two answers."""

    covered: NDArray[np.bool_]
    agreement: NDArray[np.float64]
    chance: NDArray[np.float64]


def consistency(
    items: Sequence[Compared],
    *,
    seed: int,
    tolerances: Tolerances | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
) -> ConsistencyReport:
    """How consistent a model is.

    Intervals come from a bootstrap over pictures. Chance is worked out once, from all items, and held in it.

    Args:
        items: questions with both answers.
        seed: of the bootstrap.
        tolerances: when measures are right, and the same, in the split by outcome.

    Raises:
        DiagnosticsError: no item can be compared.
    """
    kept = [item for item in items if is_comparable(item.question)]
    if not kept:
        raise DiagnosticsError("consistency needs at least one question whose answers can be compared")
    limits = tolerances or Tolerances()
    columns = _Columns(
        np.array([item.is_covered for item in kept]),
        np.array([_agreement(item) for item in kept]),
        expected_agreement(kept),
    )
    outcomes = [outcome_of(item, limits) for item in kept]
    boot = _Bootstrap([item.picture for item in kept], seed, confidence, resamples)
    covered = columns.covered
    statuses = Counter(None if item.derived is None else item.derived.status for item in kept)
    counted = Counter(one for one in outcomes if one is not None)
    return ConsistencyReport(
        questions=len(kept),
        answered=sum(item.direct is not None for item in kept),
        determined=statuses[Status.DETERMINED],
        ambiguous=statuses[Status.AMBIGUOUS],
        undefined=statuses[Status.UNDEFINED],
        no_graph=statuses[None],
        compared=int(covered.sum()),
        coverage=boot.needed(covered, np.ones(len(kept))),
        agreement=boot.ratio(columns.agreement, np.ones(len(kept)), covered),
        chance=float(columns.chance[covered].mean()) if covered.any() else None,
        kappa=boot.ratio(columns.agreement - columns.chance, 1 - columns.chance, covered),
        compatible=_compatible(kept),
        outcomes={outcome: counted[outcome] for outcome in Outcome},
        shared_errors=_shared_errors(kept, outcomes, limits, boot),
        ceiling=_ceiling(kept, limits),
        groups=_groups(kept, columns, limits),
        not_comparable=len(items) - len(kept),
    )


class _Bootstrap:
    """Intervals of ratios over pictures, all from the same settings."""

    def __init__(self, pictures: Sequence[str], seed: int, confidence: float, resamples: int) -> None:
        self._pictures, self._seed, self._confidence, self._resamples = pictures, seed, confidence, resamples

    def needed(self, above: ArrayLike, below: ArrayLike) -> Interval:
        """The ratio of two sums, whose denominator is not zero."""
        return cluster_bootstrap_sums(
            np.column_stack([np.asarray(above, dtype=float), np.asarray(below, dtype=float)]),
            list(self._pictures),
            combine=_ratio,
            seed=self._seed,
            confidence=self._confidence,
            resamples=self._resamples,
        )

    def ratio(self, above: NDArray[np.float64], below: NDArray[np.float64], kept: NDArray[np.bool_]) -> Interval | None:
        """The ratio of two sums over the kept items; None where its denominator is zero."""
        if not kept.any() or float(below[kept].sum()) <= _ROUNDING * len(below):
            return None
        pictures = [picture for picture, keep in zip(self._pictures, kept, strict=True) if keep]
        return _Bootstrap(pictures, self._seed, self._confidence, self._resamples).needed(above[kept], below[kept])


def _ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: NDArray[np.float64] = sums[..., 0] / sums[..., 1]
    return ratio


def _agreement(item: Compared) -> float:
    derived = item.derived_value
    if item.direct is None or derived is None:
        return float("nan")
    return agreement(item.question, item.direct, derived)


def _compatible(items: Sequence[Compared]) -> float | None:
    fits = [
        _allows(item)
        for item in items
        if item.direct is not None and item.derived is not None and item.derived.status is Status.AMBIGUOUS
    ]
    known = [one for one in fits if one is not None]
    return sum(known) / len(known) if known else None


def _allows(item: Compared) -> bool | None:
    """Whether an ambiguous graph leaves room for the model's answer; None where its room is not known."""
    derived, direct = item.derived, item.direct
    if derived is None or direct is None:
        return None
    if derived.interval is not None and isinstance(direct, int | float):
        return derived.interval[0] <= direct <= derived.interval[1]
    return direct in derived.possible if derived.possible else None


def _shared_errors(
    items: Sequence[Compared], outcomes: Sequence[Outcome | None], tolerances: Tolerances, boot: _Bootstrap
) -> SharedErrors:
    telling = np.array([item.is_covered and item.tells_errors_apart for item in items])
    same = np.array([outcome is Outcome.SAME_WRONG for outcome in outcomes], dtype=float)
    wrong = np.array([outcome in (Outcome.SAME_WRONG, Outcome.DIFFERENT_WRONG) for outcome in outcomes])
    expected = np.nan_to_num(expected_same_wrong(items, tolerances))
    return SharedErrors(
        questions=int(telling.sum()),
        both_wrong=int(wrong[telling].sum()),
        same=int(same[telling].sum()),
        expected=float(expected[telling].sum()),
        excess=boot.ratio(same - expected, np.ones(len(items)), telling),
    )


def _ceiling(items: Sequence[Compared], tolerances: Tolerances) -> Ceiling | None:
    known = [(item.question, item.ceiling) for item in items if item.ceiling is not None]
    if not known:
        return None
    determined = [(question, derived.value) for question, derived in known if derived.is_determined]
    right = sum(is_right(question, value, tolerances) for question, value in determined)
    return Ceiling(
        questions=len(known),
        determined=len(determined) / len(known),
        right=right / len(determined) if determined else None,
    )


def _groups(items: Sequence[Compared], columns: _Columns, tolerances: Tolerances) -> tuple[GroupConsistency, ...]:
    places: dict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        places[item.group].append(place)
    return tuple(
        _group(
            name,
            [items[one] for one in at],
            _Columns(columns.covered[at], columns.agreement[at], columns.chance[at]),
            tolerances,
        )
        for name, at in places.items()
    )


def _group(name: str, items: Sequence[Compared], columns: _Columns, tolerances: Tolerances) -> GroupConsistency:
    covered = columns.covered
    agreed = float(columns.agreement[covered].mean()) if covered.any() else None
    chance = float(columns.chance[covered].mean()) if covered.any() else None
    kappa = None if agreed is None or chance is None or chance >= 1 - _ROUNDING else (agreed - chance) / (1 - chance)
    return GroupConsistency(
        name=name,
        questions=len(items),
        compared=int(covered.sum()),
        coverage=float(covered.mean()),
        agreement=agreed,
        chance=chance,
        kappa=kappa,
        ceiling=_ceiling(items, tolerances),
    )
