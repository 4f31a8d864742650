"""Observation: what a view shows of each object of a scene, with what hides it and where the picture cuts it off."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..cameras import Camera
from ..errors import BenchDataError
from ..render import Render, render
from ..render.cpu.crew import available_threads
from ..scenes import Instance, Scene, SceneView
from .posed_depth import PosedDepth
from .silhouette import Box, Part, alone_mask, overhang_of

__all__ = ["InstanceView", "Observation", "Observer", "observe"]

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class InstanceView:
    """One object in one view. Boxes are x0, y0, x1, y1 in pixels; depths are z along the optical axis.

    Args:
        instance: the object.
        visible_px: pixels in which it is what one sees.
        silhouette_px: pixels of the picture that it would have if nothing else were there; at least ``visible_px``.
        whole_px: about how many pixels it would have if, besides, the picture went on; a pinhole's picture plane
            stretches without limit towards 90 degrees, which is why ``truncation_share`` goes by angle.
        truncation_share: share of its silhouette that lies outside of the picture, by solid angle as seen from the
            camera: 0 when it is all within, 1 when none is, NaN when it has no silhouette anywhere.
        visible_box_px: box of the visible pixels; None when there are none.
        amodal_box_px: box of the whole silhouette, hidden parts and what lies outside of the picture included, up to
            one picture's size beyond each border; None when nothing of it is there.
        nearest_depth_m, mean_depth_m: over the visible pixels; NaN when there are none.
    """

    instance: Instance
    visible_px: int
    silhouette_px: int
    whole_px: float
    truncation_share: float
    visible_box_px: Box | None
    amodal_box_px: Box | None
    nearest_depth_m: float
    mean_depth_m: float

    @property
    def occlusion_rate(self) -> float:
        """Share of the silhouette within the picture that other things hide; NaN when it has none there."""
        return 1 - self.visible_px / self.silhouette_px if self.silhouette_px else math.nan


@dataclass(frozen=True, eq=False, kw_only=True)
class Observation:
    """A view of a scene.

    Args:
        name: of the view.
        camera: where from.
        render: the picture with depth, median depth and instance ids.
        instances: all objects, in the scene's order, seen or not.
    """

    name: str
    camera: Camera
    render: Render = field(repr=False)
    instances: tuple[InstanceView, ...] = field(repr=False)

    def of(self, instance_id: int) -> InstanceView:
        """The object of that number.

        Raises:
            BenchDataError: the view has no record of it.
        """
        for one in self.instances:
            if one.instance.id == instance_id:
                return one
        raise BenchDataError(f"view {self.name} has no record of instance {instance_id}; is it structure?")

    def visible(
        self, *, least_px: int = 1, most_occlusion: float = 1.0, most_truncation: float = 1.0
    ) -> tuple[InstanceView, ...]:
        """The objects that show at least so many pixels and are hidden and cut off by no more than given."""
        return tuple(
            one
            for one in self.instances
            if one.visible_px >= max(least_px, 1)
            and one.occlusion_rate <= most_occlusion
            and one.truncation_share <= most_truncation
        )

    @property
    def instance_ids(self) -> NDArray[np.int32]:
        """(H, W) the object in each pixel, -1 for none."""
        return _required(self.render.instance_ids)

    @property
    def depth_m(self) -> NDArray[np.float32]:
        """(H, W) median depth: at the edge of things that of one of them. NaN where unknown."""
        return _required(self.render.median_depth_m)

    @property
    def posed_depth(self) -> PosedDepth:
        """The depth with its camera."""
        return PosedDepth(self.camera, self.depth_m)

    def mask(self, instance_id: int) -> NDArray[np.bool_]:
        """(H, W) pixels in which one sees the object (any number, structure too)."""
        return np.asarray(self.instance_ids == instance_id)


class Observer:
    """Looks at one scene from many places; prepares the objects once.

    Args:
        scene: what to look at.
        include_structure: also measure floors and walls, which takes longer as they are large.
        background: (3,) display-encoded colour behind everything; None for black.
        engine: "numba", or "reference" (slow); the others draw no instances.

    Raises:
        BenchDataError: the cloud has no instance ids, or another engine is asked for.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        include_structure: bool = False,
        background: ArrayLike | None = None,
        engine: str = "numba",
    ) -> None:
        if engine not in ("numba", "reference"):
            raise BenchDataError(f'observing needs instances: engine must be "numba" or "reference", got {engine!r}')
        self.scene = scene
        self._engine = engine
        self._background = background
        self._parts = _parts_of(scene, scene.instances if include_structure else scene.objects)

    def observe(self, view: SceneView | Camera, *, threads: int | None = None) -> Observation:
        """One view.

        Args:
            view: a view of the scene, or any camera in it.
            threads: of the renderer; None for all. The result is the same.
        """
        name, camera = (view.name, view.camera) if isinstance(view, SceneView) else ("camera", view)
        drawn = render(
            self.scene.cloud,
            camera,
            engine=self._engine,
            background=self._background,
            instances=True,
            median_depth=True,
            threads=threads,
        )
        instances = tuple(_instance_view(part, camera, drawn, self._engine) for part in self._parts)
        return Observation(name=name, camera=camera, render=drawn, instances=instances)

    def observe_many(self, views: Sequence[SceneView | Camera], *, threads: int | None = None) -> Iterator[Observation]:
        """Many views, in order, each by one of the threads; at most two a thread wait to be taken."""
        workers = min(available_threads() if threads is None else threads, len(views))
        if workers <= 1:
            yield from (self.observe(view, threads=1) for view in views)
            return
        waiting: deque[Future[Observation]] = deque()
        pool = ThreadPoolExecutor(workers, thread_name_prefix="seeworthy-observe")
        try:
            for view in views:
                waiting.append(pool.submit(self.observe, view, threads=1))
                if len(waiting) > 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def observe(scene: Scene, view: SceneView | Camera | str) -> Observation:
    """What one view shows of a scene's objects; use an `Observer` for many.

    Raises:
        BenchDataError: the cloud has no instance ids, or no view has that name.
    """
    return Observer(scene).observe(scene.view(view) if isinstance(view, str) else view)


def _parts_of(scene: Scene, instances: Sequence[Instance]) -> tuple[Part, ...]:
    """The Gaussians of each object, found in one pass over the cloud."""
    ids = scene.cloud.instance_ids
    if ids is None:
        raise BenchDataError(f"scene {scene.id}: the cloud has no instance ids; set them with with_instance_ids()")
    order = np.argsort(ids, kind="stable")
    wanted = np.array([one.id for one in instances], dtype=np.int64)
    starts, ends = (np.searchsorted(ids[order], wanted, side=side) for side in ("left", "right"))
    return tuple(
        Part.of(one, scene.cloud.selected(order[start:end]))
        for one, start, end in zip(instances, starts.tolist(), ends.tolist(), strict=True)
    )


def _instance_view(part: Part, camera: Camera, drawn: Render, engine: str) -> InstanceView:
    visible = _required(drawn.instance_ids) == part.instance.id
    # A pixel that several things share may show an object that alone would cover less than half of it.
    silhouette = alone_mask(part, camera, engine=engine) | visible
    silhouette_px = int(np.count_nonzero(silhouette))
    overhang = overhang_of(part, camera, engine=engine)
    box = _box_of(silhouette)
    depth = _required(drawn.median_depth_m)[visible]
    depth = depth[depth > 0]
    return InstanceView(
        instance=part.instance,
        visible_px=int(np.count_nonzero(visible)),
        silhouette_px=silhouette_px,
        whole_px=silhouette_px + (overhang.outside_px if overhang else 0.0),
        truncation_share=overhang.outside_share if overhang else math.nan,
        visible_box_px=_box_of(visible),
        amodal_box_px=_hull(box, overhang.box_px if overhang else None),
        nearest_depth_m=float(depth.min()) if depth.size else math.nan,
        mean_depth_m=float(depth.mean(dtype=np.float64)) if depth.size else math.nan,
    )


def _box_of(mask: NDArray[np.bool_]) -> Box | None:
    """The smallest box around the pixels of a mask."""
    columns, rows = np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))
    if not columns.size:
        return None
    return float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1)


def _hull(one: Box | None, other: Box | None) -> Box | None:
    if one is None or other is None:
        return one or other
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _required(value: T | None) -> T:
    if value is None:
        raise BenchDataError("the picture was drawn without instances or median depth; ask the renderer for both")
    return value
