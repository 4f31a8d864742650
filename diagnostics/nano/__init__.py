"""The embedded model's training: a small vision-language model, taught on rendered rooms and derived questions."""

from .begun import digests_of
from .plans import FurtherPlan, TrainingPlan
from .stage import StageSettings
from .training import NAMES, train

__all__ = ["NAMES", "FurtherPlan", "StageSettings", "TrainingPlan", "digests_of", "train"]
