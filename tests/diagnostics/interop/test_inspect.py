"""Tasks of Inspect AI over its own mock model, without network: names, scores, statuses, clusters.

The mock model counts tokens with an encoding that is fetched from the network unless replies bring their usage along,
as these do.
"""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..importing.making import suite_in

pytest.importorskip("inspect_ai", reason="Inspect AI is not installed: pip install 'seeworthy[inspect]'")

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from seeworthy.diagnostics.interop import inspect_tasks

if TYPE_CHECKING:
    from inspect_ai import Task

USAGE = ModelUsage(input_tokens=10, output_tokens=1, total_tokens=11)


def answered(task: Task | str, logs: Path, reply: Callable[[str], ModelOutput | str], **arguments: object) -> EvalLog:
    """A log of the task over a mock model that answers each question's words by a function."""

    def output(messages: list[object], *_: object) -> ModelOutput:
        given = reply(messages[-1].text)  # type: ignore[attr-defined]
        made = ModelOutput.from_content("mockllm", given) if isinstance(given, str) else given
        return made.model_copy(update={"usage": USAGE})

    model = get_model("mockllm/model", custom_outputs=output, memoize=False)
    (log,) = inspect_eval(task, model=model, task_args=arguments, log_dir=str(logs), display="none")
    return log


def metrics_of(log: EvalLog) -> dict[str, float]:
    assert log.status == "success", log.error
    assert log.results is not None
    return {name: one.value for score in log.results.scores for name, one in score.metrics.items()}


def by_words(words: str) -> ModelOutput | str:
    """Right, refused, cut off, and off by a half."""
    return {
        "Question 0?": "The answer is B.",
        "Question 1?": "I do not have access to the image.",
        "Question 2?": ModelOutput.from_content("mockllm", "Let me count: one, ", stop_reason="max_tokens"),
        "Question 3?": "3 m",
    }[words.split("\n")[0]]


def test_scores_and_statuses_are_those_of_a_run(tmp_path: Path) -> None:
    task = inspect_tasks.suite(data=str(suite_in(tmp_path / "suite")))
    log = answered(task, tmp_path / "logs", by_words)
    found = metrics_of(log)
    assert found["mean"] == pytest.approx((1 + 0 + 0 + 0.1) / 4)
    assert (found["refusals"], found["truncations"], found["parse_failures"]) == (0.25, 0.25, 0.0)
    assert found["chance"] == pytest.approx(0.25)
    assert found["clean"] == found["mean"]
    assert log.samples is not None
    reasons = {str(one.id): next(iter((one.scores or {}).values())).reason for one in log.samples}
    assert reasons == {"q0@clean": None, "q1@clean": "refusal", "q2@clean": "truncated", "q3@clean": None}


def test_errors_are_clustered_by_scene(tmp_path: Path) -> None:
    task = inspect_tasks.suite(data=str(suite_in(tmp_path / "suite")))
    found = metrics_of(
        answered(task, tmp_path / "logs", lambda words: "B" if "0?" in words else "3" if "2?" in words else "x")
    )
    # Questions 0 and 2 are of scene 0 and right, the others of scene 1 and wrong. Within a scene residuals are summed
    # before they are squared: 2 scenes of (2 * 0.5)^2, times 2 / (2 - 1) for so few scenes. Alone they would give 0.29.
    assert found["mean"] == pytest.approx(0.5)
    assert found["stderr"] == pytest.approx((2 * 1.0 * 2) ** 0.5 / 4)


_BY_NAME = """
import json, sys
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
def output(*_):
    made = ModelOutput.from_content("mockllm", "B")
    made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return made
if __name__ == "__main__":
    model = get_model("mockllm/model", custom_outputs=output)
    arguments = {"data": "suite/suite.jsonl", "conditions": ["haze"], "limit": 3}
    (log,) = eval("seeworthy/suite", model=model, task_args=arguments, log_dir="logs", display="none")
    error = log.error and log.error.message
    print(json.dumps([log.status, error, log.eval.task, [one.metadata["condition"] for one in log.samples or []]]))
"""


def test_by_name_and_with_options(tmp_path: Path) -> None:
    entries = importlib.metadata.entry_points(group="inspect_ai")
    if not any(one.value.endswith("interop.inspect_tasks") for one in entries):
        pytest.skip("this installation of Seeworthy does not name its tasks to Inspect AI; install it again")
    suite_in(tmp_path / "suite", conditions=("clean", "haze"))
    (tmp_path / "by_name.py").write_text(_BY_NAME)
    # A process of its own, without this folder on its path: Inspect AI tells packages by how they are installed.
    done = subprocess.run(
        [sys.executable, "-P", "by_name.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == ["success", None, "seeworthy/suite", ["haze"] * 3]
