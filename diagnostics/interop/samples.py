"""Items of suites and data sets as samples that any tool can carry: words, pictures as data URIs, facts as JSON."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue, ValidationError

from ...bench_data.images import picture_from_bytes
from ...tools.models import CoordinateSpace, Reply
from ..errors import DiagnosticsError
from ..metrics import chance_level
from ..runs import PROMPTS, PictureRef, RunItem, Source
from ..runs.items import Unasked, item_line, with_pictures
from ..runs.prompts.registry import turns_of
from ..runs.scoring import JudgedReply, judge_reply, mask_from_bytes
from ..runs.selection import stratified
from ..runs.sources import read_sources

__all__ = ["CarriedSample", "carried_samples", "data_uri", "judge_carried", "truth_text"]

_ORIENTATION: Final = 274
"""The EXIF tag that says how a camera was held."""
_MEDIA_TYPES: Final = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}


@dataclass(frozen=True, slots=True)
class CarriedSample:
    """A question as another tool carries it.

    Args:
        id: of the item.
        parts: of the one turn of the user, in order: ("text", words) or ("image", data URI).
        target: the right answer, for people; scoring takes it from the item.
        facts: JSON that travels with the sample: what reports group by, and all that `judge_carried` needs.
    """

    id: str
    parts: tuple[tuple[str, str], ...]
    target: str
    facts: dict[str, JsonValue]


def carried_samples(
    source: Source,
    *,
    suite: str | None = None,
    conditions: Sequence[str] | None = None,
    limit: int | None = None,
    prompt: str = "plain",
    space: CoordinateSpace = CoordinateSpace.PERMILLE,
    seed: int = 0,
) -> list[CarriedSample]:
    """The questions of a suite or data set, in the order in which a run of ours would ask them.

    Args:
        source: what to read.
        suite: keeps the questions of this family.
        conditions: kept; None for all.
        limit: samples in all, spread over kinds and conditions; a smaller one is part of a larger one.
        prompt: a way of asking, as `seeworthy bench --prompt` knows it.
        space: what boxes and points are asked for in.
        seed: of the selection.

    Raises:
        BenchDataError: the data cannot be read.
        DiagnosticsError: nothing is left to ask, a picture cannot be read, or the prompt asks in several turns.
        RegistryError: no such prompt.
    """
    if limit is not None and limit < 1:
        raise DiagnosticsError(f"the limit must be at least 1 sample, got {limit}; leave it out to ask all")
    if not PROMPTS.get(prompt).askable:
        raise DiagnosticsError(f"the prompt {prompt!r} only marks imported replies; ask with another")
    found = read_sources([source], conditions=conditions, unasked=Unasked())
    kept = [item for item in found if suite is None or item.suite == suite]
    if not kept:
        there = ", ".join(sorted({item.suite or "unnamed" for item in found}))
        raise DiagnosticsError(f"{source.path} has no questions of the suite {suite!r}; it has: {there}")
    items = with_pictures(stratified(kept, seed=seed, limit=limit), seed=seed)
    asked = [item for item in items if item.stress is not None or not PROMPTS.get(prompt).needs_stress]
    if not asked:
        raise DiagnosticsError(f"nothing to ask: nobody knows what is wrong with the pictures, which {prompt!r} tells")
    return [_carried(item, prompt, space) for item in asked]


def judge_carried(facts: dict[str, JsonValue], reply: Reply) -> tuple[RunItem, JudgedReply]:
    """Scores the reply to a carried sample as a run of ours would.

    Raises:
        DiagnosticsError: the facts were changed on the way, or a mask cannot be read.
    """
    fields = facts.get("seeworthy_item")
    try:
        if not isinstance(fields, dict):
            raise ValueError("no seeworthy_item")
        truth = fields.get("truth")
        item = RunItem.model_validate({**fields, "truth": tuple(truth) if isinstance(truth, list) else truth})
        space = CoordinateSpace(str(facts.get("seeworthy_space")))
    except (ValueError, ValidationError) as error:
        raise DiagnosticsError(
            f"the sample does not carry its item any more ({type(error).__name__}); keep its metadata as it is"
        ) from error
    mask = facts.get("seeworthy_mask")

    def load(picture: PictureRef) -> NDArray[np.uint8]:
        try:
            return mask_from_bytes(picture, Path(str(mask)).read_bytes())
        except OSError as error:
            raise DiagnosticsError(f"mask {picture.path} of {item.id} cannot be read: {error.strerror}") from error

    return item, judge_reply(item, reply, space=space, load_mask=load)


def truth_text(item: RunItem) -> str:
    """The right answer in words; "" where the suite withholds it, or holds a mask instead."""
    if item.truth is None:
        return ""
    if isinstance(item.truth, bool):
        return "yes" if item.truth else "no"
    return ", ".join(map(str, item.truth)) if isinstance(item.truth, tuple) else str(item.truth)


def data_uri(picture: PictureRef) -> str:
    """A picture's file as a data URI: byte for byte, or upright and as PNG where its camera was held askew or its kind
    of file is not one that all models take.

    Raises:
        BenchDataError: it cannot be read or decoded.
        DiagnosticsError: it is not at hand.
    """
    if picture.fault or picture.image is None:
        raise DiagnosticsError(picture.fault or f"{picture.path}: the suite is not at hand")
    data = picture.image.read()
    media_type = _sendable(data)
    if media_type is None:
        data, media_type = picture_from_bytes(data, source=picture.path).png(), "image/png"
    return f"data:{media_type};base64,{base64.b64encode(data).decode('ascii')}"


def _carried(item: RunItem, prompt: str, space: CoordinateSpace) -> CarriedSample:
    turns = turns_of(PROMPTS.get(prompt).parts(item, space))
    if len(turns) != 1:
        raise DiagnosticsError(f"the prompt {prompt!r} asks in {len(turns)} turns; a sample holds one")
    parts = tuple(("image", data_uri(part)) if isinstance(part, PictureRef) else ("text", part) for part in turns[0])
    facts: dict[str, JsonValue] = {
        "suite": item.suite,
        "kind": item.kind,
        # What answers must not be treated as independent within.
        "scene": item.cluster,
        "condition": item.condition,
        "question_id": item.question_id,
        "chance": chance_level(item.answer_format),
        "seeworthy_space": space.value,
        "seeworthy_item": json.loads(item_line(item)),
    }
    if item.mask is not None and item.mask.image is not None:
        facts["seeworthy_mask"] = str(item.mask.image.file)
    return CarriedSample(item.id, parts, truth_text(item), facts)


def _sendable(data: bytes) -> str | None:
    """The media type of a file that can go out as it is; None for one that cannot."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data)) as image:
            upright = image.getexif().get(_ORIENTATION, 1) == 1 and getattr(image, "n_frames", 1) == 1
            return _MEDIA_TYPES.get(image.format or "") if upright and image.mode in ("L", "RGB") else None
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        # The loader that comes next says what is wrong with it.
        return None
