"""What form the answer to a question has; the parser and the scorer choose by this, never by the question's words."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from .units import Unit

__all__ = ["AnswerFormat", "AnswerType"]


class AnswerType(StrEnum):
    """The kinds of answers."""

    CHOICE = "choice"
    YES_NO = "yes_no"
    NUMBER = "number"
    LIST = "list"
    CLOCK = "clock"
    BOX = "box"
    POINT = "point"
    GRAPH = "graph"
    TEXT = "text"


class AnswerFormat(BaseModel):
    """The form of an answer.

    Attributes:
        options: letter to text, for ``choice``; the letters are those that the prompt shows, in its order.
        unit: for ``number`` and ``list``.
        length: how many numbers a ``list`` has.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    answer_type: AnswerType
    options: dict[str, str] | None = None
    unit: Unit | None = None
    length: int | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        kind = self.answer_type
        if kind is AnswerType.CHOICE:
            if not self.options or len(self.options) < 2:
                raise ValueError("a choice needs at least two options, as letter -> text")
            bad = [letter for letter in self.options if len(letter) != 1 or not "A" <= letter <= "Z"]
            if bad:
                raise ValueError(f"option letters must be single capitals A-Z, got {bad}")
        elif self.options is not None and kind is not AnswerType.YES_NO:
            raise ValueError(f"options belong to choice and yes_no, not to {kind.value}")
        if kind in (AnswerType.NUMBER, AnswerType.LIST):
            if self.unit is None:
                raise ValueError(f"a {kind.value} needs a unit; use Unit.COUNT for plain counts")
        elif self.unit is not None:
            raise ValueError(f"a unit belongs to number and list, not to {kind.value}")
        if kind is AnswerType.LIST and (self.length is None or self.length < 1):
            raise ValueError("a list needs its length")
        return self
