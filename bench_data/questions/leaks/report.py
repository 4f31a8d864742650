"""What guessers reach, against chance, with intervals."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .items import Item

__all__ = ["ALL_KINDS", "ConstantGuess", "Guess", "LeakReport", "scored"]

ALL_KINDS = "all kinds"
_ERRORS = 3.0
"""Standard errors granted: with some twenty guessers and as many kinds, two would raise an alarm in every audit."""


@dataclass(frozen=True, slots=True)
class Guess:
    """What one guesser reached.

    Args:
        guesser: its name.
        sees: what it looks at; "knowledge" is what it knows of the world from other scenes.
        kind: of the questions, or `ALL_KINDS`.
        questions: to which its trick applied.
        accuracy: the share that it got right; ties count as the chance to pick the right one of them.
        chance: of a blind guess on the same questions.
        scenes: that they are from.
        standard_error: of accuracy - chance; questions of one scene may depend on each other.
    """

    guesser: str
    sees: Literal["options", "text", "knowledge"]
    kind: str
    questions: int
    accuracy: float
    chance: float
    scenes: int
    standard_error: float

    @property
    def excess(self) -> float:
        """Accuracy beyond chance; far below it is a leak just as well."""
        return self.accuracy - self.chance

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the excess."""
        reach = self._reach(1.96)
        return self.excess - reach, self.excess + reach

    def leaks(self, tolerance: float) -> bool:
        """Whether it is off chance by more than the tolerance, sampling error granted."""
        if self.sees == "knowledge":
            return False
        return abs(self.excess) > tolerance + self._reach(_ERRORS)

    def _reach(self, errors: float) -> float:
        """So many standard errors of a normal distribution, widened to Student's t, as scenes are few."""
        from scipy.special import ndtr, stdtrit

        return self.standard_error * float(stdtrit(max(1, self.scenes - 1), ndtr(errors)))


@dataclass(frozen=True, slots=True)
class ConstantGuess:
    """What the best fixed answer reaches on questions for numbers; there is no chance level for these.

    Args:
        score: mean relative accuracy, or the share of counts hit.
    """

    kind: str
    questions: int
    answer: float
    score: float


@dataclass(frozen=True)
class LeakReport:
    """The result of a leak audit.

    Args:
        questions: read in all.
        guesses: overall first, then by kind.
        constants: for questions without options.
        tolerance: distance from chance that is accepted.
    """

    questions: int
    guesses: tuple[Guess, ...]
    constants: tuple[ConstantGuess, ...]
    tolerance: float

    @property
    def leaks(self) -> tuple[Guess, ...]:
        """What lies outside of the tolerance."""
        return tuple(guess for guess in self.guesses if guess.leaks(self.tolerance))

    @property
    def ok(self) -> bool:
        """Whether nothing leaks."""
        return not self.leaks

    def overall(self, guesser: str) -> Guess | None:
        """A guesser's result over all kinds; None where it applied to nothing."""
        return next((one for one in self.guesses if one.guesser == guesser and one.kind == ALL_KINDS), None)

    def as_text(self) -> str:
        """A table of the overall results and of all leaks."""
        shown = [one for one in self.guesses if one.kind == ALL_KINDS]
        shown += [one for one in self.leaks if one.kind != ALL_KINDS]
        names = [one.guesser if one.kind == ALL_KINDS else f"  {one.guesser}, {one.kind}" for one in shown]
        width = max(map(len, ["guesser", *names]))
        lines = [f"{'guesser':<{width}}{'questions':>10}{'right':>8}{'chance':>8}{'beyond, 95 %':>26}"]
        for one, name in zip(shown, names, strict=True):
            low, high = one.interval
            mark = "  LEAK" if one.leaks(self.tolerance) else "  (knowledge)" if one.sees == "knowledge" else ""
            lines.append(
                f"{name:<{width}}{one.questions:>10}{one.accuracy:>8.1%}{one.chance:>8.1%}"
                f"{one.excess:>+9.1%} [{low:+.1%}, {high:+.1%}]{mark}"
            )
        for constant in self.constants:
            lines.append(
                f"always {constant.answer:.3g}: {constant.score:.1%} of {constant.questions}, {constant.kind} (numbers)"
            )
        lines.append(
            f"{self.questions} questions; {len(self.leaks)} leaks beyond {self.tolerance:.0%} and sampling error"
        )
        return "\n".join(lines)


def scored(
    guesser: str,
    sees: Literal["options", "text", "knowledge"],
    results: Sequence[tuple[Item, float]],
) -> list[Guess]:
    """Overall and by kind, from how far each item was guessed right (0 to 1)."""
    by_kind: defaultdict[str, list[tuple[Item, float]]] = defaultdict(list)
    for item, hit in results:
        by_kind[item.kind].append((item, hit))
    groups = {ALL_KINDS: list(results), **dict(sorted(by_kind.items()))}
    return [_guess(guesser, sees, kind, group) for kind, group in groups.items() if group]


def _guess(
    guesser: str,
    sees: Literal["options", "text", "knowledge"],
    kind: str,
    results: list[tuple[Item, float]],
) -> Guess:
    count = len(results)
    accuracy = sum(hit for _, hit in results) / count
    chance = sum(item.chance for item, _ in results) / count
    excess = accuracy - chance
    by_scene: defaultdict[str, float] = defaultdict(float)
    for item, hit in results:
        by_scene[item.scene] += hit - item.chance - excess
    scenes = len(by_scene)
    if scenes > 1:
        variance = sum(total**2 for total in by_scene.values()) / count**2 * scenes / (scenes - 1)
    else:
        variance = chance * (1 - chance) / count
    # Balanced questions can have no spread at all; one question more or less always is in doubt.
    return Guess(guesser, sees, kind, count, accuracy, chance, scenes, max(math.sqrt(variance), 1 / count))
