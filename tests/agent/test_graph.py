"""The machine as a whole: the same result with and without a database, resumed runs, budgets."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from seeworthy.agent import Budget, Profile, RobustVLM
from seeworthy.agent.checkpoints import Checkpoints
from seeworthy.agent.context import model_identity
from seeworthy.agent.errors import ModelUnavailableError, SolverError
from seeworthy.agent.graph import build_graph
from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.stress import Stress
from seeworthy.tools.findings import Detection, StressFinding
from seeworthy.tools.models import Capabilities, CoordinateSpace, Fault, FaultKind, Reply, ReplyStatus, Request
from seeworthy.tools.registry import Rectified, RectifyHint

from .conftest import AddTool, ScriptedModel, only_detector
from .test_editors import good

OPTIONS = {"A": "left", "B": "right"}
DOWN = Reply(
    status=ReplyStatus.ERROR, fault=Fault(kind=FaultKind.CONNECTION, message="connection refused", retryable=True)
)
BAD_VIEW = Reply(
    status=ReplyStatus.ERROR,
    fault=Fault(kind=FaultKind.TOO_LARGE, message="two pictures are too much", retryable=False),
)


def comparable(result) -> dict[str, object]:  # type: ignore[no-untyped-def]
    summary = result.summary()
    summary.pop("spent")
    return summary


@pytest.mark.usefixtures("always_dark")
async def test_the_result_is_the_same_with_and_without_a_database(
    dark: Picture, only_tool: AddTool, tmp_path: Path
) -> None:
    only_tool(good)
    plain = await RobustVLM(ScriptedModel(lambda r: "B")).solve("Where?", [dark], options=OPTIONS)
    kept = await RobustVLM(ScriptedModel(lambda r: "B"), run_folder=tmp_path).solve("Where?", [dark], options=OPTIONS)
    assert comparable(plain) == comparable(kept)


@pytest.mark.usefixtures("always_dark")
async def test_the_database_holds_no_pixels(only_tool: AddTool, tmp_path: Path) -> None:
    only_tool(good)
    noise = np.random.default_rng(0).integers(0, 40, (600, 600, 3), dtype=np.uint8)
    picture = Picture(noise)
    assert len(picture.png()) > 500_000
    with pytest.raises(ModelUnavailableError):
        await RobustVLM(ScriptedModel(lambda r: DOWN), run_folder=tmp_path).solve("Where?", [picture], options=OPTIONS)
    assert 0 < sum(path.stat().st_size for path in (tmp_path / "unfinished").glob("*.sqlite*")) < 200_000


@pytest.mark.usefixtures("always_dark")
async def test_a_dead_server_is_an_error_and_the_same_call_goes_on_from_there(
    dark: Picture, only_tool: AddTool, tmp_path: Path
) -> None:
    runs = 0

    def counted(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
        nonlocal runs
        runs += 1
        return good(image_srgb, hint)

    only_tool(counted)
    dying = ScriptedModel(lambda request: "B" if len(request.pictures) == 2 else DOWN)
    with pytest.raises(ModelUnavailableError, match="connection refused") as caught:
        await RobustVLM(dying, run_folder=tmp_path).solve("Where?", [dark], options=OPTIONS)
    assert caught.value.fault.kind is FaultKind.CONNECTION
    back = ScriptedModel(lambda request: "B")
    result = await RobustVLM(back, run_folder=tmp_path).solve("Where?", [dark], options=OPTIONS)
    assert runs == 1, "the tool's work was paid for once"
    assert [len(request.pictures) for request in back.asked] == [1, 1], "the reply that had come was kept"
    assert (result.outcome, result.value) == ("answered", "B")


@pytest.mark.usefixtures("always_dark")
async def test_a_resumed_question_counts_what_was_paid_before(
    dark: Picture, only_tool: AddTool, tmp_path: Path
) -> None:
    only_tool(good)
    paid = Reply(text="B", status=ReplyStatus.OK, cost_usd=0.02)
    with pytest.raises(ModelUnavailableError):
        dying = ScriptedModel(lambda request: paid if len(request.pictures) == 2 else DOWN)
        await RobustVLM(dying, run_folder=tmp_path).solve("Where?", [dark], options=OPTIONS)
    result = await RobustVLM(ScriptedModel(lambda r: paid), run_folder=tmp_path).solve(
        "Where?", [dark], options=OPTIONS
    )
    assert (result.spent.calls, result.spent.cost_usd) == (3, pytest.approx(0.06))


@pytest.mark.usefixtures("always_dark")
async def test_a_second_solver_of_the_same_question_is_refused_by_name(
    dark: Picture, only_tool: AddTool, tmp_path: Path
) -> None:
    only_tool(good)
    both = await asyncio.gather(
        *(
            RobustVLM(ScriptedModel(lambda r: "B"), run_folder=tmp_path).solve("Where?", [dark], options=OPTIONS)
            for _ in range(2)
        ),
        return_exceptions=True,
    )
    [refused] = [outcome for outcome in both if isinstance(outcome, SolverError)]
    [solved] = [outcome for outcome in both if not isinstance(outcome, BaseException)]
    assert f"process {os.getpid()}" in str(refused)
    assert solved.value == "B"


@pytest.mark.usefixtures("always_dark")
async def test_a_model_that_raises_is_a_fault_with_its_words(dark: Picture, only_tool: AddTool) -> None:
    only_tool(good)

    def broken(request: object) -> str:
        raise KeyError("no such field")

    with pytest.raises(ModelUnavailableError, match="no such field"):
        await RobustVLM(ScriptedModel(broken)).solve("Where?", [dark], options=OPTIONS)  # type: ignore[arg-type]


def test_a_wrapped_solver_is_known_by_its_configuration() -> None:
    model = ScriptedModel(lambda r: "B")
    one, two = RobustVLM(model, profile="off"), RobustVLM(model, profile="perception")
    assert model_identity(one) != model_identity(two)
    assert model_identity(one) == model_identity(RobustVLM(model, profile="off"))


@pytest.mark.usefixtures("always_dark")
async def test_a_finished_question_is_not_asked_again(dark: Picture, only_tool: AddTool, tmp_path: Path) -> None:
    only_tool(good)
    one = await RobustVLM(ScriptedModel(lambda r: "B"), run_folder=tmp_path).solve("Where?", [dark], options=OPTIONS)
    silent = ScriptedModel(lambda r: "A")
    two = await RobustVLM(silent, run_folder=tmp_path).solve("Where?", [dark], options=OPTIONS)
    assert silent.asked == []
    assert one.summary() == two.summary()


@pytest.mark.usefixtures("always_dark")
@pytest.mark.parametrize("change", ["question", "options", "picture", "model", "profile"])
async def test_any_change_of_what_decides_asks_anew(
    change: str, dark: Picture, photograph: Picture, only_tool: AddTool, tmp_path: Path
) -> None:
    only_tool(good)
    await RobustVLM(ScriptedModel(lambda r: "A"), run_folder=tmp_path).solve("Where?", [dark], options=OPTIONS)
    other = ScriptedModel(lambda r: "B", name="other" if change == "model" else "scripted")
    profile = Profile(name="fidelity", min_support=0.6) if change == "profile" else "fidelity"
    result = await RobustVLM(other, profile=profile, run_folder=tmp_path).solve(
        "Which?" if change == "question" else "Where?",
        [photograph if change == "picture" else dark],
        options={"A": "left", "B": "front"} if change == "options" else OPTIONS,
    )
    assert result.value == ("A" if change == "profile" else "B")  # a profile changes the course, not a paid reply


@pytest.mark.usefixtures("always_dark")
async def test_one_solver_keeps_questions_apart(dark: Picture, photograph: Picture, only_tool: AddTool) -> None:
    only_tool(good)
    robust = RobustVLM(ScriptedModel(lambda r: "A" if "first" in r.messages[-1].text else "B"))
    results = await asyncio.gather(
        robust.solve("first", [dark], options=OPTIONS),
        robust.solve("second", [photograph], options=OPTIONS),
        robust.solve("third", [dark, photograph], options=OPTIONS),
    )
    assert [result.value for result in results] == ["A", "B", "B"]
    assert [len(result.work) for result in results] == [1, 1, 2]
    originals = [[item.original for item in result.work] for result in results]
    assert originals == [[dark.sha256], [photograph.sha256], [dark.sha256, photograph.sha256]]


@pytest.mark.usefixtures("always_dark")
class TestBudget:
    async def test_one_call_goes_to_the_view_that_shows_most(self, dark: Picture, only_tool: AddTool) -> None:
        only_tool(good)
        model = ScriptedModel(lambda r: "B")
        result = await RobustVLM(model, budget=Budget(max_calls=1)).solve("Where?", [dark], options=OPTIONS)
        assert [answer.view for answer in result.answers] == ["both"]
        assert any("not asked" in event.text for event in result.events)

    async def test_a_model_for_one_picture_is_never_shown_two(self, dark: Picture, only_tool: AddTool) -> None:
        only_tool(good)
        single = Capabilities(coordinate_space=CoordinateSpace.PERMILLE, max_images=1)
        model = ScriptedModel(lambda r: "B", capabilities=single)
        result = await RobustVLM(model).solve("Where?", [dark], options=OPTIONS)
        assert [answer.view for answer in result.answers] == ["original", "rectified"]

    async def test_a_view_that_is_too_large_is_left_out(self, dark: Picture, only_tool: AddTool) -> None:
        only_tool(good)
        model = ScriptedModel(lambda r: BAD_VIEW if len(r.pictures) == 2 else "B")
        result = await RobustVLM(model).solve("Where?", [dark], options=OPTIONS)
        assert [answer.view for answer in result.answers] == ["original", "rectified"]
        assert result.value == "B"

    async def test_money_stops_the_calls(self, dark: Picture, only_tool: AddTool) -> None:
        only_tool(good)
        model = ScriptedModel(lambda r: Reply(text="B", status=ReplyStatus.OK, cost_usd=0.02))
        result = await RobustVLM(model, budget=Budget(max_cost_usd=0.03)).solve("Where?", [dark], options=OPTIONS)
        assert len(model.asked) == 2
        assert result.spent.cost_usd == pytest.approx(0.04)

    async def test_a_model_without_a_price_gets_one_call_under_a_money_limit(
        self, dark: Picture, only_tool: AddTool
    ) -> None:
        only_tool(good)
        model = ScriptedModel(lambda r: "B")
        await RobustVLM(model, budget=Budget(max_cost_usd=1)).solve("Where?", [dark], options=OPTIONS)
        assert len(model.asked) == 1

    async def test_no_time_left_means_no_tools_but_an_answer(self, dark: Picture, only_tool: AddTool) -> None:
        only_tool(good)
        ticks = iter(range(0, 10_000, 100))
        robust = RobustVLM(ScriptedModel(lambda r: "B"), budget=Budget(max_seconds=50), clock=lambda: next(ticks))
        result = await robust.solve("Where?", [dark], options=OPTIONS)
        assert result.work[0].tries == []
        assert result.value == "B"


async def test_a_stage_that_returns_a_mistyped_key_is_named(dark: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(build_graph.__globals__["_ASK"], "cross_check", lambda state, context: {"solutoin": {}})
    with pytest.raises(SolverError, match=r"'cross_check'.*'solutoin'.*'solution'"):
        await RobustVLM(ScriptedModel(lambda r: "B")).solve("Where?", [dark], options=OPTIONS)


async def test_a_failing_detector_leaves_the_picture_alone(dark: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(picture: Picture) -> None:
        raise ValueError("cannot see")

    only_detector(monkeypatch, broken)  # type: ignore[arg-type]
    result = await RobustVLM(ScriptedModel(lambda r: "B")).solve("Where?", [dark], options=OPTIONS)
    assert result.value == "B"
    assert result.work[0].idle_because == "no detector could look at the picture"
    assert "cannot see" in (result.detections["0/statistics"].failed or "")


@pytest.mark.usefixtures("always_dark")
async def test_no_message_in_the_database_needs_code_to_load(
    dark: Picture, only_tool: AddTool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_tool(good)
    # As if the process were killed after the last stage.
    monkeypatch.setattr(Checkpoints, "finish", lambda *_: None)
    await RobustVLM(ScriptedModel(lambda r: "B\ud800"), run_folder=tmp_path).solve("Where?", [dark], options=OPTIONS)
    (path,) = (tmp_path / "unfinished").glob("*.sqlite")
    with sqlite3.connect(path) as database:
        kinds = {
            kind for (kind,) in database.execute("select distinct type from checkpoints union select type from writes")
        }
    assert {"msgpack"} <= kinds <= {"msgpack", "null", "empty", None}


@pytest.mark.usefixtures("always_dark")
@pytest.mark.parametrize("damage", ["checkpoints", "calls"])
async def test_a_damaged_run_folder_is_named_with_what_to_delete(
    damage: str, dark: Picture, only_tool: AddTool, tmp_path: Path
) -> None:
    only_tool(good)
    with pytest.raises(ModelUnavailableError):
        await RobustVLM(ScriptedModel(lambda r: DOWN), run_folder=tmp_path).solve("Where?", [dark], options=OPTIONS)
    (path,) = (tmp_path / "unfinished").glob("*.sqlite")
    if damage == "checkpoints":
        path.write_bytes(b"not a database at all" * 500)
    else:
        path.unlink()
        for path in (tmp_path / "calls").rglob("*.json"):
            path.write_text("{}")
    with pytest.raises(SolverError, match=r"damaged.*delete it"):
        await RobustVLM(ScriptedModel(lambda r: "B"), run_folder=tmp_path).solve("Where?", [dark], options=OPTIONS)


async def test_how_sure_the_model_is_is_asked_only_where_two_pictures_compete(
    dark: Picture, photograph: Picture, only_tool: AddTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_tool(good)
    said = {dark.sha256: ("A", -0.5), photograph.sha256: ("A", -0.5)}

    def answer(request: Request) -> Reply:
        text, logprob = said.get(request.pictures[0].sha256, ("B", -0.1))
        return Reply(text=text, status=ReplyStatus.OK, logprob=logprob if request.settings.logprobs else None)

    def repairs(found: Detection) -> Callable[[Picture], Detection]:
        return lambda picture: found.model_copy(update={"picture_sha256": picture.sha256})

    finding = StressFinding(stress=Stress.LOW_LIGHT, severity=3.0, confidence=0.95, source="statistics")
    nothing = Detection(detector="statistics", version="test", picture_sha256=dark.sha256, findings=())
    model = ScriptedModel(answer)
    only_detector(monkeypatch, repairs(nothing))
    left_alone = await RobustVLM(model, profile="surest").solve("Where?", [photograph], options=OPTIONS)
    assert (left_alone.value, [request.settings.logprobs for request in model.asked]) == ("A", [False])
    model.asked.clear()
    only_detector(monkeypatch, repairs(nothing.model_copy(update={"findings": (finding,)})))
    repaired = await RobustVLM(model, profile="surest").solve("Where?", [dark], options=OPTIONS)
    assert (repaired.value, [request.settings.logprobs for request in model.asked]) == ("B", [True, True])
