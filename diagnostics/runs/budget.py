"""What a run may spend, and what it has spent."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from .record import Spent

__all__ = ["Meter", "RunBudget"]

_ROUNDING = 1e-9
"""Ten calls of two cents are twenty cents, whatever binary fractions make of it."""


class RunBudget(BaseModel):
    """Limits of a run; None for none.

    Args:
        usd, tokens: over all starts of the run, as its records tell.
        seconds: of this start.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    usd: float | None = Field(default=None, gt=0)
    tokens: int | None = Field(default=None, gt=0)
    seconds: float | None = Field(default=None, gt=0)


class Meter:
    """Adds up what a run spends and says when to stop.

    Questions under way have not been paid yet, so each counts as much as a finished one has cost on average; without
    that, as many questions as run at once would go over the budget.

    Args:
        budget: of the run.
        before: spent at earlier starts.
        finished_before: questions that this was spent on.
        expected: what a question will cost, for as long as none is finished.
    """

    def __init__(
        self, budget: RunBudget, *, before: Spent | None = None, finished_before: int = 0, expected: Spent | None = None
    ) -> None:
        self.spent = Spent() if before is None else before.model_copy()
        self.finished = finished_before
        self.under_way = 0
        self._budget = budget
        self._expected = expected or Spent()

    def finish(self, spent: Spent) -> None:
        """Counts a question that is done."""
        self.spent.add(spent)
        self.finished += 1

    def exhausted(self) -> str | None:
        """Why no further question may be paid for; None while one may."""
        budget, spent = self._budget, self.spent
        if budget.tokens is not None:
            coming = self.under_way * self._mean(spent.tokens, self._expected.tokens)
            if spent.tokens + coming >= budget.tokens:
                return f"the budget of {budget.tokens:,} tokens is used up ({spent.tokens:,} spent); raise it to go on"
        if budget.usd is not None:
            if spent.unpriced:
                return (
                    f"what {spent.unpriced} calls cost is unknown, for want of a price or of the server's token count, "
                    "so the money budget cannot be kept; use a budget of seconds"
                )
            coming = self.under_way * self._mean(spent.usd, self._expected.usd)
            if spent.usd + coming >= budget.usd * (1 - _ROUNDING):
                return f"the budget of ${budget.usd:g} is used up (${spent.usd:.4f} spent); raise it to go on"
        return None

    def _mean(self, total: float, expected: float) -> float:
        return total / self.finished if self.finished else expected
