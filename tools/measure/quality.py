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
from .treated_parts import treated_parts

__all__ = ["QUALITY_PARTS", "QualityComparison", "QualityReport", "compare_quality", "measure_quality"]

QUALITY_PARTS: tuple[str, ...] = tuple(dict.fromkeys(FEATURE_PARTS.values()))
"""Names of the parts: exposure, clipping, contrast, sharpness, naturalness, noise, blockiness, ..."""

_LEAST_SIDE_PX = 32
_NEUTRAL_SCORE = 0.5

# Calibrated on tools and treatments of calibration photographs: those that came nearer to the truth gain 0.13 and more,
# outputs for clean photographs at most 0.06 where they change little.
_LEAST_GAIN = 0.1
# A change of everything must gain this much more, so that restyling a clean picture is no improvement.
_GAIN_PER_CHANGE = 0.2
# Halo (overshoot at edges, see quality_features) that sharpening may add, and the halo that photographs show at most.
_MOST_ADDED_HALO, _NATURAL_HALO = 0.12, 0.25
# The score hardly sees a cast, as a scene may have any colour; between two versions of one scene, this much less cast
# (degrees) counts like a gain of 1, where there was more cast than neutral scenes show.
_CAST_PER_GAIN_DEG, _NEUTRAL_CAST_DEG = 18.0, 7.0
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
        gain: rise of the natural logarithm of the score; 0 = as good as before.
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

    The gain has to exceed a threshold that grows with how much was changed, and it must lie in parts that the treated
    stress spoils. Sharpening that adds halos is refused. Without a stress that spoils any part, the whole gain counts.

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
    rises = {part: _log_ratio(second.parts[part], first.parts[part]) for part in QUALITY_PARTS}
    if Stress.COLOUR_CAST in treats:
        rises["white_balance"] += _less_cast(first, second)
    gain = sum(rises.values())
    treated_gain = sum(rises[part] for part in treated) if treated else gain
    change = _change(before, after)
    fault = _fault(gain, treated_gain, change, _DETAIL_PARTS & set(treated), first, second)
    return QualityComparison(
        before=first,
        after=second,
        treated=treated,
        gain=gain,
        treated_gain=treated_gain,
        change=change,
        improved=fault is None,
        reason=fault or f"better by {gain:.2f}, {_best_parts(rises)}",
    )


_DETAIL_PARTS = frozenset(("sharpness",))


def _fault(
    gain: float,
    treated_gain: float,
    change: float,
    sharpened: frozenset[str] | set[str],
    first: QualityReport,
    second: QualityReport,
) -> str | None:
    if not (first.features and second.features):
        return f"no improvement can be seen on pictures below {_LEAST_SIDE_PX} pixels"
    demanded = _LEAST_GAIN + _GAIN_PER_CHANGE * change
    if gain < demanded:
        return f"no improvement: gain {gain:.2f}, and a change of {change:.2f} must gain {demanded:.2f}"
    if treated_gain < _LEAST_GAIN / 2:
        return f"no improvement of what was to be treated: gain there {treated_gain:.2f} of {gain:.2f}"
    halo = second.features.get("halo", 0.0)
    if sharpened and halo > _NATURAL_HALO and halo - first.features.get("halo", 0.0) > _MOST_ADDED_HALO:
        return f"over-sharpened: edges overshoot by {halo:.0%} of their step"
    return None


def _less_cast(first: QualityReport, second: QualityReport) -> float:
    before_deg, after_deg = (report.features.get("cast_deg", 0.0) for report in (first, second))
    if max(before_deg, after_deg) <= _NEUTRAL_CAST_DEG:
        return 0.0
    return (before_deg - after_deg) / _CAST_PER_GAIN_DEG


def _log_ratio(after: float, before: float) -> float:
    least = 1e-12
    return float(np.log(max(after, least) / max(before, least)))


def _change(before: NDArray[np.float32], after: NDArray[np.float32]) -> float:
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
