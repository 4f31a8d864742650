"""A task folder for lmms-eval: its YAML file, its functions, and the data as Parquet."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

from ...questions import AnswerType
from ..item import SuiteItem
from ..registry import SuiteFormat, suite_format
from ..writing import new_text_file
from .parquet import DATA_FILE, write_parquet

__all__ = ["NAME", "task_name"]

NAME = "lmms_eval"
_YAML = """\
# Run:  python -m lmms_eval --include_path {folder} --tasks {task} --model ...
# The path of the data is absolute, because lmms-eval looks for relative ones where it is started. Edit it after a move.
task: {task}
dataset_path: parquet
dataset_kwargs:
  data_files:
    test: {data}
test_split: test
output_type: generate_until
doc_to_visual: !function utils.doc_to_visual
doc_to_text: !function utils.doc_to_text
doc_to_target: answer
process_results: !function utils.process_results
generation_kwargs:
  max_new_tokens: 1024
  temperature: 0
  do_sample: false
metric_list:
  - metric: seeworthy_score
    aggregation: !function utils.aggregate
    higher_is_better: true
metadata:
  - version: 1.0
"""


def task_name(path: Path) -> str:
    """The name of the task that is written to a folder: its name, in letters that lmms-eval takes."""
    return re.sub(r"[^a-z0-9]+", "_", path.resolve().name.lower()).strip("_") or "suite"


def _write(items: Iterable[SuiteItem], path: Path) -> None:
    task = task_name(path)
    write_parquet(items, path / DATA_FILE)
    source = resources.files("seeworthy.bench_data.suites.lmms_task").joinpath("utils.py").read_text(encoding="utf-8")
    with new_text_file(path / "utils.py") as stream:
        stream.write(source)
    with new_text_file(path / f"{task}.yaml") as stream:
        import json

        # A JSON text is a YAML text in quotes.
        data = json.dumps(str((path / DATA_FILE).resolve()), ensure_ascii=False)
        stream.write(_YAML.format(task=task, folder=path.resolve(), data=data))


def _refuses(item: SuiteItem) -> str | None:
    if item.answer_type in (AnswerType.GRAPH, AnswerType.POINT):
        return f"answers of the form {item.answer_type}"
    return "questions without an answer" if item.truth is None else None


suite_format(
    SuiteFormat(
        name=NAME,
        summary="a task folder for lmms-eval, with its data (only written)",
        layout="folder",
        losses=("scoring there is simpler than here: no units, no refusals; score the logged samples for those",),
        write=_write,
        refuses=_refuses,
    )
)
