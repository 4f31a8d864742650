"""Diagnosis: which fault, if any, a model's scores under all conditions speak for, how surely, and what to do."""

from .diagnose import Diagnosis, ModeFinding, diagnose
from .evidence import Evidence, Score, scores_of
from .modes import ADVICE, MEANING, Mode, Quadrant, Thresholds

__all__ = [
    "ADVICE",
    "MEANING",
    "Diagnosis",
    "Evidence",
    "Mode",
    "ModeFinding",
    "Quadrant",
    "Score",
    "Thresholds",
    "diagnose",
    "scores_of",
]
