"""Typed forms of what stands in the state as plain JSON: the stages read and write these."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from ..bench_data.stress import Stress
from ..tools.coordinates import PixelMap
from ..tools.findings import Region
from ..tools.models import SentImage

__all__ = [
    "Answer",
    "AnswerValue",
    "Event",
    "MapRecord",
    "Outcome",
    "PictureWork",
    "PlanStep",
    "Solution",
    "Spent",
    "ToolTry",
    "View",
]

AnswerValue = bool | int | float | str | list[float] | dict[str, object] | None


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    def plain(self) -> dict[str, object]:
        """The JSON form that the state keeps."""
        return self.model_dump(mode="json")


class View(StrEnum):
    """Which pictures the model is shown."""

    ORIGINAL = "original"
    RECTIFIED = "rectified"
    BOTH = "both"


class Outcome(StrEnum):
    """How a question ended."""

    ANSWERED = "answered"
    ABSTAINED = "abstained"


class MapRecord(_Record):
    """A ``PixelMap`` as plain numbers."""

    original_from_rectified: list[list[float]]
    original_size: list[int]
    rectified_size: list[int]

    @classmethod
    def of(cls, pixel_map: PixelMap) -> Self:
        return cls(
            original_from_rectified=[list(row) for row in pixel_map.original_from_rectified],
            original_size=list(pixel_map.original_size),
            rectified_size=list(pixel_map.rectified_size),
        )

    def pixel_map(self) -> PixelMap:
        rows = tuple((row[0], row[1], row[2]) for row in self.original_from_rectified)
        width, height = self.original_size
        rectified_width, rectified_height = self.rectified_size
        return PixelMap(rows, (width, height), (rectified_width, rectified_height))


class PlanStep(_Record):
    """One stress to undo, and the tools to try for it, the preferred first."""

    stress: Stress
    severity: float
    confidence: float
    parameters: dict[str, float] = Field(default_factory=dict)
    region: Region | None = None
    tools: list[str]
    reason: str


class ToolTry(_Record):
    """One run of one tool on one picture, and what the verifier said of it.

    ``after`` is None when the tool failed; ``accepted`` is None until it was judged.
    """

    step: int
    attempt: int
    stress: Stress
    tool: str
    version: str
    before: str
    after: str | None = None
    parameters: dict[str, float] = Field(default_factory=dict)
    pixel_map: MapRecord | None = None
    seconds: float = 0.0
    note: str = ""
    accepted: bool | None = None
    reason: str = ""
    scores: dict[str, float] = Field(default_factory=dict)


class PictureWork(_Record):
    """Everything that was done to one picture of the question.

    ``current`` names the best accepted version so far; it starts as the original and falls back to it. ``stand_in`` is
    shown in its place, where a control experiment asks for that.
    """

    index: int
    original: str
    current: str
    size: list[int]
    steps: list[PlanStep] = Field(default_factory=list)
    cursor: int = 0
    tries: list[ToolTry] = Field(default_factory=list)
    pixel_map: MapRecord | None = None
    idle_because: str = ""
    stand_in: str = ""

    @property
    def rectified(self) -> bool:
        return self.current != self.original

    @property
    def repaired(self) -> str:
        """What is shown as the repaired picture."""
        return self.stand_in or self.current

    def with_original_shown(self) -> PictureWork:
        """The same, with the original shown as its own repair."""
        return self.model_copy(update={"stand_in": self.original, "pixel_map": None})

    @property
    def pending(self) -> PlanStep | None:
        """The step that is to be done next."""
        return self.steps[self.cursor] if self.cursor < len(self.steps) else None


class Answer(_Record):
    """One reply of the model to one view, read once.

    ``value`` is in the question's own terms: a letter, True, a number in the asked unit, a box or point in pixels of
    the original picture.
    """

    view: View
    sample: int = 0
    reply_status: str
    text: str
    parsed_status: str
    value: AnswerValue = None
    rule: str = ""
    flags: list[str] = Field(default_factory=list)
    fingerprint: str
    latency_s: float = 0.0
    cost_usd: float | None = None
    sent_images: list[SentImage] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    logprob: float | None = None


class Spent(_Record):
    """What a question has cost so far."""

    calls: int = 0
    seconds: float = 0.0
    cost_usd: float = 0.0
    calls_without_price: int = 0


class Event(_Record):
    """One line of the story."""

    stage: str
    text: str


class Solution(_Record):
    """The outcome of a question.

    Attributes:
        text: the reply in the model's own words that is passed on; for an abstention, a sentence that says no more than
            that. The why is in ``reason``.
        value: the agreed answer, None for an abstention.
        support: share of the weight of all views that stands behind the answer, in [0, 1].
        chosen_view: whose words ``text`` repeats.
        reason: why this answer, or why none.
    """

    outcome: Outcome
    text: str
    value: AnswerValue = None
    support: float
    chosen_view: View | None = None
    reason: str
