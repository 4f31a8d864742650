"""Derived: what follows from a scene graph for a question, and how."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from ...bench_data.questions.question import Truth

__all__ = ["Derived", "Status"]


class Status(StrEnum):
    """How far a graph answers a question."""

    DETERMINED = "determined"
    AMBIGUOUS = "ambiguous"
    UNDEFINED = "undefined"


@dataclass(frozen=True, kw_only=True, slots=True)
class Derived:
    """The answer that follows from a scene graph.

    Args:
        status: determined, where only one answer agrees with the graph; ambiguous, where several do; undefined, where
            the graph does not speak of what is asked.
        value: the answer in the form of `Question.truth`, of a choice the key of an option; None unless determined.
        interval: of a number, what it may be: (lowest, highest); equal where it is determined.
        possible: of an ambiguous answer, those that agree with the graph, as far as they can be listed.
        steps: plain sentences with the numbers used, in the order of the argument.
        reason: why the answer is not determined; "" where it is.
    """

    status: Status
    value: Truth | None = None
    interval: tuple[float, float] | None = None
    possible: tuple[Truth, ...] = ()
    steps: tuple[str, ...] = ()
    reason: str = ""

    @property
    def is_determined(self) -> bool:
        """Whether there is one answer."""
        return self.status is Status.DETERMINED

    @property
    def estimate(self) -> Truth | None:
        """The answer, or the middle of a bounded interval; None where there is neither."""
        if self.value is not None or self.interval is None:
            return self.value
        low, high = self.interval
        return (low + high) / 2 if math.isfinite(high - low) else None
