"""3D Gaussian scenes: the cloud in memory, and every common file format."""

from .cloud import NO_INSTANCE, GaussianCloud
from .files import SplatFormat, read_splats, splat_format, write_splats
from .harmonics import SH_C0, sh_basis, sh_colours
from .points import cloud_from_points
from .summary import SplatSummary, summarise

__all__ = [
    "NO_INSTANCE",
    "SH_C0",
    "GaussianCloud",
    "SplatFormat",
    "SplatSummary",
    "cloud_from_points",
    "read_splats",
    "sh_basis",
    "sh_colours",
    "splat_format",
    "summarise",
    "write_splats",
]
