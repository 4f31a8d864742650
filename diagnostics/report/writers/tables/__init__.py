"""The tables that people read, as text cells; Markdown and LaTeX only set them."""

from .cells import Table
from .comparisons import comparison_tables
from .curves import curve_tables
from .money import cost_tables
from .scores import score_tables
from .sensitivity import sensitivity_tables
from .settings import setting_tables
from .stress import consistency_tables, stress_tables

__all__ = [
    "Table",
    "comparison_tables",
    "consistency_tables",
    "cost_tables",
    "curve_tables",
    "score_tables",
    "sensitivity_tables",
    "setting_tables",
    "stress_tables",
]
