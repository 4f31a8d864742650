"""The progress line of a run, on stderr: done, running, retrying, waiting, the last error, the cost so far."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .common import say

if TYPE_CHECKING:
    from ...diagnostics.runs import RunProgress

__all__ = ["shown_run_progress"]

_TENTHS = 10
_QUIET_S = 30.0


@contextmanager
def shown_run_progress() -> Iterator[Callable[[RunProgress], None]]:
    """A line that moves; where nobody watches, a plain line a tenth of the way, and twice a minute."""
    if not sys.stderr.isatty():
        yield _plain_lines()
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)
    with Live(Text(""), console=console, auto_refresh=False, transient=False) as live:

        def move(progress: RunProgress) -> None:
            line = progress.describe() + _time_left(progress)
            # One line, whatever the width: what moves must not jump.
            live.update(Text(line, no_wrap=True, overflow="ellipsis"), refresh=True)

        yield move


def _plain_lines() -> Callable[[RunProgress], None]:
    shown: tuple[int, float] | None = None

    def line(progress: RunProgress) -> None:
        nonlocal shown
        tenth = progress.done * _TENTHS // max(progress.total, 1)
        if shown is None or tenth != shown[0] or progress.elapsed_s - shown[1] >= _QUIET_S:
            shown = (tenth, progress.elapsed_s)
            say(progress.describe() + _time_left(progress))

    return line


def _time_left(progress: RunProgress) -> str:
    if progress.left_s is None or progress.left_s < 1:
        return ""
    left_s = round(progress.left_s)
    return f", {left_s // 3600}:{left_s % 3600 // 60:02d}:{left_s % 60:02d} to go"
