"""What became of the items of a run: accuracy, and beside it every way in which an item failed to be an answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from ..errors import DiagnosticsError

__all__ = ["ERROR_STATUS", "PARSE_FAILURES", "REPLY_STATUSES", "ScoreRates", "accuracy", "score_rates"]

REPLY_STATUSES = ("ok", "no_answer", "ambiguous", "invalid", "refusal", "truncated")
"""What a reply can be after parsing. Only ``ok`` can score."""

PARSE_FAILURES = ("no_answer", "ambiguous", "invalid")
"""The model spoke, but no answer that the question allows could be read."""

ERROR_STATUS = "error"
"""The call failed and there is no reply; the item is not in the denominator of any rate."""


class ScoreRates(BaseModel):
    """Counts and rates of one group of items. A rate is None when no item came back.

    Attributes:
        n: all items; ``n = scored + errors``.
        scored: items with a reply, whatever its status. The denominator of all rates.
        accuracy: mean score of the scored items; every status but ``ok`` scores 0.
        accuracy_low, accuracy_high: the accuracy over all items if every errored one had scored 0, or 1.
        accuracy_when_answered: mean score of the ``ok`` items alone. It rewards silence; never print it alone.
        chance: mean chance level of the scored items, if given.
        chance_adjusted: ``(accuracy - chance) / (1 - chance)``; 0 is guessing, 1 is perfect.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    n: int
    scored: int
    ok: int
    no_answer: int
    ambiguous: int
    invalid: int
    refusal: int
    truncated: int
    errors: int
    accuracy: float | None
    accuracy_low: float | None
    accuracy_high: float | None
    accuracy_when_answered: float | None
    chance: float | None = None
    chance_adjusted: float | None = None

    @property
    def parse_rate(self) -> float | None:
        """Share of scored items with an answer that could be read. Range: [0, 1]; higher is better."""
        return self._share(self.ok)

    @property
    def parse_failure_rate(self) -> float | None:
        """Share of scored items with no, an ambiguous or an invalid answer. Range: [0, 1]; lower is better."""
        return self._share(self.no_answer + self.ambiguous + self.invalid)

    @property
    def refusal_rate(self) -> float | None:
        """Share of scored items that were declined. Range: [0, 1]; lower is better."""
        return self._share(self.refusal)

    @property
    def truncation_rate(self) -> float | None:
        """Share of scored items cut off before the answer. Range: [0, 1]; lower is better."""
        return self._share(self.truncated)

    def describe(self) -> str:
        """The counts in one line, without what did not happen.

        >>> score_rates(["ok"] * 19 + ["error"], [1.0] * 16 + [0.0] * 4).describe()
        '19 scored, 1 error; accuracy 0.84, bounds 0.80–0.85'
        """
        counts = [f"{self.scored} scored"]
        for name in (*REPLY_STATUSES[1:], "errors"):
            count = getattr(self, name)
            if count:
                word = "error" if name == "errors" and count == 1 else name.replace("_", " ")
                counts.append(f"{count} {word}")
        text = ", ".join(counts)
        if self.accuracy is not None:
            text += f"; accuracy {self.accuracy:.2f}"
            if self.errors:
                text += f", bounds {self.accuracy_low:.2f}–{self.accuracy_high:.2f}"
        return text

    def _share(self, count: int) -> float | None:
        return count / self.scored if self.scored else None


def accuracy(scores: Sequence[float]) -> float:
    """Mean score of items that all have one: 0 or 1 a choice, anything between for graded answers.

    Range: [0, 1]; higher is better.

    >>> accuracy([True, False, True, True])
    0.75

    Raises:
        DiagnosticsError: there is no item, or a score lies outside [0, 1].
    """
    if len(scores) == 0:
        raise DiagnosticsError("accuracy of no items is undefined; leave the group out or use score_rates()")
    return math.fsum(_checked_score(score, index) for index, score in enumerate(scores)) / len(scores)


def score_rates(
    statuses: Sequence[str],
    scores: Sequence[float | None] | None = None,
    *,
    chance_levels: Sequence[float] | None = None,
) -> ScoreRates:
    """Counts every status and gives the accuracy with its bounds.

    Range: accuracy and all rates in [0, 1]; higher accuracy is better.

    No random number is drawn anywhere: an item without a readable answer scores 0, each time.

    Args:
        statuses: one an item: ``ok``, ``no_answer``, ``ambiguous``, ``invalid``, ``refusal``, ``truncated`` as the
            parser says, or ``error`` for a call that failed. An enum whose values are these strings is fine.
        scores: one an item in [0, 1]. Only those of ``ok`` items are read; the others may be None. Without scores
            only the rates are filled in.
        chance_levels: one an item, see ``chance_level``.

    >>> rates = score_rates(["ok", "ok", "refusal", "no_answer"], [1.0, 0.5, None, None], chance_levels=[0.25] * 4)
    >>> rates.accuracy, rates.parse_failure_rate, rates.refusal_rate, rates.chance
    (0.375, 0.25, 0.25, 0.25)

    Raises:
        DiagnosticsError: the lists differ in length, a status is unknown, or a score is not in [0, 1].
    """
    names = [str(status) for status in statuses]
    for what, column in (("scores", scores), ("chance levels", chance_levels)):
        if column is not None and len(column) != len(names):
            raise DiagnosticsError(f"score_rates: {len(column)} {what} for {len(names)} statuses; give one an item")
    unknown = sorted(set(names) - {*REPLY_STATUSES, ERROR_STATUS})
    if unknown:
        raise DiagnosticsError(
            f"score_rates: unknown statuses {unknown}; expected one of {[*REPLY_STATUSES, ERROR_STATUS]}"
        )
    counts = Counter(names)
    scored = len(names) - counts[ERROR_STATUS]
    chance = None
    if chance_levels is not None and scored:
        levels = [level for name, level in zip(names, chance_levels, strict=True) if name != ERROR_STATUS]
        if not all(0 <= level <= 1 for level in levels):
            raise DiagnosticsError("score_rates: a chance level lies outside [0, 1]; a quarter is 0.25")
        chance = math.fsum(levels) / scored
    total = None if scores is None else _total_of_answers(names, scores)
    mean = _ratio(total, scored)
    return ScoreRates(
        n=len(names),
        scored=scored,
        errors=counts[ERROR_STATUS],
        accuracy=mean,
        accuracy_low=_ratio(total, len(names)),
        accuracy_high=None if total is None else _ratio(total + counts[ERROR_STATUS], len(names)),
        accuracy_when_answered=_ratio(total, counts["ok"]),
        chance=chance,
        chance_adjusted=None if mean is None or chance is None or chance == 1 else (mean - chance) / (1 - chance),
        **{status: counts[status] for status in REPLY_STATUSES},
    )


def _total_of_answers(names: list[str], scores: Sequence[float | None]) -> float:
    items = enumerate(zip(names, scores, strict=True))
    return math.fsum(_checked_score(score, index) for index, (name, score) in items if name == "ok")


def _ratio(total: float | None, count: int) -> float | None:
    return None if total is None or count == 0 else total / count


def _checked_score(score: float | None, index: int) -> float:
    if score is None or not 0 <= score <= 1:
        raise DiagnosticsError(f"the score of item {index} is {score}; an answered item needs a score in [0, 1]")
    return float(score)
