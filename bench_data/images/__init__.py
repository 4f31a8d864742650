"""Pictures: reading any file as a person sees it, and the colour arithmetic that everything else stands on."""

from .colour import linear_from_srgb, srgb_from_linear, srgb_from_u8, u8_from_srgb
from .picture import Picture

__all__ = ["Picture", "linear_from_srgb", "srgb_from_linear", "srgb_from_u8", "u8_from_srgb"]
