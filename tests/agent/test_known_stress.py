"""What the caller knows to be wrong with a picture takes the place of what the solver would detect."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from seeworthy.agent import RobustVLM
from seeworthy.agent.profiles import PROFILES
from seeworthy.agent.robust import SolverResult
from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.stress import Stress
from seeworthy.tools.findings import StressFinding
from seeworthy.tools.models import ImagePart, Message, Request, TextPart
from seeworthy.tools.models.fingerprint import request_fingerprint

from .conftest import AddTool, ScriptedModel
from .test_graph import good

OPTIONS = {"A": "left", "B": "right"}
DARK = StressFinding(stress=Stress.LOW_LIGHT, severity=4.0, confidence=1.0, source="told")
HAZY = StressFinding(stress=Stress.HAZE, severity=4.0, confidence=1.0, source="told")


def asking(picture: Picture, stress: tuple[StressFinding, ...] | None) -> Request:
    parts = (ImagePart(picture=picture, stress=stress), TextPart(text="Where?\n\nA. left\nB. right"))
    return Request(messages=(Message(parts=parts),))


async def solved(picture: Picture, stress: tuple[StressFinding, ...] | None, **how: object) -> SolverResult:
    robust = RobustVLM(ScriptedModel(lambda r: "B"), **how)  # type: ignore[arg-type]
    return await robust.solve("Where?", [picture], options=OPTIONS, stress=stress)


@pytest.mark.usefixtures("always_dark")
async def test_nothing_wrong_is_believed_against_the_detectors(dark: Picture, only_tool: AddTool) -> None:
    only_tool(good)
    seen, told = await solved(dark, None), await solved(dark, ())
    assert (seen.work[0].rectified, told.work[0].rectified) == (True, False)
    assert told.work[0].idle_because == "no stress found"
    assert list(told.detections) == ["0/told"]
    assert [answer.view for answer in told.answers] == ["original"]


async def test_what_is_told_is_repaired_and_named(photograph: Picture, dark: Picture, only_tool: AddTool) -> None:
    only_tool(good)
    result = await solved(dark, (DARK,))
    assert [step.stress for step in result.work[0].steps] == [Stress.LOW_LIGHT]
    assert result.work[0].rectified
    assert [finding.stress for finding in result.findings(0)] == [Stress.LOW_LIGHT]
    other = await solved(dark, (HAZY,))
    assert not other.work[0].rectified  # the only tool treats darkness


async def test_each_picture_is_told_of_for_itself(dark: Picture, photograph: Picture, only_tool: AddTool) -> None:
    only_tool(good)
    model = ScriptedModel(lambda r: "B")
    parts = (
        ImagePart(picture=dark, stress=(DARK,)),
        ImagePart(picture=photograph, stress=()),
        TextPart(text="Where?\n\nA. left\nB. right"),
    )
    await RobustVLM(model).reply(Request(messages=(Message(parts=parts),)))
    both = [request for request in model.asked if len(request.pictures) == 3]
    assert len(both) == 1
    assert both[0].pictures[1:] == (dark, photograph)


async def test_a_model_that_looks_is_not_asked_about_what_is_known(dark: Picture, only_tool: AddTool) -> None:
    only_tool(good)
    profile = PROFILES["fidelity"].model_copy(update={"ask_model_for_stress": True})
    counts = {}
    for name, stress in (("seen", None), ("told", (DARK,))):
        model = ScriptedModel(lambda r: "B")
        await RobustVLM(model, profile=profile).solve("Where?", [dark], options=OPTIONS, stress=stress)
        counts[name] = len(model.asked)
    assert counts["told"] == 3
    assert counts["seen"] > 3 or counts["seen"] == 2  # one call to look; nothing repaired leaves one view


async def test_the_wrapped_model_is_never_told(dark: Picture, only_tool: AddTool) -> None:
    only_tool(good)
    model = ScriptedModel(lambda r: "B")
    await RobustVLM(model).reply(asking(dark, (DARK,)))
    parts = [part for request in model.asked for message in request.messages for part in message.parts]
    assert all(part.stress is None for part in parts if isinstance(part, ImagePart))


@pytest.mark.usefixtures("always_dark")
async def test_what_is_told_is_part_of_the_question(dark: Picture, only_tool: AddTool, tmp_path: Path) -> None:
    only_tool(good)
    for stress in (None, (), (DARK,), (HAZY,)):
        await solved(dark, stress, run_folder=tmp_path)
    threads = {request_fingerprint(asking(dark, stress)) for stress in (None, (), (DARK,), (HAZY,))}
    assert len(threads) == 4
    repaired = [(await solved(dark, stress, run_folder=tmp_path)).work[0].rectified for stress in (None, (), (DARK,))]
    assert repaired == [True, False, True]


def test_a_picture_without_knowledge_has_the_fingerprint_that_it_always_had(dark: Picture) -> None:
    plain = Request(messages=(Message(parts=(ImagePart(picture=dark), TextPart(text="Where?"))),))
    content = {
        "form": "seeworthy-request-1",
        "messages": [{"role": "user", "parts": [["image", dark.sha256], ["text", "Where?"]]}],
        "settings": plain.settings.model_dump(mode="json"),
        "seed": None,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    assert request_fingerprint(plain) == hashlib.sha256(text.encode()).hexdigest()
