"""Does an edit still show what the original shows? Structure that no repair of tone, blur or noise explains is change.

At each place the edit's structure is correlated with the original's, in windows, on pictures without their slow
shading. Correlation ignores gain and offset, so exposure, haze, contrast and white balance may change, even smoothly
over the picture. Either picture may be blurred before the comparison, so sharpening and denoising are explained too: a
deblurred edit, blurred again, looks like the original. What stays unexplained, where either picture shows structure
above its noise, is the residual map; connected places of it are the regions.

Work is done on pictures of at most 320 pixels a side, so details below about two of those pixels do not count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from ..findings import Region
from .inputs import MIN_SIDE_PX, checked_image, luma, working_image
from .recolouring import measure_recolouring
from .structure import blur, noise_std

__all__ = ["ContentReport", "measure_content", "residual_map"]

Image = NDArray[np.float32]

_WORKING_SIDE_PX = 320
_SHADING_SIGMA_PX = 10.0
# Blur levels at which the pictures are compared.
_SIGMAS_PX = (1.2, 2.5, 5.0)


@dataclass(frozen=True)
class _Pairing:
    """Compare the original at one blur level with the edit at another.

    A window of few independent samples correlates by chance; ``chance`` is the correlation that counts as none.
    """

    original_level: int
    edited_level: int
    window_sigma_px: float
    chance: float


_PAIRINGS = (
    _Pairing(0, 0, 4.0, 0.0),
    _Pairing(1, 1, 5.5, 0.1),
    _Pairing(0, 1, 5.5, 0.1),
    _Pairing(1, 0, 5.5, 0.1),
    _Pairing(0, 2, 7.0, 0.3),
    _Pairing(2, 0, 7.0, 0.3),
)

# Structure counts as present above this many standard deviations of the noise that is left at the finest level, above
# this share of the picture's own mean contrast, and above half an 8-bit step.
_NOISE_FACTOR = 3.0
_CONTRAST_SHARE = 0.17
_LEAST_CONTRAST = 0.002
# Correlation itself is only guarded against dividing noise by noise.
_CORRELATION_FLOOR = 2e-4

_CHANGED = 0.5
_CLOSING_PX = 7
_JOINING_PX = 7
_RIM_PX = 14
_SMALLEST_REGION_SHARE = 0.004
_MOST_REGIONS = 8
_INVERTED_BELOW = -0.3


class ContentReport(BaseModel):
    """What became of the content.

    Attributes:
        preservation: 0 to 1, share of all structure (in either picture) that the edit explains; 1 = everything.
        changed_fraction: share of the picture's area that shows other content: added, removed or recoloured.
        regions: rectangles around connected changes, the largest first, in pixels of the original.
        structure_correlation: -1 to 1, mean signed correlation of fine structure.
        tones_inverted: light and dark changed places.
        hue_rotation_deg: how far all hues turned together, -180 to 180; 0 where there is too little colour to tell.
        reason: one sentence for people.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    preservation: float = Field(ge=0.0, le=1.0)
    changed_fraction: float = Field(ge=0.0, le=1.0)
    regions: tuple[Region, ...] = ()
    structure_correlation: float = Field(ge=-1.0, le=1.0)
    tones_inverted: bool = False
    hue_rotation_deg: float = 0.0
    reason: str


def measure_content(
    original_srgb: NDArray[np.float32],
    edited_srgb: NDArray[np.float32],
    *,
    covered: NDArray[np.bool_] | None = None,
) -> ContentReport:
    """Compares the content of two pictures whose pixels correspond.

    Args:
        original_srgb: (H, W, 3) float32 in [0, 1] (or uint8).
        edited_srgb: the same scene, in place: warp an edit that moved with
            :func:`~seeworthy.tools.measure.warping.warp_to_original` first. One of another size is stretched.
        covered: (H, W) mask of pixels that the edit really shows; the rest is not judged.

    Raises:
        ToolError: a picture has the wrong shape, range or type, or is not finite.
    """
    original, edited = checked_image(original_srgb, "original_srgb"), checked_image(edited_srgb, "edited_srgb")
    height, width = original.shape[:2]
    if min(height, width, *edited.shape[:2]) < MIN_SIDE_PX:
        return _tiny_report(original, edited)
    found = _compare(original, edited, covered)
    mask = _changed_mask(np.maximum(found.residual, found.recoloured)) & found.judged
    regions = _regions(mask, (width, height))
    total = float(found.evidence.sum())
    preservation = 1.0 if total <= 0 else float(1 - found.residual.sum() / total)
    signed = 0.0 if total <= 0 else float((found.evidence * found.correlation).sum() / total)
    changed = float(mask.sum()) / max(int(found.judged.sum()), 1)
    inverted = signed < _INVERTED_BELOW
    return ContentReport(
        preservation=min(max(preservation, 0.0), 1.0),
        changed_fraction=min(changed, 1.0),
        regions=regions,
        structure_correlation=min(max(signed, -1.0), 1.0),
        tones_inverted=inverted,
        hue_rotation_deg=found.hue_rotation_deg,
        reason=_sentence(preservation, changed, len(regions), inverted),
    )


def residual_map(original_srgb: NDArray[np.float32], edited_srgb: NDArray[np.float32]) -> NDArray[np.float32]:
    """Where one picture shows what the other does not: (H, W) float32, 0 = explained, 1 = other content.

    Arguments and errors as for :func:`measure_content`.
    """
    import cv2

    original, edited = checked_image(original_srgb, "original_srgb"), checked_image(edited_srgb, "edited_srgb")
    height, width = original.shape[:2]
    if min(height, width, *edited.shape[:2]) < MIN_SIDE_PX:
        return np.zeros((height, width), dtype=np.float32)
    found = _compare(original, edited, None)
    small = np.maximum(found.residual, found.recoloured)
    full = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    return np.clip(full, 0, 1).astype(np.float32)


@dataclass(frozen=True)
class _Comparison:
    """Maps (h, w) of the working pictures."""

    residual: Image
    evidence: Image
    correlation: Image
    recoloured: Image
    judged: NDArray[np.bool_]
    hue_rotation_deg: float


def _compare(original: Image, edited: Image, covered: NDArray[np.bool_] | None) -> _Comparison:
    height, width = original.shape[:2]
    factor = min(_WORKING_SIDE_PX / max(height, width), 1.0)
    size = (max(round(width * factor), MIN_SIDE_PX), max(round(height * factor), MIN_SIDE_PX))
    first, second = working_image(original, size), working_image(edited, size)
    judged = np.ones((size[1], size[0]), dtype=np.bool_)
    if covered is not None:
        judged = _well_inside(working_image(covered.astype(np.float32), size) > 0.999)
    noise = (noise_std(luma(original)) * factor, noise_std(luma(edited)) * size[0] / edited.shape[1])
    explained, evidence, correlation = _explained(luma(first), luma(second), noise)
    evidence = np.where(judged, evidence, 0).astype(np.float32)
    recolouring = measure_recolouring(first, second, judged)
    return _Comparison(
        residual=evidence * (1 - explained),
        evidence=evidence,
        correlation=correlation,
        recoloured=recolouring.map,
        judged=judged,
        hue_rotation_deg=recolouring.hue_rotation_deg,
    )


def _well_inside(covered: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Without the rim whose windows reach beyond what is covered; the picture's own border is no rim."""
    import cv2

    kernel = np.ones((2 * _RIM_PX + 1, 2 * _RIM_PX + 1), dtype=np.uint8)
    eroded = cv2.erode(covered.astype(np.uint8), kernel, borderType=cv2.BORDER_CONSTANT, borderValue=1)
    return np.asarray(eroded > 0)


def _explained(first: Image, second: Image, noise: tuple[float, float]) -> tuple[Image, Image, Image]:
    """(explained share, evidence of structure, signed correlation at the finest level), each (h, w).

    Args:
        first, second: working luma of original and edit.
        noise: standard deviation of white noise in each, in working pixels before any blur.
    """
    levels = [[blur(flat, sigma) for sigma in _SIGMAS_PX] for flat in (_unshaded(first), _unshaded(second))]
    # White noise through a Gaussian of sigma s keeps 1 / (2 sqrt(pi) s) of its standard deviation.
    left = [[std / (2 * np.sqrt(np.pi) * sigma) for sigma in _SIGMAS_PX] for std in noise]
    explained = evidence = finest = np.zeros_like(first)
    for pairing in _PAIRINGS:
        i, j = pairing.original_level, pairing.edited_level
        variance_1, variance_2, covariance = _window_moments(levels[0][i], levels[1][j], pairing.window_sigma_px)
        floor_1, floor_2 = (left[0][i] + _CORRELATION_FLOOR) ** 2, (left[1][j] + _CORRELATION_FLOOR) ** 2
        correlation = covariance / np.sqrt((variance_1 + floor_1) * (variance_2 + floor_2))
        if i == j == 0:
            finest = np.clip(correlation, -1, 1).astype(np.float32)
            evidence = np.maximum(_presence(variance_1, left[0][0]), _presence(variance_2, left[1][0]))
        explained = np.maximum(explained, (correlation - pairing.chance) / (1 - pairing.chance))
    return np.clip(explained, 0, 1).astype(np.float32), evidence.astype(np.float32), finest


def _unshaded(image: Image) -> Image:
    """(h, w) without what changes slowly, ramps at the border included.

    Haze, vignettes and flashes are ramps that a repair takes away: were a rest of one left, windows would compare it
    with the texture that it hid. So beyond the border the picture goes on as its mirror image turned over, which
    continues a ramp.
    """
    reach = math.ceil(3 * _SHADING_SIGMA_PX)
    wide = np.pad(image, reach, mode="reflect", reflect_type="odd")
    return image - blur(wide, _SHADING_SIGMA_PX)[reach:-reach, reach:-reach]


def _window_moments(first: Image, second: Image, sigma_px: float) -> tuple[Image, Image, Image]:
    mean_1, mean_2 = blur(first, sigma_px), blur(second, sigma_px)
    variance_1 = np.maximum(blur(first * first, sigma_px) - mean_1 * mean_1, 0)
    variance_2 = np.maximum(blur(second * second, sigma_px) - mean_2 * mean_2, 0)
    return variance_1, variance_2, blur(first * second, sigma_px) - mean_1 * mean_2


def _presence(variance: Image, noise: float) -> Image:
    """Towards 1 where there is structure, 0 where nothing stands out of noise and the faintest contrasts."""
    typical = float(np.sqrt(variance.mean()))
    floor = max(_NOISE_FACTOR * noise, _CONTRAST_SHARE * typical, _LEAST_CONTRAST)
    return np.asarray(variance / (variance + np.float32(floor * floor)), dtype=np.float32)


def _changed_mask(residual: Image) -> NDArray[np.bool_]:
    """Changed places, closed and with their inside filled: of a flat object only the outline is structure."""
    import cv2

    kernel = np.ones((_CLOSING_PX, _CLOSING_PX), dtype=np.uint8)
    mask = cv2.morphologyEx((residual > _CHANGED).astype(np.uint8), cv2.MORPH_CLOSE, kernel)
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros_like(mask)
    cv2.drawContours(filled, outlines, -1, 1, thickness=cv2.FILLED)
    return np.asarray(cv2.morphologyEx(filled, cv2.MORPH_OPEN, kernel) > 0)


def _regions(mask: NDArray[np.bool_], original_size: tuple[int, int]) -> tuple[Region, ...]:
    import cv2

    height, width = mask.shape
    # Pieces with a narrow gap between them belong to one thing.
    kernel = np.ones((_JOINING_PX, _JOINING_PX), dtype=np.uint8)
    count, labels = cv2.connectedComponents(cv2.dilate(mask.astype(np.uint8), kernel))
    found: list[tuple[int, Region]] = []
    x_px, y_px = original_size[0] / width, original_size[1] / height
    for label in range(1, count):
        rows, columns = np.nonzero(mask & (labels == label))
        if len(rows) >= _SMALLEST_REGION_SHARE * mask.size:
            region = Region(
                x0=float(columns.min() * x_px),
                y0=float(rows.min() * y_px),
                x1=float((columns.max() + 1) * x_px),
                y1=float((rows.max() + 1) * y_px),
            )
            found.append((len(rows), region))
    found.sort(key=lambda item: -item[0])
    return tuple(region for _, region in found[:_MOST_REGIONS])


def _tiny_report(original: Image, edited: Image) -> ContentReport:
    same = original.shape == edited.shape and bool(np.array_equal(original, edited))
    return ContentReport(
        preservation=1.0 if same else 0.0,
        changed_fraction=0.0 if same else 1.0,
        structure_correlation=1.0 if same else 0.0,
        reason="the pictures are equal" if same else f"a picture below {MIN_SIDE_PX} pixels cannot be compared",
    )


def _sentence(preservation: float, changed: float, regions: int, inverted: bool) -> str:
    if inverted:
        return "light and dark changed places"
    if regions:
        places = "one place" if regions == 1 else f"{regions} places"
        return f"{places} ({changed:.1%} of the picture) show other content"
    return f"{preservation:.0%} of the structure is preserved"
