"""The embedded model's training: a small vision-language model, taught on rendered rooms and derived questions."""

from .stage import StageSettings
from .training import NAMES, TrainingPlan, train

__all__ = ["NAMES", "StageSettings", "TrainingPlan", "train"]
