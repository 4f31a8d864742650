"""``seeworthy data audit``: do questions give their answers away, and are their keys right?"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..common import ExitCode, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from ....bench_data.building.auditing import Audit
    from ....bench_data.questions.leaks import Guess, LeakReport

__all__ = ["audit"]

_SHOWN = 20
_WIDTH = 120
"""Of tables that go to a file."""


def audit(
    inputs: Annotated[list[Path], typer.Argument(metavar="DIR|QUESTIONS.jsonl...", help="A data set, or files of it.")],
    truth: Annotated[
        Path | None, typer.Option("--truth", help="For files: the folder with the truths of their scenes.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option("--tolerance", min=0, max=1, help="What guessers may reach beyond chance.")
    ] = 0.03,
    files: Annotated[bool, typer.Option("--files/--no-files", help="Compare all files with the manifest.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
) -> int:
    """Check a data set: leaks, keys and files. Exit code 1 when something is wrong."""
    from ....bench_data.building.auditing import audit_data_set, audit_question_files

    folders = [path for path in inputs if path.is_dir()]
    if folders and len(inputs) > 1:
        raise UsageError(f"{folders[0]} is a folder; audit one data set at a time, or files of questions only")
    if folders:
        result = audit_data_set(folders[0], tolerance=tolerance, check_files=files)
    else:
        result = audit_question_files(inputs, truth, tolerance=tolerance)
    if as_json:
        typer.echo(json.dumps(_as_json(result), indent=1))
    else:
        _print_tables(result)
    return ExitCode.OK if result.ok else ExitCode.FAILED


def _as_json(result: Audit) -> dict[str, object]:
    return {
        "ok": result.ok,
        "files": result.files,
        "changed": list(result.changed),
        "leaks": {suite: _leaks(report) for suite, report in result.leaks.items()},
        "whole": _leaks(result.whole),
        "keys": None
        if result.keys is None
        else {
            suite: {
                "ok": report.ok,
                "questions": report.questions,
                "derived": dict(report.derived),
                "not_derived": dict(report.not_derived),
                "faults": [
                    {"question": fault.question, "kind": fault.kind, "what": fault.what} for fault in report.faults
                ],
            }
            for suite, report in result.keys.items()
        },
    }


def _leaks(report: LeakReport) -> dict[str, object]:
    return {
        "ok": report.ok,
        "questions": report.questions,
        "tolerance": report.tolerance,
        "too_few": dict(report.too_few),
        "guesses": [_guess(guess) for guess in report.guesses],
        "constants": [
            {"kind": one.kind, "questions": one.questions, "answer": one.answer, "score": one.score}
            for one in report.constants
        ],
    }


def _guess(guess: Guess) -> dict[str, object]:
    return {
        "guesser": guess.guesser,
        "sees": guess.sees,
        "kind": guess.kind,
        "questions": guess.questions,
        "scenes": guess.scenes,
        "accuracy": guess.accuracy,
        "chance": guess.chance,
        "beyond_chance": guess.excess,
        "interval_95": None if guess.interval is None else list(guess.interval),
        "p_value": guess.p_value,
        "too_few": guess.lacking,
        "leaks": guess.leaks,
    }


def _print_tables(result: Audit) -> None:
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else _WIDTH)
    for suite, report in result.leaks.items():
        _print_leaks(console, suite, report)
    if len(result.leaks) > 1:
        _print_leaks(console, "all suites", result.whole)
    _print_keys(console, result)
    if result.files is not None:
        wrong = len(result.changed)
        for name in result.changed[:_SHOWN]:
            console.print(f"missing or changed: {name}", highlight=False)
        console.print(
            f"{result.files - wrong} of {result.files} files are as the manifest says",
            highlight=False,
            style="bold red" if wrong else "",
        )


def _print_leaks(console: Console, name: str, report: LeakReport) -> None:
    from rich.table import Table

    table = Table(title=f"{name}: guessers that see no picture", title_justify="left", box=None, header_style="bold")
    for head in ("guesser", "kind"):
        table.add_column(head)
    for head in ("questions", "right", "chance", "beyond", "95 %", ""):
        table.add_column(head, justify="right", no_wrap=True)
    for one in report.shown:
        table.add_row(
            one.guesser,
            one.kind,
            str(one.questions),
            f"{one.accuracy:.1%}",
            f"{one.chance:.1%}",
            f"{one.excess:+.1%}",
            one.interval_text,
            one.verdict,
            style="bold red" if one.leaks else "",
        )
    if report.shown:  # a suite of open questions only has none
        console.print(table)
    for constant in report.constants:
        console.print(
            f"always {constant.answer:.3g}: {constant.score:.1%} of {constant.questions} {constant.kind} (numbers)",
            highlight=False,
        )
    for place, line in enumerate(report.summary()):
        style = "bold red" if place == 0 and not report.ok else ""
        console.print(f"{name}: {line}", highlight=False, markup=False, style=style)


def _print_keys(console: Console, result: Audit) -> None:
    if result.keys is None:
        console.print("keys were not checked: name the folder with the scenes' truths with --truth", highlight=False)
        return
    for suite, report in result.keys.items():
        style = "" if report.ok else "bold red"
        console.print(f"{suite}: {report.as_text()}", highlight=False, markup=False, style=style)
