"""Depth cleaning in five stages, with a map of what each removed."""

from .cleaning import CleanedDepth, clean_depth
from .settings import CleaningSettings, CleaningStage

__all__ = ["CleanedDepth", "CleaningSettings", "CleaningStage", "clean_depth"]
