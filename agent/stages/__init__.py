"""One file a stage: each a function of state and context to a state update, testable without LangGraph."""

from .cross_check import cross_check
from .detect import detect_by_model_stage, detect_by_statistics_stage
from .plan import plan
from .reason import reason
from .rectify import rectify
from .verify import verify

__all__ = [
    "cross_check",
    "detect_by_model_stage",
    "detect_by_statistics_stage",
    "plan",
    "reason",
    "rectify",
    "verify",
]
