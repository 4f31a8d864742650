"""``seeworthy data convert``: a suite in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..common import ExitCode, UsageError, say

__all__ = ["convert"]


def convert(
    suite: Annotated[Path | None, typer.Argument(metavar="SUITE", help="A suite's file or folder.")] = None,
    to: Annotated[str | None, typer.Option("--to", metavar="FORMAT", help="The new format; see --list.")] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="The file to write, or the folder for formats that are one.")
    ] = None,
    source_format: Annotated[
        str | None, typer.Option("--from", metavar="FORMAT", help="Of SUITE; told by the content if not given.")
    ] = None,
    skip_refused: Annotated[
        bool, typer.Option("--skip-refused", help="Leave out, and count, what the new format cannot hold.")
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out bad records; `seeworthy data validate` names them.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
    show_list: Annotated[bool, typer.Option("--list", help="Print the formats, and stop.")] = False,
) -> int:
    """Write a suite in another format, pictures included; says what the format cannot hold."""
    from ....bench_data.suites import read_suite, write_suite

    if show_list:
        typer.echo(_listing())
        return ExitCode.OK
    if suite is None or to is None or out is None:
        raise UsageError("name a suite, its new format with --to and where to write with -o; --list shows formats")
    if out.resolve() == suite.resolve():
        raise UsageError(f"{out} is the suite itself; write the new one elsewhere")
    items = read_suite(suite, format=source_format, on_bad="skip" if skip_bad else "error")
    report = write_suite(items, out, to, on_refused="skip" if skip_refused else "error", overwrite=force)
    for reason, count in report.refused.items():
        say(f"left out {count:,}: {to} cannot hold {reason}")
    for loss in report.losses:
        say(f"note: {loss}")
    say(f"wrote {out}: {report.written:,} questions")
    if report.written == 0:
        say("error: nothing was written that could be asked")
        return ExitCode.FAILED
    return ExitCode.OK


def _listing() -> str:
    from ....bench_data.suites import SUITE_FORMATS

    lines = []
    for name, spec in SUITE_FORMATS.specs():
        ways = "/".join(way for way, does in (("read", spec.read), ("write", spec.write)) if does)
        lines.append(f"{name:<14} {ways:<11} {spec.layout:<7} {spec.summary}")
    lines += [f"plug-in {name} could not be loaded: {why}" for name, why in SUITE_FORMATS.plugin_errors.items()]
    return "\n".join(lines)
