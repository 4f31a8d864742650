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
    from ....bench_data.questions.leaks import Guess

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
        float, typer.Option("--tolerance", min=0, max=1, help="Distance of guessers from chance that is accepted.")
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
        "leaks": {
            suite: {
                "ok": report.ok,
                "questions": report.questions,
                "tolerance": report.tolerance,
                "guesses": [_guess(guess, report.tolerance) for guess in report.guesses],
                "constants": [
                    {"kind": one.kind, "questions": one.questions, "answer": one.answer, "score": one.score}
                    for one in report.constants
                ],
            }
            for suite, report in result.leaks.items()
        },
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


def _guess(guess: Guess, tolerance: float) -> dict[str, object]:
    low, high = guess.interval
    return {
        "guesser": guess.guesser,
        "sees": guess.sees,
        "kind": guess.kind,
        "questions": guess.questions,
        "accuracy": guess.accuracy,
        "chance": guess.chance,
        "beyond_chance": guess.excess,
        "interval_95": [low, high],
        "leaks": guess.leaks(tolerance),
    }


def _print_tables(result: Audit) -> None:
    from rich.console import Console

    from ....bench_data.questions.leaks import ALL_KINDS

    console = Console(width=None if sys.stdout.isatty() else _WIDTH)
    for suite, report in result.leaks.items():
        shown = [one for one in report.guesses if one.kind == ALL_KINDS]
        shown += [one for one in report.leaks if one.kind != ALL_KINDS]
        _print_guesses(console, f"{suite}: guessers that see no picture", shown, report.tolerance)
        for one in report.constants:
            console.print(
                f"always {one.answer:.3g}: {one.score:.1%} of {one.questions} {one.kind} (numbers)", highlight=False
            )
        what = "no leak" if report.ok else f"{len(report.leaks)} LEAKS"
        tail = f"{report.questions} questions, {what} beyond {report.tolerance:.0%} and sampling error"
        console.print(f"{suite}: {tail}", highlight=False, style="" if report.ok else "bold red")
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


def _print_guesses(console: Console, title: str, guesses: list[Guess], tolerance: float) -> None:
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None, header_style="bold")
    for head in ("guesser", "kind"):
        table.add_column(head)
    for head in ("questions", "right", "chance", "beyond", "95 %", ""):
        table.add_column(head, justify="right", no_wrap=True)
    for one in guesses:
        low, high = one.interval
        mark = "LEAK" if one.leaks(tolerance) else "knowledge" if one.sees == "knowledge" else ""
        table.add_row(
            one.guesser,
            one.kind,
            str(one.questions),
            f"{one.accuracy:.1%}",
            f"{one.chance:.1%}",
            f"{one.excess:+.1%}",
            f"{low:+.1%} to {high:+.1%}",
            mark,
            style="bold red" if mark == "LEAK" else "",
        )
    console.print(table)


def _print_keys(console: Console, result: Audit) -> None:
    if result.keys is None:
        console.print("keys were not checked: name the folder with the scenes' truths with --truth", highlight=False)
        return
    for suite, report in result.keys.items():
        style = "" if report.ok else "bold red"
        console.print(f"{suite}: {report.as_text()}", highlight=False, markup=False, style=style)
