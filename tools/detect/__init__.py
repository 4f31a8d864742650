"""Stress detectors: what is wrong with a picture, by image statistics or by asking a model, and both fused."""

from .fusion import DEFAULT_RELIABILITIES, MEASURABLE, Reliability, fuse
from .model_prompt import detect_by_model
from .registry import DETECTORS, DetectorSpec, apply_detector, check_detector, detector
from .statistics import detect_by_statistics

__all__ = [
    "DEFAULT_RELIABILITIES",
    "DETECTORS",
    "MEASURABLE",
    "DetectorSpec",
    "Reliability",
    "apply_detector",
    "check_detector",
    "detect_by_model",
    "detect_by_statistics",
    "detector",
    "fuse",
]
