"""``seeworthy tools``: which tools there are."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from .common import ExitCode, say

__all__ = ["app"]

app = typer.Typer(help="The tools that repair pictures.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _root() -> None:
    """The tools that repair pictures."""


@app.command("list")
def list_tools(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False) -> int:
    """List the rectifiers, built-in and from plug-ins, with what each declares."""
    from ...tools.registry import RECTIFIERS

    rows = [
        {
            "name": name,
            "summary": spec.summary,
            "treats": sorted(stress.value for stress in spec.treats),
            "stage": spec.stage.value,
            "alignment": spec.alignment.value,
            "cost": spec.cost.value,
            "deterministic": spec.deterministic,
            "faithful": spec.faithful,
            "version": spec.version,
            "options": dict(spec.options),
        }
        for name, spec in RECTIFIERS.specs()
    ]
    for name, reason in RECTIFIERS.plugin_errors.items():
        say(f"plug-in {name} could not be loaded: {reason}")
    if as_json:
        typer.echo(json.dumps(rows, indent=1))
        return ExitCode.OK
    for row in rows:
        typer.echo(f"{row['name']}: {row['summary']}")
        treats = ", ".join(row["treats"]) or "nothing"  # type: ignore[arg-type]
        same = "same result each time" if row["deterministic"] else "varies"
        typer.echo(f"    treats {treats}")
        typer.echo(f"    pixels {row['alignment']}, {row['cost']}, {same}, version {row['version']}")
        for option, text in row["options"].items():  # type: ignore[attr-defined]
            typer.echo(f"    --option {option}=  {text}")
    return ExitCode.OK
