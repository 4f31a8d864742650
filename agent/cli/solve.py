"""``seeworthy solve``: one question about one or more pictures."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import ExitCode, UsageError, build_model, load_pictures, say

if TYPE_CHECKING:
    from ...bench_data.questions import AnswerFormat
    from ..experience import Experience
    from ..profiles import Profile
    from ..result import SolverResult

__all__ = ["solve"]


def solve(
    images_and_question: Annotated[
        list[str], typer.Argument(metavar="IMAGE... QUESTION", help="Picture files, and the question as the last one.")
    ],
    model: Annotated[
        str, typer.Option("--model", "-m", help="provider/model[@base_url]; see `seeworthy models list`.")
    ],
    options: Annotated[
        str | None, typer.Option("--options", help="Choices, separated by |, for a multiple-choice question.")
    ] = None,
    answer: Annotated[
        str | None,
        typer.Option("--answer", help="Form of the answer: yes_no, number:UNIT, clock, box, point or text."),
    ] = None,
    profile: Annotated[
        str, typer.Option("--profile", help="fidelity, perception, replace, surest or off.")
    ] = "fidelity",
    trace: Annotated[Path | None, typer.Option("--trace", help="Write the whole story to this HTML file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    run: Annotated[
        Path | None, typer.Option("--run", help="Keep pictures, calls and checkpoints in this folder.")
    ] = None,
    max_calls: Annotated[int, typer.Option("--max-calls", min=1, help="Most model calls.")] = 8,
    max_seconds: Annotated[float, typer.Option("--max-seconds", min=1, help="Time budget.")] = 300.0,
    max_usd: Annotated[float | None, typer.Option("--max-usd", help="Money budget; needs prices.")] = None,
    max_tokens: Annotated[int, typer.Option("--max-tokens", min=1, help="Longest reply.")] = 1024,
    experience: Annotated[Path | None, typer.Option("--experience", help="Learnt order of tools, JSON.")] = None,
    model_option: Annotated[
        list[str] | None, typer.Option("--model-option", help="key=value for the provider; may be repeated.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")] = False,
) -> int:
    """Answer a question about pictures, repairing them first where that helps, or say that one cannot tell."""
    from ...tools.models import GenerationSettings
    from ..profiles import Budget
    from ..robust import RobustVLM

    paths, question = _paths_and_question(images_and_question)
    _check_writable(trace)
    answer_format = answer_format_of(options, answer)
    chosen, learnt = _profile_and_experience(profile, experience)
    budget = Budget(max_calls=max_calls, max_seconds=max_seconds, max_cost_usd=max_usd)
    pictures = load_pictures(paths)
    wrapped = build_model(model, model_option or [])
    settings = GenerationSettings(max_tokens=max_tokens)
    decides = (
        settings.model_dump_json(),
        budget.model_dump_json(),
        learnt.model_dump_json(),
        *(picture.sha256 for picture in pictures),
        question,
        answer_format.model_dump_json(),
        model,
        *(model_option or []),
        chosen.model_dump_json(),
    )
    folder = run or _unfinished(decides)
    robust = RobustVLM(
        wrapped,
        profile=chosen,
        budget=budget,
        run_folder=folder,
        experience=learnt,
        report=None if quiet else say,
    )
    solving = robust.solve(question, pictures, answer_format=answer_format, settings=settings)
    result = _solved(solving, folder)
    _show(result, as_json=as_json, trace=trace)
    if run is None:
        shutil.rmtree(folder, ignore_errors=True)
    return ExitCode.OK if result.outcome == "answered" else ExitCode.ABSTAINED


def _profile_and_experience(profile: str, experience: Path | None) -> tuple[Profile, Experience]:
    from ..errors import SolverError
    from ..experience import Experience
    from ..profiles import profile_named

    try:
        return profile_named(profile), Experience.load(experience) if experience else Experience()
    except SolverError as error:
        raise UsageError(str(error)) from error


def _solved(solving: Coroutine[object, object, SolverResult], folder: Path) -> SolverResult:
    """The result; when the model fails, the person is told where everything so far is kept."""
    import asyncio

    from ..errors import ModelUnavailableError

    try:
        return asyncio.run(solving)
    except ModelUnavailableError:
        say(f"what was done so far is kept in {folder}; the same command goes on from there")
        raise


def _show(result: SolverResult, *, as_json: bool, trace: Path | None) -> None:
    typer.echo(json.dumps(result.summary(), ensure_ascii=False) if as_json else in_words(result))
    if trace:
        result.write_trace(trace)
        say(f"trace written to {trace}")


def _paths_and_question(arguments: list[str]) -> tuple[list[str], str]:
    if len(arguments) < 2:
        raise UsageError("solve needs at least one picture and, as the last argument, the question")
    *paths, question = arguments
    if Path(question).is_file():
        raise UsageError(f"the last argument, {question!r}, is a file; the question must come last")
    return paths, question


def _check_writable(trace: Path | None) -> None:
    if trace and (trace.is_dir() or not trace.parent.is_dir()):
        raise UsageError(f"cannot write {trace}: {'it is a folder' if trace.is_dir() else 'its folder does not exist'}")


def answer_format_of(options: str | None, answer: str | None) -> AnswerFormat:
    """The answer format that ``--options`` and ``--answer`` describe."""
    from pydantic import ValidationError

    from ...bench_data.questions import AnswerFormat, AnswerType, Unit

    if options is not None:
        if answer not in (None, "choice"):
            raise UsageError(f"--options makes a multiple-choice question, which does not go with --answer {answer}")
        texts = [text.strip() for text in options.split("|")]
        if not 2 <= len(texts) <= 26 or not all(texts) or len(set(texts)) < len(texts):
            raise UsageError(f"--options {options!r} needs 2 to 26 different texts, separated by |")
        letters = {chr(ord("A") + index): text for index, text in enumerate(texts)}
        return AnswerFormat(answer_type=AnswerType.CHOICE, options=letters)
    kind, _, unit = (answer or "text").partition(":")
    try:
        return AnswerFormat(answer_type=AnswerType(kind), unit=Unit(unit) if unit else None)
    except (ValidationError, ValueError) as error:
        units = ", ".join(unit.value for unit in Unit)
        raise UsageError(
            f"--answer {answer!r} is not one of yes_no, number:UNIT, clock, box, point, text (units: {units})"
        ) from error


def _unfinished(decides: Sequence[str]) -> Path:
    """Where a question that did not finish waits for the same command to be given again."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "seeworthy" / "unfinished" / hashlib.sha256("\n".join(decides).encode()).hexdigest()[:24]


def in_words(result: SolverResult) -> str:
    """The result for people."""
    lines = [_headline(result), f"  why: {result.solution.reason}"]
    for item in result.work:
        found = ", ".join(f"{f.stress.label} {f.severity:.1f}" for f in result.findings(item.index)) or "none"
        used = ", ".join(t.tool for t in item.tries if t.accepted)
        left = f"; left alone: {item.idle_because}" if item.idle_because else ""
        lines.append(
            f"  picture {item.index + 1}: stress {found}; " + (f"rectified with {used}" if used else "unchanged") + left
        )
    spent = result.spent
    cost = "cost unknown" if spent.calls_without_price else f"${spent.cost_usd:.5f}"
    lines.append(f"  spent: {spent.calls} model call{'s' * (spent.calls != 1)}, {spent.seconds:.1f} s, {cost}")
    return "\n".join(lines)


def _headline(result: SolverResult) -> str:
    if result.outcome == "abstained":
        return "Cannot tell."
    value = result.value
    options = result.conversation.answer_format.options or {}
    if isinstance(value, str) and value in options:
        return f"{value}. {options[value]}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    unit = result.conversation.answer_format.unit
    return f"{value} {unit.value}" if unit else str(value)
