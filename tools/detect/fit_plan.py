"""Which statistics may speak for or against which stress, and in which direction physics lets them.

``+`` the score may only rise with the feature, ``-`` only fall, ``~`` either. ``log`` reads the feature on a log scale.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...bench_data.stress import Stress
from .grading import Scale

__all__ = ["FALSE_ALARM_RATES", "PLAN", "Term"]

FALSE_ALARM_RATES: Mapping[Stress | None, float] = {
    None: 0.003,
    Stress.OVER_EXPOSURE: 0.035,
    Stress.LOCAL_OVEREXPOSURE: 0.005,
    Stress.LOCAL_UNDEREXPOSURE: 0.004,
    Stress.COLOUR_CAST: 0.004,
}
"""Share of clean pictures that may be accused of a stress, None for all not listed. White paper and a blown sky, a
lit stage and deep shade, a sunset and a cast differ by what is meant, not by pixels, so those four get more of the
budget of 5 %."""


@dataclass(frozen=True)
class Term:
    """One feature of a score: its name, +1 rising, -1 falling, 0 free, and its scale."""

    feature: str
    direction: int
    scale: Scale


def _terms(lines: str) -> tuple[Term, ...]:
    signs = {"+": 1, "-": -1, "~": 0}
    terms = []
    for line in lines.split():
        sign, _, rest = line.partition(":")
        name, _, scale = rest.partition("|")
        terms.append(Term(name, signs[sign], Scale.LOG if scale == "log" else Scale.LINEAR))
    return tuple(terms)


PLAN: Mapping[Stress, tuple[Term, ...]] = {
    Stress.LOW_LIGHT: _terms(
        """
        -:exposure.white_linear|log -:exposure.median_linear|log -:exposure.key_linear|log -:exposure.white_srgb
        +:exposure.dark_patch_share -:exposure.tile_spread_stops -:exposure.peak_srgb
        """
    ),
    Stress.OVER_EXPOSURE: _terms(
        """
        +:exposure.soft_clipped|log ~:exposure.hard_clipped|log +:exposure.partly_clipped|log +:exposure.all_clipped
        +:exposure.top_stop +:exposure.nearly_clipped +:exposure.median_linear|log +:exposure.shadow_srgb
        +:exposure.white_linear|log +:exposure.key_linear|log -:atmosphere.airlight_tint ~:atmosphere.saturation_mean
        -:exposure.tile_spread_stops +:exposure.black_srgb ~:atmosphere.range_middle_srgb
        ~:colour.chroma_least ~:colour.bright_chroma ~:colour.bright_agreement ~:colour.blue_over_green
        ~:atmosphere.veil_local_ratio|log ~:atmosphere.transmission
        """
    ),
    Stress.HAZE: _terms(
        """
        +:atmosphere.dark_low|log +:atmosphere.dark_median|log +:exposure.black_srgb +:exposure.shadow_srgb
        -:atmosphere.saturation_high -:atmosphere.saturation_mean ~:atmosphere.airlight_linear
        -:atmosphere.airlight_tint -:exposure.all_clipped ~:atmosphere.range_srgb
        -:atmosphere.local_contrast|log -:atmosphere.veil_local_ratio|log ~:exposure.white_srgb
        -:atmosphere.transmission
        """
    ),
    Stress.DEFOCUS: _terms(
        """
        +:edges.sharpest_px|log +:edges.typical_px|log +:edges.narrow_direction_px|log +:edges.relative_px_per_1000|log
        -:edges.anisotropy -:resolution.high_ratio -:resolution.slope ~:resolution.steepest +:edges.reblur
        -:resolution.cutoff -:noise.patch_std|log -:blocks.jump_ratio -:noise.luma_flat_std|log
        """
    ),
    Stress.MOTION_BLUR: _terms(
        """
        +:edges.wide_direction_px|log +:edges.typical_px|log +:edges.relative_px_per_1000|log +:edges.anisotropy
        ~:resolution.high_ratio -:resolution.slope +:edges.reblur ~:resolution.steepest -:noise.patch_std|log
        -:edges.gradient_kurtosis|log -:blocks.jump_ratio
        """
    ),
    Stress.NOISE: _terms(
        """
        +:noise.chroma_flat_std|log +:noise.channel_std|log +:noise.luma_flat_std|log +:noise.patch_std|log
        +:noise.chroma_median_std|log +:resolution.slope -:blocks.jump_ratio +:resolution.high_ratio
        """
    ),
    Stress.JPEG_COMPRESSION: _terms(
        """
        +:blocks.jump|log +:blocks.jump_ratio +:blocks.phase_score|log +:blocks.quality_fit +:blocks.step|log
        +:blocks.zero_excess -:noise.chroma_flat_std|log
        """
    ),
    Stress.LOW_RES: _terms(
        """
        +:resolution.resampling|log -:resolution.slope -:resolution.middle_ratio -:resolution.high_ratio
        +:resolution.steepest ~:edges.typical_px|log -:edges.anisotropy -:resolution.scale -:resolution.cutoff
        -:noise.patch_std|log +:edges.reblur -:blocks.jump_ratio ~:edges.sharpest_px|log
        """
    ),
    Stress.COLOUR_CAST: _terms(
        """
        +:colour.edge_angle_deg +:colour.white_angle_deg +:colour.chroma_least -:colour.neutral_share
        +:colour.bright_chroma +:colour.bright_agreement +:colour.hue_concentration -:colour.chroma_mean
        +:colour.common_tint_deg +:colour.mode_share -:colour.grey_share +:atmosphere.airlight_tint
        """
    ),
    Stress.LOW_CONTRAST: _terms(
        """
        -:atmosphere.range_srgb -:atmosphere.rms_contrast|log -:atmosphere.range_middle_srgb +:exposure.black_srgb
        -:exposure.white_srgb +:atmosphere.dark_low|log -:atmosphere.local_contrast|log -:atmosphere.airlight_linear
        -:exposure.any_clipped
        """
    ),
    Stress.LOCAL_UNDEREXPOSURE: _terms(
        """
        +:exposure.tile_spread_stops +:exposure.dark_patch_share +:exposure.dark_detail -:exposure.shadow_srgb
        +:exposure.white_linear|log +:exposure.median_linear|log ~:exposure.black_srgb ~:exposure.key_linear|log
        """
    ),
    Stress.LOCAL_OVEREXPOSURE: _terms(
        """
        +:exposure.bright_patch_share|log +:exposure.soft_clipped|log ~:exposure.hard_clipped|log
        +:exposure.partly_clipped|log +:exposure.tile_spread_stops ~:exposure.median_linear|log ~:exposure.shadow_srgb
        +:exposure.white_linear|log ~:atmosphere.rms_contrast -:atmosphere.airlight_tint ~:exposure.key_linear|log
        ~:exposure.top_stop
        """
    ),
}
