"""Pictures of the examples: small, within the page's limit, and honest about those that are not there."""

from __future__ import annotations

import base64
import io

import numpy as np
import pytest
from PIL import Image

from seeworthy.bench_data.images import Picture, picture_from_array
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.report.page import examples, report_page
from seeworthy.diagnostics.report.page.examples import example_views, from_runs
from seeworthy.diagnostics.report.summary import ShownPicture

from .summaries import Maker


def noise(seed: int, height: int = 1200, width: int = 1600) -> Picture:
    return picture_from_array(np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8))


def by_content(run: str, picture: ShownPicture) -> Picture:
    return noise(ord(picture.sha256[0]))


def test_pictures_are_small_jpegs_in_their_place() -> None:
    summary = Maker(examples=1).summary()
    (view,) = example_views(summary, by_content)
    assert [len(side.pictures) for side in view.sides] == [1, 1]
    for side, seed in zip(view.sides, b"ab", strict=True):
        uri = side.pictures[0].uri
        image = Image.open(io.BytesIO(base64.b64decode(uri.removeprefix("data:image/jpeg;base64,"))))
        assert image.size == (480, 360)
        expected = Image.fromarray(noise(seed).image_srgb_u8).resize((480, 360), Image.Resampling.LANCZOS)
        off = np.abs(np.asarray(image, np.float64) - np.asarray(expected, np.float64))
        assert off.mean() < 20  # noise is what JPEG keeps worst; another picture would be off by 35 or more


def test_the_page_stops_at_its_limit_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    summary = Maker(examples=6).summary()
    full = report_page(summary, load_picture=by_content)
    assert full.count("<img") == 12
    monkeypatch.setattr(examples, "MOST_PICTURE_BYTES", 300_000)
    cut = report_page(summary, load_picture=by_content)
    shown = cut.count("<img")
    assert 0 < shown < 12
    assert cut.count("have reached their limit") == 12 - shown
    assert len(cut) < len(report_page(summary)) + 300_000 + 12 * 200


def test_the_same_picture_is_loaded_once() -> None:
    loaded: list[str] = []

    def count(run: str, picture: ShownPicture) -> Picture:
        loaded.append(picture.sha256)
        return noise(0, 6, 8)

    report_page(Maker(examples=5).summary(), load_picture=count)
    assert sorted(loaded) == ["a" * 64, "b" * 64]


def test_what_both_sides_were_shown_stands_once() -> None:
    summary = Maker(examples=1).summary()
    (example,) = summary.examples
    assert example.before is not None
    same = example.model_copy(
        update={"why": "arm", "after": example.after.model_copy(update={"pictures": example.before.pictures})}
    )
    html = report_page(summary.model_copy(update={"examples": (same,)}), load_picture=by_content)
    assert html.count("<img") == 1 and "Both were given the same pictures" in html


def test_a_picture_that_is_not_there_is_a_line_of_words() -> None:
    def gone(run: str, picture: ShownPicture) -> Picture:
        raise DiagnosticsError(f"{picture.path}: gone <b>")

    html = report_page(Maker(examples=1).summary(), load_picture=gone)
    assert "<img" not in html and "0.png: gone &lt;b&gt;" in html
    assert "made without pictures" in report_page(Maker(examples=1).summary())


def test_a_run_that_is_not_at_hand_is_named() -> None:
    with pytest.raises(DiagnosticsError, match="run 'monday' is not at hand"):
        from_runs({})("monday", ShownPicture(path="a.png", sha256="0" * 64, size=(1, 1)))


def test_many_pictures_are_cut_and_counted() -> None:
    summary = Maker(examples=1).summary()
    (example,) = summary.examples
    many = tuple(ShownPicture(path=f"{k}.png", sha256=f"{k:064x}", size=(8, 6)) for k in range(9))
    crowded = example.model_copy(update={"after": example.after.model_copy(update={"pictures": many})})
    html = report_page(
        summary.model_copy(update={"examples": (crowded,)}), load_picture=lambda run, picture: noise(1, 6, 8)
    )
    assert html.count("<img") == 1 + 4 and "and 5 more pictures" in html
