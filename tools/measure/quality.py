"""How good a picture is without knowing its truth, and whether an edit made it better.

A picture's features (:mod:`.quality_features`) are turned into penalties: for each feature a few one-sided ramps, whose
weights are not negative, so a stronger fault never costs less. They were fitted so that clean photographs beat their
degraded versions, milder ones beat worse ones, and good repairs beat both their input and over-processing
(``benchmarks/fit_quality.py``; calibration photographs only). A part's score is ``exp(-penalty of the part)`` and the
whole is the product of its parts.

Limits, as measured by ``benchmarks/measures.py``: scores compare versions of one scene well and different scenes
only roughly; a soft, low-key photograph scores below a crisp bright one, though both are as they should be.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from ...bench_data.stress import Stress
from ..errors import ToolError
from .fidelity import SSIM_WINDOW_PX, ssim
from .inputs import checked_image, luma, working_image
from .quality_features import FEATURE_PARTS, quality_features
from .quality_model import part_penalties
from .structure import blur
from .treated_parts import DARK_PATCHES, GLARING_PATCHES, treated_parts

__all__ = ["QUALITY_PARTS", "QualityComparison", "QualityReport", "compare_quality", "measure_quality"]

QUALITY_PARTS: tuple[str, ...] = tuple(dict.fromkeys(FEATURE_PARTS.values()))
"""Names of the parts: exposure, clipping, contrast, sharpness, naturalness, noise, blockiness, ..."""

Image = NDArray[np.float32]

_DETAIL = "sharpness"
_LEAST_SIDE_PX = 32
_NEUTRAL_SCORE = 0.5

# Calibrated on tools and treatments of calibration photographs; benchmarks/measures.py counts them on others.
# Treatments that came nearer to the truth gain 0.13 and more; against blur, where the score sees less, 0.08 and more.
_LEAST_GAIN, _LEAST_GAIN_OF_DETAIL = 0.1, 0.05
# A change of everything must gain this much more, so that restyling is no improvement.
_GAIN_PER_CHANGE = 0.2
# Treated parts of clean photographs score 0.88 and more, those of severity 2 at most 0.84: above, nothing was wrong.
_NOTHING_TO_TREAT = 0.86
# What sharpening may add: halo (overshoot at edges), up to the halo that photographs show, and noise (natural
# logarithm of its standard deviation). Deconvolution that fits adds none; plain sharpening of blur adds 0.75 and more.
_MOST_ADDED_HALO, _NATURAL_HALO, _MOST_ADDED_NOISE = 0.12, 0.25, 0.45
# The score hardly sees a cast, as a scene may have any colour; between two versions of one scene, this much less cast
# (degrees) counts like a gain of 1, where there was more cast than neutral scenes show.
_CAST_PER_GAIN_DEG, _NEUTRAL_CAST_DEG = 18.0, 7.0
# Nor does it see a patch in deep shadow or in glare: so much less area (share of the picture) counts like a gain of 1.
_PATCH_PER_GAIN, _PATCH_SIGMA_PX, _DARK_LUMA, _GLARING_LUMA = 0.25, 6.0, 0.12, 0.94
_CHANGE_SIDE_PX = 320


class QualityReport(BaseModel):
    """The quality of one picture.

    Attributes:
        score: 0 to 1, higher is better.
        parts: the same for each part, 1 = no fault of that kind; the score is their product.
        features: the measured values, for the trace; empty for a picture too small to measure.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    score: float = Field(ge=0.0, le=1.0)
    parts: dict[str, float]
    features: dict[str, float] = Field(default_factory=dict)


class QualityComparison(BaseModel):
    """Whether an edit is an improvement.

    Attributes:
        before, after: the reports.
        treated: the parts that the treated stress spoils.
        gain: rise of the natural logarithm of the score, 0 = as good as before; with what the score cannot see of the
            treated stress (a cast, dark or glaring patches), and without naturalness where blur was treated.
        treated_gain: the share of it that the treated parts brought.
        change: how much was changed at all: 0 = nothing, 1 = no structure is alike (1 - SSIM of the two).
        improved: the gain is worth the change, and it lies in the treated parts.
        reason: one sentence for people.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    before: QualityReport
    after: QualityReport
    treated: tuple[str, ...]
    gain: float
    treated_gain: float
    change: float = Field(ge=0.0, le=1.0)
    improved: bool
    reason: str


def measure_quality(image_srgb: NDArray[np.float32]) -> QualityReport:
    """The quality of a picture (H, W, 3) float32 in [0, 1] (or uint8), by its statistics alone.

    Statistics need some pixels: a picture with a side below 32 gets 0.5 for everything and no features.

    Raises:
        ToolError: the picture has the wrong shape, range or type, or is not finite.
    """
    image = checked_image(image_srgb, "image_srgb")
    if min(image.shape[:2]) < _LEAST_SIDE_PX:
        return QualityReport(score=_NEUTRAL_SCORE, parts=dict.fromkeys(QUALITY_PARTS, _NEUTRAL_SCORE))
    features = quality_features(image)
    penalties = part_penalties(features)
    parts = {part: float(np.exp(-penalty)) for part, penalty in penalties.items()}
    return QualityReport(score=float(np.exp(-sum(penalties.values()))), parts=parts, features=features)


def compare_quality(
    before_srgb: NDArray[np.float32], after_srgb: NDArray[np.float32], *, treats: Collection[Stress]
) -> QualityComparison:
    """Whether an edit is an improvement for what it was to treat; both pictures show one scene, in place.

    There must have been something to treat, in the parts that the stress spoils; the gain has to exceed a threshold
    that grows with how much was changed, and it must lie in those parts. Sharpening that adds halos or noise is
    refused. Without a stress that spoils any part, the whole gain counts.

    Args:
        before_srgb, after_srgb: (H, W, 3) float32 in [0, 1] (or uint8) of one size.
        treats: the stresses that were to be treated.

    Raises:
        ToolError: the sizes differ, or a picture has the wrong shape, range or type, or is not finite.
    """
    before, after = checked_image(before_srgb, "before_srgb"), checked_image(after_srgb, "after_srgb")
    if before.shape != after.shape:
        raise ToolError(f"before_srgb and after_srgb must have one size, got {before.shape} and {after.shape}")
    first, second = measure_quality(before), measure_quality(after)
    treated = treated_parts(treats)
    rises = _rises(first, second, before, after, frozenset(treats))
    gain = sum(rises.values())
    treated_gain = sum(rises[part] for part in treated) if treated else gain
    comparison = QualityComparison(
        before=first,
        after=second,
        treated=treated,
        gain=gain,
        treated_gain=treated_gain,
        change=_change(before, after),
        improved=False,
        reason="",
    )
    fault = _nothing_to_treat(first, frozenset(treats)) or _too_little(comparison) or _overdone(comparison)
    reason = fault or f"better by {gain:.2f}, {_best_parts(rises)}"
    return comparison.model_copy(update={"improved": fault is None, "reason": reason})


def _rises(
    first: QualityReport, second: QualityReport, before: Image, after: Image, treats: frozenset[Stress]
) -> dict[str, float]:
    """Rise of the log score of each part, with what the score cannot see but the treated stress is about."""
    rises = {part: _log_ratio(second.parts[part], first.parts[part]) for part in QUALITY_PARTS}
    if _DETAIL in treated_parts(treats):
        # Removing blur removes grain from flat places as well, which makes their statistics less like a photograph's.
        rises["naturalness"] = 0.0
    if Stress.COLOUR_CAST in treats:
        rises["white_balance"] += _less_cast(first, second)
    if treats & (DARK_PATCHES | GLARING_PATCHES):
        rises["exposure"] += _less_patches(before, after, treats)
    return rises


def _nothing_to_treat(first: QualityReport, treats: frozenset[Stress]) -> str | None:
    treated = treated_parts(treats)
    if not treated or treats & (DARK_PATCHES | GLARING_PATCHES | {Stress.COLOUR_CAST}):
        return None
    room = float(np.prod([first.parts[part] for part in treated]))
    if room <= _NOTHING_TO_TREAT:
        return None
    return f"no improvement to be had: {', '.join(treated).replace('_', ' ')} already at {room:.2f}"


def _too_little(found: QualityComparison) -> str | None:
    if not (found.before.features and found.after.features):
        return f"no improvement can be seen on pictures below {_LEAST_SIDE_PX} pixels"
    least = _LEAST_GAIN_OF_DETAIL if _DETAIL in found.treated else _LEAST_GAIN
    demanded = least + _GAIN_PER_CHANGE * found.change
    if found.gain < demanded:
        return f"no improvement: gain {found.gain:.2f}, and a change of {found.change:.2f} must gain {demanded:.2f}"
    if found.treated_gain < least / 2:
        return f"no improvement of what was to be treated: gain there {found.treated_gain:.2f} of {found.gain:.2f}"
    return None


def _overdone(found: QualityComparison) -> str | None:
    """Why a gain of sharpness was bought too dearly, or None."""
    if _DETAIL not in found.treated:
        return None
    halo, halo_before = (report.features["halo"] for report in (found.after, found.before))
    if halo > _NATURAL_HALO and halo - halo_before > _MOST_ADDED_HALO:
        return f"over-sharpened: edges overshoot by {halo:.0%} of their step"
    noise, noise_before = (report.features["noise_in_smooth_places"] for report in (found.after, found.before))
    if noise - noise_before > _MOST_ADDED_NOISE:
        return f"over-sharpened: noise grew to {np.exp(noise - noise_before):.1f} times"
    return None


def _less_patches(before: Image, after: Image, treats: frozenset[Stress]) -> float:
    """Gain for patches that came out of deep shadow or out of glare."""
    smooth = [blur(luma(image), _PATCH_SIGMA_PX) for image in (before, after)]
    gain = 0.0
    if treats & DARK_PATCHES:
        gain += float((smooth[0] < _DARK_LUMA).mean() - (smooth[1] < _DARK_LUMA).mean()) / _PATCH_PER_GAIN
    if treats & GLARING_PATCHES:
        gain += float((smooth[0] > _GLARING_LUMA).mean() - (smooth[1] > _GLARING_LUMA).mean()) / _PATCH_PER_GAIN
    return gain


def _less_cast(first: QualityReport, second: QualityReport) -> float:
    before_deg, after_deg = (report.features.get("cast_deg", 0.0) for report in (first, second))
    if max(before_deg, after_deg) <= _NEUTRAL_CAST_DEG:
        return 0.0
    return (before_deg - after_deg) / _CAST_PER_GAIN_DEG


def _log_ratio(after: float, before: float) -> float:
    least = 1e-12
    return float(np.log(max(after, least) / max(before, least)))


def _change(before: Image, after: Image) -> float:
    """1 - SSIM of the luma, on pictures of at most 320 pixels a side; 0 for pictures below its window."""
    height, width = before.shape[:2]
    if min(height, width) < SSIM_WINDOW_PX:
        return 0.0
    factor = min(_CHANGE_SIDE_PX / max(height, width), 1.0)
    size = tuple(max(round(side * factor), SSIM_WINDOW_PX) for side in (width, height))
    small = [luma(working_image(image, (size[0], size[1]))) for image in (before, after)]
    return float(np.clip(1 - ssim(small[0], small[1], data_range=1.0), 0, 1))


def _best_parts(rises: dict[str, float]) -> str:
    largest = sorted(rises, key=lambda part: -rises[part])[:2]
    return "mostly " + " and ".join(part.replace("_", " ") for part in largest if rises[part] > 0)
