"""``seeworthy data validate``: every bad record of a suite, before any paid call."""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..common import ExitCode, say

if TYPE_CHECKING:
    from ....bench_data.suites import SuiteValidation

__all__ = ["validate"]


class Pictures(StrEnum):
    """How pictures are checked."""

    DECODE = "decode"
    EXISTS = "exists"
    NO = "no"


def validate(
    suite: Annotated[Path, typer.Argument(metavar="SUITE", help="A suite's file or folder, or a data set.")],
    format_name: Annotated[
        str | None, typer.Option("--format", help="Its format; told by the content if not given.")
    ] = None,
    pictures: Annotated[
        Pictures, typer.Option("--pictures", help="Decode each one whole, only look for it, or neither.")
    ] = Pictures.DECODE,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Name every bad record of a suite, with file, line, id and field. Exit code 1 when something is wrong."""
    from ....bench_data.suites import validate_suite

    result = validate_suite(suite, format=format_name, pictures=pictures.value)
    if as_json:
        typer.echo(json.dumps(_as_json(result), indent=1, ensure_ascii=False))
    else:
        for finding in result.findings:
            typer.echo(str(finding))
    say(
        f"{result.path} ({result.format}): {result.records:,} records, {result.pictures:,} pictures, "
        f"{len(result.errors):,} errors, {len(result.warnings):,} warnings"
    )
    if result.format == "data_set":
        say(f"`seeworthy data audit {result.path}` compares its files with their hashes, and checks keys and leaks")
    bad = result.findings if strict else result.errors
    return ExitCode.FAILED if bad else ExitCode.OK


def _as_json(result: SuiteValidation) -> dict[str, object]:
    return {
        "format": result.format,
        "path": str(result.path),
        "records": result.records,
        "pictures": result.pictures,
        "errors": len(result.errors),
        "warnings": len(result.warnings),
        "findings": [asdict(finding) for finding in result.findings],
    }
