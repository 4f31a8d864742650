"""Drawn pictures with nothing wrong: pages, dark screens, charts, posters, ramps, checks. A model of photographs alone
takes white paper for over-exposure and a terminal for the night."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...bench_data.images import Picture

__all__ = ["drawn_pictures"]

_SIZE = (640, 480)
_PAPERS = (
    ("white", "black"),
    ("#fdf6e3", "#333333"),
    ("#f4ecd8", "#5b4636"),
    ("#e8e8e8", "#202020"),
    ("black", "white"),
    ("#1e1e2e", "#cdd6f4"),
    ("#0d1117", "#7ee787"),
    ("#204a87", "white"),
    ("#300a24", "#eeeeec"),
    ("#cc2222", "#ffee88"),
)
_LINE = "the quick brown fox jumps over the lazy dog and looks back at it"


def drawn_pictures() -> Iterator[tuple[str, Picture]]:
    """(name, picture) pairs, the same each time."""
    for index, (paper, ink) in enumerate(_PAPERS):
        for size_px in (13, 19, 36):
            yield f"drawn page {index} {size_px}", _page(paper, ink, size_px)
        yield f"drawn poster {index}", _poster(paper, ink)
        yield f"drawn chart {index}", _chart(paper, ink, index)
    for period_px in (12, 20, 27, 32, 40, 61):
        checks = (np.indices(_SIZE[::-1]) // period_px).sum(axis=0) % 2
        for low, high in ((0, 255), (70, 190)):
            plane = np.where(checks, high, low).astype(np.uint8)
            yield f"drawn checks {period_px} {low}", Picture(np.repeat(plane[..., None], 3, axis=2))


def _page(paper: str, ink: str, size_px: int) -> Picture:
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", _SIZE, paper)
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(size_px)
    for row in range(30, _SIZE[1] - 40, int(1.5 * size_px)):
        draw.text((40, row), _LINE, fill=ink, font=font)
    return Picture(np.asarray(image))


def _poster(paper: str, ink: str) -> Picture:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", _SIZE, paper)
    draw = ImageDraw.Draw(image)
    draw.ellipse((200, 120, 440, 360), fill=ink)
    draw.rectangle((60, 400, 580, 430), fill=ink)
    return Picture(np.asarray(image))


def _chart(paper: str, ink: str, seed: int) -> Picture:
    from PIL import Image, ImageDraw

    rng = np.random.default_rng(seed)
    image = Image.new("RGB", _SIZE, paper)
    draw = ImageDraw.Draw(image)
    for left in range(60, 580, 60):
        colour = tuple(int(value) for value in rng.integers(40, 220, 3))
        draw.rectangle((left, int(rng.integers(80, 380)), left + 40, 400), fill=colour)
    draw.line((40, 400, 620, 400), fill=ink, width=2)
    draw.line((40, 40, 40, 400), fill=ink, width=2)
    return Picture(np.asarray(image))
