"""Cells and shapes: areas against geometry, normals outward, exact bounds, no holes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.render import render
from seeworthy.bench_data.scenes.procedural.assembling import Placed, assembled, product
from seeworthy.bench_data.scenes.procedural.light import Lighting
from seeworthy.bench_data.scenes.procedural.materials import plain
from seeworthy.bench_data.scenes.procedural.shapes import Assembly, turn
from seeworthy.bench_data.scenes.procedural.surfels import Surfels, graded_cells, uniform_cells

GREY = plain("plastic", np.full(3, 0.5))


def assembly(spacing_m: float = 0.05) -> Assembly:
    return Assembly(spacing_m, np.random.default_rng(0))


@given(st.floats(0.003, 30), st.floats(0.005, 1.0))
def test_graded_cells_cover_their_length_and_are_narrow_at_both_ends(length: float, spacing: float) -> None:
    cells = graded_cells(length, spacing)
    widths = np.diff(cells)
    assert cells[0] == 0 and cells[-1] == pytest.approx(length, abs=1e-8)
    assert (widths > 0).all()
    assert widths.max() <= 1.4 * spacing
    assert widths[[0, -1]].max() <= max(spacing / 6 * 1.01, length / 2)
    # No Gaussian (0.72 of its cell) reaches more than 1.5 sigma over the end but the outermost, which are small.
    middles = (cells[1:] + cells[:-1]) / 2
    distance = np.minimum(middles, length - middles)
    if length > spacing:
        assert (distance[2:-2] >= 1.3 * 0.72 * widths[2:-2]).all()


@given(st.floats(0.01, 10), st.floats(0.01, 2))
def test_uniform_cells_are_equal(length: float, spacing: float) -> None:
    widths = np.diff(uniform_cells(length, spacing))
    assert widths == pytest.approx(np.full(len(widths), length / len(widths)))
    assert widths.max() <= max(1.26 * spacing, length if length < 1.25 * spacing else 0)


def area_m2(surfels: Surfels) -> float:
    return float(np.linalg.norm(np.cross(surfels.along_u_m, surfels.along_v_m), axis=1).sum())


SOLIDS: dict[str, tuple[Callable[[Assembly], None], float]] = {
    "box": (lambda a: a.box((-0.5, -0.3, 0), (0.5, 0.3, 0.4), GREY), 2 * (0.6 + 0.4 + 0.24)),
    "cylinder": (lambda a: a.cylinder((0, 0, 0), 0.3, 0.5, GREY), 2 * math.pi * 0.3 * 0.8),
    "cone": (
        lambda a: a.cylinder((0, 0, 0), 0.3, 0.4, GREY, top_radius_m=0.0, open_ends=True),
        math.pi * 0.3 * 0.5,
    ),
    "ball": (lambda a: a.ball((0, 0, 0.3), 0.3, GREY), 4 * math.pi * 0.09),
    "ring": (lambda a: a.ring((0, 0, 0.1), "x", 0.4, 0.1, GREY), 4 * math.pi**2 * 0.4 * 0.1),
    "tube": (lambda a: a.tube((0, 0, 0), (0.3, 0.4, 1.2), 0.1, GREY), 2 * math.pi * 0.1 * 1.4),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_the_area_of_a_shape_is_that_of_geometry(name: str) -> None:
    make, expected = SOLIDS[name]
    a = assembly(0.02)
    make(a)
    assert area_m2(a.surfels) == pytest.approx(expected, rel=0.012)


@pytest.mark.parametrize("name", [*SOLIDS, "cushion"])
def test_normals_point_outward(name: str) -> None:
    """The divergence theorem: the sum of p . n dA over a closed surface is three times its volume, so positive."""
    a = assembly()
    if name == "cushion":
        a.box((-0.5, -0.3, 0), (0.5, 0.3, 0.4), GREY, radius_m=0.1, bulge_m=0.03)
    else:
        SOLIDS[name][0](a)
    s = a.surfels
    _, _, normals = s.frames()
    if name == "ring":  # from the nearest point of its middle circle
        spine = (s.centres_m - [0, 0, 0.1]) * [0, 1, 1]
        spine *= 0.4 / np.linalg.norm(spine, axis=1, keepdims=True)
        outward = s.centres_m - [0, 0, 0.1] - spine
    elif name == "tube":
        axis = np.array([0.3, 0.4, 1.2]) / 1.3
        offset = s.centres_m - np.array([0.15, 0.2, 0.6])
        outward = np.where(
            np.abs(offset @ axis)[:, None] > 0.6499,
            np.outer(np.sign(offset @ axis), axis),
            offset - np.outer(offset @ axis, axis),
        )
    else:
        outward = s.centres_m - (s.centres_m.min(axis=0) + s.centres_m.max(axis=0)) / 2
    assert ((normals * outward).sum(axis=1) > -1e-9).all()


def test_volume_of_a_box_by_the_divergence_theorem() -> None:
    a = assembly()
    a.box((-0.5, -0.3, 0), (0.5, 0.3, 0.4), GREY)
    s = a.surfels
    assert (s.centres_m * np.cross(s.along_u_m, s.along_v_m)).sum() / 3 == pytest.approx(1.0 * 0.6 * 0.4)


def test_bounds_follow_turns_and_shifts() -> None:
    a = assembly()
    a.placed((1, 2, 3), turn("z", math.pi / 2)).placed((1, 0, 0)).box((0, 0, 0), (2, 1, 0.5), GREY)
    low, high = a.bounds_m()
    assert low == pytest.approx([0, 3, 3])
    assert high == pytest.approx([1, 5, 3.5])


def test_frames_are_rotations_even_where_cells_shrink_to_nothing() -> None:
    a = assembly()
    a.lathe([(0, 0), (0.3, 0), (0.3, 0.2), (0, 0.2)], GREY)
    frames, scales, _ = a.surfels.frames()
    assert np.swapaxes(frames, 1, 2) @ frames == pytest.approx(np.broadcast_to(np.eye(3), frames.shape), abs=1e-9)
    assert np.linalg.det(frames) == pytest.approx(np.ones(len(frames)))
    assert (scales > 0).all()


def test_a_decal_takes_away_what_it_covers_and_nothing_else() -> None:
    a, b = assembly(0.02), assembly(0.02)
    for one in (a, b):
        one.box((-0.1, -0.3, 0), (0, 0.3, 0.5), GREY)
    a.decal((0.002, -0.2, 0.1), (0, 0.4, 0), (0, 0, 0.3), plain("paper", np.ones(3)))
    kept = a.surfels.centres_m
    on_front = (np.abs(kept[:, 0]) < 1e-9) & (np.abs(kept[:, 1]) < 0.17) & (np.abs(kept[:, 2] - 0.25) < 0.12)
    assert not on_front.any()
    behind_is_whole = (kept[:, 0] < -0.01).sum()
    assert behind_is_whole == (b.surfels.centres_m[:, 0] < -0.01).sum()


@pytest.mark.parametrize("radius_m", [0.0, 0.04])
def test_a_box_has_no_holes_and_sharp_edges_in_a_picture(radius_m: float) -> None:
    a = assembly(0.03)
    a.box((-0.4, -0.3, 0), (0.4, 0.3, 0.5), GREY, radius_m=radius_m)
    low, high = a.bounds_m()
    light = Lighting(sky=np.ones(3), ground=np.ones(3), sun=np.zeros(3), to_sun=np.array([0, 0, 1.0]))
    cloud, (instance,) = assembled(
        [Placed(product("box", a), np.zeros(3))], light, voxel_m=0.05, low_m=low - 0.2, high_m=high + 0.2
    )
    camera = Camera(
        width=320, height=240, fx=300, fy=300, cx=160, cy=120, world_from_camera=look_at((1.6, 1.2, 1.1), (0, 0, 0.25))
    )
    alpha = render(cloud, camera, engine="numba").alpha
    import cv2

    def hull(grow_m: float) -> np.ndarray:
        size = instance.box.size_m + 2 * grow_m
        corners = (np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2) * size
        px = camera.project(corners + instance.box.centre_m).points_px
        mask = np.zeros((240, 320), np.uint8)
        cv2.fillConvexPoly(mask, cv2.convexHull(px.astype(np.float32)).astype(np.int32), 1)
        return mask.astype(bool)

    assert alpha[hull(-0.01 - radius_m)].min() > 0.98
    assert alpha[~hull(0.02)].max() < 0.02
