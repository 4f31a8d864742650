"""Colours of the page: readable in light and dark, and told apart with any colour vision."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

STYLE = (files("seeworthy.diagnostics.report.page") / "style.css").read_text(encoding="utf-8")
THEMES = [dict(re.findall(r"--([\w]+):(#[0-9a-f]{3,6})", block)) for block in re.findall(r":root \{([^}]*)\}", STYLE)]
LIGHT, DARK, PRINT = THEMES
SERIES = [f"c{place}" for place in range(6)]

# How colours look to protanopes, deuteranopes and tritanopes, on linear RGB (Machado, Oliveira and Fernandes 2009,
# table 1, severity 1).
VISIONS = {
    "usual": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def linear(colour: str) -> NDArray[np.float64]:
    digits = colour.removeprefix("#")
    digits = "".join(2 * one for one in digits) if len(digits) == 3 else digits
    srgb = np.array([int(digits[place : place + 2], 16) for place in (0, 2, 4)]) / 255
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """WCAG 2's contrast ratio."""
    bright, dark = sorted((float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (one, other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def lab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    from skimage.color import rgb2lab

    held = np.clip(rgb, 0, 1)
    srgb = np.where(held <= 0.0031308, 12.92 * held, 1.055 * held ** (1 / 2.4) - 0.055)
    found: NDArray[np.float64] = rgb2lab(srgb.reshape(1, 1, 3)).reshape(3)
    return found


def test_all_three_themes_name_the_same_colours() -> None:
    assert len(THEMES) == 3
    assert LIGHT.keys() == DARK.keys() == PRINT.keys()
    used = set(re.findall(r"var\(--([\w]+)\)", STYLE)) - {"c"}
    assert used <= LIGHT.keys()


@pytest.mark.parametrize("theme", THEMES, ids=["light", "dark", "print"])
def test_text_and_marks_stand_out(theme: dict[str, str]) -> None:
    for words in ("ink", "soft", "mark", "no"):
        for ground in ("paper", "wash"):
            assert contrast(theme[words], theme[ground]) >= 4.5, (words, ground)
    for series in SERIES:
        assert contrast(theme[series], theme["paper"]) >= 3.0, series


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_is_readable_on_the_deepest_shade(theme: dict[str, str]) -> None:
    (most,) = re.findall(r"\.h10 \{ background:color-mix\(in srgb, var\(--heat\) (\d+)%", STYLE)
    heat, paper = (
        np.array([int(theme[name].ljust(7, "f")[place : place + 2], 16) for place in (1, 3, 5)])
        for name in ("heat", "paper")
    )
    mixed = heat * int(most) / 100 + paper * (1 - int(most) / 100)
    ground = "#" + "".join(f"{round(float(part)):02x}" for part in mixed)
    assert contrast(theme["ink"], ground) >= 4.5


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_series_are_told_apart(theme: dict[str, str], vision: str) -> None:
    seen = [lab(VISIONS[vision] @ linear(theme[name])) for name in SERIES]
    for (one, first), (other, second) in combinations(enumerate(seen), 2):
        least = 25 if one < 3 and other < 3 else 9  # the later ones have their shapes to help
        assert np.linalg.norm(first - second) > least, (one, other)
