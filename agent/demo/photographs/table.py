"""The demo's table on the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from ....tools.measure.fidelity import mean_psnr_db
from .run import Row

__all__ = ["GroupSummary", "print_table", "summaries"]


class GroupSummary:
    """The rows of one stress, put together. PSNR is pooled over the mean squared errors."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = tuple(rows)
        stress = rows[0].case.stress
        self.label = stress.label if stress else "clean"
        self.clean = stress is None
        self.n = len(rows)
        self.detected = sum(row.detected_right for row in rows)
        self.repaired = sum(bool(row.tools) for row in rows)
        self.seconds = sum(row.seconds for row in rows) / self.n
        truth = [row.case.clean.image_srgb_u8 for row in rows]
        before = [row.case.picture.image_srgb_u8 for row in rows]
        after = [row.result.pictures.get(row.result.work[0].current).image_srgb_u8 for row in rows]
        self.psnr_before_db = mean_psnr_db(zip(truth, before, strict=True))
        self.psnr_after_db = mean_psnr_db(zip(truth, after, strict=True))
        self.ssim_before = sum(row.ssim_before for row in rows) / self.n
        self.ssim_after = sum(row.ssim_after for row in rows) / self.n
        self.tools = tuple(dict.fromkeys(tool for row in rows for tool in row.tools))


def summaries(rows: Sequence[Row]) -> list[GroupSummary]:
    """One summary a stress, in the order of the rows."""
    return [GroupSummary(list(group)) for _, group in groupby(rows, key=lambda row: row.case.stress)]


def print_table(rows: Sequence[Row]) -> None:
    """Prints the summaries to stdout."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Real photographs, degraded at severity 3; means over the photographs of a row")
    for column, justify in (
        ("stress", "left"),
        ("detected", "right"),
        ("repaired", "right"),
        ("PSNR dB", "right"),
        ("SSIM", "right"),
        ("s", "right"),
        ("tools", "left"),
    ):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    for group in summaries(rows):
        table.add_row(
            group.label,
            f"{group.detected}/{group.n}",
            f"{group.repaired}/{group.n}",
            f"{decibels(group.psnr_before_db)} → {decibels(group.psnr_after_db)}",
            f"{group.ssim_before:.3f} → {group.ssim_after:.3f}",
            f"{group.seconds:.1f}",
            ", ".join(group.tools) or "none",
        )
    Console(width=118).print(table)


def decibels(value: float) -> str:
    """A PSNR for people; identical pictures have no finite one."""
    return "∞" if math.isinf(value) else f"{value:.1f}"
