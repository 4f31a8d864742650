"""The run card: everything that one must know to make the run again, or to doubt it."""

from __future__ import annotations

from pydantic import JsonValue

from ....tools.models import CoordinateSpace, GenerationSettings
from ...runs.plan import ImportedFrom
from .base import Value

__all__ = ["ArmCard", "PromptExample", "RunCard", "SentPictures", "SettingDifference"]


class SentPictures(Value):
    """Pictures of one size and form that left the house.

    Attributes:
        original_size, sent_size: (width, height) in pixels; None for those with rarer sizes, put together.
        media_type: "image/png", "image/jpeg", "image/raw"; "" for those put together.
        jpeg_quality: None for no JPEG.
        count: pictures.
    """

    original_size: tuple[int, int] | None
    sent_size: tuple[int, int] | None
    media_type: str
    jpeg_quality: int | None
    count: int


class ArmCard(Value):
    """A model.

    Attributes:
        identity: what decides its replies beside the request.
        space: what its boxes and points are measured in.
        reported: what the server called itself -> replies; "" for replies without a name.
        sent: sizes of the pictures, most frequent first.
    """

    name: str
    identity: dict[str, JsonValue]
    space: CoordinateSpace
    reported: dict[str, int]
    sent: tuple[SentPictures, ...]


class PromptExample(Value):
    """The exact words of one request: of each prompt and form of answer the item with the first id.

    Attributes:
        parts: ("text", words), ("image", path in its suite), or ("reply", "") where the model's own reply stands, in
            the order sent.
    """

    prompt: str
    version: str
    blind: bool
    answer_format: str
    space: CoordinateSpace
    item: str
    parts: tuple[tuple[str, str], ...]


class RunCard(Value):
    """One run.

    Attributes:
        label: short name in this report: the folder's, made unique.
        sources: suites and data sets, each with its format where one was given.
        limit: of items in all.
        data_sha256: over all items, their pictures' bytes included.
        conditions: condition -> items.
        items, questions, scenes: how many; a scene-less item counts as its own.
        prompts: exact words.
        seed: of selection, requests and intervals.
        generation: how models decode; None where nobody knows.
        imported: where the replies come from, in a run that another tool made.
        planned_calls: unique ones.
        calls_left: without a reply.
        stray_records: that no call of the plan asks for any more.
        versions: of the software that made the run.
        report_versions: of the software that read it: package and the digest of everything that parses and scores.
        first_call, last_call: date and time of the ends of the first and last call, UTC; None without any.
    """

    label: str
    sources: tuple[str, ...]
    limit: int | None
    data_sha256: str
    conditions: dict[str, int]
    items: int
    questions: int
    scenes: int
    arms: tuple[ArmCard, ...]
    prompts: tuple[PromptExample, ...]
    repeats: int
    seed: int
    generation: GenerationSettings | None
    imported: ImportedFrom | None
    planned_calls: int
    calls_left: int
    stray_records: int
    versions: dict[str, str]
    report_versions: dict[str, str]
    first_call: str | None
    last_call: str | None


class SettingDifference(Value):
    """A setting that differs between the first run and another.

    Attributes:
        run: label of the other.
        name: with dots.
        left, right: of the first and of the other, as JSON; None where a run has no such setting.
    """

    run: str
    name: str
    left: JsonValue
    right: JsonValue
