"""3D Gaussian scenes: the cloud in memory, and every common file format."""

from .cloud import NO_INSTANCE, GaussianCloud
from .harmonics import SH_C0, sh_colours

__all__ = ["NO_INSTANCE", "SH_C0", "GaussianCloud", "sh_colours"]
