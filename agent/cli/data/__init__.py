"""``seeworthy data``: building, looking at and checking data sets. One file a sub-command."""

from __future__ import annotations

import typer

from . import audit, build, convert, sft, show, validate

__all__ = ["app"]

app = typer.Typer(
    name="data", help="Builds, shows, checks and converts data sets.", no_args_is_help=True, rich_markup_mode=None
)
for _command in (build.build, show.show, audit.audit, validate.validate, convert.convert, sft.sft):
    app.command()(_command)
