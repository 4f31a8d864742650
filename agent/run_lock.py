"""One writer a question: a lock file that names its owner and that the system frees when the owner dies."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from ..bench_data.file_lock import held_alone
from .errors import SolverError

__all__ = ["hold"]


def hold(path: Path) -> AbstractContextManager[None]:
    """Holds the lock at ``path``.

    Raises:
        SolverError: another process, or another task of this one, holds it; the message names the process.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = path.parent.parent
    return held_alone(path, lambda owner: SolverError(f"this question is being solved in {folder} by {owner}; wait"))
