"""Relation words are read whole, in English and Chinese; what is not understood is said to be so."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.bench_data.questions import Unit
from seeworthy.bench_data.scene_graphs import PUBLISHED_WORDS, RELATIONS, Relation
from seeworthy.diagnostics.scene_graph import read_relation_words
from seeworthy.diagnostics.scene_graph.lengths import MAX_LENGTH_M, length_unit, read_id, read_number
from seeworthy.diagnostics.scene_graph.words import in_order

from .graphs import golden


@pytest.mark.parametrize(
    ("text", "relations"),
    [
        ("left", "left"),
        (" LEFT ", "left"),
        ("to the left of", "left"),
        ("leftward", "left"),
        ("ＬＥＦＴ", "left"),
        ("front-left", "left front"),
        ("Upper Left", "left above"),
        ("lower_right", "right below"),
        ("back right", "right behind"),
        ("right-behind", "right behind"),
        ("on the left side, slightly behind", "left behind"),
        ("in front of object 3", "front"),
        ("in-front-of", "front"),
        ("IN_FRONT_OF", "front"),
        ("closer to the camera", "front"),
        ("farther away and lower", "below behind"),
        ("on top of", "above"),
        ("underneath", "below"),
        ("ahead", "front"),
        ("left/up", "left above"),
        ("左边", "left"),
        ("在左侧", "left"),
        ("右后方", "right behind"),
        ("左上方", "left above"),
        ("正前方", "front"),
        ("背后", "behind"),
        ("下面", "below"),
        ("右邊", "right"),
        ("後面", "behind"),
        ("none", ""),
        ("No relation", ""),
        ("", ""),
        ("无", ""),
    ],
)
def test_words_that_are_understood(text: str, relations: str) -> None:
    read = read_relation_words(text)
    assert read.stated
    assert not read.unsure
    assert not read.unknown
    assert read.relations == in_order(relations.split())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "overlapping",
        "upright",
        "background",
        "near",
        "supports",
        "leftover",
        "frontier",
        "not left",
        "left or right",
        "neither above nor below",
        "上海",
        "不在左边",
        "附近",
        "x" * 5000,
        "left " * 60,
        "3",
        "\u202e",
        "isn't above",
    ],
)
def test_words_that_are_not_understood_say_nothing(text: str) -> None:
    read = read_relation_words(text)
    assert not read.stated
    assert read.relations == ()


def test_what_is_understood_of_a_phrase_stands_and_the_rest_is_named() -> None:
    read = read_relation_words("to the left of the sofa")
    assert (read.relations, read.unknown, read.stated) == (("left",), ("sofa",), True)


@pytest.mark.parametrize("text", ["right behind", "right above it", "right in front of object 2", "right on top of"])
def test_a_right_that_may_mean_exactly_is_not_taken_for_the_side(text: str) -> None:
    read = read_relation_words(text)
    assert read.unsure
    assert "right" not in read.relations
    assert len(read.relations) == 1


def test_the_published_words_and_all_that_their_scorer_knew_are_known() -> None:
    names = {word: relation for relation, word in PUBLISHED_WORDS.items()}
    for row in golden("element_scores")["relation_words"]:
        if isinstance(row["words"], list) and row["flags"]:
            told = {one for word in row["words"] for one in read_relation_words(word).relations}
            assert told == {names[word] for word in row["flags"]}


@given(st.lists(st.sampled_from(RELATIONS), min_size=1, unique=True), st.sampled_from([", ", "-", "/", " & ", "; "]))
def test_any_set_of_words_is_read_whatever_joins_it(relations: list[Relation], joint: str) -> None:
    assert read_relation_words(joint.join(relations)).relations == in_order(relations)


@given(st.text(max_size=60))
def test_no_text_breaks_it(text: str) -> None:
    read = read_relation_words(text)
    assert read.stated or not read.relations


@pytest.mark.parametrize(
    ("value", "metres"),
    [
        (4.5, 4.5),
        (3, 3.0),
        ("4.5", 4.5),
        ("4.5 m", 4.5),
        ("4.5m", 4.5),
        ("120 cm", 1.2),
        ("about 250 cm", 2.5),
        ("10 ft", 3.048),
        ("6'2\"", 1.8796),
        ("1,5 m", 1.5),
        ("2-3 m", 2.5),
        ("约2米", 2.0),
        ("1e1", 10.0),
        ({"value": 120, "unit": "cm"}, 1.2),
        ({"value": "2 m"}, 2.0),
        (0, 0.0),
        (-0.0, 0.0),
    ],
)
def test_lengths_as_models_write_them(value: Any, metres: float) -> None:
    read = read_number(value, Unit.METRE)
    assert read.problem == ""
    assert read.value == pytest.approx(metres)
    assert str(read.value)[0] != "-"


@pytest.mark.parametrize(
    "value",
    [
        -1,
        "-1",
        float("nan"),
        float("inf"),
        "nan",
        "inf",
        "1e400",
        10**400,
        2 * MAX_LENGTH_M,
        True,
        [1],
        {},
        "tall",
        "5 kg",
        "45 degrees",
        "3 square metres",
        "1.6 x 0.4 m",
        "x" * 999,
        "1 m or 5 m",
        {"value": 3, "unit": "px"},
        {"value": [1]},
        {"value": -2},
    ],
)
def test_what_is_no_length_says_why(value: Any) -> None:
    read = read_number(value, Unit.METRE)
    assert read.value is None
    assert read.problem


@pytest.mark.parametrize("value", [None, "", " ", "null", "unknown", "N/A", "-"])
def test_what_is_not_stated_is_no_fault(value: Any) -> None:
    assert read_number(value, Unit.METRE) == read_number(None, Unit.METRE)


def test_a_unit_that_was_announced_holds_where_none_is_written() -> None:
    assert read_number(250, Unit.METRE, assumed=Unit.CENTIMETRE).value == pytest.approx(2.5)
    assert read_number("250", Unit.METRE, assumed=Unit.CENTIMETRE).value == pytest.approx(2.5)
    assert read_number("2.5 m", Unit.METRE, assumed=Unit.CENTIMETRE).value == pytest.approx(2.5)
    assert read_number("about 250", Unit.METRE, assumed=Unit.CENTIMETRE).value == pytest.approx(2.5)
    assert read_number(-2, Unit.METRE, signed=True).value == -2


def test_units_and_numbers_of_objects() -> None:
    for word, unit in (("m", Unit.METRE), ("Centimetres", Unit.CENTIMETRE), ("feet", Unit.FOOT), ("in", Unit.INCH)):
        assert length_unit(word) is unit
    assert [length_unit(word) for word in ("px", "kg", "m2", "", "metre long", "deg")] == [None] * 6
    same: list[Any] = [3, 3.0, "3", "object 3", "Object_3", "#3", "[3]", "物体3", "the object 3"]
    assert [read_id(value) for value in same] == [3] * len(same)
    others: list[Any] = [
        "chair",
        "3 chairs",
        "",
        True,
        None,
        -1,
        2.5,
        float("nan"),
        float("inf"),
        10**12,
        "9" * 99,
        [3],
        {},
    ]
    assert [read_id(value) for value in others] == [None] * len(others)
