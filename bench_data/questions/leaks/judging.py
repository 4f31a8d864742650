"""Which of many guessers are beyond chance: one test over all of them, honest with few scenes."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...degrade.seeds import derived_rng
from .items import Item

__all__ = [
    "ALL_KINDS",
    "FALSE_ALARMS",
    "LEAST_QUESTIONS",
    "LEAST_SCENES",
    "Sees",
    "Tally",
    "merged",
    "p_values",
    "tallied",
]

Sees = Literal["options", "text", "knowledge"]

ALL_KINDS = "all kinds"
FALSE_ALARMS = 0.01
"""Of a hundred sets without a leak, at most so many may raise any alarm at all."""
LEAST_SCENES = math.ceil(-math.log2(FALSE_ALARMS))
"""Of fewer scenes not even what is the same in all of them is rare enough: it happens by luck once in 2 ** scenes."""
LEAST_QUESTIONS = 30
_FLIPS = 2048
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What one guesser reached in each scene, on the questions to which its trick applied.

    Args:
        guesser, sees: its name, and what it looks at.
        kind: of the questions, or `ALL_KINDS`.
        scenes: their ids, in order.
        questions: (S,) in each scene, all above 0.
        hits: (S,) how many it got right; of ties the share.
        chances: (S,) how many a blind guess gets right on average.
        luck: (S,) the variance of a blind guess's hits, questions taken as independent.
    """

    guesser: str
    sees: Sees
    kind: str
    scenes: tuple[str, ...]
    questions: NDArray[np.float64]
    hits: NDArray[np.float64]
    chances: NDArray[np.float64]
    luck: NDArray[np.float64]

    @property
    def count(self) -> int:
        """Questions in all."""
        return int(self.questions.sum())

    @property
    def accuracy(self) -> float:
        """The share that the guesser got right."""
        return float(self.hits.sum() / self.questions.sum())

    @property
    def chance(self) -> float:
        """The share that a blind guess gets right."""
        return float(self.chances.sum() / self.questions.sum())

    @property
    def standard_error(self) -> float:
        """Of accuracy - chance: from the spread between scenes, but never below that of independent questions.

        A few scenes can agree by luck, and balanced ones agree by design; neither makes the result more certain.
        """
        count, scenes = self.questions.sum(), len(self.scenes)
        residual = self.hits - self.chances - self.questions * (self.accuracy - self.chance)
        between = scenes / (scenes - 1) * float(residual @ residual) if scenes > 1 else 0.0
        return float(math.sqrt(max(between, self.luck.sum())) / count)

    @property
    def enough(self) -> bool:
        """Whether so many questions of so many scenes can tell anything."""
        return self.count >= LEAST_QUESTIONS and len(self.scenes) >= LEAST_SCENES


def tallied(guesser: str, sees: Sees, results: Sequence[tuple[Item, float]]) -> list[Tally]:
    """Over all kinds first, then by kind, from how far each item was guessed right (0 to 1)."""
    sums: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0] * 4))
    for item, hit in results:
        chance = item.chance
        for kind in (ALL_KINDS, item.kind):
            row = sums[kind][item.scene]
            for place, value in enumerate((1.0, hit, chance, chance * (1 - chance))):
                row[place] += value
    kinds = [ALL_KINDS, *sorted(sums.keys() - {ALL_KINDS})] if sums else []
    return [_tally(guesser, sees, kind, sums[kind]) for kind in kinds]


def merged(tallies: Iterable[Tally]) -> Tally:
    """One tally of several of the same guesser, on other questions of the same scenes or of others.

    Raises:
        ValueError: there is none.
    """
    found = list(tallies)
    if not found:
        raise ValueError("no tallies to merge; pass at least one")
    sums: defaultdict[str, list[float]] = defaultdict(lambda: [0.0] * 4)
    for one in found:
        for scene, *row in zip(one.scenes, one.questions, one.hits, one.chances, one.luck, strict=True):
            sums[scene] = [a + float(b) for a, b in zip(sums[scene], row, strict=True)]
    return _tally(found[0].guesser, found[0].sees, found[0].kind, sums)


def _tally(guesser: str, sees: Sees, kind: str, sums: dict[str, list[float]]) -> Tally:
    scenes = tuple(sorted(sums))
    questions, hits, chances, luck = np.array([sums[scene] for scene in scenes]).T
    return Tally(guesser, sees, kind, scenes, questions, hits, chances, luck)


def p_values(tallies: Sequence[Tally], tolerance: float, *, seed: int = 0) -> list[float]:
    """How often luck alone would lift any of them as far beyond chance as this one; corrected for there being many.

    Without a leak beyond the tolerance, the surplus of a scene is as likely below as above it. So the signs of whole
    scenes are turned round, the same ones for all guessers and kinds, which keeps all that questions of a scene have in
    common and guessers with each other; the largest statistic of all is what each is compared with. The share of such
    turns says how rare it is. Steps down, so that a large leak does not hide a smaller one.

    Sources: Canay, Romano and Shaikh, "Randomization tests under an approximate symmetry assumption", Econometrica 85
    (2017), for few clusters; Westfall and Young, "Resampling-based multiple testing" (1993), algorithm 2.8, for many.

    Args:
        tallies: all that are tested together.
        tolerance: surplus over chance that is no leak.
        seed: of the turns, where scenes are too many to try all.

    Returns:
        One a tally, of the hypothesis that its surplus is at most the tolerance; 1 for those within it.
    """
    if not tallies:
        return []
    place = {scene: column for column, scene in enumerate(sorted({name for one in tallies for name in one.scenes}))}
    questions, surplus = np.zeros((2, len(tallies), len(place)))
    for row, one in enumerate(tallies):
        columns = [place[scene] for scene in one.scenes]
        questions[row, columns] = one.questions
        surplus[row, columns] = one.hits - one.chances - tolerance * one.questions
    below = surplus.sum(axis=1) <= 0
    # What lies below is no candidate; it stays in as noise around its own mean, so as not to drown the others.
    means = surplus.sum(axis=1) / questions.sum(axis=1)
    surplus -= np.where(below, means, 0.0)[:, None] * questions
    luck = np.array([float(one.luck.sum()) for one in tallies])
    found = _statistics(surplus, questions, luck, _signs(len(place), seed))
    order = np.argsort(-found[:, 0], kind="stable")
    largest = np.maximum.accumulate(found[order[::-1]], axis=0)[::-1]
    rare = np.mean(largest >= found[order, :1] - _ROUNDING, axis=1)
    p = np.empty(len(tallies))
    p[order] = np.maximum.accumulate(rare)
    return [1.0 if one else float(value) for one, value in zip(below, p, strict=True)]


def _signs(scenes: int, seed: int) -> NDArray[np.float64]:
    """(S, flips) signs of the scenes; the first column turns none. All of them where they are few."""
    if 2**scenes <= _FLIPS:
        bits = np.arange(2**scenes)[None, :] >> np.arange(scenes)[:, None] & 1
    else:
        bits = derived_rng("leak signs", seed, scenes).integers(0, 2, (scenes, _FLIPS))
        bits[:, 0] = 0
    return np.asarray(1.0 - 2.0 * bits)


def _statistics(
    surplus: NDArray[np.float64], questions: NDArray[np.float64], luck: NDArray[np.float64], signs: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(tests, flips) surplus over its standard error, which is that of `Tally`, worked out anew for each flip."""
    total = surplus @ signs
    mean = total / questions.sum(axis=1)[:, None]
    scenes = np.count_nonzero(questions, axis=1)
    between = (
        (surplus**2).sum(axis=1)[:, None]
        - 2 * mean * ((surplus * questions) @ signs)
        + mean**2 * (questions**2).sum(axis=1)[:, None]
    )
    between *= (scenes / np.maximum(1, scenes - 1))[:, None]
    return np.asarray(total / np.sqrt(np.maximum(between, luck[:, None])))
