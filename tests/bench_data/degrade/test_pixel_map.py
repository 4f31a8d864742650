"""Where pixels go, against projecting points of the scene directly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.degrade.camera_motion import CameraMotion
from seeworthy.bench_data.degrade.pixel_map import PixelMap, box_of_mask
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.render import exposure_ends

NOMINAL = Camera(
    width=120, height=90, fx=104, fy=101, cx=58, cy=46.5, world_from_camera=look_at((1.0, 2.0, 1.5), (4.0, 3.0, 1.0))
)
LENS = replace(NOMINAL, model="fisheye", distortion=(-0.235, 2e-4, 1.5e-4, 5e-5), max_theta_rad=1.5)
PAN = CameraMotion((0.2, -0.03, 0.05), (0.01, 0.11, -0.02))
MAPS = {
    "lens": PixelMap(NOMINAL, LENS),
    "readout": PixelMap(NOMINAL, NOMINAL, PAN),
    "lens and readout": PixelMap(NOMINAL, LENS, PAN),
    "readout of a plane": PixelMap(NOMINAL, NOMINAL, PAN, 2.5),
    "lens and readout of a plane": PixelMap(NOMINAL, LENS, PAN, 2.5),
}


def pixels(count: int = 200, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(0, [120, 90], (count, 2)), rng.uniform(0.8, 9.0, count)


def seen_while_reading(camera: Camera, motion: CameraMotion, point: np.ndarray) -> np.ndarray:
    """The pixel of a world point, by a root search over the row at which it is read."""

    def at(row: float) -> np.ndarray:
        # exposure_ends puts its last pose half the motion on, so twice the share of it is asked for.
        share = 2 * (row / camera.height - 0.5)
        shift, turn = share * np.array(motion.translation_m), share * np.array(motion.rotation_rad)
        _, pose = exposure_ends(camera, translation_m=shift, rotation_rad=turn)
        return camera.with_pose(pose).project(point[None]).points_px[0]

    row = brentq(lambda guess: at(guess)[1] - guess, -60.0, 150.0, xtol=1e-10)
    return at(row)


@pytest.mark.parametrize("name", MAPS)
def test_there_and_back_is_nowhere(name: str) -> None:
    found, (points, depth) = MAPS[name], pixels()
    moved = found.to_degraded(points, depth)
    if found.needs_depth:
        # The depth of the degraded picture is along the axis of the camera at that row.
        world = NOMINAL.unproject(points, depth)
        in_nominal = (world - NOMINAL.centre_m) @ NOMINAL.world_from_camera[:3, :3]
        poses = PAN.nominal_from_moved(moved[:, 1] / NOMINAL.height - 0.5)
        depth = np.einsum("ni,ni->n", poses[:, :3, 2], in_nominal - poses[:, :3, 3])
    assert np.abs(found.to_nominal(moved, depth) - points).max() < 1e-5


def test_a_lens_moves_points_as_projection_does_whatever_their_depth() -> None:
    points, depth = pixels()
    expected = LENS.project(NOMINAL.unproject(points, depth)).points_px
    assert np.abs(MAPS["lens"].to_degraded(points) - expected).max() < 1e-9


@pytest.mark.parametrize("camera", [NOMINAL, LENS], ids=["pinhole", "fisheye"])
def test_a_readout_moves_points_as_projection_at_their_row_does(camera: Camera) -> None:
    points, depth = pixels(40, seed=1)
    moved = PixelMap(NOMINAL, camera, PAN).to_degraded(points, depth)
    world = NOMINAL.unproject(points, depth)
    expected = np.stack([seen_while_reading(camera, PAN, point) for point in world])
    assert np.abs(moved - expected).max() < 1e-5
    assert np.abs(moved - points).max() > 3


@settings(max_examples=60, deadline=None)
@given(
    turn=st.tuples(*[st.floats(-0.2, 0.2)] * 3),
    shift=st.tuples(*[st.floats(-0.3, 0.3)] * 3),
    u=st.floats(0, 120),
    v=st.floats(0, 90),
    depth=st.floats(0.7, 50),
)
def test_any_readout_can_be_undone(
    turn: tuple[float, float, float], shift: tuple[float, float, float], u: float, v: float, depth: float
) -> None:
    plane = PixelMap(NOMINAL, NOMINAL, CameraMotion(shift, turn), depth)
    moved = plane.to_degraded([[u, v]])
    assume(np.isfinite(moved).all())
    assert np.abs(plane.to_nominal(moved) - [[u, v]]).max() < 1e-3


def test_the_middle_row_stays() -> None:
    still = MAPS["readout"].to_degraded([[60.0, 45.0]], 3.0)
    there = PixelMap(NOMINAL, NOMINAL, CameraMotion((0.2, 0, 0), (0, 0.1, 0))).to_degraded([[60.0, 45.0]], 3.0)
    assert np.abs(there - [[60, 45]]).max() < 1e-6
    assert np.abs(still - [[60, 45]]).max() < 2.5  # a pan with a vertical part reads it a little before or after


def test_depth_is_asked_for_where_it_matters() -> None:
    with pytest.raises(BenchDataError, match="give depth_m"):
        MAPS["readout"].to_degraded([[1.0, 2.0]])
    with pytest.raises(BenchDataError, match="one number or"):
        MAPS["readout"].to_degraded([[1.0, 2.0]], [1.0, 2.0])
    only_turned = PixelMap(NOMINAL, NOMINAL, CameraMotion((0, 0, 0), (0, 0.1, 0)))
    assert np.isfinite(only_turned.to_degraded([[1.0, 2.0]])).all()


def test_a_box_holds_the_outline_of_what_it_held() -> None:
    box = (20.0, 15.0, 100.0, 80.0)
    found = MAPS["lens"].box_to_degraded(box)
    assert found is not None
    rng = np.random.default_rng(2)
    inside = MAPS["lens"].to_degraded(rng.uniform(box[:2], box[2:], (2000, 2)))
    assert (inside >= np.array(found[:2]) - 1e-9).all() and (inside <= np.array(found[2:]) + 1e-9).all()
    assert np.abs(inside.min(axis=0) - found[:2]).max() < 1.5
    assert MAPS["lens"].box_to_degraded((500.0, 10.0, 600.0, 20.0)) is None
    with pytest.raises(BenchDataError, match="x1 > x0"):
        MAPS["lens"].box_to_degraded((5.0, 5.0, 5.0, 9.0))


def test_a_mask_moves_with_its_pixels() -> None:
    v, u = np.mgrid[:90, :120]
    disc = (u + 0.5 - 85) ** 2 + (v + 0.5 - 25) ** 2 < 12**2
    moved = MAPS["lens"].mask_to_degraded(disc)
    centre = MAPS["lens"].to_degraded([[85.0, 25.0]])[0]
    rows, columns = np.nonzero(moved)
    assert np.abs([columns.mean() + 0.5, rows.mean() + 0.5] - centre).max() < 0.6
    ids = MAPS["lens"].mask_to_degraded(np.where(disc, 7, 3).astype(np.int32), outside=-1)
    assert set(np.unique(ids)) <= {-1, 3, 7} and (ids[0, 0], ids[45, 60]) == (-1, 3)
    with pytest.raises(BenchDataError, match="shape"):
        MAPS["lens"].mask_to_degraded(disc[:50])
    with pytest.raises(BenchDataError, match="give depth_m"):
        MAPS["readout"].mask_to_degraded(disc)


def test_identity_changes_nothing() -> None:
    same = PixelMap.identity(NOMINAL)
    points, _ = pixels(10)
    assert same.is_identity and not same.needs_depth
    assert np.array_equal(same.to_degraded(points), points) and np.array_equal(same.to_nominal(points), points)
    mask = np.zeros((90, 120), np.bool_)
    assert np.array_equal(same.mask_to_degraded(mask), mask)


def test_maps_chain_in_the_order_of_formation() -> None:
    lens, rows = PixelMap(NOMINAL, LENS), PixelMap(LENS, LENS, PAN, 2.0)
    both, points = lens.then(rows), pixels(50)[0]
    assert np.abs(both.to_degraded(points) - rows.to_degraded(lens.to_degraded(points))).max() < 1e-6
    assert PixelMap.identity(NOMINAL).then(lens) == lens and lens.then(PixelMap.identity(LENS)) == lens
    with pytest.raises(BenchDataError, match="do not chain"):
        rows.then(lens)


def test_maps_of_other_views_are_refused() -> None:
    with pytest.raises(BenchDataError, match="size"):
        PixelMap(NOMINAL, NOMINAL.resized(60, 45))
    with pytest.raises(BenchDataError, match="nominal pose"):
        PixelMap(NOMINAL, NOMINAL.with_pose(np.eye(4)))
    with pytest.raises(BenchDataError, match=r"\(N, 2\)"):
        MAPS["lens"].to_degraded([1.0, 2.0])
    with pytest.raises(BenchDataError, match="three finite"):
        CameraMotion((0, 0, np.nan), (0, 0, 0))


def test_box_of_an_empty_mask_is_none() -> None:
    assert box_of_mask(np.zeros((3, 4), np.bool_)) is None
