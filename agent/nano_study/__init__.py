"""The embedded models put to the test: one benchmark on held-out rooms, every number from one command."""

from .evaluate import evaluate
from .settings import StudySettings, study_settings

__all__ = ["StudySettings", "evaluate", "study_settings"]
