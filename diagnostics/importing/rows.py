"""What other tools' files hold, in one form: replies with all that tells which question they answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...tools.models import Fault, FaultKind, Reply, ReplyStatus

__all__ = ["BadPlace", "OldRow", "Place", "cut_reply", "failed_reply", "given_reply"]


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something stands.

    Args:
        file: its name.
        line: from 1; of a spreadsheet, the row.
    """

    file: str
    line: int

    def __str__(self) -> str:
        """
        >>> str(Place("predictions.json", 12))
        'predictions.json line 12'
        """
        return f"{self.file} line {self.line}"


@dataclass(frozen=True, slots=True)
class BadPlace:
    """A row that cannot be used.

    Args:
        reason: the kind of fault, in the same words for all of its kind.
        detail: of this one.
    """

    place: Place
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OldRow:
    """One row: the replies to one question.

    Args:
        place: where it stands.
        replies: one for each time the question was asked.
        ids: names that the item may have in its suite, the surest first.
        asked_as: (question, condition) of the item, where the tool keeps them.
        position: of the item among all that the tool was given, from 0, where nothing else names it.
        question: the words of the question as the tool has them, perhaps with more around them; None if it keeps none.
        target: the right answer as the tool has it; None if it keeps none.
        prompt: what was really sent, word for word; None where that is not known.
        model: who replied; None where the file does not say.
        scores: the tool's own scores of the row, each from 0 to 1, by their name there.
        reading: what the tool took for the answer; None if it keeps none.
    """

    place: Place
    replies: tuple[Reply, ...]
    ids: tuple[str, ...] = ()
    asked_as: tuple[str, str] | None = None
    position: int | None = None
    question: str | None = None
    target: str | None = None
    prompt: str | None = None
    model: str | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    reading: str | None = None


def given_reply(text: str, *, reasoning: str | None = None, notes: tuple[str, ...] = ()) -> Reply:
    """A reply that another tool kept. Why it ended is not known; what its text says about that, the parser finds."""
    return Reply(text=text, reasoning=reasoning or None, status=ReplyStatus.OK, notes=notes)


def cut_reply(text: str, *, reasoning: str | None = None, notes: tuple[str, ...] = ()) -> Reply:
    """A reply whose end the other tool's file has lost."""
    return Reply(text=text, reasoning=reasoning or None, status=ReplyStatus.TRUNCATED, notes=notes)


def failed_reply(message: str, *, notes: tuple[str, ...] = ()) -> Reply:
    """A call that failed there; the kind of its failure is not known."""
    fault = Fault(kind=FaultKind.NOT_RECORDED, message=message[:2000], retryable=False)
    return Reply(status=ReplyStatus.ERROR, fault=fault, notes=notes)
