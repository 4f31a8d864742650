"""Co-visibility against a loop over pixels, and in scenes where the answer is known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.scenes import OrientedBox
from seeworthy.bench_data.views import PUBLISHED_RULE, MatchRule, PosedDepth, co_visibility, matched_pixels, symmetric
from tests.bench_data.views.boxes import camera_at, cast_rays, fisheye_of

ROOM = {0: OrientedBox.upright((0, 0, 1.4), (8, 6, 2.8)), 1: OrientedBox.upright((0.5, 0.2, 0.6), (0.8, 1.2, 1.2))}


def view_of(camera: Camera) -> PosedDepth:
    """Exact depth in a closed room with a box in it, from inside."""
    _, depths = cast_rays(camera, {1: ROOM[1]})
    rays = camera.directions_in_camera(camera.pixel_centres())
    directions = rays @ camera.world_from_camera[:3, :3].T
    with np.errstate(divide="ignore"):
        corners = np.array([[-0.5], [0.5]]) * ROOM[0].size_m + ROOM[0].centre_m - camera.centre_m
        ends = corners[:, None] / directions
    walls = (ends.max(axis=0).min(axis=1) * rays[:, 2]).reshape(camera.height, camera.width)
    return PosedDepth(camera, np.minimum(walls, depths[0]))


def views(*, fisheye: bool = False) -> list[PosedDepth]:
    cameras = [
        camera_at((-3, -1, 1.5), (3, 1, 1), width=24, height=18),
        camera_at((-3, 2, 1.2), (3, -1, 1), width=24, height=18),
        camera_at((3, 2, 1.5), (-3, -1, 1), width=20, height=20),
        camera_at((-1.5, -0.5, 1.3), (3, 1, 1), width=24, height=18),
    ]
    return [view_of(fisheye_of(camera) if fisheye else camera) for camera in cameras]


def plain_share(source: PosedDepth, target: PosedDepth, rule: MatchRule) -> float:
    """Pixel by pixel, with 4x4 matrices and the pinhole or fisheye equations written out."""
    known = matched = 0
    camera, other = source.camera, target.camera
    for row in range(camera.height):
        for column in range(camera.width):
            depth = float(source.depth_m[row, column])
            ray = camera.directions_in_camera([[column + 0.5, row + 0.5]])[0]
            if math.isnan(depth) or math.isnan(ray[0]):
                continue
            known += 1
            point = camera.world_from_camera @ np.append(ray / ray[2] * depth, 1.0)
            x, y, z, _ = np.linalg.inv(other.world_from_camera) @ point
            if z <= max(rule.nearest_m, other.near_m):
                continue
            if other.model == "pinhole":
                u, v = other.fx * x / z + other.cx, other.fy * y / z + other.cy
            else:
                k1, k2, k3, k4 = other.distortion
                radius, theta = math.hypot(x, y), math.atan2(math.hypot(x, y), z)
                bent = theta * (1 + k1 * theta**2 + k2 * theta**4 + k3 * theta**6 + k4 * theta**8)
                u, v = other.fx * x / radius * bent + other.cx, other.fy * y / radius * bent + other.cy
            if not (0 <= u < other.width and 0 <= v < other.height):
                continue
            found = float(target.depth_m[int(v), int(u)])
            if abs(found - z) < rule.absolute_m + rule.relative * z + math.log(2) * rule.temperature_m:
                matched += 1
    targets = int((~np.isnan(target.depth_m)).sum())
    total = {"source": known, "target": targets, "picture": camera.width * camera.height}[rule.share_of]
    return matched / total if total else 0.0


@pytest.mark.parametrize("fisheye", [False, True])
@pytest.mark.parametrize(
    "rule", [MatchRule(), PUBLISHED_RULE, MatchRule(absolute_m=0.01, relative=0.1, nearest_m=2.0, share_of="picture")]
)
def test_shares_are_those_of_a_loop_over_pixels(rule: MatchRule, fisheye: bool) -> None:
    some = views(fisheye=fisheye)[:3]
    depth = some[0].depth_m.copy()
    depth[3:6] = np.nan
    depth[10, :5] = [0, -1, np.inf, -np.inf, np.nan]
    some[0] = PosedDepth(some[0].camera, depth)
    shares = co_visibility(some, rule=rule, longest_px=None)
    wanted = [[plain_share(one, other, rule) for other in some] for one in some]
    np.testing.assert_allclose(shares, wanted, atol=1e-12)
    assert 0 < shares[0, 1] < 1


def test_known_answers() -> None:
    overview, aside, opposite, close = (view_of(view.camera.resized(160, 120)) for view in views())
    shares = co_visibility([overview, aside, opposite, close], longest_px=None)
    np.testing.assert_array_equal(np.diag(shares), 1)
    assert shares[3, 0] > 0.97  # what the close view sees is seen from further back
    assert shares[0, 3] < 0.75
    assert shares[0, 2] < 0.3  # from the other end one sees other walls
    away = view_of(overview.camera.with_pose(overview.camera.world_from_camera @ np.diag([-1.0, 1, -1, 1])))
    assert co_visibility([overview, away]).tolist() == [[1, 0], [0, 1]]


def test_a_wall_between_two_views_hides() -> None:
    """Two cameras look at the same wall, but another one stands before the second."""
    camera = camera_at((0, 0, 0), (5, 0, 0), width=16, height=12)
    far, near = (PosedDepth(camera, np.full((12, 16), depth, np.float32)) for depth in (4.0, 2.0))
    assert co_visibility([far, near])[0, 1] == 0
    assert co_visibility([far, near], rule=MatchRule(absolute_m=2.1)).min() == 1


def test_the_tolerance_is_strict_and_has_the_published_term_by_switch() -> None:
    camera = camera_at((0, 0, 0), (5, 0, 0), width=4, height=4)

    def share(difference_m: float, rule: MatchRule) -> float:
        pair = [PosedDepth(camera, np.full((4, 4), depth, np.float32)) for depth in (2.0, 2.0 + difference_m)]
        return float(co_visibility(pair, rule=rule)[0, 1])

    assert share(0.109, MatchRule()) == 1  # 0.1 + 0.005 * 2
    assert share(0.111, MatchRule()) == 0
    assert share(0.178, PUBLISHED_RULE) == 1  # and 0.0693
    assert share(0.180, PUBLISHED_RULE) == 0
    assert share(0.25, MatchRule(absolute_m=0.25, relative=0)) == 0  # 0.25 is exact in binary


def test_the_published_share_can_exceed_one() -> None:
    """A near view has many pixels where the far one has few; divided by the far one's they are more than all."""
    camera = camera_at((0, 0, 0), (5, 0, 0), width=16, height=16)
    near = PosedDepth(camera, np.full((16, 16), 3.0, np.float32))
    half = np.full((16, 16), np.nan, np.float32)
    half[4:12, 4:12] = 6.0
    back = camera.with_pose(look_at((-3, 0, 0), (5, 0, 0)))
    shares = co_visibility([near, PosedDepth(back, half)], rule=PUBLISHED_RULE, longest_px=None)
    assert shares[0, 1] == 4.0
    assert co_visibility([near, PosedDepth(back, half)], longest_px=None)[0, 1] == 1.0


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.permutations(range(4)), st.booleans())
def test_order_and_place_of_the_world_do_not_matter(seed: int, order: list[int], fisheye: bool) -> None:
    some = views(fisheye=fisheye)
    shares = co_visibility(some)
    motion = np.eye(4)
    motion[:3, :3] = Rotation.random(random_state=seed).as_matrix()
    motion[:3, 3] = np.random.default_rng(seed).uniform(-20, 20, 3)
    moved = [
        PosedDepth(some[k].camera.with_pose(motion @ some[k].camera.world_from_camera), some[k].depth_m) for k in order
    ]
    # Points within rounding of a pixel's border may change sides.
    np.testing.assert_allclose(co_visibility(moved), shares[np.ix_(order, order)], atol=0.02)


def test_matched_pixels_are_where_the_share_comes_from() -> None:
    one, other, *_ = views()
    matched = matched_pixels(one, other)
    assert matched.shape == one.depth_m.shape
    assert matched.mean() == pytest.approx(co_visibility([one, other], longest_px=None)[0, 1])


def test_a_grid_of_points_gives_nearly_the_same() -> None:
    cameras = [view.camera.resized(320, 240) for view in views()]
    full = [view_of(camera) for camera in cameras]
    for rule in (MatchRule(), PUBLISHED_RULE):
        exact = co_visibility(full, rule=rule, longest_px=None)
        # Points within rounding of a border of a pixel change sides with the processor and its BLAS.
        np.testing.assert_allclose(co_visibility(full, rule=rule, longest_px=80), exact, atol=0.025)


def test_symmetric_shares() -> None:
    shares = co_visibility(views())
    smaller, mean, larger = (symmetric(shares, how) for how in ("smaller", "mean", "larger"))  # type: ignore[arg-type]
    for one in (smaller, mean, larger):
        np.testing.assert_array_equal(one, one.T)
    assert (smaller <= mean).all()
    assert (mean <= larger).all()
    assert smaller[0, 3] == min(shares[0, 3], shares[3, 0])
    with pytest.raises(BenchDataError, match="smaller"):
        symmetric(shares, "geometric")  # type: ignore[arg-type]
    with pytest.raises(BenchDataError, match=r"\(N, N\)"):
        symmetric(np.zeros((2, 3)))


def test_few_and_empty_views() -> None:
    assert co_visibility([]).shape == (0, 0)
    one = views()[0]
    assert co_visibility([one]).tolist() == [[1.0]]
    blind = PosedDepth(one.camera, np.full_like(one.depth_m, np.nan))
    for share_of in ("source", "target", "picture"):
        rule = replace(MatchRule(), share_of=share_of)
        assert co_visibility([one, blind], rule=rule).tolist() == [[1.0, 0.0], [0.0, 0.0]]
    assert blind.points_world().shape == (0, 3)


def test_a_reduced_view_takes_depths_that_exist() -> None:
    rng = np.random.default_rng(0)
    camera = camera_at((0, 0, 0), (5, 0, 0), width=50, height=30)
    depth = rng.uniform(1, 9, (30, 50)).astype(np.float32)
    small = PosedDepth(camera, depth).reduced(10)
    assert (small.camera.width, small.camera.height) == (10, 6)
    np.testing.assert_array_equal(small.depth_m, depth[2::5, 2::5])
    full = camera.unproject_depth(depth)[2::5, 2::5]
    np.testing.assert_allclose(small.points_world(), full.reshape(-1, 3), rtol=1e-6)
    assert small.reduced(10) is small
    assert small.reduced(1).depth_m.shape == (1, 1)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda c: PosedDepth(c, np.zeros((3, 3))), "as the camera has"),
        (lambda c: PosedDepth(c, np.zeros((4, 4, 1))), "as the camera has"),
        (lambda c: PosedDepth(c, np.array([["a"] * 4] * 4)), "array of metres"),
        (lambda c: PosedDepth(c, np.ones((4, 4))).reduced(0), "at least 1"),
        (lambda c: MatchRule(absolute_m=-1), "absolute_m"),
        (lambda c: MatchRule(relative=math.nan), "relative"),
        (lambda c: MatchRule(share_of="both"), "share_of"),
    ],
)
def test_what_cannot_be_is_refused(make: object, says: str) -> None:
    with pytest.raises(BenchDataError, match=says):
        make(camera_at((0, 0, 0), (5, 0, 0), width=4, height=4))  # type: ignore[operator]
