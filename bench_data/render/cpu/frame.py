"""One picture on the CPU: the kernels in their order, shared out over threads."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...cameras import Camera
from ...splats import NO_INSTANCE, GaussianCloud
from ..frame import Frame
from ..settings import RenderSettings
from .binning import TILE, count_tiles, fill_lists, offsets_of_tiles
from .crew import Crew
from .culling import BLOCK, find_candidates
from .layout import MOST_LABELS, RECORD
from .projection import CULLED, project_candidates
from .raster import composite_tiles
from .scratch import Scratch
from .sorting import DIGITS, SHIFTS, count_digits, offsets_of_digits, scatter_by_digit
from .view import view_of

__all__ = ["FrameCost", "draw_frame"]

_SMALL = 30_000
"""With fewer records than this, waking threads to sort and bin costs more than they save."""


@dataclass
class FrameCost:
    """Where the time of a frame went, and how much there was to do; filled when one is passed to `draw_frame`."""

    wall_s: dict[str, float] = field(default_factory=dict)
    cpu_s: dict[str, float] = field(default_factory=dict)
    visible: int = 0
    intersections: int = 0
    _since: tuple[float, float] = field(default=(0.0, 0.0), repr=False)

    def start(self) -> None:
        self._since = time.perf_counter(), time.process_time()

    def lap(self, stage: str) -> None:
        """Books the time since the last lap under a stage."""
        wall, cpu = time.perf_counter(), time.process_time()
        self.wall_s[stage], self.cpu_s[stage] = wall - self._since[0], cpu - self._since[1]
        self._since = wall, cpu


def draw_frame(
    cloud: GaussianCloud,
    camera: Camera,
    settings: RenderSettings,
    *,
    threads: int,
    scratch: Scratch | None = None,
    cost: FrameCost | None = None,
) -> Frame:
    """Draws a cloud. The bytes of the result do not depend on the number of threads.

    Args:
        cloud, camera, settings: as for `render`.
        threads: how many work on the picture.
        scratch: memory to use again, not shared with a picture that is drawn at the same time.
        cost: filled with what the stages took.
    """
    cost = cost if cost is not None else FrameCost()
    scratch = scratch if scratch is not None else Scratch()
    cost.start()
    with Crew(threads) as crew:
        labels, ids = _labels(cloud, settings)
        records, boxes, keys = _projected(cloud, labels, camera, settings, crew, scratch)
        cost.lap("project")
        order = _depth_order(keys, crew, scratch)
        cost.lap("sort")
        starts, lists = _tile_lists(records, boxes, order, camera, crew, scratch)
        cost.lap("bin")
        frame = _composited(records, starts, lists, camera, settings, crew)
        cost.lap("raster")
    cost.visible, cost.intersections = len(order), len(lists)
    if ids is not None and frame.instance_ids is not None:
        return frame._replace(instance_ids=np.where(frame.instance_ids < 0, NO_INSTANCE, ids[frame.instance_ids]))
    return frame


def _labels(cloud: GaussianCloud, settings: RenderSettings) -> tuple[NDArray[np.int32], NDArray[np.int32] | None]:
    """Labels (N,) that a float32 holds exactly, and the ids that they stand for if they are not those themselves."""
    if not settings.instances or cloud.instance_ids is None or len(cloud) == 0:
        return _NO_LABELS, None
    if cloud.instance_ids.max() < MOST_LABELS:
        return cloud.instance_ids, None
    ids, labels = np.unique(cloud.instance_ids, return_inverse=True)
    compact = labels.astype(np.int32)
    compact.setflags(write=False)
    return compact, ids


def _projected(
    cloud: GaussianCloud,
    labels: NDArray[np.int32],
    camera: Camera,
    settings: RenderSettings,
    crew: Crew,
    scratch: Scratch,
) -> tuple[NDArray[np.float32], NDArray[np.uint16], NDArray[np.uint32]]:
    """Records (candidates, 16), boxes of tiles (candidates, 4) and their sorting keys (candidates,)."""
    view, fisheye = view_of(camera, settings), camera.model == "fisheye"
    blocks = -(-len(cloud) // BLOCK)
    candidates, counts = scratch.array("candidates", (len(cloud),), np.int32), np.zeros(blocks, np.int64)
    counter = np.zeros(1, np.int64)
    crew.each(
        lambda part: find_candidates(
            cloud.means, cloud.scales, cloud.opacities, view, fisheye, counter, candidates, counts
        )
    )
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    found = int(starts[-1])
    records = scratch.array("records", (found, RECORD), np.float32)
    boxes, keys = scratch.array("boxes", (found, 4), np.uint16), scratch.array("keys", (found,), np.uint32)
    degree = cloud.sh_degree if settings.sh_degree is None else min(settings.sh_degree, cloud.sh_degree)
    sh = cloud.sh.reshape(len(cloud), 3 * cloud.sh.shape[1])
    next_block = np.zeros(1, np.int64)
    crew.each(
        lambda part: project_candidates(
            cloud.means, cloud.quats_wxyz, cloud.scales, cloud.opacities, sh, labels, view, fisheye,
            settings.antialiased, (degree + 1) ** 2, candidates, starts, next_block, records, boxes, keys,
        )
    )  # fmt: skip
    return records, boxes, keys


def _depth_order(keys: NDArray[np.uint32], crew: Crew, scratch: Scratch) -> NDArray[np.int32]:
    """Rows of the visible records, near to far; equal depths in the order of the cloud."""
    parts = crew.size if len(keys) >= _SMALL else 1
    order, spare = (scratch.array(name, (len(keys),), np.int32) for name in ("order", "spare order"))
    counts = np.empty((parts, DIGITS), np.int64)
    visible = int(np.count_nonzero(keys != CULLED))
    other = scratch.array("spare keys", (len(keys),), np.uint32)
    for shift in SHIFTS:
        _in_parts(crew, parts, len(keys), lambda p, a, b: count_digits(keys, a, b, shift, counts[p]))  # noqa: B023
        offsets_of_digits(counts)
        _in_parts(
            crew,
            parts,
            len(keys),
            lambda p, a, b: scatter_by_digit(keys, order, a, b, shift, counts[p], other, spare),  # noqa: B023
        )
        keys, other, order, spare = other, keys, spare, order
    return order[:visible]


def _tile_lists(
    records: NDArray[np.float32],
    boxes: NDArray[np.uint16],
    order: NDArray[np.int32],
    camera: Camera,
    crew: Crew,
    scratch: Scratch,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Limits of the tiles' lists (tiles + 1,), and the lists of records, each in depth order."""
    width, height = camera.width, camera.height
    tiles = -(-width // TILE) * -(-height // TILE)
    parts = crew.size if len(order) >= _SMALL else 1
    counts, starts = np.empty((parts, tiles), np.int64), np.empty(tiles + 1, np.int64)

    _in_parts(
        crew, parts, len(order), lambda p, a, b: count_tiles(records, boxes, order, a, b, width, height, counts[p])
    )
    offsets_of_tiles(counts, starts)
    lists = scratch.array("lists", (int(starts[-1]),), np.int32)
    _in_parts(
        crew,
        parts,
        len(order),
        lambda p, a, b: fill_lists(records, boxes, order, a, b, width, height, counts[p], lists),
    )
    return starts, lists


def _composited(
    records: NDArray[np.float32],
    starts: NDArray[np.int64],
    lists: NDArray[np.int32],
    camera: Camera,
    settings: RenderSettings,
    crew: Crew,
) -> Frame:
    shape = (camera.height, camera.width)
    image, depth, alpha = np.empty((*shape, 3), np.float32), np.empty(shape, np.float32), np.empty(shape, np.float32)
    labelled = settings.instances or settings.median_depth
    instances = np.empty(shape, np.int32) if labelled else None
    median = np.empty(shape, np.float32) if labelled else None
    # The fullest tiles first, so that no thread is left with one at the end.
    tiles = np.argsort(-np.diff(starts), kind="stable")
    counter = np.zeros(1, np.int64)
    max_alpha, alpha_min = np.float32(settings.max_alpha), np.float32(settings.alpha_min)
    background = np.asarray(settings.background, np.float32)
    crew.each(
        lambda part: composite_tiles(
            records,
            starts,
            lists,
            tiles,
            counter,
            max_alpha,
            alpha_min,
            background,
            image,
            depth,
            alpha,
            instances,
            median,
        )
    )
    return Frame(
        image, depth, alpha, instances if settings.instances else None, median if settings.median_depth else None
    )


def _in_parts(crew: Crew, parts: int, count: int, task: Callable[[int, int, int], None]) -> None:
    """Runs ``task(part, begin, end)`` over equal parts of ``count`` rows."""
    limits = [count * part // parts for part in range(parts + 1)]
    if parts == 1:
        task(0, 0, count)
    else:
        crew.each(lambda part: task(part, limits[part], limits[part + 1]))


_NO_LABELS = np.empty(0, np.int32)
_NO_LABELS.setflags(write=False)
