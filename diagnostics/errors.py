"""Errors of the diagnostics package."""

from __future__ import annotations

from ..bench_data.errors import SeeworthyError

__all__ = ["DiagnosticsError"]


class DiagnosticsError(SeeworthyError):
    """A metric, a statistic or a parser was given input that it cannot judge."""
