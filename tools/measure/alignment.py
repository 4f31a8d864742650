"""Where things went: the transform between a picture and an edit of it, though tone, haze, noise or blur changed.

Both pictures become structure (:mod:`.structure`), which tone and haze do not change. A coarse guess (nothing moved;
the strongest shift of the phase correlation; matched features, also against the mirrored edit) is refined by tracking
some hundred points and fitting an affine map to them robustly. The guess whose structure agrees best wins. What the
tracks still show after the map is the residual flow.

Work is done on pictures of at most 512 pixels a side; for larger ones the accuracy in pixels falls in proportion.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from ..coordinates import PixelMap
from .inputs import MIN_SIDE_PX, checked_image, luma, working_image
from .structure import blur, gradient_magnitude, local_correlation, noise_std, normalised_structure
from .tracking import FeatureMatcher, Tracks, phase_shift_px, track
from .transforms import (
    apply_matrix,
    cv_matrix,
    fit_affine_robustly,
    ransac_inliers,
    scaling,
    stretch_and_rotation,
    translation,
)
from .warping import toned_like, warp_to_original

__all__ = ["AlignmentReport", "AlignmentStatus", "map_back", "measure_alignment"]

Image = NDArray[np.float32]
Matrix = NDArray[np.float64]

_WORKING_SIDE_PX = 512
_SMALLEST_WORKING_SIDE_PX = 64
_STRUCTURE_SIGMA_PX = 8.0
_FIT_THRESHOLD_PX = 1.5
_RANSAC_ROUNDS = 200
_FEWEST_TRACKS = 12

# Structure agreement (-1 to 1): unrelated photographs reach 0.04, the hardest true pairs that were tried (dark and
# noisy against clean, JPEG quality 8) stay above 0.25. See benchmarks/measures.py.
_RELATED_AGREEMENT = 0.14
_CERTAIN_AGREEMENT = 0.45
# Share of the picture (by weight) that must show structure before anything is said.
_LEAST_STRUCTURE = 0.015
# Above this agreement there is no need to look at colour edges as well.
_LUMA_SUFFICES = 0.35
_CONVERGED_PX = 0.1
_SCATTERED_PX = 1.0
# Movements below this, in working pixels at the worst corner, are within the accuracy of the measurement.
_ALIGNED_TOLERANCE_PX = 1.0


class AlignmentStatus(StrEnum):
    """What the measurement concludes."""

    ALIGNED = "aligned"
    """Same size, and nothing moved beyond the accuracy of the measurement."""
    MAPPED = "mapped"
    """Things moved by a map that was measured: shift, zoom, rotation, stretch, another size."""
    MIRRORED = "mirrored"
    """The edit shows the scene reflected: left and right answers flip."""
    UNRELATED = "unrelated"
    """Both pictures show structure, and no map makes it agree."""
    UNDETERMINED = "undetermined"
    """One picture shows too little structure, or is too small, to tell."""


class AlignmentReport(BaseModel):
    """The measured map between an edit and its original. Points are continuous pixel coordinates, centres at +0.5.

    Attributes:
        status: the conclusion; all numbers below are neutral (identity, zero) for ``unrelated`` and ``undetermined``.
        shift_px: how far the point at the original's centre moved (x right, y down), in pixels of the original, after
            the edit is brought to the original's frame size.
        scale: pixels of the edit per pixel of the original, geometric mean of both axes; 1.05 = zoomed in by 5 %.
        rotation_deg: from x towards y, that is clockwise as seen, from the original to the edit.
        matrix: 3x3 ``original_from_edited``.
        residual_px: median length of the flow that remains after the map, in pixels of the original.
        residual_p90_px: the same, 90th percentile: local warps that leave most of the picture alone show here.
        aspect_change: width to height of things in the edit, relative to the original; 1 = shapes are kept.
        agreement: correlation of the structure after the map, -1 to 1.
        confidence: 0 to 1, from agreement and from how many tracked points follow the map.
        reason: one sentence for people.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: AlignmentStatus
    shift_px: tuple[float, float] = (0.0, 0.0)
    scale: float = 1.0
    rotation_deg: float = 0.0
    matrix: tuple[tuple[float, float, float], ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    original_size: tuple[int, int]
    edited_size: tuple[int, int]
    residual_px: float = 0.0
    residual_p90_px: float = 0.0
    aspect_change: float = 1.0
    agreement: float = 0.0
    confidence: float = Field(ge=0.0, le=1.0)
    reason: str

    @property
    def pixel_map(self) -> PixelMap:
        """The map as the tools pass it around: the edit is the rectified picture."""
        return PixelMap(self.matrix, self.original_size, self.edited_size)


def measure_alignment(
    original_srgb: NDArray[np.float32], edited_srgb: NDArray[np.float32], *, seed: int = 0
) -> AlignmentReport:
    """Finds the map between two pictures of one scene, or says that there is none.

    Args:
        original_srgb, edited_srgb: (H, W, 3) float32 in [0, 1] (or uint8), of any two sizes.
        seed: of the random samples in the robust fit; the same seed gives the same report.

    Raises:
        ToolError: a picture has the wrong shape, range or type, or is not finite.
    """
    original = checked_image(original_srgb, "original_srgb")
    edited = checked_image(edited_srgb, "edited_srgb")
    sizes = _Sizes(original=(original.shape[1], original.shape[0]), edited=(edited.shape[1], edited.shape[0]))
    if min(*sizes.original, *sizes.edited) < MIN_SIDE_PX:
        return sizes.report(AlignmentStatus.UNDETERMINED, f"a picture is smaller than {MIN_SIDE_PX} pixels")
    frame = working_image(original, _working_size(sizes.original))
    moving = working_image(edited, _working_size(sizes.edited))
    rng = np.random.default_rng(seed)
    best, structured = _best_fit(frame, moving, rng)
    if not structured:
        return sizes.report(AlignmentStatus.UNDETERMINED, "a picture shows too little structure to be compared")
    if best is None or best.agreement < _RELATED_AGREEMENT:
        found = 0.0 if best is None else best.agreement
        reason = f"no map makes the structure agree (best agreement {found:.2f})"
        return sizes.report(AlignmentStatus.UNRELATED, reason, confidence=1 - max(found, 0) / _RELATED_AGREEMENT)
    if not math.isfinite(best.scatter_px):
        return sizes.report(
            AlignmentStatus.UNDETERMINED, "the structure agrees roughly, but no point could be followed"
        )
    return _report_of(best, frame, moving, sizes)


def map_back(
    edited_srgb: NDArray[np.float32],
    report: AlignmentReport,
    original_size: tuple[int, int],
    *,
    fill_srgb: NDArray[np.float32] | None = None,
) -> tuple[Image, PixelMap]:
    """The edit, warped so that things stand where they stand in the original.

    Args:
        edited_srgb: (H, W, 3), the picture that ``report`` was measured on.
        original_size: (width, height) of the original.
        fill_srgb: the original (H, W, 3). Where the edit does not reach, it is shown, in tones like the edit's;
            without it the edit's border is continued.

    Returns:
        (image, pixel_map): (H, W, 3) float32 of the original's size, and the map of that picture to the original,
        which is the identity. Points of the *unwarped* edit map through ``report.pixel_map``.

    Raises:
        ToolError: as for :func:`measure_alignment`.
    """
    image, covered = warp_to_original(edited_srgb, report.matrix, original_size)
    if fill_srgb is not None and not covered.all():
        fill = checked_image(fill_srgb, "fill_srgb")
        image = np.where(covered[..., None], image, toned_like(image, fill, covered))
    return image, PixelMap.identity(original_size)


@dataclass(frozen=True)
class _Fit:
    """One candidate map between the working pictures, refined."""

    matrix: Matrix
    agreement: float
    residuals_px: NDArray[np.float64]
    inlier_share: float

    @property
    def scatter_px(self) -> float:
        """Median length of the flow that remains; infinite when no point could be followed."""
        return float(np.median(self.residuals_px)) if len(self.residuals_px) else math.inf


@dataclass(frozen=True)
class _Detail:
    """The scale of structure: the blur that comes first, and the window whose mean and contrast are divided out."""

    blur_px: float
    window_px: float


_FINE = _Detail(blur_px=1.0, window_px=_STRUCTURE_SIGMA_PX)
_COARSE = _Detail(blur_px=5.0, window_px=20.0)


@dataclass(frozen=True)
class _Sizes:
    """(width, height) of both pictures."""

    original: tuple[int, int]
    edited: tuple[int, int]

    def report(self, status: AlignmentStatus, reason: str, *, confidence: float = 0.0) -> AlignmentReport:
        return AlignmentReport(
            status=status,
            original_size=self.original,
            edited_size=self.edited,
            confidence=min(max(confidence, 0.0), 1.0),
            reason=reason,
        )


class _Structure:
    """Structure of one working picture, by luma and, when somebody asks, by colour edges."""

    def __init__(self, image: Image, detail: _Detail) -> None:
        self._image, self._detail = image, detail
        grey = luma(image)
        # The first blur takes the noise down to about a third; what is left of it must not become structure.
        floor = max(0.6 * noise_std(grey) / detail.blur_px, 0.003)
        smooth = blur(grey, detail.blur_px)
        self.luma, contrast = normalised_structure(smooth, sigma_px=detail.window_px, floor=floor)
        self.amount = float(np.mean(contrast > 2 * floor))

    @cached_property
    def edges(self) -> Image:
        strength = gradient_magnitude(self._image, self._detail.blur_px)
        return normalised_structure(strength, sigma_px=self._detail.window_px, floor=0.03)[0]


@dataclass(frozen=True)
class _Comparison:
    """The original's structure beside that of the warped edit, on whichever of luma and colour edges agrees better."""

    first: Image
    second: Image
    mask: NDArray[np.bool_]
    agreement: float

    @classmethod
    def of(cls, target: _Structure, moving: Image, matrix: Matrix, detail: _Detail) -> _Comparison:
        height, width = target.luma.shape
        warped = _Structure(_warp(moving, matrix, (width, height)), detail)
        mask = _covered(moving, matrix, (width, height))
        by_luma = _agreement(target.luma, warped.luma, mask)
        if by_luma < _LUMA_SUFFICES:
            # Edge strength is coarser, but survives inverted tones and turned hues.
            by_edges = _agreement(target.edges, warped.edges, mask)
            if by_edges > by_luma + 0.1:
                return cls(target.edges, warped.edges, mask, by_edges)
        return cls(target.luma, warped.luma, mask, by_luma)


def _best_fit(frame: Image, moving: Image, rng: np.random.Generator) -> tuple[_Fit | None, bool]:
    """The best refined candidate, and whether both pictures show structure at all."""
    target, source = _Structure(frame, _FINE), _Structure(moving, _FINE)
    if min(target.amount, source.amount) < _LEAST_STRUCTURE:
        return None, False
    best: _Fit | None = None
    for start in _starts(frame, moving, target, rng):
        fit = _refined(target, moving, start, rng, _FINE)
        if best is None or fit.agreement > best.agreement:
            best = fit
        if best.agreement >= _CERTAIN_AGREEMENT:
            break
    if best is not None and best.agreement >= _RELATED_AGREEMENT and best.scatter_px > _SCATTERED_PX:
        # One of the two is blurred beyond the windows of the tracks. Blurred alike, they can be compared again.
        blurred = _Structure(frame, _COARSE)
        starts = (best.matrix, _stretch(frame, moving))
        coarse = max((_refined(blurred, moving, s, rng, _COARSE) for s in starts), key=lambda fit: fit.agreement)
        if coarse.agreement > best.agreement and math.isfinite(coarse.scatter_px):
            best = coarse
    return best, True


def _stretch(frame: Image, moving: Image) -> Matrix:
    """The map that only changes the size of the frame."""
    return scaling(frame.shape[1] / moving.shape[1], frame.shape[0] / moving.shape[0])


def _starts(frame: Image, moving: Image, target: _Structure, rng: np.random.Generator) -> Iterator[Matrix]:
    """Coarse guesses, cheap ones first."""
    stretch = _stretch(frame, moving)
    yield stretch
    stretched = _Structure(_warp(moving, stretch, (frame.shape[1], frame.shape[0])), _FINE)
    yield translation(*phase_shift_px(target.luma, stretched.luma)) @ stretch
    features = FeatureMatcher(frame)
    mirrored = np.ascontiguousarray(moving[:, ::-1])
    for view, to_view in ((moving, np.eye(3)), (mirrored, translation(moving.shape[1], 0) @ scaling(-1, 1))):
        matched = features.matrix_from(view, rng)
        if matched is not None:
            yield matched @ to_view
    yield translation(*phase_shift_px(target.edges, stretched.edges)) @ stretch


def _refined(target: _Structure, moving: Image, start: Matrix, rng: np.random.Generator, detail: _Detail) -> _Fit:
    """Tracks points from the original to the warped edit and fits the map to them, until it stands still."""
    matrix, residuals, inlier_share = start, np.zeros(0), 0.0
    now = _Comparison.of(target, moving, matrix, detail)
    for levels in (3, 1):
        tracks = track(now.first, now.second, now.mask, levels=levels)
        step = _step(tracks, rng)
        if step is None:
            break
        residuals = np.linalg.norm(apply_matrix(step, tracks.end_px) - tracks.start_px, axis=1)
        inlier_share = float(np.mean(residuals < _FIT_THRESHOLD_PX))
        matrix = step @ matrix
        moved = np.linalg.norm(tracks.start_px - apply_matrix(step, tracks.start_px), axis=1).max()
        if moved < _CONVERGED_PX:
            break
        now = _Comparison.of(target, moving, matrix, detail)
    return _Fit(matrix, now.agreement, residuals, inlier_share)


def _step(tracks: Tracks, rng: np.random.Generator) -> Matrix | None:
    """The affine map from where points were found to where they belong, or None when the tracks show none."""
    if len(tracks.start_px) < _FEWEST_TRACKS:
        return None
    follow = ransac_inliers(
        tracks.end_px, tracks.start_px, threshold_px=_FIT_THRESHOLD_PX, rounds=_RANSAC_ROUNDS, rng=rng, affine=True
    )
    if int(follow.sum()) < _FEWEST_TRACKS:
        return None
    return fit_affine_robustly(tracks.end_px[follow], tracks.start_px[follow], threshold_px=_FIT_THRESHOLD_PX)


def _agreement(first: Image, second: Image, mask: NDArray[np.bool_]) -> float:
    """Mean local correlation where both pictures show structure and the edit covers the original."""
    correlation = local_correlation(first, second, sigma_px=_STRUCTURE_SIGMA_PX, floor=0.35)
    energy = blur(first * first, _STRUCTURE_SIGMA_PX) * blur(second * second, _STRUCTURE_SIGMA_PX)
    weight = np.sqrt(np.maximum(energy, 0)) * mask
    # A map that leaves only a sliver of the edit in the frame could agree by chance there.
    return float((correlation * weight).sum() / max(float(weight.sum()), 0.02 * weight.size))


def _warp(moving: Image, matrix: Matrix, size: tuple[int, int]) -> Image:
    import cv2

    warped = cv2.warpAffine(
        moving, cv_matrix(matrix)[:2], size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT_101
    )
    return np.clip(warped, 0, 1).astype(np.float32, copy=False)


def _covered(moving: Image, matrix: Matrix, size: tuple[int, int]) -> NDArray[np.bool_]:
    import cv2

    inside = np.ones(moving.shape[:2], dtype=np.uint8)
    covered: NDArray[np.bool_] = cv2.warpAffine(inside, cv_matrix(matrix)[:2], size, flags=cv2.INTER_NEAREST) > 0
    return covered


def _working_size(size: tuple[int, int]) -> tuple[int, int]:
    width, height = size
    factor = min(_WORKING_SIDE_PX / max(size), 1.0)
    if min(size) * factor < _SMALLEST_WORKING_SIDE_PX:
        factor = min(_SMALLEST_WORKING_SIDE_PX / min(size), _WORKING_SIDE_PX / max(size))
    return max(round(width * factor), MIN_SIDE_PX), max(round(height * factor), MIN_SIDE_PX)


def _report_of(fit: _Fit, frame: Image, moving: Image, sizes: _Sizes) -> AlignmentReport:
    to_original = scaling(sizes.original[0] / frame.shape[1], sizes.original[1] / frame.shape[0])
    to_moving = scaling(moving.shape[1] / sizes.edited[0], moving.shape[0] / sizes.edited[1])
    matrix = to_original @ fit.matrix @ to_moving
    inverse = np.linalg.inv(matrix).astype(np.float64)
    x_scale, y_scale, rotation_deg = stretch_and_rotation(inverse)
    mirrored = y_scale < 0
    if mirrored:
        # Read as a left-right mirror followed by the rest, so that a plain mirror has no rotation.
        x_scale, y_scale, rotation_deg = stretch_and_rotation(inverse @ scaling(-1, 1))
    centre = np.array([sizes.original]) / 2
    per_edited = np.array(sizes.original) / np.array(sizes.edited)
    shift = (apply_matrix(inverse, centre) * per_edited - centre)[0]
    px_per_working = float(np.sqrt(to_original[0, 0] * to_original[1, 1]))
    median, p90 = np.percentile(fit.residuals_px, [50, 90])
    # Scattered tracks (blur, noise) measure less exactly, so they must show more before things count as moved.
    tolerance = (_ALIGNED_TOLERANCE_PX + float(median)) * max(px_per_working, 1.0)
    moved = _largest_movement_px(matrix, sizes) > tolerance
    if mirrored:
        status, reason = AlignmentStatus.MIRRORED, "the edit is a mirror image of the original"
    elif moved or sizes.original != sizes.edited:
        status = AlignmentStatus.MAPPED
        reason = (
            f"shift ({shift[0]:+.1f}, {shift[1]:+.1f}) px, scale {np.sqrt(x_scale * y_scale):.3f}, "
            f"rotation {rotation_deg:+.1f} degrees"
        )
    else:
        status, reason = AlignmentStatus.ALIGNED, "nothing moved"
    support = min(fit.inlier_share / 0.5, 1.0)
    return AlignmentReport(
        status=status,
        shift_px=(float(shift[0]), float(shift[1])),
        scale=float(np.sqrt(abs(x_scale * y_scale))),
        rotation_deg=rotation_deg,
        matrix=tuple((float(a), float(b), float(c)) for a, b, c in matrix),
        original_size=sizes.original,
        edited_size=sizes.edited,
        residual_px=float(median) * px_per_working,
        residual_p90_px=float(p90) * px_per_working,
        aspect_change=float(abs(x_scale / y_scale)),
        agreement=fit.agreement,
        confidence=float(np.clip(fit.agreement / _CERTAIN_AGREEMENT, 0, 1) * support),
        reason=reason,
    )


def _largest_movement_px(matrix: Matrix, sizes: _Sizes) -> float:
    """How far the map moves a corner of the edit, in original pixels, beyond the plain change of size."""
    width, height = sizes.edited
    corners = np.array([[0, 0], [width, 0], [0, height], [width, height]], dtype=np.float64)
    plain = corners * (np.array(sizes.original) / np.array(sizes.edited))
    return float(np.linalg.norm(apply_matrix(matrix, corners) - plain, axis=1).max())
