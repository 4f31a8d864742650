"""Errors of the solver."""

from __future__ import annotations

from ..bench_data.errors import SeeworthyError

__all__ = ["ModelUnavailableError", "SolverError"]


class SolverError(SeeworthyError):
    """The solver cannot go on."""


class ModelUnavailableError(SolverError):
    """The model gave no reply. What was done so far is kept; the same call with the same run goes on from there."""
