"""``seeworthy data convert``: a suite in another format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..common import ExitCode, UsageError, say

if TYPE_CHECKING:
    from ....bench_data.suites import SuiteItem

__all__ = ["convert"]

_SHOWN = 12


def convert(
    suite: Annotated[
        Path | None, typer.Argument(metavar="SUITE", help="A suite's file or folder, or a data set.")
    ] = None,
    to: Annotated[str | None, typer.Option("--to", metavar="FORMAT", help="The new format; see --list.")] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="The file to write, or the folder for formats that are one.")
    ] = None,
    source_format: Annotated[
        str | None, typer.Option("--from", metavar="FORMAT", help="Of SUITE; told by the content if not given.")
    ] = None,
    condition: Annotated[
        list[str] | None, typer.Option("--condition", help="Only pictures of this condition; may be repeated.")
    ] = None,
    family: Annotated[
        list[str] | None, typer.Option("--suite", help="Only questions of this suite; may be repeated.")
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
    items = _only(items, "condition", condition or [])
    items = _only(items, "suite", family or [])
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


def _only(items: Iterable[SuiteItem], what: Literal["condition", "suite"], wanted: list[str]) -> Iterator[SuiteItem]:
    """The items of the wanted conditions or suites, all if none is named.

    Raises:
        UsageError: at the end, before the written file takes its name: no item had one of the names.
    """
    seen: set[str] = set()
    for item in items:
        name = item.condition if what == "condition" else item.suite
        seen.add(name)
        if not wanted or name in wanted:
            yield item
    missing = [name for name in wanted if name not in seen]
    if missing:
        there = ", ".join(sorted(seen - {""})[:_SHOWN]) or "none"
        raise UsageError(f"no question has the {what} {missing[0]!r}; there are: {there}")


def _listing() -> str:
    from ....bench_data.suites import SUITE_FORMATS

    lines = []
    for name, spec in SUITE_FORMATS.specs():
        ways = "/".join(way for way, does in (("read", spec.read), ("write", spec.write)) if does)
        lines.append(f"{name:<14} {ways:<11} {spec.layout:<7} {spec.summary}")
    lines += [f"plug-in {name} could not be loaded: {why}" for name, why in SUITE_FORMATS.plugin_errors.items()]
    return "\n".join(lines)
