"""Models that the workers of a test's cluster make for themselves."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from seeworthy.diagnostics.runs import Arm
from seeworthy.tools.models import Reply, ReplyStatus, Request, Usage
from seeworthy.tools.models.providers.python_callable import CallableModel
from tests.diagnostics.runs.small_runs import right_answer, words_of


def arms(*, name: str = "counted", folder: str = "", poison: str = "", pause_s: float = 0.0) -> dict[str, Arm]:
    """One model that answers right, writes down what it is asked, and may end its process.

    Args:
        folder: gets a file for each process, with a line for each question.
        poison: words of a question that ends whoever is asked it.
        pause_s: before each answer.
    """

    def reply(request: Request) -> Reply:
        words = words_of(request).split("?")[0]
        if folder:
            with (Path(folder) / str(os.getpid())).open("a") as file:
                file.write(f"{words}\n")
        if poison and poison in words:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(pause_s)
        tokens = len(words)
        return Reply(
            text=right_answer(request), status=ReplyStatus.OK, usage=Usage(input_tokens=tokens, output_tokens=3)
        )

    return {name: Arm(CallableModel(reply, name=name))}
