"""The functions of an exported lmms-eval task: what right, wrong and odd replies score."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from seeworthy.bench_data.suites import write_suite
from seeworthy.bench_data.suites.flat import flat_item
from seeworthy.bench_data.suites.lmms_task import utils

from .making import items, questions


def doc(kind: str, answer: str, options: tuple[str, ...] = (), unit: str = "") -> dict[str, object]:
    return {"answer_type": kind, "answer": answer, "options": list(options), "unit": unit}


ABC = ("A. the lamp", "B. the sofa", "C. the rug")


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("B", 1),
        ("(b)", 1),
        ("**B**", 1),
        ("B. the sofa", 1),
        ("The answer is B. A is a distractor.", 1),
        ("<think>A? no.</think>\nB", 1),
        ("<answer>B</answer>", 1),
        ("Answer: A\n...\nAnswer: B", 1),
        ("A", 0),
        ("Based on the image, the lamp.", 0),
        ("A sofa", 0),
        ("I cannot tell.", 0),
        ("D", 0),
        ("", 0),
    ],
)
def test_letters(reply: str, score: float) -> None:
    assert utils.score(doc("choice", "B", ABC), reply) == score


@pytest.mark.parametrize(
    ("document", "reply", "score"),
    [
        (doc("yes_no", "Yes"), "Yes, it is.", 1),
        (doc("yes_no", "Yes"), "I notice another one.", 0),
        (doc("yes_no", "No"), "yes and no", 0),
        (doc("number", "10", unit="m"), "8", 0.7),
        (doc("number", "1", unit="m"), "about 1.35 m", 0.4),
        (doc("number", "1200", unit="m"), "1,200", 1),
        (doc("number", "2.0", unit="m"), "2.1", 1),
        (doc("number", "2.0", unit="m"), "none", 0),
        (doc("number", "3", unit="count"), "3", 1),
        (doc("number", "3", unit="count"), "4", 0),
        (doc("list", "[1.0, 2.0]", unit="m"), "[1.0, 2.0]", 1),
        (doc("list", "[1.0, 2.0]", unit="m"), "[1.0]", 0),
        (doc("clock", "12"), "12 o'clock", 1),
        (doc("box", "[0, 0, 10, 10]"), "[0, 0, 10, 5]", 0.5),
        (doc("box", "[0, 0, 10, 10]"), "[20, 20, 30, 30]", 0),
        (doc("box", "[0, 0, 10, 10]"), "[10, 10, 0, 0]", 0),
        (doc("text", "The red kiosk."), "the red kiosk", 1),
    ],
)
def test_other_answers(document: dict[str, object], reply: str, score: float) -> None:
    assert utils.score(document, reply) == pytest.approx(score)


def test_every_generated_answer_scores_full_marks(tmp_path: Path) -> None:
    for item in items(tmp_path, questions(most=60)):
        row = flat_item(item)
        assert utils.score(row, row["answer"]) == 1, item.id


def test_conditions_weigh_the_same() -> None:
    rows = [{"score": 1.0, "condition": "clean"}] * 3 + [{"score": 0.0, "condition": "haze"}]
    assert utils.aggregate(rows) == 0.5


def test_the_task_folder(tmp_path: Path) -> None:
    folder = tmp_path / "My Suite"
    write_suite(items(tmp_path / "source", questions(most=4)), folder, "lmms_eval")
    text = (folder / "my_suite.yaml").read_text()
    config = yaml.safe_load(text.replace("!function ", ""))
    assert config["task"] == "my_suite"
    assert Path(config["dataset_kwargs"]["data_files"]["test"]).is_file()
    for name in ("doc_to_visual", "doc_to_text", "process_results"):
        assert callable(getattr(utils, config[name].removeprefix("utils.")))
    assert (folder / "utils.py").read_text() == Path(utils.__file__).read_text()
    assert "seeworthy." not in "".join(
        line for line in (folder / "utils.py").read_text().splitlines() if line.startswith(("import", "from"))
    )
