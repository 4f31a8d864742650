"""JPEG: blocks, ringing and colour patches, removed with the very steps that the encoder used."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...bench_data.stress import Stress
from ..registry import Cost, Rectified, RectifyHint, Stage, rectifier
from .filtering.guided import guided_filter
from .filtering.hints import STRENGTH, STRENGTH_HELP, blend, option, ramp, strength_of
from .filtering.jpeg_trace import YCBCR_FROM_RGB, JpegTrace, chroma_steps, find_jpeg, luma_steps
from .filtering.patch_dct import PATCH, dct_basis, shrink_plane
from .filtering.spatial import resize_linear, shrink_area

__all__ = ["deblock"]

Plane = NDArray[np.float32]

_RGB_FROM_YCBCR = np.linalg.inv(YCBCR_FROM_RGB.astype(np.float64)).astype(np.float32)
# Qualities whose traces nobody sees, and that everybody sees.
_INVISIBLE_QUALITY, _VISIBLE_QUALITY = 85.0, 60.0
# Error of a quantised coefficient over its step. A uniform error has 1/sqrt(12) = 0.29 of the step; the high
# frequencies, which pictures hardly have, are quantised to zero with far less. Best mean PSNR over quality 5-35.
_ERROR_OF_STEP_LUMA, _ERROR_OF_STEP_CHROMA = 0.19, 0.145
# How far a coefficient may move from its decoded value, in steps. Half a step is what the file allows; the narrower
# constraint of Park and Kim (1999) is right more often than not.
_CONSTRAINT = 0.3
# Below this quality edges of colour are so coarse that those of brightness serve better.
_GUIDED_QUALITY = 10
_GUIDE_RADIUS_PX, _GUIDE_EPSILON = 3, 1e-4


@rectifier(
    "deblock",
    summary="Removes the blocks and ringing of JPEG, with the quantisation steps read from the pixels",
    treats=(Stress.JPEG_COMPRESSION,),
    stage=Stage.CODEC,
    cost=Cost.TENTHS,
    options={STRENGTH: STRENGTH_HELP, "jpeg_quality": "libjpeg quality 1 to 100, where the pixels no longer show it"},
)
def deblock(image_srgb: NDArray[np.float32], hint: RectifyHint) -> Rectified:
    """Shifted DCT shrinkage with the encoder's own steps, then projection onto what the file allows.

    Grid, quality and steps are recovered from the pixels. Patches on all grid positions are shrunk by the quantisation
    error and averaged (a form of the shifted re-application of Nosratinia, J. VLSI Signal Processing 2001), and the
    coefficients on the file's grid are held near their decoded values (the narrow quantisation constraint set of Park
    and Kim, IEEE TIP 1999). Colour is cleaned at half size where it was stored so.
    """
    trace = find_jpeg(image_srgb)
    told = option(hint, "jpeg_quality", hint.parameters.get("jpeg_quality", 0.0), low=0.0, high=100.0)
    quality = float(trace.quality) if trace else told
    if quality < 1:
        return Rectified(image_srgb.copy(), parameters={"strength": 0.0}, note="no trace of JPEG; left as it is")
    strength = strength_of(hint, ramp(quality, _INVISIBLE_QUALITY, _VISIBLE_QUALITY))
    parameters = {"jpeg_quality": quality, "strength": strength}
    if trace:
        parameters |= {"grid_x": trace.offset[0], "grid_y": trace.offset[1], "fit": trace.fit}
    if strength == 0:
        return Rectified(image_srgb.copy(), parameters=parameters, note=f"JPEG of quality {quality:.0f}; left as it is")
    planes = image_srgb @ YCBCR_FROM_RGB.T
    grey = _clean_grey(np.ascontiguousarray(planes[..., 0]), quality, trace)
    full_size = trace is not None and trace.full_size_colour
    colours = [
        _clean_colour(np.ascontiguousarray(planes[..., channel]), grey, quality, full_size=full_size)
        for channel in (1, 2)
    ]
    cleaned = np.stack([grey, *colours], axis=2) @ _RGB_FROM_YCBCR.T
    return Rectified(
        blend(image_srgb, cleaned, strength), parameters=parameters, note=f"cleaned JPEG of quality {quality:.0f}"
    )


def _clean_grey(grey: Plane, quality: float, trace: JpegTrace | None) -> Plane:
    steps = luma_steps(quality) / np.float32(255)
    cleaned = shrink_plane(grey, _ERROR_OF_STEP_LUMA, spectrum=steps)
    return _hold_to_file(cleaned, grey, steps, trace.offset) if trace else cleaned


def _hold_to_file(cleaned: Plane, decoded: Plane, steps: NDArray[np.float32], offset: tuple[int, int]) -> Plane:
    """Clamps the coefficients of whole blocks on the file's grid to the neighbourhood of their decoded values."""
    x, y = offset
    rows, columns = (cleaned.shape[0] - y) // PATCH, (cleaned.shape[1] - x) // PATCH
    inside = (slice(y, y + rows * PATCH), slice(x, x + columns * PATCH))
    reach = (steps * np.float32(_CONSTRAINT)).reshape(1, -1)
    held = cleaned.copy()
    # One row of blocks at a time keeps the working memory small.
    for top in range(0, rows * PATCH, PATCH):
        band = (slice(y + top, y + top + PATCH), inside[1])
        before, after = (_spectra(plane[band]) for plane in (decoded, cleaned))
        blocks = np.clip(after, before - reach, before + reach) @ dct_basis()
        held[band] = blocks.reshape(columns, PATCH, PATCH).swapaxes(0, 1).reshape(PATCH, columns * PATCH)
    return held


def _spectra(band: Plane) -> NDArray[np.float32]:
    blocks = band.reshape(PATCH, -1, PATCH).swapaxes(0, 1).reshape(-1, PATCH * PATCH)
    spectra: NDArray[np.float32] = blocks @ dct_basis().T
    return spectra


def _clean_colour(colour: Plane, grey: Plane, quality: float, *, full_size: bool) -> Plane:
    steps = chroma_steps(quality) / np.float32(255)
    if full_size:
        return shrink_plane(colour, _ERROR_OF_STEP_CHROMA, spectrum=steps)
    height, width = colour.shape
    half_size = (-(-width // 2), -(-height // 2))
    half = shrink_area(colour, half_size)
    cleaned = shrink_plane(half, _ERROR_OF_STEP_CHROMA, spectrum=steps)
    if quality <= _GUIDED_QUALITY:
        half_grey = shrink_area(grey, half_size)
        cleaned = guided_filter(half_grey, cleaned, radius_px=_GUIDE_RADIUS_PX, epsilon=_GUIDE_EPSILON)
    return resize_linear(cleaned, (width, height))
