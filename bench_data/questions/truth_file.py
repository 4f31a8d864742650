"""The truth of a scene as JSON, without loss: what questions are made from, and answers are checked with."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Literal

import numpy as np
from pydantic import ValidationError

from ..errors import BenchDataError
from ..scenes import SceneKind
from ..scenes.entries import InstanceEntry, StrictEntry, ViewEntry
from .scene_truth import SceneTruth, Sight, ViewTruth

__all__ = ["FORMAT", "read_truth", "truth_from_json", "truth_to_json"]

FORMAT: Final = "seeworthy scene truth 1"

_LARGEST_BYTES = 1 << 30


class _SightEntry(StrictEntry):
    object: int
    pixels: int
    occlusion: float
    truncation: float
    box_px: tuple[float, float, float, float]
    point_px: tuple[float, float]


class _SeenEntry(StrictEntry):
    camera: ViewEntry
    seen: list[_SightEntry]


class _TruthEntry(StrictEntry):
    format: Literal["seeworthy scene truth 1"] = FORMAT
    scene: str
    kind: SceneKind
    instances: list[InstanceEntry]
    views: list[_SeenEntry]
    co_visibility: list[list[float]] | None = None


def truth_to_json(truth: SceneTruth) -> str:
    """The truth as JSON; `truth_from_json` gives an equal one."""
    shares = truth.co_visibility
    entry = _TruthEntry(
        scene=truth.scene,
        kind=truth.kind,
        instances=[InstanceEntry.of(one) for one in truth.instances],
        views=[
            _SeenEntry(
                camera=ViewEntry.of(view.name, view.camera),
                seen=[_sight_entry(number, sight) for number, sight in view.seen.items()],
            )
            for view in truth.views
        ],
        co_visibility=None if shares is None else shares.tolist(),
    )
    return entry.model_dump_json(indent=1) + "\n"


def truth_from_json(text: str | bytes, *, source: str = "the text") -> SceneTruth:
    """Reads what `truth_to_json` wrote.

    Raises:
        BenchDataError: not JSON, or no truth of a scene; the message names the field.
    """
    try:
        entry = _TruthEntry.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BenchDataError(
            f"{source} is no truth of a scene: {f'{place}: ' if place else ''}{first['msg']}"
        ) from error
    views = tuple(
        ViewTruth(one.camera.name, one.camera.camera(), {sight.object: _sight(sight) for sight in one.seen})
        for one in entry.views
    )
    shares = entry.co_visibility
    if shares is not None and any(len(row) != len(views) for row in shares):
        raise BenchDataError(f"{source}: co_visibility must have {len(views)} numbers a row, one a view")
    return SceneTruth(
        scene=entry.scene,
        kind=entry.kind,
        instances=tuple(one.instance() for one in entry.instances),
        views=views,
        co_visibility=None if shares is None else np.array(shares, dtype=np.float64).reshape(len(shares), len(views)),
    )


def read_truth(path: str | os.PathLike[str]) -> SceneTruth:
    """The truth of a scene from a file.

    Raises:
        BenchDataError: no such file, or one of another form.
    """
    place = Path(path)
    try:
        if place.stat().st_size > _LARGEST_BYTES:
            raise BenchDataError(f"cannot read {place}: larger than {_LARGEST_BYTES >> 20} MiB, which no truth is")
        data = place.read_bytes()
    except OSError as error:
        raise BenchDataError(f"cannot read {place}: {error.strerror or error}") from error
    return truth_from_json(data, source=str(place))


def _sight_entry(number: int, sight: Sight) -> _SightEntry:
    return _SightEntry(
        object=number,
        pixels=sight.pixels,
        occlusion=sight.occlusion,
        truncation=sight.truncation,
        box_px=sight.box_px,
        point_px=sight.point_px,
    )


def _sight(entry: _SightEntry) -> Sight:
    return Sight(
        pixels=entry.pixels,
        occlusion=entry.occlusion,
        truncation=entry.truncation,
        box_px=entry.box_px,
        point_px=entry.point_px,
    )
