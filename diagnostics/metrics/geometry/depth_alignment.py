"""Scale (and shift) that bring a predicted depth to the truth, for a scene or for each frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ...errors import DiagnosticsError

__all__ = ["DepthAlignment", "DepthFit", "fit_depth"]

DepthAlignment = Literal["scene_median", "scene_lstsq", "frame_median", "frame_lstsq", "none"]
Pixels = tuple[NDArray[np.float64], NDArray[np.float64]]

# With fewer pixels the fit meets the truth exactly and an error of 0 would say nothing.
_MIN_PIXELS = {"median": 2, "lstsq": 3}


@dataclass(frozen=True)
class DepthFit:
    """The map ``depth -> scale * depth + shift_m``."""

    scale: float = 1.0
    shift_m: float = 0.0

    def apply(self, depth: NDArray[np.float64]) -> NDArray[np.float64]:
        """Depth of any shape, mapped."""
        return self.scale * depth + self.shift_m


def fit_depth(frames: list[Pixels], align: DepthAlignment) -> list[DepthFit | None]:
    """One fit a frame; None for a frame (or a whole scene) with too few pixels to tell a fit from the truth itself.

    Args:
        frames: predicted and true depth (n,), (n,) of each frame, all finite and positive.

    >>> frames = [(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]))]
    >>> fit_depth(frames, "scene_median")
    [DepthFit(scale=2.0, shift_m=0.0)]

    Raises:
        DiagnosticsError: the alignment is unknown.
    """
    if align not in get_args(DepthAlignment):
        raise DiagnosticsError(f"unknown depth alignment {align!r}; use one of {', '.join(get_args(DepthAlignment))}")
    if align == "none":
        return [DepthFit() if predicted.size else None for predicted, _ in frames]
    scope, _, kind = align.partition("_")
    if scope == "frame":
        return [_fit(predicted, truth, kind) for predicted, truth in frames]
    predicted = np.concatenate([frame[0] for frame in frames])
    scene_fit = _fit(predicted, np.concatenate([frame[1] for frame in frames]), kind)
    return [scene_fit if frame[0].size else None for frame in frames]


def _fit(predicted: NDArray[np.float64], truth: NDArray[np.float64], kind: str) -> DepthFit | None:
    if predicted.size < _MIN_PIXELS[kind]:
        return None
    if kind == "median":
        return DepthFit(scale=float(np.median(truth) / np.median(predicted)))
    centred = predicted - predicted.mean()
    variance = float(centred @ centred)
    # A constant prediction explains nothing: the best constant is the true mean.
    scale = float(centred @ (truth - truth.mean())) / variance if variance > 0 else 0.0
    return DepthFit(scale=scale, shift_m=float(truth.mean() - scale * predicted.mean()))
