"""``seeworthy data show``: a contact sheet of a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..common import ExitCode, UsageError, say
from ..picture_files import PICTURE_SUFFIXES, write_picture

__all__ = ["show"]


def show(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A data set.")],
    scene: Annotated[str | None, typer.Option("--scene", help="Its id; the first one if not given.")] = None,
    condition: Annotated[
        str | None, typer.Option("--condition", help="Conditions, with commas; all if not given.")
    ] = None,
    suite: Annotated[
        str | None, typer.Option("--suite", help="Whose questions and marks; the first that marks if not given.")
    ] = None,
    views: Annotated[int, typer.Option("--views", min=1, help="Rows, spread over all views.")] = 4,
    questions: Annotated[int, typer.Option("--questions", min=0, help="Under each row, at most.")] = 4,
    out: Annotated[Path, typer.Option("-o", "--out", help="The picture to write.")] = Path("sheet.png"),
) -> int:
    """Draw a contact sheet: a row a view, a column a condition, and what is asked about it."""
    import numpy as np

    from ....bench_data.building import DataSet
    from ....bench_data.building.sheet import SheetChoice, contact_sheet
    from ....bench_data.images import Picture

    if out.suffix.lower() not in PICTURE_SUFFIXES:
        raise UsageError(f"cannot write {out}: the name must end in {', '.join(PICTURE_SUFFIXES)}")
    labels = None if condition is None else tuple(word.strip() for word in condition.split(","))
    choice = SheetChoice(scene=scene, conditions=labels, suite=suite, views=views, questions=questions)
    write_picture(Picture(np.asarray(contact_sheet(DataSet(folder), choice))), out)
    say(f"wrote {out}")
    return ExitCode.OK
