"""Tools that move, add, blacken, break or hang: the solver notices, keeps the original, and still answers."""

from __future__ import annotations

import time
from collections.abc import Callable

import cv2
import numpy as np
import pytest

from seeworthy.agent import Budget, Profile, RobustVLM
from seeworthy.bench_data.images import Picture, linear_from_srgb, srgb_from_linear
from seeworthy.tools.registry import Rectified, RectifyHint

from .conftest import AddTool, ScriptedModel

pytestmark = pytest.mark.usefixtures("always_dark")

OPTIONS = {"A": "left", "B": "right"}
ONE_TRY = Profile(name="test", max_alternatives=1, max_replans=0)


def lifted(image_srgb: np.ndarray) -> np.ndarray:
    return srgb_from_linear(linear_from_srgb(image_srgb) * np.float32(8))


def good(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
    return Rectified(lifted(image_srgb))


def shifts(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
    return Rectified(np.roll(lifted(image_srgb), (-7, 12), axis=(0, 1)))


def zooms(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
    height, width = image_srgb.shape[:2]
    matrix = np.float32([[1.05, 0, -0.025 * width], [0, 1.05, -0.025 * height]])
    return Rectified(np.clip(cv2.warpAffine(lifted(image_srgb), matrix, (width, height)), 0, 1))


def mirrors(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
    return Rectified(np.ascontiguousarray(lifted(image_srgb)[:, ::-1]))


def squeezes(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
    return Rectified(cv2.resize(lifted(image_srgb), (200, 384)))


def pastes(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
    edited = lifted(image_srgb).copy()
    edited[60:150, 200:290] = np.float32([0.9, 0.1, 0.1])
    return Rectified(edited)


def blackens(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
    return Rectified(np.zeros_like(image_srgb))


def drops_a_channel(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
    return Rectified(np.ascontiguousarray(image_srgb[..., :2]))


def makes_nan(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
    return Rectified(np.full_like(image_srgb, np.nan))


def returns_numpy_numbers(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
    return Rectified(lifted(image_srgb), parameters={"quality": np.float32(0.3)})  # type: ignore[dict-item]


def raises(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
    raise ZeroDivisionError("in the tool")


def stops(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
    return next(iter(()))


def quits(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
    raise SystemExit(3)


def hangs(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
    time.sleep(3)
    return Rectified(lifted(image_srgb))


def writes_its_input(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
    image_srgb[:] = 0
    return Rectified(image_srgb)


async def outcome(tool: Callable[..., Rectified], picture: Picture, only_tool: AddTool):  # type: ignore[no-untyped-def]
    only_tool(tool)
    model = ScriptedModel(lambda request: "B")
    robust = RobustVLM(model, profile=ONE_TRY, budget=Budget(tool_seconds=1.5 if tool is hangs else 60))
    result = await robust.solve("Where?", [picture], options=OPTIONS)
    return result, model


async def test_a_sound_repair_is_accepted_and_shown(dark: Picture, only_tool: AddTool) -> None:
    result, model = await outcome(good, dark, only_tool)
    [item] = result.work
    assert item.rectified, item.tries
    assert [len(request.pictures) for request in model.asked] == [2, 1, 1]
    assert (result.outcome, result.value) == ("answered", "B")
    assert result.solution.support == 1.0


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        (shifts, ""),
        (zooms, ""),
        (mirrors, "mirror"),
        (squeezes, "without a pixel_map"),
        (pastes, ""),
        (blackens, ""),
        (drops_a_channel, "(H, W, 3)"),
        (makes_nan, "NaN"),
        (returns_numpy_numbers, "parameters['quality'] as float32"),
        (raises, "in the tool"),
        (stops, "StopIteration"),
        (quits, "SystemExit"),
        (hangs, "took longer"),
        (writes_its_input, "read-only"),
    ],
)
async def test_a_bad_edit_is_rejected_with_its_reason_and_the_original_is_asked(
    tool: Callable[..., Rectified], reason: str, dark: Picture, only_tool: AddTool
) -> None:
    result, model = await outcome(tool, dark, only_tool)
    [item] = result.work
    [done] = item.tries
    assert done.accepted is False
    assert reason in done.reason
    assert item.current == dark.sha256
    assert [request.pictures[0].sha256 for request in model.asked] == [dark.sha256]
    assert (result.outcome, result.value) == ("answered", "B")


async def test_the_second_plan_tries_another_tool_once(dark: Picture, only_tool: AddTool) -> None:
    only_tool(blackens, good)
    profile = Profile(name="test", max_alternatives=1)
    result = await RobustVLM(ScriptedModel(lambda request: "B"), profile=profile).solve("?", [dark], options=OPTIONS)
    [item] = result.work
    assert [(t.tool, t.attempt, t.accepted) for t in item.tries] == [("blackens", 0, False), ("good", 1, True)]


async def test_planning_ends_when_nothing_passes(dark: Picture, only_tool: AddTool) -> None:
    only_tool(blackens, makes_nan, mirrors)
    profile = Profile(name="test", max_alternatives=1)
    result = await RobustVLM(ScriptedModel(lambda request: "B"), profile=profile).solve("?", [dark], options=OPTIONS)
    assert len(result.work[0].tries) == 2
    assert result.value == "B"


async def test_of_two_good_tools_the_better_is_kept_and_the_other_told_so(dark: Picture, only_tool: AddTool) -> None:
    def timid(image_srgb: np.ndarray, hint: RectifyHint) -> Rectified:
        return Rectified(srgb_from_linear(linear_from_srgb(image_srgb) * np.float32(2.5)))

    only_tool(timid, good)
    profile = Profile(name="test", max_alternatives=2)
    result = await RobustVLM(ScriptedModel(lambda request: "B"), profile=profile).solve("?", [dark], options=OPTIONS)
    by_name = {t.tool: t for t in result.work[0].tries}
    assert by_name["good"].accepted
    assert by_name["timid"].accepted is False
