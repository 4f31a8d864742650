"""How a run is getting on, as the progress line shows it."""

from __future__ import annotations

from dataclasses import dataclass

from .record import Spent

__all__ = ["RunProgress"]


@dataclass(frozen=True, slots=True)
class RunProgress:
    """A moment of a run.

    Attributes:
        total: calls of the plan.
        done: that have a reply, of earlier starts too.
        failed: at this start; they are made again at the next.
        running: questions under way, those included that wait.
        retrying: calls that wait to be made again.
        waiting_s: until the first server that asked for a pause may be called; 0 when none did.
        limit: calls at once that the servers take, as found out so far.
        last_fault: the last thing that went wrong; "" when nothing did.
        spent: over all starts.
        elapsed_s: of this start.
        done_before: of ``done``, by earlier starts.
    """

    total: int
    done: int
    failed: int
    running: int
    retrying: int
    waiting_s: float
    limit: int
    last_fault: str
    spent: Spent
    elapsed_s: float
    done_before: int

    @property
    def per_second(self) -> float:
        """Replies a second at this start."""
        return (self.done - self.done_before) / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """Seconds to go at this pace; None before the first reply."""
        return (self.total - self.done - self.failed) / self.per_second if self.per_second > 0 else None

    def describe(self) -> str:
        """Everything on one line, without what is not the case."""
        parts = [f"{self.done:,}/{self.total:,} done"]
        if self.running:
            parts.append(f"{self.running} running (server takes {self.limit})")
        if self.retrying:
            parts.append(f"{self.retrying} retrying")
        if self.waiting_s > 0:
            parts.append(f"waiting {self.waiting_s:.0f} s as the server asks")
        if self.failed:
            parts.append(f"{self.failed:,} failed")
        parts.append(self.cost())
        if self.last_fault:
            parts.append(f"last error: {self.last_fault[:120]}")
        return ", ".join(parts)

    def cost(self) -> str:
        """Money, or tokens where no price is known."""
        spent = self.spent
        if spent.calls and not spent.unpriced:
            return f"${spent.usd:.4f}"
        return f"{spent.tokens:,} tokens"
