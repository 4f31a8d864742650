"""What a store already holds, read once at the start of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...tools.models import ReplyStatus, Usage
from ...tools.models.prices import Price
from ..errors import DiagnosticsError
from .record import Spent
from .store import stored_lines

__all__ = ["Stored", "read_stored"]


@dataclass
class Stored:
    """What earlier starts have done.

    Attributes:
        done: keys of calls with a reply.
        failed: keys of calls that only failed; they are made again.
        spent: over all records.
        arms: arm -> what its records spent.
        replies: arm -> its calls with a reply.
        latency_s: over the calls with a reply.
        records: lines in the store.
    """

    done: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    spent: Spent = field(default_factory=Spent)
    arms: dict[str, Spent] = field(default_factory=dict)
    replies: Counter[str] = field(default_factory=Counter)
    latency_s: float = 0.0
    records: int = 0


def read_stored(path: Path, prices: Mapping[str, Price | None] | None = None) -> Stored:
    """Goes through a store without keeping its replies.

    Args:
        prices: name of an arm -> its price, for calls that were made before it was known.

    Raises:
        DiagnosticsError: a line is damaged.
    """
    stored = Stored()
    for line in stored_lines(path):
        key, reply, arm = str(line.content["key"]), line.content["reply"], str(line.content.get("arm"))
        fields = reply if isinstance(reply, dict) else {}
        if fields.get("status") == ReplyStatus.ERROR.value:
            stored.failed.add(key)
        else:
            stored.done.add(key)
            stored.replies[arm] += 1
            latency_s = fields.get("latency_s", 0.0)
            stored.latency_s += latency_s if isinstance(latency_s, int | float) else 0.0
        try:
            spent = Spent.model_validate(line.content.get("spent", {}))
            priced = _priced(spent, (prices or {}).get(arm))
            stored.spent.add(priced)
            stored.arms.setdefault(arm, Spent()).add(priced)
        except ValueError as error:
            raise DiagnosticsError(
                f"{path}, line {line.number}: what was spent cannot be read; mend the line"
            ) from error
        stored.records += 1
    stored.failed -= stored.done
    return stored


def _priced(spent: Spent, price: Price | None) -> Spent:
    """What a question cost, where the server counted its tokens and nobody knew the price."""
    if price is None or not spent.tokens or spent.unpriced < spent.calls:
        return spent
    usage = Usage(input_tokens=spent.input_tokens, output_tokens=spent.output_tokens)
    return spent.model_copy(update={"usd": price.cost_usd(usage) or 0.0, "unpriced": 0})
