"""``seeworthy tools``: which tools there are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from .common import ExitCode, say

if TYPE_CHECKING:
    from ...tools.registry import RectifierSpec

__all__ = ["app"]

app = typer.Typer(help="The tools that repair pictures.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _root() -> None:
    """The tools that repair pictures."""


@app.command("list")
def list_tools(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False) -> int:
    """List the rectifiers, built-in and from plug-ins, with what each declares."""
    from ...tools.registry import RECTIFIERS

    for name, reason in RECTIFIERS.plugin_errors.items():
        say(f"plug-in {name} could not be loaded: {reason}")
    if as_json:
        typer.echo(json.dumps([_row(spec) for _, spec in RECTIFIERS.specs()], indent=1))
        return ExitCode.OK
    for name, spec in RECTIFIERS.specs():
        typer.echo(f"{name}: {spec.summary}")
        typer.echo(f"    treats {', '.join(sorted(spec.treats)) or 'nothing'}")
        same = "same result each time" if spec.deterministic else "varies"
        typer.echo(f"    pixels {spec.alignment.value}, {spec.cost.value}, {same}, version {spec.version}")
        for option, text in spec.options.items():
            typer.echo(f"    --option {option}=  {text}")
    return ExitCode.OK


def _row(spec: RectifierSpec) -> dict[str, object]:
    return {
        "name": spec.name,
        "summary": spec.summary,
        "treats": sorted(spec.treats),
        "stage": spec.stage.value,
        "alignment": spec.alignment.value,
        "cost": spec.cost.value,
        "deterministic": spec.deterministic,
        "faithful": spec.faithful,
        "version": spec.version,
        "options": dict(spec.options),
    }
