"""Colour words against published OKLab values, named colours of the web, and the project's own paints."""

from __future__ import annotations

import numpy as np
import pytest

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.images import srgb_from_linear
from seeworthy.bench_data.scenes.colour_words import COLOUR_WORDS, colour_shares, colour_word, oklch
from seeworthy.bench_data.scenes.procedural.palette import PAINTS, linear


@pytest.mark.parametrize(
    ("colour", "expected"),
    [  # CSS Color 4, section on OKLCH sample conversions
        ((1, 1, 1), (1.0, 0.0, None)),
        ((1, 0, 0), (0.62796, 0.25768, 29.234)),
        ((0, 1, 0), (0.86644, 0.29483, 142.495)),
        ((0, 0, 1), (0.45201, 0.31321, 264.052)),
    ],
)
def test_oklch_has_the_published_values(colour: tuple[float, ...], expected: tuple[float, float, float | None]) -> None:
    lightness, chroma, hue = oklch(colour)
    assert (lightness, chroma) == pytest.approx(expected[:2], abs=2e-4)
    if expected[2] is not None:
        assert hue == pytest.approx(expected[2], abs=0.05)


@pytest.mark.parametrize(
    ("word", "web_colours"),
    [
        ("red", ["b22222", "dc143c", "cc0000"]),
        ("orange", ["ff8c00", "ffa500"]),
        ("yellow", ["ffd700", "ffff00"]),
        ("green", ["008000", "228b22", "2e8b57"]),
        ("turquoise", ["008b8b", "20b2aa", "40e0d0"]),
        ("blue", ["0000cd", "4169e1", "1e4e9c"]),
        ("purple", ["800080", "663399"]),
        ("pink", ["ff69b4", "ffc0cb"]),
        ("brown", ["8b4513", "a0522d"]),
        ("beige", ["f5deb3", "deb887", "ffe4c4"]),
        ("black", ["000000", "101010"]),
        ("grey", ["808080", "696969", "a9a9a9"]),
        ("white", ["ffffff", "f5f5f5"]),
    ],
)
def test_named_colours_of_the_web_have_their_word(word: str, web_colours: list[str]) -> None:
    """Or none: where people disagree is not an error, another word is."""
    words = [colour_word(np.array(list(bytes.fromhex(code))) / 255) for code in web_colours]
    assert word in words
    assert set(words) <= {word, None}


@pytest.mark.parametrize("word", PAINTS)
@pytest.mark.parametrize("light", [0.7, 0.85, 1.0])
def test_a_paint_keeps_its_word_in_usual_light(word: str, light: float) -> None:
    for paint in PAINTS[word]:
        seen = srgb_from_linear((linear(paint) * light).astype(np.float32))
        assert colour_word(seen) == word


def test_every_word_is_reachable_and_no_other_is_given() -> None:
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 12)] * 3), axis=-1).reshape(-1, 3)
    assert {colour_word(colour) for colour in grid} - {None} == set(COLOUR_WORDS)


def test_shares_weigh_by_area_and_leave_out_nobodys_colours() -> None:
    doubtful = (0.95, 0.55, 0.45)
    assert colour_word(doubtful) is None
    shares = colour_shares([(0.75, 0.1, 0.1), (0.1, 0.2, 0.7), doubtful], [1, 3, 9])
    assert shares == {"red": pytest.approx(0.25), "blue": pytest.approx(0.75)}
    assert colour_shares([doubtful], [1]) == {}


@pytest.mark.parametrize("bad", [(0.1, 0.2), (0.1, 0.2, float("nan")), "red"])
def test_what_is_no_colour_is_refused(bad: object) -> None:
    with pytest.raises((BenchDataError, ValueError)):
        colour_word(bad)  # type: ignore[arg-type]
