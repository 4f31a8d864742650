"""render and render_many: a cloud as cameras see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..cameras import Camera
from ..errors import BenchDataError
from ..splats import GaussianCloud
from .drawing import draw_frames
from .engines import choose_engine
from .frame import Frame
from .result import Render, render_of
from .settings import ALPHA_MIN, MAX_ALPHA, Defocus, RenderSettings

__all__ = ["render", "render_many"]


def render(
    cloud: GaussianCloud,
    camera: Camera,
    *,
    engine: str = "auto",
    defocus: Defocus | None = None,
    background: ArrayLike | None = None,
    sh_degree: int | None = None,
    antialiased: bool = False,
    max_alpha: float = MAX_ALPHA,
    alpha_min: float = ALPHA_MIN,
    instances: bool = False,
    median_depth: bool = False,
    threads: int | None = None,
) -> Render:
    """Draws a cloud of 3D Gaussians (Kerbl et al. 2023), with depth and coverage.

    Args:
        cloud: what to draw.
        camera: where from; pinhole or fisheye.
        engine: "auto" (gsplat on CUDA where that works, else the CPU), "numba", "gsplat", or "reference" (slow).
        defocus: a lens of finite aperture; None for a pinhole, in which everything is sharp.
        background: (3,) display-encoded colour behind everything, in [0, 1]; None for black.
        sh_degree: leave out bands of colour above this degree.
        antialiased: lower the opacity of what is smaller than a pixel, instead of letting it grow (Yu et al. 2024). For
            pictures that are smaller than those that the cloud was made from.
        max_alpha: no single Gaussian covers more of a pixel than this.
        alpha_min: what covers less of a pixel than this is left out. Not with gsplat, where it is fixed.
        instances: also find the instance in each pixel. Not with gsplat.
        median_depth: also find the depth at which half of a pixel is covered. Not with gsplat.
        threads: of the CPU engine; None for all that the process may use. The picture is the same, byte for byte.

    Raises:
        BenchDataError: a setting out of range, instances of a cloud that has none, or an engine that cannot run here.

    >>> from seeworthy.bench_data.splats import GaussianCloud
    >>> camera = Camera(width=32, height=24, fx=30, fy=30, cx=16, cy=12, world_from_camera=np.eye(4))
    >>> nothing = render(GaussianCloud.empty(), camera, engine="numba", background=(1, 1, 1))
    >>> float(nothing.image_srgb.min()), float(nothing.alpha.max()), bool(np.isnan(nothing.depth_m).all())
    (1.0, 0.0, True)
    """
    settings = RenderSettings(
        defocus=defocus,
        background=_colour(background),
        sh_degree=sh_degree,
        antialiased=antialiased,
        max_alpha=max_alpha,
        alpha_min=alpha_min,
        instances=instances,
        median_depth=median_depth,
    )
    return next(render_many(cloud, [camera], settings, engine=engine, threads=threads))


def render_many(
    cloud: GaussianCloud,
    cameras: Sequence[Camera],
    settings: RenderSettings | None = None,
    *,
    engine: str = "auto",
    threads: int | None = None,
) -> Iterator[Render]:
    """Draws a cloud from many cameras, one picture a thread; yields them in order as they are ready.

    Twice as fast on two cores, where the threads of a single `render` gain less. Arguments as for `render`.

    Raises:
        BenchDataError: as `render`; before the first picture.
    """
    settings = settings or RenderSettings()
    chosen = choose_engine(engine, settings).engine

    def finish(frame: Frame) -> Render:
        return render_of(frame, engine=chosen, max_alpha=settings.max_alpha)

    return draw_frames(cloud, cameras, settings, engine=chosen, threads=threads, finish=finish)


def _colour(background: ArrayLike | None) -> tuple[float, float, float]:
    if background is None:
        return 0.0, 0.0, 0.0
    try:
        values = np.asarray(background, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (3,):
        raise BenchDataError(f"background must be three numbers in [0, 1], got {background!r}")
    return float(values[0]), float(values[1]), float(values[2])
