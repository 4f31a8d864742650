"""What is taught is what runs ask for, and runs read it as right."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.questions import AnswerFormat, AnswerType, Truth, Unit
from seeworthy.bench_data.questions.prompts import Places, prompt_text
from seeworthy.bench_data.suites import SuiteImage, SuiteItem
from seeworthy.bench_data.suites.item import Coordinates
from seeworthy.bench_data.suites.training import taught_answer
from seeworthy.bench_data.suites.training.answers import short_number
from seeworthy.diagnostics.runs.items import with_pictures
from seeworthy.diagnostics.runs.prompts import PROMPTS
from seeworthy.diagnostics.runs.scoring import judge_reply
from seeworthy.tools.models import CoordinateSpace, Reply, ReplyStatus
from tests.bench_data.suites.making import SIZE, items, questions

SUITES = ("crisp", "spacedg", "open3dvqa", "grounding")
SPACES: dict[CoordinateSpace, Places] = {
    CoordinateSpace.PERMILLE: "permille",
    CoordinateSpace.FRACTION: "fraction",
    CoordinateSpace.ORIGINAL_PIXELS: "pixels",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[SuiteItem]:
    return items(tmp_path_factory.mktemp("source"), questions(most=40, suites=SUITES))


@pytest.mark.parametrize("space", SPACES)
def test_prompts_are_those_of_runs_word_for_word(made: list[SuiteItem], space: CoordinateSpace) -> None:
    for item, asked in zip(made, with_pictures(made), strict=True):
        *shown, text = PROMPTS.get("plain").parts(asked, space)
        assert prompt_text(item.text, item.answer_format, places=SPACES[space]) == text
        assert len(shown) == len(item.images)


@pytest.mark.parametrize("space", SPACES)
def test_runs_read_what_is_taught_as_right(made: list[SuiteItem], space: CoordinateSpace) -> None:
    read = set()
    for item, asked in zip(made, with_pictures(made), strict=True):
        if item.answer_type is AnswerType.POINT:
            continue  # scored by a mask, which these have not
        answer = taught_answer(item, places=SPACES[space], size=SIZE)
        judged = judge_reply(
            asked, Reply(text=answer, status=ReplyStatus.OK), space=space, load_mask=lambda ref: pytest.fail(ref.path)
        )
        assert judged.status == "ok", (item.id, answer)
        assert judged.score is not None
        # Whole pixels, or thousandths, cut a little off small boxes.
        assert judged.score > (0.8 if item.answer_type is AnswerType.BOX else 0.99), (item.id, answer)
        read.add(item.answer_type)
    assert read >= {AnswerType.CHOICE, AnswerType.YES_NO, AnswerType.NUMBER, AnswerType.LIST, AnswerType.BOX}


def item_of(form: AnswerFormat, truth: Truth | None, coordinates: Coordinates = "pixels") -> SuiteItem:
    images = (SuiteImage("a.png", root=Path("/nowhere")),)
    return SuiteItem(id="one", text="?", images=images, answer_format=form, truth=truth, coordinates=coordinates)


METRES = AnswerFormat(answer_type=AnswerType.NUMBER, unit=Unit.METRE)
BOX = AnswerFormat(answer_type=AnswerType.BOX)
POINT = AnswerFormat(answer_type=AnswerType.POINT)


@pytest.mark.parametrize(
    ("form", "truth", "said"),
    [
        (METRES, 2.3456789, "2.35 m"),
        (METRES, 12345.6, "12300 m"),
        (METRES, -0.0, "0 m"),
        (AnswerFormat(answer_type=AnswerType.NUMBER, unit=Unit.COUNT), 3, "3"),
        (AnswerFormat(answer_type=AnswerType.NUMBER, unit=Unit.RATIO), 0.5, "0.5"),
        (AnswerFormat(answer_type=AnswerType.LIST, unit=Unit.METRE, length=3), (1.0, 2.0 / 3.0, 10.0), "1, 0.667, 10"),
        (AnswerFormat(answer_type=AnswerType.CLOCK), 12, "12 o'clock"),
        (AnswerFormat(answer_type=AnswerType.YES_NO, options={"A": "No", "B": "Yes"}), True, "Yes"),
        (AnswerFormat(answer_type=AnswerType.CHOICE, options={"A": "left", "B": "right"}), "B", "B"),
        (AnswerFormat(answer_type=AnswerType.TEXT), "a red chair", "a red chair"),
        (AnswerFormat(answer_type=AnswerType.GRAPH), '{"objects": []}', '{"objects": []}'),
    ],
)
def test_answers_by_form(form: AnswerFormat, truth: Truth, said: str) -> None:
    assert taught_answer(item_of(form, truth)) == said


@pytest.mark.parametrize(
    ("coordinates", "places", "said"),
    [
        ("pixels", "permille", "[100, 250, 500, 1000]"),
        ("pixels", "fraction", "[0.100, 0.250, 0.500, 1.000]"),
        ("pixels", "pixels", "[20, 25, 100, 100]"),
        ("permille", "permille", "[20, 25, 100, 100]"),
        ("permille", "pixels", "[4, 2, 20, 10]"),
        ("permille", "fraction", "[0.020, 0.025, 0.100, 0.100]"),
    ],
)
def test_places_in_the_space_that_is_asked_for(coordinates: Coordinates, places: Places, said: str) -> None:
    assert taught_answer(item_of(BOX, (20.0, 25.0, 100.0, 100.0), coordinates), places=places, size=(200, 100)) == said


def test_a_point() -> None:
    assert taught_answer(item_of(POINT, (50.0, 25.0)), size=(100, 100)) == "[500, 250]"


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (item_of(METRES, None), "truth None is no number"),
        (item_of(METRES, "far"), "truth 'far' is no number"),
        (item_of(AnswerFormat(answer_type=AnswerType.YES_NO), "yes"), "is no yes_no"),
        (item_of(BOX, (1.0, 2.0, 3.0, 4.0)), "need the size of its picture"),
    ],
)
def test_what_cannot_be_taught_is_an_error(item: SuiteItem, message: str) -> None:
    with pytest.raises(BenchDataError, match=message):
        taught_answer(item)


@given(st.floats(min_value=-1e9, max_value=1e9, allow_subnormal=False))
def test_short_numbers_are_near_and_plain(value: float) -> None:
    text = short_number(value)
    assert set(text) <= set("-.0123456789")
    assert float(text) == pytest.approx(value, rel=0.005, abs=0)
    assert short_number(float(text)) == text
