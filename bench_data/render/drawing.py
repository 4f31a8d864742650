"""Frames from many cameras, in order: a picture a thread on the CPU, batches on CUDA."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from itertools import groupby
from typing import TypeVar

from ..cameras import Camera
from ..errors import BenchDataError
from ..splats import GaussianCloud
from .cpu.crew import available_threads
from .engines import Engine
from .frame import Frame
from .settings import RenderSettings

__all__ = ["draw_frames"]

T = TypeVar("T")
_log = logging.getLogger(__name__)


def draw_frames(
    cloud: GaussianCloud,
    cameras: Sequence[Camera],
    settings: RenderSettings,
    *,
    engine: Engine,
    threads: int | None,
    finish: Callable[[Frame], T],
) -> Iterator[T]:
    """``finish`` of the frame of each camera, in order.

    A single frame is drawn by all threads together. Of several, each is drawn and finished by one thread, and at most
    two a thread wait to be taken. The frames are the same, byte for byte, either way.
    """
    if settings.instances and cloud.instance_ids is None:
        raise BenchDataError("the cloud has no instance ids to draw; set them with cloud.with_instance_ids()")
    if engine == "reference":
        from .reference import draw_reference

        return (finish(draw_reference(cloud, camera, settings)) for camera in cameras)
    if engine == "gsplat":
        return (finish(frame) for frame in _drawn_on_cuda(cloud, cameras, settings))
    workers = available_threads() if threads is None else threads
    if workers < 1:
        raise BenchDataError(f"threads must be at least 1, got {workers}")
    _prepare_kernels(extras=settings.instances or settings.median_depth)
    if len(cameras) <= 1 or workers == 1:
        from .cpu.frame import draw_frame
        from .cpu.scratch import Scratch

        scratch = Scratch()
        return (finish(draw_frame(cloud, camera, settings, threads=workers, scratch=scratch)) for camera in cameras)
    return _drawn_side_by_side(cloud, cameras, settings, min(workers, len(cameras)), finish)


@lru_cache(maxsize=2)
def _prepare_kernels(*, extras: bool) -> None:
    """Compiles what is not in numba's cache before the first picture, and logs that it did."""
    from .cpu.warm_up import warm_up

    note = warm_up(extras=extras)
    if note:
        _log.info(note)


def _drawn_side_by_side(
    cloud: GaussianCloud,
    cameras: Sequence[Camera],
    settings: RenderSettings,
    workers: int,
    finish: Callable[[Frame], T],
) -> Iterator[T]:
    from .cpu.frame import draw_frame
    from .cpu.scratch import Scratch

    own = threading.local()

    def draw(camera: Camera) -> T:
        if not hasattr(own, "scratch"):
            own.scratch = Scratch()
        return finish(draw_frame(cloud, camera, settings, threads=1, scratch=own.scratch))

    waiting: deque[Future[T]] = deque()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="seeworthy-render")
    try:
        for camera in cameras:
            waiting.append(pool.submit(draw, camera))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _drawn_on_cuda(cloud: GaussianCloud, cameras: Sequence[Camera], settings: RenderSettings) -> Iterator[Frame]:
    from .gsplat_engine import draw_gsplat

    for _, of_one_size in groupby(cameras, key=lambda camera: (camera.width, camera.height)):
        yield from draw_gsplat(cloud, list(of_one_size), settings)
