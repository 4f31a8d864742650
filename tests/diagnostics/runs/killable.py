"""Starts of a run in processes of their own, to be killed: one process loads everything once and then forks.

    python -m tests.diagnostics.runs.killable

reads lines ``SUITE RUN URL`` and writes, for each, the id of the process that runs it, and how that ended.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from seeworthy.diagnostics.runs import EngineSettings, RunFolder, run_calls
from seeworthy.diagnostics.runs.interrupts import run_interruptibly
from seeworthy.tools.models.openai_chat import OpenAIChatModel

from .small_runs import QUICK, Arm, by_name, planned, served

__all__: list[str] = []


def start(suite: Path, run: Path, base_url: str) -> str:
    """One start, to its end."""
    arms = [Arm(served(base_url))]
    plan = planned(suite, arms)
    folder = RunFolder(run)
    with folder.begun(plan):
        outcome = run_interruptibly(
            lambda interrupted: run_calls(
                plan, by_name(arms), folder, EngineSettings(retry=QUICK, slots=4), interrupted=interrupted
            )
        )
    return outcome.stop.value


def main() -> None:
    # Loaded before the first fork, so that no start has to.
    assert OpenAIChatModel
    asyncio.run(asyncio.sleep(0))
    served("http://127.0.0.1:9/v1")
    for line in sys.stdin:
        suite, run, base_url = line.split()
        process = os.fork()
        if process == 0:
            code = 1
            try:
                code = {"finished": 0, "interrupted": 130}[start(Path(suite), Path(run), base_url)]
            finally:
                os._exit(code)
        print(process, flush=True)
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
