"""Pictures: reading any file as a person sees it, and the colour arithmetic that everything else stands on."""

from .arrays import picture_from_array
from .colour import linear_from_srgb, linear_from_u8, srgb_from_linear, srgb_from_u8, u8_from_srgb
from .depth import load_depth
from .limits import ImageLimits
from .loading import load_image, picture_from_bytes
from .picture import Picture
from .validation import ImageProblem, validate_images

__all__ = [
    "ImageLimits",
    "ImageProblem",
    "Picture",
    "linear_from_srgb",
    "linear_from_u8",
    "load_depth",
    "load_image",
    "picture_from_array",
    "picture_from_bytes",
    "srgb_from_linear",
    "srgb_from_u8",
    "u8_from_srgb",
    "validate_images",
]
