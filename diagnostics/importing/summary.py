"""ImportSummary: what of the old files became part of the run, and what did not, with names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict

from .rows import BadPlace

__all__ = ["ImportSummary", "LeftOut", "left_out", "without_reply"]

_NAMED: Final = 5


class LeftOut(BaseModel):
    """Rows or items that came to nothing for one reason.

    Attributes:
        reason: in the same words for all of its kind.
        count: how many.
        named: the first ones, with what is special about them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: str
    count: int
    named: tuple[str, ...]

    def __str__(self) -> str:
        more = ", ..." if self.count > len(self.named) else ""
        return f"{self.count:,}: {self.reason} ({'; '.join(self.named)}{more})"


class ImportSummary(BaseModel):
    """The balance of an import.

    Attributes:
        rows: in all files.
        replies: in the run; of these, ``failed`` are calls that failed there.
        rows_left_out: by reason, the most frequent first.
        items: of the run.
        items_without_reply: of at least one model.
        warnings: what to know before the numbers are believed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rows: int
    replies: int
    failed: int
    rows_left_out: tuple[LeftOut, ...]
    items: int
    items_without_reply: LeftOut
    warnings: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """For people."""
        lines = [
            f"{self.rows:,} rows gave {self.replies:,} replies to {self.items:,} items; {self.failed:,} of them failed"
        ]
        lines += [f"rows left out, {one}" for one in self.rows_left_out]
        if self.items_without_reply.count:
            lines.append(f"items left over, {self.items_without_reply}")
        return [*lines, *self.warnings]


def left_out(rows: Iterable[BadPlace]) -> tuple[LeftOut, ...]:
    """Bad rows by their reason, the most frequent first."""
    counts: Counter[str] = Counter()
    named: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda one: one.place):
        counts[row.reason] += 1
        names = named.setdefault(row.reason, [])
        if len(names) < _NAMED:
            names.append(f"{row.place}: {row.detail}" if row.detail else str(row.place))
    order = sorted(counts, key=lambda reason: (-counts[reason], reason))
    return tuple(LeftOut(reason=reason, count=counts[reason], named=tuple(named[reason])) for reason in order)


def without_reply(names: Sequence[str]) -> LeftOut:
    """Items that no row answers."""
    return LeftOut(reason="no reply in the files", count=len(names), named=tuple(names[:_NAMED]))
