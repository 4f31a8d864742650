"""The exported task and table load in the tools they are for. Opt-in, as the tools are large:

SEEWORTHY_TEST_EXPORTS=1 builds a throw-away environment for each with pip; SEEWORTHY_LMMS_EVAL_PYTHON and
SEEWORTHY_VLMEVAL_PYTHON name interpreters that have them already.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from seeworthy.bench_data.suites import write_suite

from .making import SIZE, items, questions

pytestmark = pytest.mark.slow

_TORCH = "torch==2.13.0"


def tool_python(tmp_path: Path, variable: str, *packages: str) -> str:
    """An interpreter that has these packages."""
    given = os.environ.get(variable)
    if given:
        return given
    if not os.environ.get("SEEWORTHY_TEST_EXPORTS"):
        wanted = " and ".join(packages)
        pytest.skip(f"set SEEWORTHY_TEST_EXPORTS=1 to install {wanted} into a throw-away environment, or {variable}")
    folder = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = str(folder / "bin" / "python")
    constraint = tmp_path / "constraint.txt"
    constraint.write_text(_TORCH + "\n")
    subprocess.run([python, "-m", "pip", "install", "-q", "-c", str(constraint), *packages], check=True, timeout=1800)
    return python


def answer_of(python: str, script: str, tmp_path: Path, **more: str) -> dict[str, object]:
    """What a script prints as its last line of JSON."""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf"), "OMP_NUM_THREADS": "1", **more}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        [python, "-c", script], capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3000:]
    answer = json.loads(done.stdout.strip().splitlines()[-1])
    assert isinstance(answer, dict)
    return answer


_OPERATORS = """
import torch
# A torchvision built for another torch lacks its compiled operators, which the tools import and never call here.
operators = torch.library.Library("torchvision", "DEF")
for name in ("nms", "qnms", "roi_align", "_roi_align_backward", "ps_roi_align", "_ps_roi_align_backward", "roi_pool",
             "_roi_pool_backward", "ps_roi_pool", "_ps_roi_pool_backward", "deform_conv2d", "_deform_conv2d_backward"):
    try:
        operators.define(name + "(Tensor a) -> Tensor")
    except RuntimeError:
        pass  # the build fits, and brings its own
"""

_LMMS = (
    _OPERATORS
    + """
import json, sys
from lmms_eval.tasks import TaskManager, get_task_dict
manager = TaskManager("ERROR", include_path=FOLDER, include_defaults=False)
task = get_task_dict(["my_suite"], manager)["my_suite"]
docs = list(task.test_docs())
right = [task.process_results(doc, [task.doc_to_target(doc)])["seeworthy_score"]["score"] for doc in docs]
wrong = [task.process_results(doc, ["I cannot tell."])["seeworthy_score"]["score"] for doc in docs]
rows = [task.process_results(doc, [task.doc_to_target(doc)])["seeworthy_score"] for doc in docs]
print(json.dumps({
    "docs": len(docs), "right": right, "wrong": wrong,
    "text": task.doc_to_text(docs[0]), "sizes": [image.size for image in task.doc_to_visual(docs[0])],
    "pictures": [len(task.doc_to_visual(doc)) for doc in docs],
    "mean": task.aggregation()["seeworthy_score"](rows),
}))
"""
)


def test_lmms_eval_runs_the_exported_task(tmp_path: Path) -> None:
    python = tool_python(tmp_path, "SEEWORTHY_LMMS_EVAL_PYTHON", "lmms-eval")
    made = items(tmp_path / "source", questions(most=20), ("clean", "haze-3"))
    folder = tmp_path / "My Suite"
    write_suite(made, folder, "lmms_eval")
    answer = answer_of(python, _LMMS.replace("FOLDER", repr(str(folder))), tmp_path)
    assert answer["docs"] == len(made)
    assert set(answer["right"]) == {1.0}
    assert set(answer["wrong"]) == {0.0}
    assert answer["mean"] == 1.0
    assert answer["pictures"] == [len(item.images) for item in made]
    assert answer["sizes"][0] == list(SIZE)
    assert str(answer["text"]).startswith(made[0].text)


_DATASETS = """
import json
from datasets import load_dataset
data = load_dataset(FOLDER, split="test")
row = data[0]
print(json.dumps({"rows": len(data), "id": row["id"], "size": row["images"][0].size,
                  "features": str(data.features["images"]), "answer": row["answer"]}))
"""


def test_datasets_loads_the_parquet_with_pictures(tmp_path: Path) -> None:
    python = tool_python(tmp_path, "SEEWORTHY_LMMS_EVAL_PYTHON", "datasets", "pillow")
    made = items(tmp_path / "source", questions(most=20))
    write_suite(made, tmp_path / "parquet", "parquet")
    answer = answer_of(python, _DATASETS.replace("FOLDER", repr(str(tmp_path / "parquet"))), tmp_path)
    assert answer["rows"] == len(made)
    assert answer["id"] == made[0].id
    assert answer["size"] == list(SIZE)
    assert "Image" in str(answer["features"])


_VLMEVAL = (
    _OPERATORS
    + """
import json
from vlmeval.dataset import build_dataset
found = {}
for name in ("suite", "suite_open"):
    data = build_dataset(name)
    prompts = [data.build_prompt(row) for row in range(len(data))]
    found[name] = {
        "class": type(data).__name__, "rows": len(data),
        "pictures": [sum(part["type"] == "image" for part in prompt) for prompt in prompts],
        "texts": ["\\n".join(part["value"] for part in prompt if part["type"] == "text") for prompt in prompts],
        "answers": [str(answer) for answer in data.data["answer"]],
    }
    from PIL import Image
    found[name]["size"] = Image.open(next(part["value"] for part in prompts[0] if part["type"] == "image")).size
print(json.dumps(found))
"""
)


@pytest.mark.parametrize("name", ["vlmeval", "vlmeval_paths"])
def test_vlmevalkit_loads_the_tables(tmp_path: Path, name: str) -> None:
    python = tool_python(tmp_path, "SEEWORTHY_VLMEVAL_PYTHON", "ms-vlmeval")
    made = items(tmp_path / "source", questions(most=20), ("clean", "haze-3"))
    write_suite(made, tmp_path / "suite.tsv", name)
    found = answer_of(python, _VLMEVAL, tmp_path, LMUData=str(tmp_path))
    choices = [item for item in made if item.options or isinstance(item.truth, bool)]
    others = [item for item in made if item not in choices]
    for table, expected, kind in (("suite", choices, "CustomMCQDataset"), ("suite_open", others, "CustomVQADataset")):
        part = found[table]
        assert isinstance(part, dict)
        assert part["class"] == kind
        assert part["rows"] == len(expected)
        assert part["pictures"] == [len(item.images) for item in expected]
        assert part["size"] == list(SIZE)
        for item, text in zip(expected, part["texts"], strict=True):
            assert item.text in text
            assert all(f"{letter}. {option}" in text for letter, option in item.options.items())
