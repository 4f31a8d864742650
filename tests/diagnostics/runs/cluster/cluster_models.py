"""Models that the workers of a test's cluster make for themselves."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from seeworthy.diagnostics.runs import Arm
from seeworthy.diagnostics.runs.cluster import ArmsRecipe
from seeworthy.tools.models import Capabilities, CoordinateSpace, Reply, ReplyStatus, Request, Usage
from seeworthy.tools.models.providers.python_callable import CallableModel
from tests.diagnostics.runs.small_runs import right_answer, words_of


def arms(
    *, folder: str = "", deadly: str = "", pause_s: float = 0.0, here: int = 0, name: str = "counted"
) -> dict[str, Arm]:
    """One model that answers right, tells what it was asked, and may end its process.

    Args:
        folder: gets a file for each process, with a line for each question.
        deadly: words of a question that ends whoever is asked it, for as long as the folder has no file "cured".
        pause_s: before each answer.
        here: the process that may make another model than the rest.
    """

    def reply(request: Request) -> Reply:
        words = words_of(request).split("?")[0]
        if folder:
            with (Path(folder) / f"{os.getpid()}.txt").open("a") as file:
                file.write(f"{words}\n")
        if deadly and deadly in words and not (Path(folder) / "cured").exists():
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(pause_s)
        usage = Usage(input_tokens=7 * len(words), output_tokens=3)
        return Reply(text=right_answer(request), status=ReplyStatus.OK, usage=usage)

    elsewhere = here not in (0, os.getpid())
    space = CoordinateSpace.FRACTION if elsewhere else CoordinateSpace.PERMILLE
    return {name: Arm(CallableModel(reply, name=name, capabilities=Capabilities(coordinate_space=space)))}


def recipe(**arguments: str | int | float) -> ArmsRecipe:
    return ArmsRecipe(builder=f"{__name__}:arms", arguments={**arguments})


def asked_in(folder: Path) -> list[str]:
    """All questions that reached a model, over all processes."""
    return [line for file in sorted(folder.glob("*.txt")) for line in file.read_text().splitlines()]


def processes_in(folder: Path) -> set[int]:
    return {int(file.stem) for file in folder.glob("*.txt")}


def not_arms() -> list[str]:
    return ["counted"]
