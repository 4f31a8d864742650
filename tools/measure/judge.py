"""The verdict on an edit: is it the same scene, in place, and better? Nothing that a tool says of itself counts here.

An edit passes four gates in turn, and the reason names the first that it fails: it is a picture at all; things stand
where they stood, or moved by a map that is known; it shows what the original shows; it is an improvement for the
stress that was to be treated.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, computed_field

from ...bench_data.stress import Stress
from ..coordinates import PixelMap
from ..errors import ToolError
from ..registry import Alignment
from ..under_marks import both_under_marks
from .alignment import AlignmentReport, AlignmentStatus, measure_alignment
from .content import ContentReport, measure_content
from .inputs import checked_image
from .judge_settings import CONTENT_CHANGES_EXPECTED, FIDELITY, VIEW_CHANGES_EXPECTED, JudgeSettings
from .quality import QualityComparison, compare_quality
from .warping import warp_to_original

__all__ = ["EditVerdict", "judge_edit"]

Image = NDArray[np.float32]


class EditVerdict(BaseModel):
    """Whether an edit may be shown instead of its original, and why.

    Attributes:
        accepted: it passed all gates.
        reason: one sentence for people, naming the gate that failed or what was gained.
        alignment, content, quality: the measurements; None for those that were not reached.
        pixel_map: from the edit, as it was handed in, to the original; None unless accepted. Points on the edit map
            through it, or :func:`~seeworthy.tools.measure.alignment.map_back` brings the edit onto the original's grid.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    accepted: bool
    reason: str
    alignment: AlignmentReport | None = None
    content: ContentReport | None = None
    quality: QualityComparison | None = None
    pixel_map: PixelMap | None = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def scores(self) -> dict[str, float]:
        """The numbers that decided, for the trace; ``gain`` ranks accepted edits of one picture."""
        found: dict[str, float] = {}
        if self.alignment is not None:
            found |= {
                "residual_px": self.alignment.residual_px,
                "shift_x_px": self.alignment.shift_px[0],
                "shift_y_px": self.alignment.shift_px[1],
                "scale": self.alignment.scale,
                "alignment_confidence": self.alignment.confidence,
            }
        if self.content is not None:
            found |= {
                "preservation": self.content.preservation,
                "changed_fraction": self.content.changed_fraction,
                "changed_regions": float(len(self.content.regions)),
                "hue_rotation_deg": self.content.hue_rotation_deg,
            }
        if self.quality is not None:
            found |= {
                "quality_before": self.quality.before.score,
                "quality_after": self.quality.after.score,
                "gain": self.quality.gain,
            }
        return found


def judge_edit(
    original_srgb: NDArray[np.float32],
    edited_srgb: NDArray[np.float32],
    *,
    expected_alignment: Alignment,
    treats: Stress | Collection[Stress],
    pixel_map: PixelMap | None = None,
    settings: JudgeSettings = FIDELITY,
    seed: int = 0,
) -> EditVerdict:
    """Judges an edit of a picture.

    Args:
        original_srgb: (H, W, 3) float32 in [0, 1], what the tool was given.
        edited_srgb: what it returned, trusted in no way: anything that is no picture is a rejection, not an error.
        expected_alignment: what the tool declares. ``pixel``: nothing may have moved. ``mapped``: the edit must agree
            with the original through ``pixel_map``. ``uncertain``: a measured map is accepted where the settings do.
        treats: the stress, or stresses, that the tool was to treat.
        pixel_map: the map that a ``mapped`` tool returned; without one the measured map is taken.
        settings: the thresholds; ``FIDELITY`` or ``PERCEPTION``, or your own.
        seed: of the alignment's random samples.

    Raises:
        ToolError: the *original* is not a usable picture.
    """
    original = checked_image(original_srgb, "original_srgb")
    wanted = frozenset((treats,)) if isinstance(treats, Stress) else frozenset(treats)
    try:
        edited = checked_image(edited_srgb, "the edit")
    except ToolError as error:
        return EditVerdict(accepted=False, reason=str(error))
    # Number marks that are the same in both say nothing of the repair, and would hide what it did.
    original, edited = both_under_marks(original, edited)
    if pixel_map is not None and not pixel_map.is_identity:
        mismatch = _map_mismatch(pixel_map, original, edited)
        if mismatch:
            return EditVerdict(accepted=False, reason=mismatch)
        # The promise is checked in the edit's frame: there a crop or zoom is compared at its own resolution.
        original, _ = warp_to_original(original, _inverse_rows(pixel_map), pixel_map.rectified_size)
    alignment = measure_alignment(original, edited, seed=seed)
    fault = _misplaced(alignment, expected_alignment, promised=pixel_map is not None, settings=settings)
    if fault:
        return EditVerdict(accepted=False, reason=fault, alignment=alignment)
    moved = alignment.status is AlignmentStatus.MAPPED and pixel_map is None
    measured = alignment.matrix if moved else _identity_rows()
    in_place, covered = warp_to_original(edited, measured, alignment.original_size)
    if moved and covered.mean() < settings.least_coverage:
        reason = f"the edit shows only {covered.mean():.0%} of the original"
        return EditVerdict(accepted=False, reason=reason, alignment=alignment)
    content = measure_content(original, in_place, covered=covered)
    fault = _changed(content, wanted, settings)
    if fault:
        return EditVerdict(accepted=False, reason=fault, alignment=alignment, content=content)
    quality = compare_quality(original, in_place, treats=wanted)
    final_map = pixel_map or (alignment.pixel_map if moved else PixelMap.identity(alignment.original_size))
    accepted, reason = _worth_it(quality, wanted, settings, moved=moved, alignment=alignment)
    return EditVerdict(
        accepted=accepted,
        reason=reason,
        alignment=alignment,
        content=content,
        quality=quality,
        pixel_map=final_map if accepted else None,
    )


def _misplaced(
    alignment: AlignmentReport, expected: Alignment, *, promised: bool, settings: JudgeSettings
) -> str | None:
    """Why the edit's geometry is not acceptable, or None."""
    status = alignment.status
    in_place = status is AlignmentStatus.ALIGNED
    if status in (AlignmentStatus.MIRRORED, AlignmentStatus.UNRELATED):
        return f"{status.value}: {alignment.reason}"
    if status is AlignmentStatus.UNDETERMINED:
        if alignment.original_size == alignment.edited_size and (expected is Alignment.PIXEL or promised):
            return None  # Nothing contradicts the declaration; the content gate still has to agree.
        return f"undetermined: {alignment.reason}, and this kind of tool needs proof"
    if alignment.edited_size != alignment.original_size and (expected is Alignment.PIXEL or promised):
        return f"the edit has size {alignment.edited_size}, not {alignment.original_size}"
    longer = max(alignment.original_size)
    if alignment.residual_px > settings.most_residual_share * longer:
        return f"parts moved against each other by {alignment.residual_px:.1f} px"
    if in_place:
        return None
    if promised:
        return f"things are not where the tool's map says: {alignment.reason}"
    if expected is Alignment.PIXEL or (expected is Alignment.UNCERTAIN and not settings.accept_measured_maps):
        return f"things moved: {alignment.reason}"
    stretch = max(alignment.aspect_change, 1 / alignment.aspect_change)
    if stretch > settings.most_stretch or abs(alignment.rotation_deg) > settings.most_rotation_deg:
        return f"too great a change of geometry: {alignment.reason}, stretched by {stretch:.2f}"
    return None


def _changed(content: ContentReport, treats: frozenset[Stress], settings: JudgeSettings) -> str | None:
    """Why the edit does not show what the original shows, or None."""
    if content.tones_inverted:
        return content.reason
    if content.preservation < settings.least_preservation:
        return f"only {content.preservation:.0%} of the structure is preserved"
    if abs(content.hue_rotation_deg) > settings.most_hue_rotation_deg:
        return f"all hues turned by {content.hue_rotation_deg:.0f} degrees"
    most = settings.most_changed_fraction
    if treats & CONTENT_CHANGES_EXPECTED:
        most = settings.most_changed_fraction_when_removing
    if content.changed_fraction > most:
        return f"content changed: {content.reason}"
    return None


def _worth_it(
    quality: QualityComparison,
    treats: frozenset[Stress],
    settings: JudgeSettings,
    *,
    moved: bool,
    alignment: AlignmentReport,
) -> tuple[bool, str]:
    mapped = f"; measured map: {alignment.reason}" if moved else ""
    if treats and treats <= VIEW_CHANGES_EXPECTED:
        # Another view of the same light: it need not look better, only not worse.
        fine = quality.gain >= -settings.most_loss_of_views
        return fine, ("no worse than the original" if fine else quality.reason) + mapped
    fine = quality.improved and quality.gain >= settings.least_gain
    return fine, quality.reason + mapped


def _map_mismatch(pixel_map: PixelMap, original: Image, edited: Image) -> str | None:
    sizes = (original.shape[1], original.shape[0]), (edited.shape[1], edited.shape[0])
    if (pixel_map.original_size, pixel_map.rectified_size) == sizes:
        return None
    return (
        f"the pixel map joins pictures of {pixel_map.original_size} and {pixel_map.rectified_size}, "
        f"but the pictures are {sizes[0]} and {sizes[1]}"
    )


def _inverse_rows(pixel_map: PixelMap) -> tuple[tuple[float, float, float], ...]:
    inverse = np.linalg.inv(pixel_map.matrix)
    return tuple((float(a), float(b), float(c)) for a, b, c in inverse)


def _identity_rows() -> tuple[tuple[float, float, float], ...]:
    return ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
