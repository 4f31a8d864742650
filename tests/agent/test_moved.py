"""Moved copies of a repaired picture: what they show, when they are asked about, and what they decide."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from seeworthy.agent import Budget, Profile, RobustVLM
from seeworthy.agent.arms import ARMS
from seeworthy.agent.moved import MOST_MOVED, moved_copy
from seeworthy.agent.profiles import profile_named
from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.questions import AnswerFormat, AnswerType, Unit
from seeworthy.bench_data.stress import Stress
from seeworthy.tools.findings import Detection, StressFinding
from seeworthy.tools.models import Reply, ReplyStatus, Request

from .conftest import AddTool, ScriptedModel, only_detector
from .test_editors import good

RNG = np.random.default_rng(0)
OPTIONS = {"A": "left", "B": "right"}


def test_copies_are_the_same_picture_moved_another_way_each() -> None:
    picture = Picture(RNG.integers(0, 256, (60, 100, 3), dtype=np.uint8))
    right, down, left, up = (moved_copy(picture, copy + 1).image_srgb_u8 for copy in range(MOST_MOVED))
    shown = picture.image_srgb_u8
    assert np.array_equal(right[:, 2:], shown[:, :-2]) and np.array_equal(right[:, 0], shown[:, 0])
    assert np.array_equal(down[2:], shown[:-2]) and np.array_equal(left[:, :-2], shown[:, 2:])
    assert np.array_equal(up[:-2], shown[2:]) and np.array_equal(up[-1], shown[-1])


@pytest.mark.parametrize("size", [(1, 1), (1, 300), (7, 3)])
def test_pictures_of_any_size_have_copies(size: tuple[int, int]) -> None:
    picture = Picture(RNG.integers(0, 256, (*size, 3), dtype=np.uint8))
    assert {moved_copy(picture, copy + 1).image_srgb_u8.shape[:2] for copy in range(MOST_MOVED)} == {size}


def profile(copies: int) -> Profile:
    return profile_named("surest").model_copy(update={"moved_copies": copies})


def sure_of(dark: Picture, repaired: list[tuple[str, float]]) -> ScriptedModel:
    """A model that says "A" of the dark picture, and this with these probabilities of its repair and its copies."""
    known: dict[str, tuple[str, float]] = {}

    def answer(request: Request) -> Reply:
        sha256 = request.pictures[0].sha256
        text, sure = ("A", 0.6) if sha256 == dark.sha256 else known.setdefault(sha256, repaired[len(known)])
        return Reply(text=text, status=ReplyStatus.OK, logprob=math.log(sure))

    return ScriptedModel(answer)


@pytest.fixture
def found_dark(only_tool: AddTool, monkeypatch: pytest.MonkeyPatch) -> None:
    only_tool(good)
    finding = StressFinding(stress=Stress.LOW_LIGHT, severity=3.0, confidence=0.95, source="statistics")

    def detect(picture: Picture) -> Detection:
        return Detection(detector="statistics", version="test", picture_sha256=picture.sha256, findings=(finding,))

    only_detector(monkeypatch, detect)


@pytest.mark.usefixtures("found_dark")
@pytest.mark.parametrize(
    ("repaired", "value"),
    [
        ([("B", 0.95), ("B", 0.99), ("B", 0.92)], "B"),
        # Sure of the picture as it is alone: an accident of pixels.
        ([("B", 0.99), ("A", 0.9), ("B", 0.9)], "A"),
        ([("B", 0.99), ("B", 0.5), ("B", 0.6)], "A"),
        ([("B", 0.85), ("B", 0.97), ("B", 0.97)], "B"),
    ],
)
async def test_what_is_said_of_all_copies_decides(dark: Picture, repaired: list[tuple[str, float]], value: str) -> None:
    solved = await RobustVLM(sure_of(dark, repaired), profile=profile(2)).solve("Where?", [dark], options=OPTIONS)
    assert solved.value == value
    assert [answer.label for answer in solved.answers] == [
        "original view",
        "rectified view",
        "rectified view, moved copy 1",
        "rectified view, moved copy 2",
    ]


@pytest.mark.usefixtures("found_dark")
async def test_a_small_budget_drops_the_copies_first(dark: Picture) -> None:
    model = sure_of(dark, [("B", 0.99)])
    solved = await RobustVLM(model, profile=profile(2), budget=Budget(max_calls=2)).solve(
        "Where?", [dark], options=OPTIONS
    )
    assert (solved.value, len(model.asked)) == ("B", 2)


@pytest.mark.usefixtures("found_dark")
async def test_measurements_are_not_asked_of_copies(dark: Picture) -> None:
    model = sure_of(dark, [("2 m", 0.4)])
    metres = AnswerFormat(answer_type=AnswerType.NUMBER, unit=Unit.METRE)
    await RobustVLM(model, profile=profile(4)).solve("How far?", [dark], answer_format=metres)
    assert len(model.asked) == 2


@pytest.mark.usefixtures("found_dark")
async def test_copies_are_told_as_such(dark: Picture, tmp_path: Path) -> None:
    told: list[str] = []
    solver = RobustVLM(sure_of(dark, [("B", 0.95)] * 2), profile=profile(1), report=told.append)
    solved = await solver.solve("Where?", [dark], options=OPTIONS)
    assert any("rectified view, moved copy 1: 'B' (95% sure)" in line for line in told)
    solved.write_trace(tmp_path / "trace.html")
    assert "<td>rectified view, moved copy 1</td>" in (tmp_path / "trace.html").read_text(encoding="utf-8")
    unasked: list[str] = []
    small = RobustVLM(sure_of(dark, []), profile=profile(1), budget=Budget(max_calls=1), report=unasked.append)
    assert (await small.solve("Where?", [dark], options=OPTIONS)).value == "A"
    assert any("used up: rectified view; rectified view, moved copy 1" in line for line in unasked)


@pytest.mark.usefixtures("found_dark")
async def test_where_repairs_are_not_shown_the_originals_copies_are(dark: Picture) -> None:
    model = sure_of(dark, [("A", 0.9)] * 2)
    shown = profile(1).model_copy(update={"show_repairs": False})
    await RobustVLM(model, profile=shown).solve("Where?", [dark], options=OPTIONS)
    seen = [request.pictures[0].sha256 for request in model.asked]
    assert seen == [dark.sha256, moved_copy(dark, 1).sha256]


@pytest.mark.usefixtures("found_dark")
async def test_without_probabilities_copies_are_weighed_by_trust_and_not_taken_for_samples(dark: Picture) -> None:
    told: list[str] = []
    model = ScriptedModel(lambda request: "A")
    solved = await RobustVLM(model, profile=profile(2), report=told.append).solve("Where?", [dark], options=OPTIONS)
    assert (solved.value, len(model.asked)) == ("A", 4)
    assert not any("ignores the temperature" in line for line in told)


def test_copies_are_counted_among_the_calls_of_an_arm() -> None:
    model = ScriptedModel(lambda request: "A")
    assert ARMS["robust"].around(model, profile(3)).calls == (1, 5)
    assert ARMS["rectified-only"].around(model, profile(3)).calls == (1, 1)
