"""Defocus: each point of light becomes a disc, in linear light; r = a |d - f| / d, equation 3 of SpaceDG.

In the paper r is the standard deviation of the blur in pixels of 1752-pixel-wide renders, with a = 10 to 15 and the
focus f = 1 to 8 m (table 9). Here ``aperture`` is a over the picture's longer side, so that all sizes blur alike:
bench is 0.0057 to 0.0086. A disc of radius R has a standard deviation of R / 2 along each axis, so R = 2 r.

Levels of the aperture: 1: 0.0012-0.0015 (a disc of 1.7 px radius on 640 px: fine texture goes), 2: 0.0020-0.0024,
3: 0.0032-0.0038 (4.5 px: small text and edges go), 4: 0.0044-0.0048, 5: 0.0052-0.0056.

In a scene the renderer spreads each Gaussian by its own circle of confusion, added to its projected covariance, and
lowers its opacity so that it holds as much light (equations 3 and 4); no circle exceeds a quarter of the width.

On a photograph with depth the picture is cut into layers of like blur that are blurred and laid over each other from
far to near, so that a sharp near object keeps its edge before a blurred background. Without depth all is equally far
from the focus, r = a.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ..render.settings import Defocus
from ..stress import Stress
from .disc_blur import disc_blurred
from .registry import DegradationParameters, FormationStage, LightEffect, SceneLight, Severity, light_degradation
from .scene_depth import filled_depth_m
from .severity import Range, draw, draw_log
from .view_plan import ViewPlan

__all__ = ["DefocusParameters", "circle_of_confusion_sd", "defocus"]

_APERTURE: dict[Severity, Range] = {
    1: (0.0012, 0.0015),
    2: (0.0020, 0.0024),
    3: (0.0032, 0.0038),
    4: (0.0044, 0.0048),
    5: (0.0052, 0.0056),
    "bench": (10 / 1752, 15 / 1752),
}
_FOCUS_M = (1.0, 8.0)

_MAX_RADIUS_SHARE = 0.12
"""Largest disc radius over the longer side: near objects under a far focus would else become a fog of no shape."""

_LAYER_STEP_PX = 1.0
_MAX_LAYERS = 24


class DefocusParameters(DegradationParameters):
    """A lens.

    Args:
        aperture: standard deviation of the blur of a point at infinity, over the picture's longer side.
        focus_m: the depth that is sharp.
    """

    aperture: float = Field(ge=0, le=0.1)
    focus_m: float = Field(gt=0, le=1e4)

    @classmethod
    def sample(cls, severity: Severity, rng: np.random.Generator) -> Self:
        return cls(aperture=draw(_APERTURE, severity, rng), focus_m=draw_log(*_FOCUS_M, rng))


def _through_aperture(plan: ViewPlan, parameters: DefocusParameters) -> ViewPlan:
    aperture_px = parameters.aperture * max(plan.camera.width, plan.camera.height)
    return replace(plan, defocus=Defocus(aperture_px=aperture_px, focus_m=parameters.focus_m))


@light_degradation(
    Stress.DEFOCUS,
    summary="out of focus: points become discs",
    stage=FormationStage.LENS,
    parameters=DefocusParameters,
    version="2",
    on_view=_through_aperture,
)
def defocus(light: SceneLight, parameters: DefocusParameters, rng: np.random.Generator) -> LightEffect:
    """Blurs by one disc without depth, by layers of discs with it."""
    side_px = max(light.image_linear.shape[:2])
    if light.depth_m is None:
        blurred = disc_blurred(light.image_linear, 2 * parameters.aperture * side_px)
        return LightEffect(blurred, ("no depth given: the whole picture was blurred like a point at infinity",))
    depth_m = filled_depth_m(light.depth_m)
    radius_px = 2 * circle_of_confusion_sd(depth_m, parameters) * side_px
    radius_px = np.minimum(radius_px, np.float32(_MAX_RADIUS_SHARE * side_px))
    approximations = [
        "layers of like blur, laid from far to near: what lies behind a near edge is taken from beside it"
    ]
    if np.isnan(light.depth_m).any():
        approximations.append("pixels without depth took that of the nearest pixel that has one")
    return LightEffect(_layered(light.image_linear, depth_m, radius_px, parameters.focus_m), tuple(approximations))


def circle_of_confusion_sd(depth_m: NDArray[np.float32], parameters: DefocusParameters) -> NDArray[np.float32]:
    """Standard deviation of the blur at each depth, over the picture's longer side (equation 3)."""
    out_of_focus = np.abs(depth_m - np.float32(parameters.focus_m)) / depth_m
    return np.asarray(parameters.aperture * out_of_focus, dtype=np.float32)


def _layered(
    image_linear: NDArray[np.float32],
    depth_m: NDArray[np.float32],
    radius_px: NDArray[np.float32],
    focus_m: float,
) -> NDArray[np.float32]:
    # Signed radius orders the layers by depth: behind the focus positive, before it negative.
    signed = np.where(depth_m >= focus_m, radius_px, -radius_px)
    low, high = float(signed.min()), float(signed.max())
    count = int(np.clip(np.ceil((high - low) / _LAYER_STEP_PX), 1, _MAX_LAYERS))
    index = np.clip(((signed - low) / max(high - low, 1e-6) * count).astype(np.int64), 0, count - 1)
    colour = np.zeros_like(image_linear)
    cover = np.zeros((*depth_m.shape, 1), dtype=np.float32)
    for layer in range(count - 1, -1, -1):
        mask = index == layer
        if not mask.any():
            continue
        radius = float(np.abs(signed[mask]).mean())
        # Nothing of the layer is farther from it than its radius.
        here = _around(mask, int(np.ceil(radius)) + 1)
        alpha = mask[here][..., None].astype(np.float32)
        blurred_alpha = disc_blurred(alpha, radius)
        behind = 1 - blurred_alpha
        colour[here] = disc_blurred(image_linear[here] * alpha, radius) + colour[here] * behind
        cover[here] = blurred_alpha + cover[here] * behind
    return np.asarray(colour / np.maximum(cover, 1e-4), dtype=np.float32)


def _around(mask: NDArray[np.bool_], margin_px: int) -> tuple[slice, slice]:
    """The rows and columns that hold all of the mask (H, W), and a margin where the picture has one."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    (top, bottom), (left, right) = ((int(at[0]) - margin_px, int(at[-1]) + 1 + margin_px) for at in (rows, columns))
    return slice(max(0, top), bottom), slice(max(0, left), right)
