"""A margin says how far the scene is from another answer: inside it nothing changes, just beyond it something does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.questions import Evaluated, SceneFacts, evaluate, measure
from seeworthy.bench_data.questions import query as q
from seeworthy.bench_data.scenes import OrientedBox

PARTS = st.tuples(*[st.floats(-1, 1)] * 3)


def camera(rotation: np.ndarray) -> Camera:
    pose = np.eye(4)
    pose[:3, :3] = rotation
    return Camera(width=64, height=48, fx=50, fy=50, cx=32, cy=24, world_from_camera=pose)


def direction(parts: tuple[float, float, float], most: int) -> Evaluated:
    right, up, forward = parts
    centre = (right, -up, forward)  # a camera without rotation: x right, y down, z forward
    facts = SceneFacts(
        boxes={0: OrientedBox.upright(centre, (1, 1, 1))}, labels={0: "box"}, cameras=(camera(np.eye(3)),)
    )
    return evaluate(q.DirectionWords(q.CameraRef(0), q.ObjectRef(0), q.CameraFrame(0), most=most), facts)


@given(PARTS, st.integers(1, 3), st.integers(0, 2), st.floats(-1, 1))
def test_within_its_margin_a_direction_keeps_its_words(
    parts: tuple[float, float, float], most: int, axis: int, push: float
) -> None:
    assume(max(map(abs, parts)) > 0.1)
    found = direction(parts, most)
    sizes = sorted(map(abs, parts), reverse=True)
    largest = sizes[0]
    moved = list(parts)
    # Only parts that are not the largest move, so that shares are of the same length; they stay below it.
    assume(abs(parts[axis]) < largest)
    moved[axis] += 0.49 * push * (found.margin or 0) * largest
    assume(max(map(abs, moved)) == largest)
    assert direction((moved[0], moved[1], moved[2]), most).value == found.value


def test_margins_of_directions_and_rotations() -> None:
    assert direction((1.0, 0.9, 0.8), 2).value == "right+up"
    assert direction((1.0, 0.9, 0.8), 2).margin == pytest.approx(0.1)
    assert direction((1.0, 0.9, 0.8), 3).margin == pytest.approx(0.8 - 0.5774)
    # Of equal parts the earlier axis is named.
    assert direction((1.0, 1.0, 1.0), 2).value == "right+up"
    assert direction((0.6, 0.6, -1.0), 2).value == "right+backward"


@pytest.mark.parametrize(
    ("angles", "value", "margin"),
    [
        ((30, 25, 20), "yaw_right+pitch_up", 5),
        ((30, -25, 0), "yaw_right+pitch_down", 25),
        ((-30, 2, 10), "yaw_left", 20),
    ],
)
def test_margins_of_rotations(angles: tuple[float, float, float], value: str, margin: float) -> None:
    turned = Rotation.from_euler("YXZ", angles, degrees=True).as_matrix()
    facts = SceneFacts(boxes={}, labels={}, cameras=(camera(np.eye(3)), camera(turned)))
    found = evaluate(q.TurnWords(0, 1), facts)
    assert found.value == value
    assert found.margin == pytest.approx(margin)


@given(st.tuples(*[st.floats(0.05, 5)] * 3))
def test_the_third_corner_distance_is_the_third_smallest_between_corners(size: tuple[float, float, float]) -> None:
    box = OrientedBox.upright((0, 0, 0), size)
    corners = box.corners_m
    distances = np.linalg.norm(corners[:, None] - corners[None], axis=-1)
    different = np.unique(distances[distances > 1e-6].round(6))
    # Distances that rounding tells apart or not, as it happens, make no test.
    assume((np.diff(different) > 2e-6).all())
    facts = SceneFacts(boxes={0: box}, labels={0: "box"}, cameras=())
    found = measure(q.Size(q.ObjectRef(0), "third_corner_distance"), facts)
    assert found == pytest.approx(different[2], abs=1e-6)


def test_too_small_a_turn_has_no_name() -> None:
    facts = SceneFacts(boxes={}, labels={}, cameras=(camera(np.eye(3)), camera(np.eye(3))))
    with pytest.raises(BenchDataError, match="too little"):
        evaluate(q.TurnWords(0, 1), facts)
