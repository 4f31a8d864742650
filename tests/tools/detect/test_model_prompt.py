"""The model as a detector: what is sent, and what a reply may do."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.stress import Stress
from seeworthy.tools.detect.model_prompt import detect_by_model, detection_prompt
from seeworthy.tools.detect.model_reply import UnreadableReplyError, read_findings
from seeworthy.tools.models import (
    Capabilities,
    CoordinateSpace,
    Fault,
    FaultKind,
    Reply,
    ReplyStatus,
    Request,
)

PICTURE = Picture(np.full((8, 8, 3), 90, np.uint8))
HAZE = {"stress": "haze", "severity": 3, "confidence": 0.9}
RAIN = {"stress": "rain", "severity": 1.5, "confidence": 0.6}


class Says:
    """A model that gives one reply and keeps the request."""

    name = "test/says"
    capabilities = Capabilities(coordinate_space=CoordinateSpace.PERMILLE)

    def __init__(self, reply: Reply | str) -> None:
        self.answer = Reply(text=reply, status=ReplyStatus.OK) if isinstance(reply, str) else reply
        self.requests: list[Request] = []

    async def reply(self, request: Request) -> Reply:
        self.requests.append(request)
        return self.answer


def _text(*entries: object) -> str:
    return json.dumps({"findings": list(entries)})


def _found(text: str) -> dict[str, tuple[float, float]]:
    read = read_findings(text, source="m")
    return {finding.stress.value: (finding.severity, finding.confidence) for finding in read.findings}


async def test_a_good_reply_becomes_findings_in_order() -> None:
    model = Says(_text(RAIN, HAZE))
    detection = await detect_by_model(PICTURE, model, seed=5)
    assert detection.failed is None
    assert [finding.stress for finding in detection.findings] == [Stress.HAZE, Stress.RAIN]
    assert {finding.source for finding in detection.findings} == {"model:test/says"}
    assert detection.detector == "model:test/says"
    assert detection.picture_sha256 == PICTURE.sha256
    assert detection.model_calls == 1
    (request,) = model.requests
    assert request.seed == 5
    assert request.pictures == (PICTURE,)
    assert request.settings.temperature == 0.0


async def test_the_question_is_quoted_and_only_when_there_is_one() -> None:
    model = Says(_text())
    await detect_by_model(PICTURE, model, question="How far is the lamp?")
    await detect_by_model(PICTURE, model, question="  ")
    with_question, without = (request.messages[0].text for request in model.requests)
    assert "<question>\nHow far is the lamp?\n</question>" in with_question
    assert without == detection_prompt()


def test_the_prompt_names_every_stress_and_shows_nothing_to_echo() -> None:
    prompt = detection_prompt()
    listed = set(re.findall(r"^([a-z_]+): ", prompt, flags=re.MULTILINE))
    # The two global tags are the whole-picture degradations by another name.
    same = {Stress.GLOBAL_UNDEREXPOSURE, Stress.GLOBAL_OVEREXPOSURE}
    assert listed == {stress.value for stress in Stress if stress not in same}
    assert not re.search(r"[{}<>$]", prompt)
    with pytest.raises(UnreadableReplyError):
        read_findings(prompt, source="m")


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(text=_text(HAZE), status=ReplyStatus.TRUNCATED), "cut off"),
        (Reply(text="", status=ReplyStatus.REFUSAL), "declined"),
        (Reply(text="", status=ReplyStatus.FILTERED), "filter"),
        (
            Reply(
                status=ReplyStatus.ERROR,
                fault=Fault(kind=FaultKind.TIMEOUT, message="60 s without an answer", retryable=True),
            ),
            "60 s without",
        ),
        ("", "no JSON"),
        ("I'm sorry, I cannot view images.", "no JSON"),
        ("The picture is hazy.", "no JSON"),
    ],
)
async def test_no_usable_reply_is_a_failure_never_an_empty_list(reply: Reply | str, why: str) -> None:
    detection = await detect_by_model(PICTURE, Says(reply))
    assert detection.findings == ()
    assert detection.failed is not None
    assert why in detection.failed
    assert detection.model_calls == 1


async def test_an_empty_list_is_an_answer() -> None:
    detection = await detect_by_model(PICTURE, Says(_text()))
    assert detection.failed is None
    assert detection.findings == ()


BOTH = {"haze": (3.0, 0.9), "rain": (1.5, 0.6)}


@pytest.mark.parametrize(
    "text",
    [
        _text(HAZE, RAIN),
        "```json\n" + _text(HAZE, RAIN) + "\n```",
        "Here is what I see:\n" + json.dumps({"findings": [HAZE, RAIN]}, indent=2) + "\nI hope this helps.",
        json.dumps([HAZE, RAIN]),
        "<think>perhaps {fog}? or [rain]?</think>\n" + _text(HAZE, RAIN),
        "fog I think.</think>" + _text(HAZE, RAIN),
        _text(HAZE, RAIN) + "\n" + _text(HAZE, RAIN),
        _text(HAZE, RAIN).replace('"', "'"),
        _text(HAZE, RAIN).replace("}]}", "},]}"),
        '{"findings": [{"stress": "Haze", "severity": "3", "confidence": "0.9"}, '
        '{"stress": "rain", "severity": 1.5, "confidence": 0.6}]}',
        json.dumps({"reasoning": 'a {bracket} and "quotes"', "findings": [HAZE, RAIN]}),
        _text(HAZE, RAIN, {"stress": "snow", "severity": 0, "confidence": 0.9}),
    ],
)
def test_wrapping_and_small_slips_are_read(text: str) -> None:
    assert _found(text) == BOTH


@pytest.mark.parametrize(
    ("name", "stress"),
    [
        ("L__global_underexposure", "low_light"),
        ("global overexposure", "over_exposure"),
        ("V__small_scale", "small_scale"),
        ("color_cast", "colour_cast"),
        ("Motion-Blur", "motion_blur"),
    ],
)
def test_other_spellings_of_our_names(name: str, stress: str) -> None:
    assert list(_found(_text({"stress": name, "severity": 2, "confidence": 0.5}))) == [stress]


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"stress": "fogginess", "severity": 3, "confidence": 0.9}, "unknown stress 'fogginess'"),
        ({"stress": "haze", "severity": 7, "confidence": 0.9}, "severity is 7, outside 0 to 5"),
        ({"stress": "haze", "severity": -1, "confidence": 0.9}, "severity is -1"),
        ({"stress": "haze", "severity": 3, "confidence": 90}, "confidence is 90, outside 0 to 1"),
        ({"stress": "haze", "severity": 3, "confidence": "90%"}, "not a number"),
        ({"stress": "haze", "severity": "high", "confidence": 0.9}, "severity is 'high'"),
        ({"stress": "haze", "severity": True, "confidence": 0.9}, "severity is True"),
        ({"stress": "haze", "severity": 3}, "confidence is None"),
        ({"stress": "haze", "severity": 10**400, "confidence": 0.9}, "outside 0 to 5"),
        ({"stress": "haze", "severity": float("nan"), "confidence": 0.9}, "severity is nan"),
        ({"stress": ["haze"], "severity": 3, "confidence": 0.9}, "not a name"),
        ("haze", "is no object"),
        (None, "is no object"),
    ],
)
def test_an_impossible_entry_is_dropped_by_name_and_alone_it_fails_the_reply(entry: object, why: str) -> None:
    read = read_findings(_text(RAIN, entry), source="m")
    assert [finding.stress for finding in read.findings] == [Stress.RAIN]
    (note,) = read.notes
    assert note.startswith("findings[1] dropped")
    assert why in note
    with pytest.raises(UnreadableReplyError, match="none of the 1 entries"):
        read_findings(_text(entry), source="m")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"findings": [{"stress": "haze", "severity": 3, "confidence": 0.9}, {"stress": "ra', "breaks off"),
        ('{"findings": [', "breaks off"),
        ('```json\n{"findings": [{"stress": "haze"', "breaks off"),
        ("<think>It is hazy, so", "inside its reasoning"),
        ('{"findings": "haze"}', "not a list"),
        ('{"findings": {"stress": "haze"}}', "not a list"),
        ('{"stress": "haze", "severity": 3, "confidence": 0.9}', "no JSON object"),
        (_text(HAZE) + _text(RAIN), "2 different lists"),
        (_text(HAZE, {**HAZE, "severity": 4}), "listed twice"),
        ('{"findings": [], "findings": []}', "one key twice"),
        (_text(*[HAZE] * 65), "65 findings"),
        ("x" * 20_001, "20001 characters"),
        ("[" * 5000, "12 deep"),
        ('{"findings": ' + "[" * 30 + "]" * 30 + "}", "12 deep"),
    ],
)
def test_what_cannot_be_trusted_is_unreadable(text: str, why: str) -> None:
    with pytest.raises(UnreadableReplyError, match=why):
        read_findings(text, source="m")


def test_a_repair_is_named() -> None:
    assert read_findings("{'findings': []}", source="m").notes == ("the JSON had to be repaired",)


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.text(max_size=200),
        st.text(alphabet="{}[]\":,'\\ findingstressv0123456789.eE-NaInfty\n", max_size=200),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
            lambda inner: (
                st.lists(inner, max_size=4)
                | st.dictionaries(st.sampled_from(["findings", "stress", "severity", "confidence"]), inner, max_size=4)
            ),
            max_leaves=15,
        ).map(json.dumps),
    )
)
async def test_no_reply_raises_or_passes_an_impossible_value(text: str) -> None:
    detection = await detect_by_model(PICTURE, Says(text))
    assert all(0 < finding.severity <= 5 and 0 <= finding.confidence <= 1 for finding in detection.findings)
    assert detection.failed is None or not detection.findings
