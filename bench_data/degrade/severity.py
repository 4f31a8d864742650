"""Severity levels: a table of ranges per parameter, and uniform or logarithmic draws from it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..errors import BenchDataError
from .registry import Severity

__all__ = ["Range", "check_severity", "draw", "draw_log", "level_range"]

Range = tuple[float, float]


def check_severity(severity: object) -> Severity:
    """``severity`` when it is 0 to 5 or "bench"; anything else is an error."""
    if severity == "bench":
        return "bench"
    if isinstance(severity, int | np.integer) and not isinstance(severity, bool) and 0 <= severity <= 5:
        return int(severity)
    raise BenchDataError(f'severity {severity!r} is unknown; use 0 (nothing) to 5, or "bench" for the published range')


def level_range(table: Mapping[Severity, Range], severity: Severity) -> Range:
    """The range of one level; severity 0 has none, because identity has no parameters."""
    severity = check_severity(severity)
    if severity == 0:
        raise BenchDataError("severity 0 leaves the picture as it is and has no parameters to sample; use 1 to 5")
    return table[severity]


def draw(table: Mapping[Severity, Range], severity: Severity, rng: np.random.Generator) -> float:
    """A uniform draw from the level's range."""
    low, high = level_range(table, severity)
    return float(rng.uniform(low, high))


def draw_log(low: float, high: float, rng: np.random.Generator) -> float:
    """A draw whose logarithm is uniform: equal chance for each ratio."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))
