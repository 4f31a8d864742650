"""What the stages work with and the state must not hold: the model, the tools, the stores, the clock."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

from ..tools.models import VisionLanguageModel
from ..tools.models.identity import model_identity
from .experience import Experience
from .profiles import Budget, Profile
from .records import Event
from .state import SolverState, storable
from .store import CallCache, PictureStore

__all__ = [
    "SolverContext",
    "call_key",
    "event",
    "model_identity",
    "money_left",
    "reply_cache",
    "seconds_left",
    "software_version",
]


@dataclass(frozen=True)
class SolverContext:
    """Everything that a stage may touch outside its state."""

    model: VisionLanguageModel
    profile: Profile
    budget: Budget
    pictures: PictureStore
    calls: CallCache
    """Of tool runs and, unless ``replies`` is given, of model calls."""
    replies: CallCache | None = None
    run: str = ""
    """The run's name: who paid for a call that is found in the cache."""
    experience: Experience = field(default_factory=Experience)
    clock: Callable[[], float] = time.monotonic
    report: Callable[[str], None] = lambda line: None
    """Called with one line of progress for people."""


def reply_cache(context: SolverContext) -> CallCache:
    """Where replies of the model are kept."""
    return context.calls if context.replies is None else context.replies


def call_key(kind: str, **decides: object) -> str:
    """The cache key of a call: SHA-256 of everything that decides its result."""
    text = json.dumps([kind, decides], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def software_version() -> str:
    """The installed version of Seeworthy: prompts, parsers and judges may differ between two."""
    return importlib.metadata.version("seeworthy")


def event(context: SolverContext, stage: str, text: str) -> dict[str, object]:
    """One line of the story, told to the person who waits and kept in the trace."""
    context.report(f"{stage}: {text}")
    return Event(stage=stage, text=storable(text)).plain()


def seconds_left(state: SolverState, context: SolverContext) -> float:
    """Of the time budget, before the running stage."""
    return context.budget.max_seconds - float(state.get("spent", {}).get("seconds", 0.0))


def money_left(state: SolverState, context: SolverContext, now: Mapping[str, float] | None = None) -> bool:
    """Whether another paid call is allowed; a call of unknown price uses up any money limit.

    Args:
        now: what the running stage has spent, which the state does not know yet.
    """
    limit = context.budget.max_cost_usd
    if limit is None:
        return True
    ledgers = (state.get("spent", {}), now or {})
    unpriced = sum(ledger.get("calls_without_price", 0) for ledger in ledgers)
    return not unpriced and sum(ledger.get("cost_usd", 0.0) for ledger in ledgers) < limit
