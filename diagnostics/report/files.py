"""Puts a report into a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..errors import DiagnosticsError
from ..runs import RunFolder
from .summary import ReportSummary
from .writers import CSV_FILES, csv_files, report_json, report_latex, report_markdown

__all__ = ["write_report"]


def write_report(summary: ReportSummary, target: Path, folders: Sequence[Path]) -> tuple[Path, ...]:
    """Writes ``report.html``, ``report.md``, ``report.tex``, ``report.json`` and ``tables/*.csv``.

    Tables of an earlier report that this one does not have are removed.

    Args:
        folders: of the runs, in the order of ``summary.runs``, for the pictures of the examples.

    Returns:
        The files.

    Raises:
        DiagnosticsError: a file cannot be written.
    """
    from .page import from_runs, report_page

    places = {card.label: RunFolder(folder) for card, folder in zip(summary.runs, folders, strict=True)}
    texts = {
        "report.html": report_page(summary, load_picture=from_runs(places)),
        "report.md": report_markdown(summary),
        "report.tex": report_latex(summary),
        "report.json": report_json(summary),
        **{f"tables/{name}": text for name, text in csv_files(summary).items()},
    }
    try:
        (target / "tables").mkdir(parents=True, exist_ok=True)
        for name in CSV_FILES:
            if f"tables/{name}" not in texts:
                (target / "tables" / name).unlink(missing_ok=True)
        for name, text in texts.items():
            part = target / f"{name}.part"
            # Half characters in names would stop the writing of all else.
            part.write_bytes(text.encode("utf-8", "replace"))
            part.replace(target / name)
    except OSError as error:
        raise DiagnosticsError(
            f"cannot write {error.filename or target}: {error.strerror or error}; check the path and free some room"
        ) from error
    return tuple(target / name for name in texts)
