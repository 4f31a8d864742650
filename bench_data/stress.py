"""The vocabulary of visual stress: what can be wrong with a picture or hard about a scene.

Three sets, one enum, so that a detector, a rectifier, a degradation and a benchmark tag all speak of the same thing:

* the thirteen **degradations** that the renderer can apply (SpaceDG's nine, and four more);
* the sixteen **scene tags** of RoboStressBench (arXiv 2606.00828, table 1), in four dimensions;
* three **signal faults** that a photograph shows and neither set names: noise, colour cast, low contrast.
"""

from __future__ import annotations

from enum import StrEnum

__all__ = ["DEGRADATIONS", "ROBOSTRESS_TAGS", "SIGNAL_FAULTS", "Stress", "StressDimension", "robostress_tag"]


class StressDimension(StrEnum):
    """Which part of image formation a stress belongs to; the letters M, V, L, G are RoboStressBench's."""

    MATERIAL = "M"
    VIEWPOINT = "V"
    LIGHTING = "L"
    GEOMETRY = "G"
    ATMOSPHERE = "A"
    OPTICS = "O"
    SENSOR = "S"
    CODEC = "C"


class Stress(StrEnum):
    """One named stress."""

    # SpaceDG's nine degradations and four more.
    DEFOCUS = "defocus"
    DISTORTION = "distortion"
    MOTION_BLUR = "motion_blur"
    HAZE = "haze"
    WATER_DROPLETS = "water_droplets"
    LOW_LIGHT = "low_light"
    OVER_EXPOSURE = "over_exposure"
    JPEG_COMPRESSION = "jpeg_compression"
    LOW_RES = "low_res"
    RAIN = "rain"
    SNOW = "snow"
    LENS_FLARE = "lens_flare"
    ROLLING_SHUTTER = "rolling_shutter"
    # Signal faults.
    NOISE = "noise"
    COLOUR_CAST = "colour_cast"
    LOW_CONTRAST = "low_contrast"
    # RoboStressBench's sixteen tags.
    DARK_ABSORPTIVE = "dark_absorptive"
    LOW_CONTRAST_BLEND = "low_contrast_blend"
    COMPLEX_TEXTURE = "complex_texture"
    TRANSPARENT = "transparent"
    SPECULAR_CONFUSION = "specular_confusion"
    EXTREME_VIEWPOINT = "extreme_viewpoint"
    TRUNCATED_OUT_OF_FRAME = "truncated_out_of_frame"
    SMALL_SCALE = "small_scale"
    GLOBAL_OVEREXPOSURE = "global_overexposure"
    LOCAL_OVEREXPOSURE = "local_overexposure"
    GLOBAL_UNDEREXPOSURE = "global_underexposure"
    LOCAL_UNDEREXPOSURE = "local_underexposure"
    OCCLUSION = "occlusion"
    NON_RIGID_DEFORM = "non_rigid_deform"
    STACKED_LAYOUT = "stacked_layout"
    CLUTTERED_LAYOUT = "cluttered_layout"

    @property
    def dimension(self) -> StressDimension:
        """The part of image formation it belongs to."""
        return _DIMENSION[self]

    @property
    def label(self) -> str:
        """The name in words, for people."""
        return self.value.replace("_", " ")


_DIMENSION: dict[Stress, StressDimension] = {
    **dict.fromkeys(
        (
            Stress.DARK_ABSORPTIVE,
            Stress.LOW_CONTRAST_BLEND,
            Stress.COMPLEX_TEXTURE,
            Stress.TRANSPARENT,
            Stress.SPECULAR_CONFUSION,
        ),
        StressDimension.MATERIAL,
    ),
    **dict.fromkeys(
        (Stress.EXTREME_VIEWPOINT, Stress.TRUNCATED_OUT_OF_FRAME, Stress.SMALL_SCALE), StressDimension.VIEWPOINT
    ),
    **dict.fromkeys(
        (
            Stress.GLOBAL_OVEREXPOSURE,
            Stress.LOCAL_OVEREXPOSURE,
            Stress.GLOBAL_UNDEREXPOSURE,
            Stress.LOCAL_UNDEREXPOSURE,
            Stress.COLOUR_CAST,
        ),
        StressDimension.LIGHTING,
    ),
    **dict.fromkeys(
        (Stress.OCCLUSION, Stress.NON_RIGID_DEFORM, Stress.STACKED_LAYOUT, Stress.CLUTTERED_LAYOUT),
        StressDimension.GEOMETRY,
    ),
    **dict.fromkeys((Stress.HAZE, Stress.RAIN, Stress.SNOW, Stress.LOW_CONTRAST), StressDimension.ATMOSPHERE),
    **dict.fromkeys(
        (Stress.DEFOCUS, Stress.DISTORTION, Stress.WATER_DROPLETS, Stress.LENS_FLARE), StressDimension.OPTICS
    ),
    **dict.fromkeys(
        (
            Stress.MOTION_BLUR,
            Stress.ROLLING_SHUTTER,
            Stress.LOW_LIGHT,
            Stress.OVER_EXPOSURE,
            Stress.NOISE,
        ),
        StressDimension.SENSOR,
    ),
    **dict.fromkeys((Stress.JPEG_COMPRESSION, Stress.LOW_RES), StressDimension.CODEC),
}

_ORDER = tuple(Stress)
DEGRADATIONS: tuple[Stress, ...] = _ORDER[: _ORDER.index(Stress.NOISE)]
SIGNAL_FAULTS: tuple[Stress, ...] = (Stress.NOISE, Stress.COLOUR_CAST, Stress.LOW_CONTRAST)
ROBOSTRESS_TAGS: tuple[Stress, ...] = _ORDER[_ORDER.index(Stress.DARK_ABSORPTIVE) :]

_AS_TAG = {
    Stress.LOW_LIGHT: Stress.GLOBAL_UNDEREXPOSURE,
    Stress.OVER_EXPOSURE: Stress.GLOBAL_OVEREXPOSURE,
    Stress.LOW_CONTRAST: Stress.LOW_CONTRAST_BLEND,
}


def robostress_tag(stress: Stress) -> Stress | None:
    """The RoboStressBench tag that ``stress`` is scored under, or None where that taxonomy has no word for it.

    >>> robostress_tag(Stress.LOW_LIGHT).value
    'global_underexposure'
    >>> robostress_tag(Stress.HAZE) is None
    True
    """
    if stress in ROBOSTRESS_TAGS:
        return stress
    return _AS_TAG.get(stress)
