"""``seeworthy doctor``: what works on this machine, and whether a model answers."""

from __future__ import annotations

from typing import Annotated

import typer

from .common import ExitCode, build_model

__all__ = ["doctor"]


def doctor(
    model: Annotated[str | None, typer.Option("--model", "-m", help="Also ask this model something.")] = None,
    model_option: Annotated[
        list[str] | None, typer.Option("--model-option", help="key=value for the provider; may be repeated.")
    ] = None,
) -> int:
    """Check the installation, list model providers, and try a model."""
    import asyncio

    from ..checkup import check_installation, check_model

    findings = check_installation()
    if model:
        findings += asyncio.run(check_model(build_model(model, model_option or [])))
    marks = {"ok": "ok  ", "note": "note", "bad": "BAD "}
    for finding in findings:
        typer.echo(f"{marks[finding.level]}  {finding.what}: {finding.text}")
    return ExitCode.FAILED if any(finding.level == "bad" for finding in findings) else ExitCode.OK
