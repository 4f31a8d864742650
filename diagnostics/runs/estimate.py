"""What a run will take, before its first call: calls, tokens, money and time, with the assumptions beside them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...tools.models.prices import Price
from .items import PictureRef
from .plan import Call
from .planning import PlannedRun
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
                f"assuming {REPLY_TOKENS} tokens and {REPLY_S:g} s a reply; "
                "a wrapped model makes several calls a question"
            )
        )
        return [
            f"items   {self.items:,} ({self.questions:,} questions)",
            f"runs    {self.runs:,} (model, prompt, repeat, condition)",
            f"calls   {self.calls:,}, of which {self.done:,} are done",
            f"tokens  about {self.input_tokens:,} in and {self.output_tokens:,} out",
            f"money   {money}",
            f"time    about {_duration(self.seconds)}",
            f"({basis})",
        ]

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
    spaces = {arm.name: arm.space for arm in planned.plan.settings.arms}
    unique = {call.key: call for call in planned.calls}
    left = [call for key, call in unique.items() if key not in stored.done]
    replies = len(stored.done)
    reply_tokens = stored.spent.output_tokens / replies if replies else REPLY_TOKENS
    if planned.plan.settings.generation is not None:
        reply_tokens = min(reply_tokens, planned.plan.settings.generation.max_tokens)
    input_tokens = [_input_tokens(call.parts(spaces[call.arm])) for call in left]
    usd = _money(left, input_tokens, reply_tokens, prices)
    return Estimate(
        items=planned.plan.data.items,
        questions=planned.plan.data.questions,
        runs=planned.plan.runs,
        calls=len(unique),
        done=len(unique) - len(left),
        input_tokens=sum(input_tokens),
        output_tokens=round(reply_tokens * len(left)),
        usd=usd,
        unpriced=tuple(sorted(name for name, price in prices.items() if price is None)),
        seconds=math.ceil(len(left) / slots) * (stored.latency_s / replies if replies else REPLY_S),
        measured=replies > 0,
    )


def _money(
    calls: Sequence[Call], input_tokens: Sequence[int], reply_tokens: float, prices: Mapping[str, Price | None]
) -> float | None:
    total = 0.0
    for call, tokens in zip(calls, input_tokens, strict=True):
        price = prices.get(call.arm)
        if price is None:
            return None
        total += (tokens * price.input + reply_tokens * price.output) / 1_000_000
    return total


def _input_tokens(parts: Sequence[str | PictureRef]) -> int:
    total = 0
    for part in parts:
        if isinstance(part, str):
            total += math.ceil(len(part) / CHARACTERS_PER_TOKEN)
        else:
            total += math.ceil(part.size[0] / PATCH_PX) * math.ceil(part.size[1] / PATCH_PX)
    return total


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
