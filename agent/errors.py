"""Errors of the solver."""

from __future__ import annotations

from ..bench_data.errors import SeeworthyError
from ..tools.models import Fault

__all__ = ["ModelUnavailableError", "SolverError"]


class SolverError(SeeworthyError):
    """The solver cannot go on."""


class ModelUnavailableError(SolverError):
    """The model gave no reply. What was done so far is kept; the same call with the same run folder goes on from there.

    Attributes:
        fault: what the last call met.
    """

    def __init__(self, model: str, fault: Fault) -> None:
        super().__init__(f"{model} gave no reply ({fault.kind.value}): {fault.message}")
        self.fault = fault
