"""The progress line of a build, on stderr: stage, how far, how fast, how long yet."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..common import say

if TYPE_CHECKING:
    from ....bench_data.building import Progress

__all__ = ["shown_progress"]

_LINES_WITHOUT_TERMINAL = 10


@contextmanager
def shown_progress() -> Iterator[Callable[[Progress], None]]:
    """A line that moves, or some plain lines a stage where nobody watches."""
    begun: dict[str, float] = {}

    def rate(progress: Progress) -> float:
        started = begun.setdefault(progress.stage, time.monotonic())
        seconds = time.monotonic() - started
        return (progress.done - progress.before) / seconds if seconds > 0 else 0.0

    if not sys.stderr.isatty():
        shown: dict[str, int] = {}

        def line(progress: Progress) -> None:
            speed = rate(progress)
            tenth = progress.done * _LINES_WITHOUT_TERMINAL // max(progress.total, 1)
            if shown.get(progress.stage) != tenth:
                shown[progress.stage] = tenth
                say(f"{progress.stage} {progress.done}/{progress.total}{_speed(progress, speed)}")

        yield line
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}"),
    )
    with Bars(*columns, console=Console(stderr=True)) as bars:
        tasks = {}

        def move(progress: Progress) -> None:
            speed = rate(progress)
            if progress.stage not in tasks:
                tasks[progress.stage] = bars.add_task(progress.stage, total=progress.total, speed="")
            bars.update(
                tasks[progress.stage],
                completed=progress.done,
                total=progress.total,
                speed=_speed(progress, speed).removeprefix("  "),
            )

        yield move


def _speed(progress: Progress, speed: float) -> str:
    if speed <= 0:
        return ""
    left_s = round((progress.total - progress.done) / speed)
    pace = f"{speed:.1f}/s" if speed >= 1 else f"{1 / speed:.1f} s each"
    return f"  {pace}, {left_s // 60}:{left_s % 60:02d} to go" if left_s else f"  {pace}"
