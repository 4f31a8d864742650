"""Grammar of the words that questions are made of."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from seeworthy.bench_data.questions.wording import capitalised, chosen_wording, listed, plural, with_article


@pytest.mark.parametrize(
    "phrase",
    [
        *("a chair", "an office chair", "an armchair", "an umbrella", "a utility cart", "a unicycle", "an urn"),
        *("a used tyre", "an hourglass", "a house", "an honest face", "a European flag", "a one-armed bandit"),
        *("an LED lamp", "a TV stand", "an X-ray viewer", "a USB cable", "an L-shaped sofa", "a U-shaped desk"),
        *("an 8-foot ladder", "an 18-wheeler", "an 11-key pad", "a 110-litre bin", "a 2-seat sofa", "a ukulele"),
        *("an unidentified object", "an uninstalled sink", "a unit", "an orange mug", "an eight-drawer chest"),
        *("a eucalyptus", "a urinal", "an usher", "an air conditioner", "an SUV", "a utensil holder"),
    ],
)
def test_articles_go_by_sound(phrase: str) -> None:
    assert with_article(phrase.split(" ", 1)[1]) == phrase


@pytest.mark.parametrize(
    ("noun", "phrase"),
    [
        ("scissors", "a pair of scissors"),
        ("red curtains", "a set of red curtains"),
        ("furniture", "a piece of furniture"),
        ("chest of drawers", "a chest of drawers"),
        ("aircraft", "an aircraft"),
    ],
)
def test_words_without_a_singular_are_measured(noun: str, phrase: str) -> None:
    assert with_article(noun) == phrase


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("chair", "chairs"),
        ("bench", "benches"),
        ("box", "boxes"),
        ("bus", "buses"),
        ("glass", "glasses"),
        ("bookshelf", "bookshelves"),
        ("shelf", "shelves"),
        ("knife", "knives"),
        ("lorry", "lorries"),
        ("toy", "toys"),
        ("trolley", "trolleys"),
        ("person", "people"),
        ("Person", "People"),
        ("policeman", "policemen"),
        ("ottoman", "ottomans"),
        ("human", "humans"),
        ("grandchild", "grandchildren"),
        ("computer mouse", "computer mice"),
        ("chest of drawers", "chests of drawers"),
        ("box with a lid", "boxes with a lid"),
        ("scissors", "scissors"),
        ("roof", "roofs"),
        ("photo", "photos"),
        ("TV", "TVs"),
        ("office chair", "office chairs"),
        ("bookcase", "bookcases"),
        ("tomato", "tomatoes"),
        ("cactus", "cacti"),
    ],
)
def test_plurals(one: str, many: str) -> None:
    assert plural(one) == many


def test_sentences() -> None:
    assert capitalised("the LED lamp") == "The LED lamp"
    assert capitalised("") == ""
    assert listed([]) == ""
    assert listed(["the mug"]) == "the mug"
    assert listed(["the mug", "the lamp"]) == "the mug and the lamp"
    assert listed(["a", "b", "c"], "or") == "a, b or c"


def test_wordings_are_equally_likely() -> None:
    source = np.random.default_rng(5)
    counts = Counter(chosen_wording(source, ("x", "y", "z")) for _ in range(3000))
    assert set(counts) == {(0, "x"), (1, "y"), (2, "z")}
    assert all(850 < count < 1150 for count in counts.values())
