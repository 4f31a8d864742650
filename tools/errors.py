"""Errors of tools and models."""

from __future__ import annotations

from ..bench_data.errors import SeeworthyError

__all__ = ["ModelError", "ToolError"]


class ToolError(SeeworthyError):
    """A tool was called wrongly, or returned something that it must not return."""


class ModelError(SeeworthyError):
    """A model cannot be built or called at all: a bad name, a missing key, a missing package.

    What a server or a model does *during* a call is never raised: it is a ``Reply`` with its status.
    """
