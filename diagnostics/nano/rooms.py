"""Rooms to learn from: pictures with and without numbers on them, what each patch shows, questions and answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from ...bench_data.building.conditions import Condition, parse_conditions
from ...bench_data.building.sights import scene_truth
from ...bench_data.degrade.seeds import derived_rng
from ...bench_data.degrade.views import degrade_view, scene_far_m
from ...bench_data.errors import BenchDataError
from ...bench_data.marks import Mark, draw_marks, place_marks
from ...bench_data.questions.scene_truth import SceneTruth
from ...bench_data.scenes import Scene
from ...bench_data.scenes.procedural import Lens, make_room
from ...bench_data.views import Observation, Observer
from ...bench_data.whole_file import whole_file
from ..errors import DiagnosticsError
from .lessons import Lesson, Lessons, lessons_of
from .symbols import patch_symbols, placements

__all__ = ["RoomSettings", "Shard", "make_shard", "read_shard", "shard_file"]

_SIZE: Final = (192, 144)
_OBJECTS: Final = (8, 18)
_DEGRADED: Final = (
    *("defocus", "distortion", "motion_blur", "haze", "water_droplets", "low_light", "over_exposure"),
    *("jpeg_compression", "low_res", "rain", "snow", "lens_flare", "rolling_shutter"),
)
_LEVELS: Final = ("1", "2", "3", "4", "5", "bench")


class RoomSettings(BaseModel):
    """Which rooms are made.

    Args:
        seed: of all of them; a held-out data set has scene seeds that are drawn elsewhere, and never meets these.
        views: pictures of each room.
        density: of Gaussians, see `make_room`.
        numberings: ways of drawing numbers on each picture.
        degraded: make a second version of every picture, under one degradation at a random severity.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int = 7
    views: int = Field(default=24, ge=1)
    density: float = Field(default=0.25, gt=0)
    numberings: int = Field(default=2, ge=1)
    degraded: bool = True


@dataclass(frozen=True, eq=False)
class Shard:
    """One room.

    Attributes:
        pictures: (N, 144, 192, 3) display-encoded; first every view as it is, then with numbers.
        symbols: (N, patches, SYMBOLS) what they show, from 0 to 255.
        degraded: the same under a degradation, or None; so are ``degraded_symbols``.
        conditions: (N,) names of the degradations; empty without.
        views: (N,) the view of each picture.
        lessons: (N,) what is asked about each picture.
    """

    pictures: NDArray[np.uint8]
    symbols: NDArray[np.uint8]
    degraded: NDArray[np.uint8] | None
    degraded_symbols: NDArray[np.uint8] | None
    conditions: tuple[str, ...]
    views: NDArray[np.int64]
    lessons: tuple[tuple[Lesson, ...], ...]


@dataclass(frozen=True, eq=False)
class _Look:
    """One version of one view, with its map of pixels; ``moved`` when these are not where they were."""

    picture: NDArray[np.uint8]
    ids: NDArray[np.int32]
    depth_m: NDArray[np.float32]
    moved: bool = False


def shard_file(folder: Path, room: int) -> Path:
    """Where the room of this number is kept."""
    return folder / f"room-{room:05d}.npz"


def make_shard(target: Path, room: int, settings: RoomSettings, label_shares: Mapping[str, float]) -> None:
    """Makes one room and writes it; the same arguments give the same pictures and questions.

    Args:
        target: the file.
        room: its number.
        settings: of all rooms.
        label_shares: category -> share of the rooms that hold it, by which absent things are asked about.

    Raises:
        OutputError: the file cannot be written.
    """
    rng = derived_rng("nano room", settings.seed, room)
    scene = make_room(
        int(rng.integers(2**53)),
        objects=int(rng.integers(_OBJECTS[0], _OBJECTS[1] + 1)),
        views=settings.views,
        lens=Lens(*_SIZE),
        density=settings.density,
    )
    observer = Observer(scene)
    seen = [observer.observe(view, threads=1) for view in scene.views]
    truth = replace(scene_truth(scene, seen), co_visibility=None)
    clean = [_Look(one.render.image_srgb_u8, one.instance_ids, one.depth_m) for one in seen]
    lessons = lessons_of(truth, seed=room, numberings=settings.numberings, label_shares=label_shares)
    lessons, marks = _drawable(clean, lessons)
    arrays = {"pictures": _pictures(clean, lessons, marks), "symbols": _symbols(truth, clean, lessons, marks)}
    conditions: list[str] = []
    if settings.degraded:
        looks, conditions = _degraded(scene, seen, rng)
        moved = [_moved_marks(looks[entry.view], entry, drawn) for entry, drawn in zip(lessons, marks, strict=True)]
        arrays |= {
            "degraded": _pictures(looks, lessons, moved),
            "degraded_symbols": _symbols(truth, looks, lessons, moved),
        }
    text = {
        "conditions": [conditions[entry.view] if conditions else "" for entry in lessons],
        "views": [entry.view for entry in lessons],
        "lessons": [[[*one[:3], list(one.names)] for one in entry.lessons] for entry in lessons],
    }
    arrays["text"] = np.frombuffer(json.dumps(text).encode(), dtype=np.uint8)
    with whole_file(target) as part:
        np.savez_compressed(part, **arrays)  # type: ignore[arg-type]


def read_shard(path: Path, *, degraded: bool = True) -> Shard:
    """A room, with its degraded pictures or, to save memory, without.

    Raises:
        DiagnosticsError: a file that is none.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            text = json.loads(file["text"].tobytes())
            return Shard(
                pictures=file["pictures"],
                symbols=file["symbols"],
                degraded=file.get("degraded") if degraded else None,
                degraded_symbols=file.get("degraded_symbols") if degraded else None,
                conditions=tuple(text["conditions"]),
                views=np.array(text["views"]),
                lessons=tuple(
                    tuple(Lesson(kind, prompt, answer, tuple(names)) for kind, prompt, answer, names in entry)
                    for entry in text["lessons"]
                ),
            )
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise DiagnosticsError(f"cannot read {path}: {error}; remove it, and it is made again") from error


def _drawable(looks: Sequence[_Look], lessons: Sequence[Lessons]) -> tuple[list[Lessons], list[tuple[Mark, ...]]]:
    """The lessons on pictures that have room for their marks, and these marks."""
    kept, marks = list[Lessons](), list[tuple[Mark, ...]]()
    for entry in lessons:
        try:
            marks.append(_marks(looks[entry.view], entry.numbers))
        except BenchDataError:
            continue
        kept.append(entry)
    return kept, marks


def _moved_marks(look: _Look, entry: Lessons, drawn: tuple[Mark, ...]) -> tuple[Mark, ...]:
    """The same marks, unless pixels moved: then on what is left of the objects."""
    if not look.moved:
        return drawn
    left = set(np.unique(look.ids).tolist())
    try:
        return _marks(look, {one: number for one, number in entry.numbers.items() if one in left})
    except BenchDataError:
        return drawn


def _marks(look: _Look, numbers: Mapping[int, int]) -> tuple[Mark, ...]:
    if not numbers:
        return ()
    return place_marks(numbers, size=_SIZE, instance_ids=look.ids, image_srgb_u8=look.picture)


def _pictures(
    looks: Sequence[_Look], lessons: Sequence[Lessons], marks: Sequence[tuple[Mark, ...]]
) -> NDArray[np.uint8]:
    return np.stack([draw_marks(looks[entry.view].picture, drawn) for entry, drawn in zip(lessons, marks, strict=True)])


def _symbols(
    truth: SceneTruth, looks: Sequence[_Look], lessons: Sequence[Lessons], marks: Sequence[tuple[Mark, ...]]
) -> NDArray[np.uint8]:
    structure = {one.id: one.label for one in truth.instances if one.is_structure}
    placed = [placements(truth, view) for view in range(len(truth.views))]
    shown = np.stack(
        [
            patch_symbols(looks[entry.view].ids, looks[entry.view].depth_m, placed[entry.view], structure, drawn)
            for entry, drawn in zip(lessons, marks, strict=True)
        ]
    )
    return np.rint(shown.astype(np.float32) * 255).astype(np.uint8)


def _degraded(scene: Scene, seen: Sequence[Observation], rng: np.random.Generator) -> tuple[list[_Look], list[str]]:
    """Every view under one degradation, drawn evenly."""
    far_m = scene_far_m(scene.cloud, [view.camera for view in scene.views], engine="numba", threads=1)
    looks, labels = [], []
    for view, clean in zip(scene.views, seen, strict=True):
        condition = _drawn_condition(rng)
        seed = int(rng.integers(2**53))
        made = degrade_view(
            scene.cloud, view.camera, condition.degradations(seed), seed=seed, far_m=far_m, engine="numba", threads=1
        )
        ids = made.truth.instance_ids
        looks.append(
            _Look(
                made.picture.image_srgb_u8,
                clean.instance_ids if ids is None else ids,
                made.truth.depth_m,
                moved=not made.truth.pixel_map.is_identity,
            )
        )
        labels.append(condition.label)
    return looks, labels


def _drawn_condition(rng: np.random.Generator) -> Condition:
    name = _DEGRADED[int(rng.integers(len(_DEGRADED)))]
    level = _LEVELS[int(rng.integers(len(_LEVELS)))]
    return parse_conditions(f"{name}@{level}")[0]
