"""What a run will take, before its first call: calls, tokens, money and time, with the assumptions beside them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from ...tools.models import GenerationSettings
from ...tools.models.prices import Price
from .arms import CallRange, PlannedArm
from .items import PictureRef
from .plan import Call
from .planning import PlannedRun
from .prompts import turns_of
from .record import Spent
from .resume import Stored

__all__ = ["Estimate", "estimate_run"]

CHARACTERS_PER_TOKEN = 4
"""The rule of thumb for English text (OpenAI's help pages)."""
PATCH_PX = 28
"""One token a patch of 28 by 28 pixels, as Qwen2-VL and its successors count; other families take fewer."""
REPLY_TOKENS = 100
"""Assumed of a reply until replies are known."""
REPLY_S = 2.0
"""Assumed of a call until calls are known."""


@dataclass(frozen=True)
class Estimate:
    """An estimate.

    Attributes:
        items, questions, runs, calls: of the plan; calls that show and ask the same are made once.
        done: of the calls, that have a reply already.
        server_calls: the fewest and the most calls to servers that are left: wrapped models and prompts of several
            turns make more than one a question.
        per_arm: arm -> the fewest and the most calls of one of its questions.
        input_tokens, output_tokens: of the calls that are left.
        usd: of them; None when a model has no price.
        unpriced: models without a price.
        seconds: of them, with all slots in use.
        measured: whether replies and times are means of this run's own records.
    """

    items: int
    questions: int
    runs: int
    calls: int
    done: int
    server_calls: CallRange
    per_arm: dict[str, CallRange]
    input_tokens: int
    output_tokens: int
    usd: float | None
    unpriced: tuple[str, ...]
    seconds: float
    measured: bool

    def lines(self) -> list[str]:
        """For people."""
        money = f"about ${self.usd:.2f}" if self.usd is not None else f"unknown: no price for {self.unpriced[0]}"
        basis = (
            "as this run's records have it"
            if self.measured
            else (
                f"assuming {REPLY_TOKENS} tokens and {REPLY_S:g} s a reply, and all calls that a wrapped model may make"
            )
        )
        return [
            f"items   {self.items:,} ({self.questions:,} questions)",
            f"runs    {self.runs:,} (model, prompt, repeat, condition)",
            f"calls   {self.calls:,}, of which {self.done:,} are done",
            *self._asks(),
            f"tokens  about {self.input_tokens:,} in and {self.output_tokens:,} out",
            f"money   {money}",
            f"time    about {_duration(self.seconds)}",
            f"({basis})",
        ]

    def _asks(self) -> list[str]:
        several = {name: calls for name, calls in self.per_arm.items() if calls != (1, 1)}
        if not several:
            return []
        each = "; ".join(f"{name} {_range(calls)} a question" for name, calls in several.items())
        return [f"asks    {_range(self.server_calls)} calls to servers ({each})"]

    @property
    def per_question(self) -> Spent:
        """What one of the questions that are left will cost."""
        left = max(1, self.calls - self.done)
        return Spent(
            input_tokens=self.input_tokens // left, output_tokens=self.output_tokens // left, usd=(self.usd or 0) / left
        )


def estimate_run(
    planned: PlannedRun,
    *,
    prices: Mapping[str, Price | None],
    slots: int,
    stored: Stored | None = None,
) -> Estimate:
    """Estimates what is left of a run.

    Args:
        prices: name of an arm -> its price, None where none is known.
        slots: calls at once.
        stored: what the run has done already; its replies then stand for those to come.
    """
    stored = stored or Stored()
    arms = {arm.name: arm for arm in planned.plan.settings.arms}
    unique = {call.key: call for call in planned.calls}
    left = [call for key, call in unique.items() if key not in stored.done]
    replies = len(stored.done)
    generation = planned.plan.settings.generation
    questions = [_Question.of(call, arms[call.arm], stored, generation) for call in left]
    return Estimate(
        items=planned.plan.data.items,
        questions=planned.plan.data.questions,
        runs=planned.plan.runs,
        calls=len(unique),
        done=len(unique) - len(left),
        server_calls=(sum(one.calls[0] for one in questions), sum(one.calls[1] for one in questions)),
        per_arm=_per_arm(zip(left, questions, strict=True)),
        input_tokens=round(sum(one.input_tokens for one in questions)),
        output_tokens=round(sum(one.output_tokens for one in questions)),
        usd=_money(left, questions, prices),
        unpriced=tuple(sorted(name for name, price in prices.items() if price is None)),
        seconds=(
            math.ceil(len(left) / slots) * stored.latency_s / replies
            if replies
            else math.ceil(sum(one.calls[1] for one in questions) / slots) * REPLY_S
        ),
        measured=replies > 0,
    )


@dataclass(frozen=True, slots=True)
class _Question:
    """What one question of an arm will take: as the arm's records have it, or else with all calls it may make."""

    calls: CallRange
    input_tokens: float
    output_tokens: float

    @classmethod
    def of(cls, call: Call, arm: PlannedArm, stored: Stored, generation: GenerationSettings | None) -> Self:
        turns = turns_of(call.parts(arm.space))
        calls = arm.calls[0] * len(turns), arm.calls[1] * len(turns)
        known, spent = stored.replies[arm.name], stored.arms.get(arm.name, Spent())
        if known and spent.calls:
            counted = spent.input_tokens / known if spent.input_tokens else _input_tokens(turns)
            return cls(calls, counted, spent.output_tokens / known)
        most = REPLY_TOKENS if generation is None else min(REPLY_TOKENS, generation.max_tokens)
        return cls(calls, _input_tokens(turns) * arm.calls[1], most * calls[1])


def _per_arm(questions: Iterable[tuple[Call, _Question]]) -> dict[str, CallRange]:
    found: dict[str, CallRange] = {}
    for call, question in questions:
        low, high = found.get(call.arm, question.calls)
        found[call.arm] = min(low, question.calls[0]), max(high, question.calls[1])
    return found


def _money(calls: Sequence[Call], questions: Sequence[_Question], prices: Mapping[str, Price | None]) -> float | None:
    total = 0.0
    for call, question in zip(calls, questions, strict=True):
        price = prices.get(call.arm)
        if price is None:
            return None
        total += (question.input_tokens * price.input + question.output_tokens * price.output) / 1_000_000
    return total


def _input_tokens(turns: Sequence[Sequence[str | PictureRef]]) -> int:
    """Over all turns; each later one sends again what came before it."""
    total = said = 0
    for turn in turns:
        said += sum(_tokens_of(part) for part in turn)
        total += said
        said += REPLY_TOKENS
    return total


def _tokens_of(part: str | PictureRef) -> int:
    if isinstance(part, str):
        return math.ceil(len(part) / CHARACTERS_PER_TOKEN)
    return math.ceil(part.size[0] / PATCH_PX) * math.ceil(part.size[1] / PATCH_PX)


def _range(calls: CallRange) -> str:
    low, high = calls
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
