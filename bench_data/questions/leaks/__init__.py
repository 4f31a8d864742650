"""Leak audit: guessers that see options or text, but no picture, have to stay at chance."""

from .audit import audit_leaks
from .items import Item, as_item
from .report import ALL_KINDS, ConstantGuess, Guess, LeakReport

__all__ = ["ALL_KINDS", "ConstantGuess", "Guess", "Item", "LeakReport", "as_item", "audit_leaks"]
