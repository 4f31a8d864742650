"""Fitting 3D Gaussians to posed pictures or RGB-D, on the CPU or on CUDA.

`fit` needs torch (``pip install "seeworthy[torch]"``), which is imported when it runs.
"""

from .fitting import Fit, fit
from .settings import FitSettings, Growth, LearningRates
from .trainer import StepReport, Trainer, ViewScore
from .views import FitData, FitPoints, FitView

__all__ = [
    "Fit",
    "FitData",
    "FitPoints",
    "FitSettings",
    "FitView",
    "Growth",
    "LearningRates",
    "StepReport",
    "Trainer",
    "ViewScore",
    "fit",
]
