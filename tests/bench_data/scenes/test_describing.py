"""Descriptions: short, true, for one object only, and never a place."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.scenes import Instance, OrientedBox, Scene, SceneKind
from seeworthy.bench_data.scenes.describing import described, described_by, rivals_of
from seeworthy.bench_data.splats import GaussianCloud


def thing(number: int, label: str, *, is_structure: bool = False, **attributes: str) -> Instance:
    box = OrientedBox.upright((number, 0, 0), (1, 1, 1))
    return Instance(id=number, label=label, box=box, attributes=attributes, is_structure=is_structure)


def texts(*things: Instance) -> list[str]:
    return [one.description for one in described(things)]


def scene(*things: Instance) -> Scene:
    return Scene(id="s", kind=SceneKind.ROOM, cloud=GaussianCloud.empty(), instances=things)


def test_one_of_a_kind_needs_no_adjective() -> None:
    assert texts(thing(0, "sofa", colour="red"), thing(1, "desk")) == ["the sofa", "the desk"]


def test_one_word_is_enough_where_one_tells_them_apart_and_colour_comes_first() -> None:
    assert texts(
        thing(0, "stool", colour="red", size="tall"),
        thing(1, "stool", colour="blue", size="short"),
    ) == ["the red stool", "the blue stool"]


def test_two_words_where_one_is_not_enough_in_the_order_of_english() -> None:
    red_tall, red_short = thing(0, "stool", colour="red", size="tall"), thing(1, "stool", colour="red", size="short")
    blue_tall = thing(2, "stool", colour="blue", size="tall")
    assert texts(red_tall, red_short, blue_tall) == ["the tall red stool", "the short stool", "the blue stool"]


def test_what_cannot_be_told_apart_gets_no_description() -> None:
    twins = [thing(k, "nightstand", colour="white", material="wooden") for k in range(2)]
    assert texts(*twins, thing(2, "nightstand", colour="red")) == ["", "", "the red nightstand"]


def test_a_rival_of_unknown_colour_may_have_any() -> None:
    assert texts(thing(0, "mug", colour="red"), thing(1, "mug")) == ["", ""]
    assert texts(thing(0, "mug", colour="red"), thing(1, "mug", colour_may_be="black grey")) == ["the red mug", ""]
    assert texts(thing(0, "mug", colour="red"), thing(1, "mug", colour_may_be="brown red")) == ["", ""]


def test_a_general_noun_also_means_the_special_one() -> None:
    office, plain = thing(0, "office chair", colour="red"), thing(1, "chair", colour="red")
    assert rivals_of(plain, (office, plain)) == (office,)
    assert texts(office, plain) == ["", ""]
    assert texts(office, thing(1, "chair", colour="blue")) == ["the red office chair", "the blue chair"]
    assert texts(thing(0, "table lamp"), thing(1, "coffee table")) == ["the table lamp", "the coffee table"]


def test_clothes_come_after_the_noun() -> None:
    assert texts(thing(0, "person", wearing="red"), thing(1, "person", wearing="blue")) == [
        "the person in red",
        "the person in blue",
    ]


def test_structure_is_neither_described_nor_a_rival() -> None:
    assert texts(thing(0, "window", is_structure=True), thing(1, "window")) == ["", "the window"]


WORDS = {"colour": ("red", "blue"), "size": ("tall", "short"), "material": ("wooden", "metal"), "pattern": ("striped",)}
attributes = st.fixed_dictionaries({}, optional={name: st.sampled_from(words) for name, words in WORDS.items()})


@given(st.lists(attributes, min_size=1, max_size=6))
def test_a_description_holds_for_no_other_by_brute_force(sets: list[dict[str, str]]) -> None:
    things = [thing(k, "box", **chosen) for k, chosen in enumerate(sets)]
    result = described(things)
    for one, other in itertools.permutations(result, 2):
        if one.description:
            said = one.description.split()[1:-1]
            assert set(said) <= set(one.attributes.values())
            might_be_other = all(
                other.attributes.get(name, word) == word for name, word in one.attributes.items() if word in said
            )
            assert not might_be_other
    for one in result:  # and a description is missing only where no words would do
        if not one.description:
            everything = one.attributes.items()
            assert any(
                all(other.attributes.get(name, word) == word for name, word in everything)
                for other in result
                if other is not one
            )


def test_a_captioner_is_used_as_far_as_it_holds() -> None:
    captions = {
        0: "the velvet sofa.",
        1: "the lamp to the left of the sofa",
        2: "a mug",
        3: "A mug",
        4: " ".join(["old"] * 16),
    }
    things = tuple(thing(k, "object") for k in range(5))
    told = described_by(scene(*things), lambda _, one: captions[one.id])
    assert [one.description for one in told.instances] == ["the velvet sofa", "", "", "", ""]


@pytest.mark.parametrize(
    ("verdict", "kept"),
    [
        ("keep", True),
        (" KEEP\n", True),
        ("drop", False),
        ("", False),
        ("keep it", False),
        ("keep or drop", False),
        ("yes", False),
    ],
)
def test_the_judge_must_say_keep_and_nothing_else(verdict: str, kept: bool) -> None:
    asked: list[tuple[str, tuple[int, ...]]] = []

    def judge(_: Scene, one: Instance, text: str, rivals: object) -> str:
        asked.append((text, tuple(rival.id for rival in rivals)))  # type: ignore[attr-defined]
        return verdict

    things = (thing(0, "mug"), thing(1, "mug"), thing(2, "sofa"))
    names = {0: "the chipped mug", 1: "the tea mug", 2: "the sofa"}
    told = described_by(scene(*things), lambda _, one: names[one.id], judge)
    assert [bool(one.description) for one in told.instances] == [kept, kept, True]
    assert asked == [("the chipped mug", (1,)), ("the tea mug", (0,))]  # a sofa without rivals is not asked about


def test_a_captioner_that_gives_no_text_is_an_error() -> None:
    with pytest.raises(BenchDataError, match="captioner gave NoneType"):
        described_by(scene(thing(0, "mug")), lambda *_: None)  # type: ignore[arg-type, return-value]


def test_order_of_instances_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    things = [thing(k, "box", colour=("red", "blue", "green")[k % 3], size=("tall", "short")[k // 3]) for k in range(6)]
    first = {one.id: one.description for one in described(things)}
    shuffled = [things[int(k)] for k in rng.permutation(6)]
    assert {one.id: one.description for one in described(shuffled)} == first
