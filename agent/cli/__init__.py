"""The ``seeworthy`` command: one file a sub-command, argument wiring only."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Entry point of the console script."""
    from ...bench_data.memory import tune_glibc_malloc
    from .app import build_app
    from .common import run_app

    tune_glibc_malloc()
    sys.exit(run_app(build_app()))
