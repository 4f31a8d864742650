"""How the engine makes calls, and how a start of a run ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ...tools.models.prices import Price
from ...tools.models.retry import RetryPolicy
from .budget import RunBudget
from .record import Spent

__all__ = ["EngineSettings", "RunOutcome", "StopReason"]


class StopReason(StrEnum):
    """Why a run ended."""

    FINISHED = "finished"
    BUDGET = "budget"
    REFUSED = "refused"
    """The server takes no call: a wrong key, no credit, or a pause longer than all patience."""
    SILENT = "silent"
    """So many calls in a row failed that the model counts as gone."""
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, kw_only=True)
class EngineSettings:
    """How calls are made; none of it decides a reply.

    Args:
        slots: calls to one server at once, at most.
        retry: of single calls.
        budget: of the run.
        patience: calls in a row that fail before the model counts as gone.
        prices: model name -> price, where models do not say themselves what a call costs.
        expected: what a question will cost, for the money budget while none is finished.
        keep_pictures: keep every picture that is shown in the run's folder, by its content.
        attempt_s: one attempt that takes longer is given up.
    """

    slots: int = 16
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    budget: RunBudget = field(default_factory=RunBudget)
    patience: int = 20
    prices: Mapping[str, Price] = field(default_factory=dict)
    expected: Spent = field(default_factory=Spent)
    keep_pictures: bool = True
    attempt_s: float = 900.0


@dataclass(frozen=True)
class RunOutcome:
    """How a start of a run ended.

    Attributes:
        detail: why, for people; "" when it finished.
        asked: calls made at this start, failed ones included.
        failed: of them.
        left: calls of the plan that have no reply yet.
        spent: over all starts.
    """

    stop: StopReason
    detail: str
    asked: int
    failed: int
    left: int
    spent: Spent
