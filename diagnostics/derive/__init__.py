"""The symbolic engine: what follows from a scene graph for a question, and how far a true graph would carry."""

from .derived import Derived, Status
from .engine import Deriver, derive
from .numbering import Numbering, numbers_by_name

__all__ = ["Derived", "Deriver", "Numbering", "Status", "derive", "numbers_by_name"]
