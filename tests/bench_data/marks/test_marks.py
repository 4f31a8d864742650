"""Marks stand on or beside their objects, never on each other, and can be read on any colour."""

from __future__ import annotations

import math
from itertools import combinations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.marks import (
    Mark,
    draw_marks,
    draw_published_marks,
    mark_radius_px,
    marks_from_json,
    marks_to_json,
    place_marks,
    place_published_marks,
)
from seeworthy.bench_data.questions import Sight

SIZES = ((320, 240), (640, 480), (1752, 1168))


def blobs(seed: int, size: tuple[int, int], count: int) -> tuple[NDArray[np.int32], dict[int, int]]:
    """A map of overlapping ellipses, from specks to a third of the picture, some cut by the border; and numbers."""
    rng = np.random.default_rng(seed)
    width, height = size
    ids = np.full((height, width), -1, np.int32)
    for one in range(count):
        reach = float(rng.choice([0.004, 0.01, 0.03, 0.1, 0.3])) * width
        middle = int(rng.uniform(0, width)), int(rng.uniform(0, height))
        axes = max(1, int(reach)), max(1, int(reach * rng.uniform(0.2, 1)))
        cv2.ellipse(ids, middle, axes, float(rng.uniform(0, 180)), 0, 360, 7 * one, -1)
    seen = sorted(set(np.unique(ids).tolist()) - {-1})
    return ids, {one: number for number, one in enumerate(seen, start=1)}


def check_layout(marks: tuple[Mark, ...], ids: NDArray[np.int32], numbers: dict[int, int]) -> None:
    height, width = ids.shape
    assert {mark.object: mark.number for mark in marks} == numbers
    assert [mark.number for mark in marks] == sorted(numbers.values())
    assert len({mark.radius_px for mark in marks}) <= 1
    for mark in marks:
        x, y = mark.centre_px
        assert mark.radius_px <= x <= width - mark.radius_px
        assert mark.radius_px <= y <= height - mark.radius_px
        px, py = mark.anchor_px or mark.centre_px
        assert ids[int(py), int(px)] == mark.object
        if mark.anchor_px:
            assert math.dist(mark.anchor_px, mark.centre_px) >= mark.radius_px
    for one, other in combinations(marks, 2):
        assert math.dist(one.centre_px, other.centre_px) >= one.radius_px + other.radius_px


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 20))
def test_no_two_discs_overlap_and_each_points_at_its_object(seed: int, count: int) -> None:
    ids, numbers = blobs(seed, (320, 240), count)
    marks = place_marks(numbers, size=(320, 240), instance_ids=ids)
    check_layout(marks, ids, numbers)
    assert marks == place_marks(numbers, size=(320, 240), instance_ids=ids.astype(np.int64))


def test_the_same_picture_gives_the_same_marks_however_often() -> None:
    # Here two pixels are equally deep inside an object but for rounding, which must not decide.
    for seed, count in ((60, 18), (145, 12)):
        ids, numbers = blobs(seed, (320, 240), count)
        assert len({place_marks(numbers, size=(320, 240), instance_ids=ids.copy()) for _ in range(30)}) == 1


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_layouts_at_all_sizes(size: tuple[int, int]) -> None:
    ids, numbers = blobs(4, size, 20)
    image = np.random.default_rng(0).integers(0, 256, (*ids.shape, 3), dtype=np.uint8)
    marks = place_marks(numbers, size=size, instance_ids=ids, image_srgb_u8=image)
    check_layout(marks, ids, numbers)
    assert marks[0].radius_px == mark_radius_px(*size)
    drawn = draw_marks(image, marks)
    assert drawn.shape == image.shape
    far = np.ones(ids.shape, np.uint8)
    for mark in marks:
        centre = tuple(round(v - 0.5) for v in mark.centre_px)
        cv2.circle(far, centre, math.ceil(mark.radius_px) + 2, 0, -1)
        if mark.anchor_px:
            end = tuple(round(v - 0.5) for v in mark.anchor_px)
            cv2.line(far, centre, end, 0, math.ceil(mark.radius_px))
            cv2.circle(far, end, math.ceil(mark.radius_px), 0, -1)
    assert np.array_equal(drawn[far == 1], image[far == 1])


def test_large_objects_carry_their_mark_and_specks_get_a_line() -> None:
    ids = np.full((240, 320), -1, np.int32)
    ids[20:120, 20:140] = 3
    ids[200:203, 250:254] = 8
    large, speck = place_marks({3: 1, 8: 2}, size=(320, 240), instance_ids=ids)
    assert large.anchor_px is None
    assert speck.anchor_px is not None
    x, y = large.centre_px
    # All of the disc is on the object.
    assert 20 + large.radius_px <= x <= 140 - large.radius_px
    assert 20 + large.radius_px <= y <= 120 - large.radius_px
    # Nothing of the speck is under its disc.
    assert math.dist(speck.centre_px, (252, 201.5)) > speck.radius_px + 2


@pytest.mark.parametrize("colour", [(r, g, b) for r in (0, 128, 255) for g in (0, 128, 255) for b in (0, 128, 255)])
def test_marks_can_be_read_on_any_colour(colour: tuple[int, int, int]) -> None:
    image = np.full((120, 160, 3), colour, np.uint8)
    ids = np.full((120, 160), -1, np.int32)
    ids[20:100, 20:140] = 0
    (mark,) = place_marks({0: 8}, size=(160, 120), instance_ids=ids, image_srgb_u8=image)
    drawn = draw_marks(image, [mark])
    changed = (drawn != image).any(axis=2)
    ys, xs = np.nonzero(changed)
    assert ys.size
    # The disc shows black and white, and its outermost ring or the next one contrasts with the ground.
    inside = (
        drawn[int(mark.centre_px[1]) - 8 : int(mark.centre_px[1]) + 8, xs.min() : xs.max()].astype(int).mean(axis=2)
    )
    assert inside.min() < 30
    assert inside.max() > 225
    luminance = float(np.array(colour) @ [0.2126, 0.7152, 0.0722])
    assert max(abs(inside.min() - luminance), abs(inside.max() - luminance)) > 110
    assert mark.disc == ("light" if luminance < 140 else "dark")


def test_every_number_looks_different() -> None:
    image = np.full((60, 60, 3), 120, np.uint8)
    for radius in (6.0, 25.0):
        pictures = {draw_marks(image, [Mark(0, number, (30.0, 30.0), radius)]).tobytes() for number in range(1, 41)}
        assert len(pictures) == 40


def test_a_mark_is_drawn_where_it_says() -> None:
    image = np.zeros((80, 100, 3), np.uint8)
    drawn = draw_marks(image, [Mark(0, 1, (41.5, 30.0), 12.0)])
    ys, xs = np.nonzero(drawn.any(axis=2))
    assert (xs.min() + xs.max() + 1) / 2 == pytest.approx(41.5, abs=0.5)
    assert (ys.min() + ys.max() + 1) / 2 == pytest.approx(30.0, abs=0.5)
    assert xs.max() + 1 - xs.min() == pytest.approx(24, abs=1)
    assert ys.max() + 1 - ys.min() == pytest.approx(24, abs=1)
    assert not image.any()
    # Half outside of the picture: clipped, no error.
    assert draw_marks(image, [Mark(0, 1, (0.0, 79.0), 12.0, "light", (-5.0, 90.0))]).any()
    assert not draw_marks(image, [Mark(0, 1, (-50.0, 40.0), 12.0)]).any()


def test_marks_go_by_boxes_and_points_where_there_is_no_map() -> None:
    def sight(pixels: int, box: tuple[float, float, float, float]) -> Sight:
        return Sight(pixels, 0.0, 0.0, box, ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2))

    sights = {
        1: sight(9000, (10.0, 10.0, 150.0, 120.0)),
        2: sight(900, (60.0, 40.0, 110.0, 90.0)),
        3: sight(9, (280.0, 200.0, 283.0, 203.0)),
    }
    marks = place_marks({1: 5, 2: 6, 3: 7}, size=(320, 240), sights=sights)
    assert [mark.number for mark in marks] == [5, 6, 7]
    assert marks[2].anchor_px == (281.5, 201.5)
    for one, other in combinations(marks, 2):
        assert math.dist(one.centre_px, other.centre_px) >= 2 * one.radius_px
    x, y = marks[0].centre_px
    assert 10 <= x <= 150
    assert 10 <= y <= 120
    assert not (60 <= x <= 110 and 40 <= y <= 90)


def test_marks_keep_through_json_and_fit_every_version_of_the_picture() -> None:
    ids, numbers = blobs(9, (320, 240), 9)
    image = np.full((240, 320, 3), 90, np.uint8)
    marks = place_marks(numbers, size=(320, 240), instance_ids=ids, image_srgb_u8=image)
    again = marks_from_json(marks_to_json(marks))
    assert again == marks
    assert np.array_equal(draw_marks(image, again), draw_marks(image, marks))
    hazy = np.full_like(image, 200)
    same = (draw_marks(hazy, marks) == draw_marks(image, marks)).all(axis=2)
    for mark in marks:
        assert same[int(mark.centre_px[1]), int(mark.centre_px[0])]


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"object": 1}]', "null"])
def test_what_is_no_record_of_marks_is_refused(text: str) -> None:
    with pytest.raises(BenchDataError, match="not the marks"):
        marks_from_json(text)


def test_what_cannot_be_marked_is_refused() -> None:
    ids = np.zeros((24, 32), np.int32)
    image = np.zeros((24, 32, 3), np.uint8)
    assert place_marks({}, size=(32, 24), instance_ids=ids) == ()
    with pytest.raises(BenchDataError, match="no visible pixel"):
        place_marks({5: 1}, size=(32, 24), instance_ids=ids)
    with pytest.raises(BenchDataError, match="number of its own"):
        place_marks({0: 1, 1: 1}, size=(32, 24), instance_ids=ids)
    with pytest.raises(BenchDataError, match="either"):
        place_marks({0: 1}, size=(32, 24))
    with pytest.raises(BenchDataError, match="instance_ids must have shape"):
        place_marks({0: 1}, size=(24, 32), instance_ids=ids)
    with pytest.raises(BenchDataError, match="image_srgb_u8 must have shape"):
        place_marks({0: 1}, size=(32, 24), instance_ids=ids, image_srgb_u8=image[:5])
    with pytest.raises(BenchDataError, match="not seen"):
        place_marks({0: 1}, size=(32, 24), sights={})
    crowd = np.arange(24 * 32, dtype=np.int32).reshape(24, 32)
    with pytest.raises(BenchDataError, match="no room for 60 marks"):
        place_marks({one: one for one in range(60)}, size=(32, 24), instance_ids=crowd)
    with pytest.raises(BenchDataError, match=r"\(H, W, 3\)"):
        draw_marks(image.astype(np.float32), [])  # type: ignore[arg-type]
    with pytest.raises(BenchDataError, match=r"\(H, W, 3\)"):
        draw_published_marks(image[..., 0], [])


@pytest.mark.parametrize(
    ("box", "centre", "radius", "alpha", "scale", "thickness"),
    [
        ((100.0, 50.0, 300.0, 250.0), (200, 150), 30, 0.6, 1.5, 3),
        ((0.0, 0.0, 40.0, 60.0), (20, 30), 15, 0.6, 0.75, 1),
        ((0.0, 0.0, 900.0, 800.0), (450, 400), 40, 0.6, 2.0, 4),
        ((10.0, 20.0, 39.0, 120.0), (24, 20), 5, 0.8, 0.4, 1),
    ],
)
def test_published_marks(
    box: tuple[float, float, float, float],
    centre: tuple[int, int],
    radius: int,
    alpha: float,
    scale: float,
    thickness: int,
) -> None:
    (mark,) = place_published_marks({4: 9}, {4: box})
    assert (mark.circle_center, mark.radius, mark.alpha) == (centre, radius, alpha)
    assert (mark.font_scale, mark.thickness) == (pytest.approx(scale), thickness)
    assert mark.text_anchor == (int((box[0] + box[2]) / 2), int((box[1] + box[3]) / 2))
    image = np.full((900, 1000, 3), 100, np.uint8)
    drawn = draw_published_marks(image, [mark])
    # A point of the disc beside the number is a mixture of blue and the picture.
    x, y = centre[0] - radius + 2, centre[1]
    wanted = (1 - alpha) * 100, (1 - alpha) * 100, (1 - alpha) * 100 + alpha * 255
    assert drawn[y, x].tolist() == pytest.approx(wanted, abs=1)
    assert (image == 100).all()


def test_the_published_disc_vanishes_on_blue_and_ours_does_not() -> None:
    blue = np.zeros((200, 200, 3), np.uint8)
    blue[..., 2] = 255
    ids = np.zeros((200, 200), np.int32)
    published = draw_published_marks(blue, place_published_marks({0: 1}, {0: (0.0, 0.0, 200.0, 200.0)}))
    x, y, radius = 100, 100, 30
    rim = published[y, x - radius - 3 : x - radius + 4].astype(int)
    assert np.ptp(rim, axis=0).max() <= 2
    (mark,) = place_marks({0: 1}, size=(200, 200), instance_ids=ids, image_srgb_u8=blue)
    ours = draw_marks(blue, [mark])
    row = ours[int(mark.centre_px[1]), int(mark.centre_px[0] - mark.radius_px) - 3 : int(mark.centre_px[0])].astype(int)
    assert np.ptp(row, axis=0).min() > 180


def test_published_marks_need_boxes() -> None:
    with pytest.raises(BenchDataError, match="object 4 has no box"):
        place_published_marks({4: 1}, {})
