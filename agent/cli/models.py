"""``seeworthy models``: how models are named, and what each provider can be told."""

from __future__ import annotations

from typing import Annotated

import typer

from .common import ExitCode, say

__all__ = ["app"]

app = typer.Typer(help="The providers of models and their options.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _root() -> None:
    """The providers of models and their options."""


@app.command("list")
def list_models(
    provider: Annotated[str | None, typer.Argument(help="Only this provider, with its options.")] = None,
) -> int:
    """List the providers; with a name, the options that `--model-option key=value` takes."""
    from ...tools.models.registry import MODEL_PROVIDERS

    for name, reason in MODEL_PROVIDERS.plugin_errors.items():
        say(f"plug-in {name} could not be loaded: {reason}")
    if provider is None:
        for name, spec in MODEL_PROVIDERS.specs():
            typer.echo(f"{name}: {spec.summary}\n    for example {spec.example}")
        return ExitCode.OK
    spec = MODEL_PROVIDERS.get(provider)
    typer.echo(f"{provider}: {spec.summary}\n    for example {spec.example}")
    for option, text in spec.options.items():
        typer.echo(f"    --model-option {option}=  {text}")
    return ExitCode.OK
