"""``seeworthy replies``: how replies are read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .common import ExitCode

__all__ = ["app"]

app = typer.Typer(help="How the replies of models are read.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _root() -> None:
    """How the replies of models are read."""


@app.command("check")
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="Replies with the values they should give.")],
) -> int:
    """Parse replies with expected values and print every disagreement."""
    from ...diagnostics.replies import check_corpus, format_report

    report = check_corpus(file)
    typer.echo(format_report(report))
    return ExitCode.OK if report.ok else ExitCode.FAILED
