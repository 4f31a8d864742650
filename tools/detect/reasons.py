"""One sentence for people on why a stress was found."""

from __future__ import annotations

from collections.abc import Mapping

from ...bench_data.stress import Stress
from .features import PictureFeatures

__all__ = ["reason_for"]

_CLEAR_ANISOTROPY = 0.25
_LINE_ANISOTROPY = 0.6


def reason_for(stress: Stress, features: PictureFeatures, parameters: Mapping[str, float]) -> str:
    """The sentence, with the numbers that a person would look at."""
    exposure, air, noise, blocks = features.exposure, features.atmosphere, features.noise, features.blocks
    match stress:
        case Stress.LOW_LIGHT:
            return f"bright parts reach {exposure.white_linear:.1%} of white, the median {exposure.median_linear:.1%}"
        case Stress.OVER_EXPOSURE:
            return f"{exposure.any_clipped:.0%} of the picture is clipped and its shadows are lifted"
        case Stress.LOCAL_UNDEREXPOSURE:
            return (
                f"one part, {exposure.dark_patch.share:.0%} of the picture, lies in deep shadow while the rest is lit"
            )
        case Stress.LOCAL_OVEREXPOSURE:
            return f"one part, {exposure.bright_patch.share:.0%} of the picture, is blown out while the rest is not"
        case Stress.HAZE:
            return f"nothing is darker than {exposure.black_srgb:.0%} and colours are pale, as through grey air"
        case Stress.DEFOCUS:
            return f"edges are {features.edges.typical_px:.1f} px wide {_doubt(stress, features)}"
        case Stress.MOTION_BLUR:
            return (
                f"edges are smeared over about {parameters['length_px']:.0f} px "
                f"along {parameters['angle_deg']:.0f} degrees"
                f"{_doubt(stress, features)}"
            )
        case Stress.NOISE:
            return f"grain of {noise.channel_std:.1f} grey levels in flat parts"
        case Stress.JPEG_COMPRESSION:
            quality = f", libjpeg quality about {blocks.quality:.0f}" if blocks.quality > 0 else ""
            return f"steps of {blocks.jump:.1f} grey levels on an 8-pixel grid{quality}"
        case Stress.LOW_RES:
            return f"detail for about {parameters['scale']:.0%} of the pixels along each side, enlarged"
        case Stress.COLOUR_CAST:
            return (
                f"everything leans to one hue; grey needs gains of {parameters['red_gain']:.2f} in red "
                f"and {parameters['blue_gain']:.2f} in blue"
            )
        case Stress.LOW_CONTRAST:
            return f"tones span {air.range_srgb:.0%} of the range from black to white"
        case _:
            return ""


def _doubt(stress: Stress, features: PictureFeatures) -> str:
    """How sure the kind of blur is, and the other kind's name where it is not."""
    anisotropy = features.edges.anisotropy
    if stress is Stress.DEFOCUS:
        return (
            "in all directions"
            if anisotropy < _CLEAR_ANISOTROPY
            else "and not alike in all directions; it may be motion blur"
        )
    return "" if anisotropy > _LINE_ANISOTROPY else "; it may be defocus"
