"""The judge's thresholds, each with what it protects, and the three profiles."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ...bench_data.stress import Stress

__all__ = ["CONTENT_CHANGES_EXPECTED", "FIDELITY", "PERCEPTION", "VIEW_CHANGES_EXPECTED", "WEIGHED", "JudgeSettings"]

CONTENT_CHANGES_EXPECTED = frozenset(
    (
        Stress.RAIN,
        Stress.SNOW,
        Stress.WATER_DROPLETS,
        Stress.LENS_FLARE,
        Stress.OCCLUSION,
        Stress.SPECULAR_CONFUSION,
        Stress.LOCAL_OVEREXPOSURE,
    )
)
"""Stresses that lie over the scene as things of their own: removing them is a local change of content."""

VIEW_CHANGES_EXPECTED = frozenset(
    (
        Stress.DISTORTION,
        Stress.ROLLING_SHUTTER,
        Stress.EXTREME_VIEWPOINT,
        Stress.TRUNCATED_OUT_OF_FRAME,
        Stress.SMALL_SCALE,
        Stress.CLUTTERED_LAYOUT,
        Stress.STACKED_LAYOUT,
        Stress.NON_RIGID_DEFORM,
        Stress.COMPLEX_TEXTURE,
    )
)
"""Stresses that a crop, a zoom or an undistortion treats: the view changes, the light does not."""


class JudgeSettings(BaseModel):
    """Thresholds of :func:`~seeworthy.tools.measure.judge.judge_edit`.

    Attributes:
        accept_measured_maps: an ``uncertain`` edit that shifted, zoomed or turned is accepted with its measured map;
            else only one that stayed in place is.
        most_residual_share: flow that may remain after the map, as a share of the longer side (0.003 = 2 px of 640).
        most_stretch: largest change of the width to height ratio of things.
        most_rotation_deg: largest turn.
        least_coverage: share of the original that a moved edit must still show.
        least_preservation: share of the structure that must survive. Classical repairs of the hardest degradations
            stay above 0.75; unrelated content lies below 0.2.
        most_changed_fraction: area that may show other content. A pasted object of 3 % of the area measures 0.009 at
            least, the artefacts of the tools on board 0.004 at most.
        most_changed_fraction_when_removing: the same where something that lies over the scene was to be removed.
        most_hue_rotation_deg: turn of all hues together; taking off a strong cast measures up to 27 degrees.
        least_gain: least rise of the quality score, beside what
            :func:`~seeworthy.tools.measure.quality.compare_quality` demands itself.
        most_loss_of_views: fall of the quality score that is accepted from a change of view.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    accept_measured_maps: bool = False
    most_residual_share: float = Field(default=0.003, gt=0)
    most_stretch: float = Field(default=1.02, ge=1)
    most_rotation_deg: float = Field(default=3.0, ge=0)
    least_coverage: float = Field(default=0.85, ge=0, le=1)
    least_preservation: float = Field(default=0.65, ge=0, le=1)
    most_changed_fraction: float = Field(default=0.006, ge=0, le=1)
    most_changed_fraction_when_removing: float = Field(default=0.15, ge=0, le=1)
    most_hue_rotation_deg: float = Field(default=40.0, ge=0, le=180)
    least_gain: float = 0.0
    most_loss_of_views: float = Field(default=0.1, ge=0)


FIDELITY = JudgeSettings()
"""The default: things stay exactly where they are, and nothing is added."""

WEIGHED = FIDELITY.model_copy(update={"most_changed_fraction": 0.1})
"""For classical tools alone, where answers to the repair are weighed against those to the original: what they bring up
from noise and rounding is no thing that was pasted in, and misleads less than thick haze does."""

PERCEPTION = JudgeSettings(
    accept_measured_maps=True,
    most_residual_share=0.006,
    most_stretch=1.5,
    most_rotation_deg=10.0,
    least_coverage=0.7,
    least_preservation=0.5,
    most_changed_fraction=0.008,
    most_changed_fraction_when_removing=0.25,
)
"""For generative editing: measured shifts and zooms are accepted with their map, and more may be repainted."""
