"""``seeworthy import-run``: other tools' results as a run, scored anew, and compared with their own scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import ExitCode, UsageError, say

if TYPE_CHECKING:
    from ...diagnostics.runs import RunFolder
    from ...tools.models import CoordinateSpace

__all__ = ["import_run"]


def import_run(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="What the other tool wrote.")],
    format: Annotated[  # noqa: A002 - the option's name
        str, typer.Option("--format", help="vlmeval, lmms-eval or robostress.")
    ],
    data: Annotated[Path, typer.Option("--data", help="The suite or data set that the tool was given.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The run's folder; it must not exist yet.")],
    model: Annotated[str | None, typer.Option("--model", "-m", help="Who replied; else as the files say.")] = None,
    data_format: Annotated[
        str | None, typer.Option("--data-format", help="Of the suite, where the content does not tell.")
    ] = None,
    conditions: Annotated[str, typer.Option("--conditions", help="With commas; all that the data has.")] = "",
    space: Annotated[
        str | None,
        typer.Option("--space", help="Of boxes and points: permille, fraction, sent_pixels or original_pixels."),
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="List where the other tool's scores differ from ours, and why.")
    ] = False,
    score: Annotated[
        str | None, typer.Option("--score", help="The other tool's name of the score to compare with.")
    ] = None,
) -> int:
    """Make a run of replies that another tool collected, and score them as any other."""
    from ...diagnostics.importing import ImportSettings
    from ...diagnostics.importing import import_run as imported
    from ...diagnostics.runs import RunFolder, Source, results_table, run_results

    names = [name.strip() for name in conditions.split(",")] if conditions.strip() else None
    if names is not None and not all(names):
        raise UsageError(f"--conditions {conditions!r}: an item is empty; write names with one comma between them")
    if model is not None and not model.strip():
        raise UsageError("--model is empty; give a name, or leave it out")
    settings = ImportSettings(
        format=format,
        source=Source.at(data, data_format),
        model=model,
        space=None if space is None else _space(space),
        conditions=None if names is None else tuple(names),
    )
    for line in imported(files, out, settings).lines():
        say(line)
    folder = RunFolder(out)
    # What is missing here cannot be asked for; the lines above say it.
    typer.echo(results_table(run_results(folder).model_copy(update={"left": 0})), nl=False)
    if compare or score is not None:
        _compare(folder, score)
    return ExitCode.OK


def _compare(folder: RunFolder, score: str | None) -> None:
    import json

    from ...diagnostics.importing import compare_scores

    found = compare_scores(folder, score=score)
    text = json.dumps([one.model_dump(mode="json") for one in found], indent=1, ensure_ascii=True)
    (folder.root / "comparison.json").write_text(text + "\n", encoding="ascii")
    for one in found:
        typer.echo("")
        for line in one.lines():
            typer.echo(line)


def _space(name: str) -> CoordinateSpace:
    from ...tools.models import CoordinateSpace

    try:
        return CoordinateSpace(name)
    except ValueError as error:
        known = ", ".join(one.value for one in CoordinateSpace)
        raise UsageError(f"--space {name!r} is none of {known}") from error
