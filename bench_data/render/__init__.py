"""Drawing 3D Gaussian clouds: colour, depth, coverage and instances, through pinhole and fisheye lenses.

Two engines follow the same formulas: numba kernels on the CPU, and gsplat on CUDA. A third, slow one in float64 is what
both are compared with. None is imported before it draws.
"""

from .exposure import POSES, Exposure, exposure_ends, exposure_weights, render_exposure
from .rendering import render, render_many
from .result import Render
from .settings import Defocus, RenderSettings, TangentLimits

__all__ = [
    "POSES",
    "Defocus",
    "Exposure",
    "Render",
    "RenderSettings",
    "TangentLimits",
    "exposure_ends",
    "exposure_weights",
    "render",
    "render_exposure",
    "render_many",
]
