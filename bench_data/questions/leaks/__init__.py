"""Leak audit: guessers that see options or text, but no picture, have to stay at chance."""

from .audit import audit_leaks, pooled
from .items import Item, as_item
from .judging import ALL_KINDS, FALSE_ALARMS, LEAST_QUESTIONS, LEAST_SCENES
from .report import ConstantGuess, Guess, LeakReport

__all__ = [
    "ALL_KINDS",
    "FALSE_ALARMS",
    "LEAST_QUESTIONS",
    "LEAST_SCENES",
    "ConstantGuess",
    "Guess",
    "Item",
    "LeakReport",
    "as_item",
    "audit_leaks",
    "pooled",
]
