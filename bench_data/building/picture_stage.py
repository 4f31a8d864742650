"""Draws one scene's pictures under every condition, with what is true of each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..degrade.seeds import derived_rng
from ..degrade.views import DegradedView, ObjectContrast, degrade_view, object_contrasts, scene_far_m
from ..errors import BenchDataError
from ..images import Picture
from ..marks import Mark, draw_marks, place_marks
from ..scenes import Scene, SceneView
from .conditions import Condition
from .layout import (
    NOMINAL,
    depth_file,
    image_file,
    instance_file,
    marked_file,
    record_file,
)
from .output import FileSink
from .picture_record import ObjectRecord, PictureRecord
from .scene_stage import depth_png, instance_png
from .settings import BuildSettings, SceneSpec
from .sights import place_in

__all__ = ["MarkNumbers", "picture_unit", "write_pictures"]

MarkNumbers = Mapping[str, Mapping[str, Mapping[int, int]]]
"""Suite -> view -> object -> the number to draw."""


def picture_unit(condition: str, scene: str, view: str) -> str:
    """The name of one picture in the journal."""
    return f"picture {condition}/{scene}/{view}"


def write_pictures(
    settings: BuildSettings,
    spec: SceneSpec,
    scene: Scene,
    numbers: MarkNumbers,
    *,
    done: Collection[str],
    output: FileSink,
) -> Iterator[str]:
    """Draws what is not there yet, with one thread; the name of each unit when its files are written.

    Args:
        settings, spec: of the data set and of the scene.
        scene: with its cloud and views.
        numbers: which objects carry marks.
        done: units that are there.
        output: where files go.
    """
    work = _SceneWork(settings, spec, scene, numbers)
    for view in scene.views:
        before: _CleanView | None = None
        for condition in settings.conditions:
            unit = picture_unit(condition.label, scene.id, view.name)
            if unit in done:
                continue
            made = work.drawn(view, condition)
            before = before or work.clean_view(view, made)
            work.write(condition, before, made, output)
            yield unit


@dataclass(frozen=True, eq=False)
class _CleanView:
    """What all conditions of a view are compared with."""

    view: SceneView
    contrasts: dict[int, ObjectContrast]
    marks: dict[str, tuple[Mark, ...] | str] = field(default_factory=dict)
    """Suite -> the marks, or why there are none."""


class _SceneWork:
    """Everything that the pictures of a scene share."""

    def __init__(self, settings: BuildSettings, spec: SceneSpec, scene: Scene, numbers: MarkNumbers) -> None:
        self._settings = settings
        self._scene = scene
        self._numbers = numbers
        self._objects = {one.id for one in scene.objects}
        self._seed = int(derived_rng("data set degradations", spec.id, spec.seed).integers(2**53))
        self._far_m = scene_far_m(scene.cloud, [view.camera for view in scene.views], engine=settings.engine, threads=1)

    def drawn(self, view: SceneView, condition: Condition) -> DegradedView:
        """The view under a condition."""
        return degrade_view(
            self._scene.cloud,
            view.camera,
            condition.degradations(self._seed),
            seed=self._seed,
            far_m=self._far_m,
            engine=self._settings.engine,
            threads=1,
        )

    def clean_view(self, view: SceneView, made: DegradedView) -> _CleanView:
        """The view without degradation, which comes with every degraded one."""
        ids, clean = _ids(made.clean.instance_ids), Picture(made.clean.image_srgb_u8)
        marks = {
            suite: _placed(by_view[view.name], ids, clean)
            for suite, by_view in self._numbers.items()
            if view.name in by_view
        }
        return _CleanView(view, object_contrasts(clean, ids, only=sorted(self._seen_in(ids))), marks)

    def write(self, condition: Condition, before: _CleanView, made: DegradedView, output: FileSink) -> None:
        """The picture, its marked versions, its depth and ids where pixels moved, and its record."""
        label, scene, view = condition.label, self._scene.id, before.view.name
        moved = not made.truth.pixel_map.is_identity
        ids = _ids(made.truth.instance_ids)
        output.write(image_file(label, scene, view), made.picture.png())
        marks = {suite: self._marks(suite, before, made, ids, moved=moved) for suite in before.marks}
        drawn = {suite: placed for suite, placed in marks.items() if not isinstance(placed, str)}
        for suite, placed in drawn.items():
            marked = Picture(draw_marks(made.picture.image_srgb_u8, placed))
            output.write(marked_file(suite, label, scene, view), marked.png())
        truth_of = label if moved else NOMINAL
        if moved:
            output.write(depth_file(label, scene, view), depth_png(made.truth.depth_m, self._scene.kind))
            output.write(instance_file(label, scene, view), instance_png(ids))
        record = PictureRecord(
            condition=label,
            scene=scene,
            view=view,
            picture=image_file(label, scene, view),
            pixels_sha256=made.picture.sha256,
            degradations=made.records,
            moves_pixels=moved,
            depth=depth_file(truth_of, scene, view),
            instances=instance_file(truth_of, scene, view),
            objects=tuple(self._object_records(condition, before, made.picture, ids)),
            marked={suite: marked_file(suite, label, scene, view) for suite in drawn},
            marks=drawn,
            unmarked={suite: placed for suite, placed in marks.items() if isinstance(placed, str)},
        )
        output.write(record_file(label, scene, view), (record.model_dump_json(indent=1) + "\n").encode())

    def _marks(
        self, suite: str, before: _CleanView, made: DegradedView, ids: NDArray[np.int32], *, moved: bool
    ) -> tuple[Mark, ...] | str:
        """The same marks under every condition, unless pixels moved: then on what is left of the objects."""
        if not moved:
            return before.marks[suite]
        numbers = self._numbers[suite][before.view.name]
        left = set(np.unique(ids).tolist())
        return _placed({one: number for one, number in numbers.items() if one in left}, ids, made.picture)

    def _object_records(
        self, condition: Condition, before: _CleanView, picture: Picture, ids: NDArray[np.int32]
    ) -> Iterator[ObjectRecord]:
        """All objects of the clean picture, and those that another lens brought into it."""
        nothing = ObjectContrast(0, 0.0)
        listed = sorted(self._seen_in(ids).union(before.contrasts))
        new = object_contrasts(picture, ids, only=listed) if condition.parts else before.contrasts
        for one in listed:
            old, place = before.contrasts.get(one, nothing), place_in(ids, one)
            yield ObjectRecord(
                id=one,
                clean_pixels=old.pixels,
                pixels=new[one].pixels,
                clean_ratio=old.ratio,
                ratio=new[one].ratio,
                was_visible=old.is_visible,
                is_visible=new[one].is_visible,
                box_px=None if place is None else place.box_px,
                point_px=None if place is None else place.point_px,
            )

    def _seen_in(self, ids: NDArray[np.int32]) -> set[int]:
        """The objects in a map of ids, without structure."""
        return self._objects.intersection(np.unique(ids).tolist())


def _placed(numbers: Mapping[int, int], ids: NDArray[np.int32], picture: Picture) -> tuple[Mark, ...] | str:
    """The marks; or, in a picture that is too small for them, why there are none."""
    try:
        return place_marks(numbers, size=picture.size, instance_ids=ids, image_srgb_u8=picture.image_srgb_u8)
    except BenchDataError as error:
        return str(error)


def _ids(instance_ids: NDArray[np.int32] | None) -> NDArray[np.int32]:
    if instance_ids is None:
        raise BenchDataError("the scene's cloud has no instance ids; a data set needs them")
    return instance_ids
