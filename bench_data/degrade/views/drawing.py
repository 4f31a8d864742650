"""Draws a view as its plan says: the light of an exposure, row by row where rows are read one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...cameras import Camera
from ...images.colour import linear_from_srgb
from ...render.drawing import draw_frames
from ...render.engines import Engine
from ...render.exposure import POSES, Quadrature, exposure_weights
from ...render.frame import Frame
from ...render.settings import RenderSettings, TangentLimits
from ...splats import GaussianCloud
from ..view_plan import ViewPlan
from .row_bands import RowBand

__all__ = ["Drawing", "OnInstant", "light_of_view"]

T = TypeVar("T")

OnInstant = Callable[[NDArray[np.float32], Frame], NDArray[np.float32]]
"""``(image_linear, frame) -> image_linear`` for what happens in the air, in each instant."""

Correction = Callable[[Frame, RowBand], NDArray[np.float32]]
"""``(frame, rows) -> image_srgb`` before light adds up."""


@dataclass(frozen=True)
class Drawing:
    """What is drawn, with what."""

    cloud: GaussianCloud
    plan: ViewPlan
    settings: RenderSettings
    engine: Engine
    quadrature: Quadrature
    bands: tuple[RowBand, ...]
    threads: int | None

    def cameras(self) -> tuple[list[Camera], NDArray[np.float64]]:
        """The cameras of all instants, band by band, and the weights of the instants of one band."""
        plan = self.plan
        if plan.exposure is None:
            weights, nominal_from_open = np.ones(1), np.eye(4)[None]
        else:
            weights = exposure_weights(POSES, self.quadrature)
            nominal_from_open = plan.exposure.nominal_from_moved(np.linspace(-0.5, 0.5, len(weights)))
        whole = len(self.bands) == 1
        cameras = []
        for first, end in self.bands:
            pose = plan.camera.world_from_camera
            if plan.readout is not None:
                middle = (first + end) / 2 / plan.camera.height - 0.5
                pose = pose @ plan.readout.nominal_from_moved(middle)[0]
            rows = plan.camera if whole else plan.camera.cropped(0, first, plan.camera.width, end - first)
            cameras += [rows.with_pose(pose @ moved) for moved in nominal_from_open]
        return cameras, weights

    def frames(self, cameras: Sequence[Camera], finish: Callable[[Frame], T]) -> Iterator[T]:
        """``finish`` of the frame of each camera, in order."""
        return draw_frames(
            self.cloud, cameras, self.draw_settings(), engine=self.engine, threads=self.threads, finish=finish
        )

    def draw_settings(self) -> RenderSettings:
        """The settings with the plan's aperture, and with rows that look as in the whole picture."""
        return replace(self.settings, defocus=self.plan.defocus, tangent_limits=TangentLimits.of(self.plan.camera))


def light_of_view(drawing: Drawing, correct: Correction, on_instant: OnInstant) -> NDArray[np.float32]:
    """(H, W, 3) mean light of the instants at which the shutter is open, for each row about when it is read.

    Sums are in float64 and in the order of time: the bytes do not depend on the number of threads.
    """
    cameras, weights = drawing.cameras()
    bands = drawing.bands

    def light_of(frame: Frame, rows: RowBand) -> NDArray[np.float32]:
        return on_instant(linear_from_srgb(correct(frame, rows)), frame)

    lights: Iterator[NDArray[np.float32]]
    if len(bands) == 1:  # whole pictures become light in the threads that drew them
        lights = drawing.frames(cameras, lambda frame: light_of(frame, bands[0]))
    else:
        frames = drawing.frames(cameras, lambda frame: frame)
        lights = (light_of(frame, bands[at // len(weights)]) for at, frame in enumerate(frames))
    total = np.zeros((drawing.plan.camera.height, drawing.plan.camera.width, 3))
    for at, image_linear in enumerate(lights):
        first, end = bands[at // len(weights)]
        total[first:end] += weights[at % len(weights)] * image_linear
    return total.astype(np.float32)
