"""What was found on a picture and how a repair was judged is kept in the run's folder for its other questions."""

from __future__ import annotations

import asyncio
import importlib
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from seeworthy.agent import RobustVLM, SolverResult
from seeworthy.agent.errors import SolverError
from seeworthy.agent.profiles import PROFILES
from seeworthy.agent.records import ToolTry, View
from seeworthy.bench_data.images import Picture
from seeworthy.tools.models import Capabilities, CoordinateSpace
from seeworthy.tools.registry import Rectified, RectifyHint

from .conftest import AddTool, ScriptedModel

OPTIONS = {"A": "left", "B": "right"}
ONE_TRY = PROFILES["replace"].model_copy(update={"max_alternatives": 1})


def brighter(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
    return Rectified(np.clip(image_srgb**0.45, 0, 1).astype(np.float32))


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch, only_tool: AddTool, always_dark: None) -> Counter[str]:
    """How often the stages looked, ran a tool, and judged."""
    only_tool(brighter)
    found: Counter[str] = Counter()
    for stage, name in (("detect", "apply_detector"), ("rectify", "apply_rectifier"), ("verify", "judge_edit")):
        module = importlib.import_module(f"seeworthy.agent.stages.{stage}")
        real = getattr(module, name)

        def counting(*arguments: object, _real=real, _name=name, **options: object) -> object:  # type: ignore[no-untyped-def]
            found[_name] += 1
            return _real(*arguments, **options)

        monkeypatch.setattr(module, name, counting)
    return found


async def ask(question: str, picture: Picture, folder: Path | None, **more: object) -> SolverResult:
    robust = RobustVLM(ScriptedModel(lambda request: "B"), run_folder=folder, **{"profile": ONE_TRY, **more})  # type: ignore[arg-type]
    return await robust.solve(question, [picture], options=OPTIONS)


async def test_another_question_about_a_picture_looks_at_nothing_again(
    dark: Picture, counts: Counter[str], tmp_path: Path
) -> None:
    one = await ask("Where is the cup?", dark, tmp_path)
    assert counts == {"apply_detector": 1, "apply_rectifier": 1, "judge_edit": 1}
    other = await ask("Where is the book?", dark, tmp_path)
    assert counts == {"apply_detector": 1, "apply_rectifier": 1, "judge_edit": 1}
    assert other.findings(0) == one.findings(0)
    assert [item.tries for item in other.work] == [item.tries for item in one.work]
    assert one.work[0].rectified


async def test_questions_asked_together_share_every_look(dark: Picture, counts: Counter[str], tmp_path: Path) -> None:
    questions = ("Where is the cup?", "Where is the book?", "Where is the lamp?")
    together = await asyncio.gather(*(ask(question, dark, tmp_path) for question in questions))
    assert counts == {"apply_detector": 1, "apply_rectifier": 1, "judge_edit": 1}
    alone = await ask("Where is the cup?", dark, None)
    for result in together:
        assert [_untimed(t) for t in result.work[0].tries] == [_untimed(t) for t in alone.work[0].tries]
        assert result.findings(0) == alone.findings(0)
        assert result.work[0].rectified


def _untimed(done: ToolTry) -> ToolTry:
    return done.model_copy(update={"seconds": 0.0})


async def test_without_a_folder_every_question_looks_for_itself(dark: Picture, counts: Counter[str]) -> None:
    for question in ("Where is the cup?", "Where is the book?"):
        await ask(question, dark, None)
    assert counts == {"apply_detector": 2, "apply_rectifier": 2, "judge_edit": 2}


async def test_another_picture_and_another_judge_are_looked_at_anew(
    dark: Picture, photograph: Picture, counts: Counter[str], tmp_path: Path
) -> None:
    await ask("Where?", dark, tmp_path)
    stricter = ONE_TRY.model_copy(update={"judge": PROFILES["perception"].judge})
    await ask("Where?", dark, tmp_path, profile=stricter)
    assert counts == {"apply_detector": 1, "apply_rectifier": 1, "judge_edit": 2}
    await ask("Where?", photograph, tmp_path)
    assert counts == {"apply_detector": 2, "apply_rectifier": 2, "judge_edit": 3}


async def test_a_damaged_verdict_is_named_and_not_believed(dark: Picture, counts: Counter[str], tmp_path: Path) -> None:
    await ask("Where is the cup?", dark, tmp_path)
    verdicts = [path for path in (tmp_path / "calls").rglob("*.json") if "accepted" in json.loads(path.read_text())]
    [verdict] = [path for path in verdicts if "tool" not in json.loads(path.read_text())]
    verdict.write_text(json.dumps({"accepted": "perhaps", "reason": 3}))
    with pytest.raises(SolverError, match=f"kept verdict {verdict.stem} is damaged"):
        await ask("Where is the book?", dark, tmp_path)


async def test_a_detector_that_failed_looks_again(
    dark: Picture, monkeypatch: pytest.MonkeyPatch, counts: Counter[str], tmp_path: Path
) -> None:
    detect = importlib.import_module("seeworthy.agent.stages.detect")
    real = detect.apply_detector

    def fails(*arguments: object) -> object:
        raise RuntimeError("no memory")

    monkeypatch.setattr(detect, "apply_detector", fails)
    assert (await ask("Where is the cup?", dark, tmp_path)).findings(0) == ()
    monkeypatch.setattr(detect, "apply_detector", real)
    assert (await ask("Where is the book?", dark, tmp_path)).findings(0) != ()


async def test_replacing_asks_once_about_the_repaired_picture_in_the_same_words(
    dark: Picture, only_tool: AddTool, always_dark: None
) -> None:
    only_tool(brighter)
    model = ScriptedModel(
        lambda request: "B", capabilities=Capabilities(coordinate_space=CoordinateSpace.PERMILLE, max_images=1)
    )
    result = await RobustVLM(model, profile="replace").solve("Where?", [dark], options=OPTIONS)
    plain = ScriptedModel(lambda request: "B")
    await RobustVLM(plain, profile="off").solve("Where?", [dark], options=OPTIONS)
    [request], [original] = model.asked, plain.asked
    assert request.messages[-1].text == original.messages[-1].text
    assert [one.sha256 for one in request.pictures] == [result.work[0].current] != [dark.sha256]
    assert (result.value, result.solution.chosen_view) == ("B", View.RECTIFIED)
