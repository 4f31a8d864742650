"""``seeworthy report``: runs as pages and tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .common import ExitCode, UsageError, say

__all__ = ["report"]


def report(
    run: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs over the same data.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder of the report; by default RUN/report for a single run.")
    ] = None,
    audit: Annotated[
        list[Path] | None, typer.Option("--audit", help="Folder of an audit, to be shown beside; may be repeated.")
    ] = None,
    examples: Annotated[int, typer.Option("--examples", min=0, max=200, help="So many of the worst, at most.")] = 12,
    times: Annotated[
        bool, typer.Option("--times/--no-times", help="With dates and durations, which differ where replies do not.")
    ] = True,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No tables on stdout.")] = False,
) -> int:
    """Report on runs: scores, differences, severity, costs, worst examples, and all that was set; no call is made."""
    from ...diagnostics.report import report_summary
    from ...diagnostics.report.files import write_report

    if out is None and len(run) > 1:
        raise UsageError("name the folder of a report on several runs with -o FOLDER")
    target = out or run[0] / "report"
    summary = report_summary(run, audits=audit or [], examples=examples)
    if not times:
        summary = summary.without_times()
    files = write_report(summary, target, run)
    if not quiet:
        from ...diagnostics.report.writers.plain import plain_scores

        typer.echo(plain_scores(summary), nl=False)
    for one in summary.differences:
        say(f"{one.run} differs in {one.name}")
    say(f"page: {files[0]}; the same as report.md, report.tex, report.json and tables/*.csv beside it")
    return ExitCode.OK
