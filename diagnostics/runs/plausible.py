"""What a server or a model says about its own costs, believed only where it can be true."""

from __future__ import annotations

import math
from typing import Final

from ...tools.models import Reply, Usage

__all__ = ["plausible_reply"]

_MOST_TOKENS: Final = 10**9
_MOST_USD: Final = 10_000.0
_MOST_SECONDS: Final = 10.0**7


def plausible_reply(reply: Reply) -> Reply:
    """The reply without counts, costs and times that cannot be; a note names what was taken out.

    One of them would make every sum of a run worthless, and a NaN cannot be written into its store.
    """
    odd: list[str] = []
    counted = dict(reply.usage)
    odd += [name for name, count in counted.items() if count is not None and not 0 <= count <= _MOST_TOKENS]
    changes: dict[str, object] = {}
    if odd:
        changes["usage"] = Usage(**{name: count for name, count in counted.items() if name not in odd})
    if reply.cost_usd is not None and not _is_within(reply.cost_usd, _MOST_USD):
        odd.append("cost_usd")
        changes["cost_usd"] = None
    if not _is_within(reply.latency_s, _MOST_SECONDS):
        odd.append("latency_s")
        changes["latency_s"] = 0.0
    if not odd:
        return reply
    return reply.model_copy(update={**changes, "notes": (*reply.notes, f"not believed: {', '.join(odd)}")})


def _is_within(value: float, most: float) -> bool:
    return math.isfinite(value) and 0 <= value <= most
