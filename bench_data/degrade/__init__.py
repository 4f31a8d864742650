"""Degradations: physical models of what goes wrong with a picture, from the air to the file."""

from .apply import compose, degrade, degrade_with, names_on_photographs, replay
from .record import Composition, DegradationRecord, Degraded
from .registry import (
    DEGRADATION_REGISTRY,
    DegradationParameters,
    DegradationSpec,
    EncodedEffect,
    FormationStage,
    LightEffect,
    SceneLight,
    Severity,
    codec_degradation,
    light_degradation,
)

__all__ = [
    "DEGRADATION_REGISTRY",
    "Composition",
    "DegradationParameters",
    "DegradationRecord",
    "DegradationSpec",
    "Degraded",
    "EncodedEffect",
    "FormationStage",
    "LightEffect",
    "SceneLight",
    "Severity",
    "codec_degradation",
    "compose",
    "degrade",
    "degrade_with",
    "light_degradation",
    "names_on_photographs",
    "replay",
]
