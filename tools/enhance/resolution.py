"""Low resolution: the small picture inside an enlarged one is recovered exactly, and enlarged again with care."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...bench_data.stress import Stress
from ..registry import Cost, Rectified, RectifyHint, Stage, rectifier
from .filtering.enlargement import find_enlargement, source_picture
from .filtering.hints import STRENGTH, STRENGTH_HELP, blend, option, ramp, strength_of
from .filtering.spatial import resize_cubic, shrink_area
from .filtering.total_variation import smooth_total_variation

__all__ = ["super_resolve"]

Image = NDArray[np.float32]

_ROUNDS = 8
# Smoothing per round and per factor of enlargement, and at most (best mean PSNR over photographs, factors 2 to 14).
_SMOOTHING_PER_FACTOR, _MOST_SMOOTHING = 0.003, 0.015
_FACTOR_ABSENT, _FACTOR_PRESENT = 1.1, 1.5


@rectifier(
    "super_resolve",
    summary="Restores edges of a picture that was enlarged from a smaller one; the size stays",
    treats=(Stress.LOW_RES, Stress.SMALL_SCALE),
    stage=Stage.CODEC,
    cost=Cost.SECONDS,
    options={STRENGTH: STRENGTH_HELP, "scale": "small size over full size, 0.02 to 1, where pixels do not show it"},
)
def super_resolve(image_srgb: Image, hint: RectifyHint) -> Rectified:
    """Iterated back-projection with total-variation smoothing.

    Back-projection (Irani and Peleg, CVGIP 1991) makes the result agree with the small picture when it is averaged
    down; total variation prefers, among all pictures that agree, one with few and straight edges (Marquina and Osher,
    J. Scientific Computing 2008). No detail is made up: where the small picture is flat, so is the result.
    """
    height, width = image_srgb.shape[:2]
    found = find_enlargement(image_srgb.mean(axis=2, dtype=np.float32))
    scale = option(hint, "scale", hint.parameters.get("scale", 0.0), low=0.0, high=1.0)
    if found is not None:
        small = np.clip(source_picture(image_srgb, found), 0, 1)
    elif scale > 0:
        small = shrink_area(image_srgb, (max(1, round(width * scale)), max(1, round(height * scale))))
    else:
        return Rectified(image_srgb.copy(), parameters={"strength": 0.0}, note="not an enlarged picture; left as it is")
    factor = max(width / small.shape[1], height / small.shape[0])
    strength = strength_of(hint, ramp(factor, _FACTOR_ABSENT, _FACTOR_PRESENT))
    parameters = {"factor": factor, "strength": strength, "proven": int(found is not None)}
    if strength == 0:
        return Rectified(image_srgb.copy(), parameters=parameters, note="full resolution; left as it is")
    smoothing = min(_MOST_SMOOTHING, _SMOOTHING_PER_FACTOR * factor)
    enlarged = np.stack([_enlarged(small[..., k], (width, height), smoothing) for k in range(3)], axis=2)
    return Rectified(
        blend(image_srgb, enlarged, strength),
        parameters=parameters,
        note=f"restored edges of a picture of {small.shape[1]}x{small.shape[0]} pixels",
    )


def _enlarged(small: NDArray[np.float32], size: tuple[int, int], smoothing: float) -> NDArray[np.float32]:
    small = np.ascontiguousarray(small)
    small_size = (small.shape[1], small.shape[0])

    def agreeing(estimate: NDArray[np.float32]) -> NDArray[np.float32]:
        return estimate + resize_cubic(small - shrink_area(estimate, small_size), size)

    estimate = resize_cubic(small, size)
    for _ in range(_ROUNDS):
        estimate = smooth_total_variation(agreeing(estimate), smoothing)
    return np.clip(agreeing(estimate), 0, 1)
