"""Compared answers out of plain values."""

from __future__ import annotations

from seeworthy.bench_data.questions import Question, Truth
from seeworthy.diagnostics.consistency import Compared
from seeworthy.diagnostics.derive.derived import Derived, Status


def determined(value: Truth) -> Derived:
    return Derived(status=Status.DETERMINED, value=value)


def compared(
    question: Question,
    direct: Truth | None,
    derived: Truth | Derived | None,
    *,
    picture: str = "p",
    ceiling: Derived | None = None,
) -> Compared:
    follows = derived if derived is None or isinstance(derived, Derived) else determined(derived)
    return Compared(question=question, picture=picture, direct=direct, derived=follows, ceiling=ceiling)
