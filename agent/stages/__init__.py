"""One file a stage: each a function of state and context to a state update, testable without LangGraph."""

from .cross_check import cross_check
from .detect import ask_model_for_stress, detect_offline
from .plan import plan
from .reason import reason
from .rectify import rectify
from .verify import verify

__all__ = [
    "ask_model_for_stress",
    "cross_check",
    "detect_offline",
    "plan",
    "reason",
    "rectify",
    "verify",
]
