"""Distortion and rolling shutter of photographs: published numbers, OpenCV's fisheye, and homographies of rows."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.degrade import Severity, compose, degrade, degrade_with, replay
from seeworthy.bench_data.degrade.distortion import DistortionParameters, distorted_camera
from seeworthy.bench_data.degrade.photograph_camera import assumed_pinhole
from seeworthy.bench_data.degrade.pixel_map import PixelMap
from seeworthy.bench_data.degrade.rolling_shutter import RollingShutterParameters
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.fisheye import distorted_angle
from seeworthy.bench_data.images import Picture

from .scenes import linear_reference, photographs, texture

GOLDEN = Path(__file__).resolve().parents[2] / "golden/spacedg/degradation_formulas.json"
LEVELS: tuple[Severity, ...] = (1, 2, 3, 4, 5, "bench")
SIZES = [(640, 480), (480, 640), (1752, 1168), (200, 200), (900, 100), (7, 1)]
BENCH = DistortionParameters(k1=-0.235, k2=2e-4, k3=1.5e-4, k4=5e-5)


def dotted(points: np.ndarray, height: int = 240, width: int = 320) -> Picture:
    """A black picture with small soft dots at (N, 2) places."""
    v, u = np.mgrid[:height, :width] + 0.5
    dots = sum(np.exp(-((u - x) ** 2 + (v - y) ** 2) / (2 * 1.5**2)) for x, y in points)
    return Picture(np.repeat(np.rint(255 * np.clip(dots, 0, 1)).astype(np.uint8)[..., None], 3, axis=2))


def found_near(picture: Picture, point: np.ndarray, reach: int = 9) -> np.ndarray:
    """The centroid of light near a place."""
    light = linear_reference(picture.image_srgb_u8[..., 0])
    v, u = np.mgrid[: picture.height, : picture.width] + 0.5
    near = (np.abs(u - point[0]) < reach) & (np.abs(v - point[1]) < reach)
    weight = np.where(near, light, 0)
    return np.array([(weight * u).sum(), (weight * v).sum()]) / weight.sum()


class TestDistortion:
    def test_published_rows(self) -> None:
        for case in json.loads(GOLDEN.read_text())["distortion"]:
            k1, k2, k3, k4 = case["k"]
            parameters = DistortionParameters(k1=k1, k2=k2, k3=k3, k4=k4)
            assert parameters.theta_limit_rad == pytest.approx(case["theta_of_maximum_rad"], abs=1e-4)
            for row in case["samples"]:
                assert float(distorted_angle(row["theta"], parameters.coefficients)) == pytest.approx(
                    row["theta_d"], abs=1e-6
                )

    def test_bench_is_the_published_range(self) -> None:
        for seed in range(30):
            drawn = DistortionParameters.sample("bench", np.random.default_rng(seed))
            assert -0.24 <= drawn.k1 <= -0.23 and 1e-4 <= drawn.k2 <= 3e-4
            assert 1e-4 <= drawn.k3 <= 2e-4 and 0 <= drawn.k4 <= 1e-4 and drawn.max_theta_rad == 1.5

    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize("beyond", [True, False])
    def test_nothing_folds_and_the_inverse_is_exact_to_the_corner(self, size: tuple[int, int], beyond: bool) -> None:
        camera = assumed_pinhole(*size)
        for level in LEVELS:
            parameters = DistortionParameters.sample(level, np.random.default_rng(5))
            found = PixelMap(camera, distorted_camera(camera, parameters, beyond_picture=beyond))
            to_corner = np.linspace([camera.cx, camera.cy], [0, 0], 200)
            source = found.to_nominal(to_corner)
            assert np.isfinite(source).all()
            radius = np.hypot(*(source - [camera.cx, camera.cy]).T)
            assert (np.diff(radius) > 0).all()
            assert np.abs(found.to_degraded(source) - to_corner).max() < 0.05

    def test_positions_are_those_of_opencv(self) -> None:
        camera = Camera(width=320, height=240, fx=280, fy=270, cx=150, cy=128, world_from_camera=np.eye(4))
        lens = distorted_camera(camera, BENCH, beyond_picture=False)
        points = np.random.default_rng(0).uniform(0, [320, 240], (100, 2))
        rays = (points - [150, 128]) / [280, 270]
        expected = cv2.fisheye.distortPoints(rays[:, None], np.array(lens.K), np.array(BENCH.coefficients))
        # distortPoints takes normalised pinhole coordinates.
        assert np.abs(PixelMap(camera, lens).to_degraded(points) - expected[:, 0]).max() < 1e-6

    @pytest.mark.parametrize("level", [1, 3, "bench"])
    def test_pixels_arrive_where_the_map_says(self, level: Severity) -> None:
        places = np.array([[60.0, 50.0], [160.0, 120.0], [250.3, 70.7], [90.5, 190.2]])
        result = degrade(dotted(places), "distortion", severity=level, seed=3)
        for place, told in zip(places, result.pixel_map.to_degraded(places), strict=True):
            assert np.abs(found_near(result.picture, told) - told).max() < 0.1, place

    def test_corners_stay_and_nothing_is_black(self) -> None:
        white = Picture(np.full((90, 120, 3), 255, dtype=np.uint8))
        for level in LEVELS:
            result = degrade(white, "distortion", severity=level, seed=1)
            assert (result.picture.image_srgb_u8 == 255).all()
            corners = np.array([[0.0, 0], [120, 0], [120, 90], [0, 90]])
            assert np.abs(result.pixel_map.to_degraded(corners) - corners).max() < 1e-6

    def test_published_framing_keeps_the_middle_and_leaves_black_corners(self) -> None:
        parameters = BENCH.model_copy(update={"framing": "published"})
        white = Picture(np.full((90, 120, 3), 255, dtype=np.uint8))
        result = degrade_with(white, "distortion", parameters, seed=0)
        assert (result.picture.image_srgb_u8[0, 0] == 0).all() and (result.picture.image_srgb_u8[45, 60] == 255).all()
        near_middle = np.array([[61.0, 45.0]])
        assert np.abs(result.pixel_map.to_degraded(near_middle) - near_middle).max() < 1e-3
        assert any("black" in note for note in result.record.approximations)

    @pytest.mark.parametrize("beyond", [True, False])
    def test_a_very_wide_view_is_cut_where_the_lens_would_fold(self, beyond: bool) -> None:
        # 464 px at 1752 x 1168: the corner is 1.156 rad from the axis, the polynomial ends at 1.195 rad.
        wide = Camera(width=1752, height=1168, fx=464, fy=464, cx=876, cy=584, world_from_camera=np.eye(4))
        found = PixelMap(wide, distorted_camera(wide, BENCH, beyond_picture=beyond))
        inset = np.array([[0.5, 0.5], [876.0, 584.0], [1751.5, 1167.5]])
        source = found.to_nominal(inset)
        assert np.isfinite(source).all() and np.abs(found.to_degraded(source) - inset).max() < 0.05

    def test_the_lens_of_the_photograph_may_be_given(self) -> None:
        camera = Camera(width=64, height=48, fx=200, fy=200, cx=30, cy=24, world_from_camera=np.eye(4))
        picture = texture(3)
        result = degrade(picture, "distortion", severity=4, seed=0, camera=camera)
        assert result.pixel_map.nominal == camera
        assert not any("60 degrees" in note for note in result.record.approximations)
        assert replay(picture, result.record, camera=camera).sha256 == result.picture.sha256
        with pytest.raises(BenchDataError, match="no camera was given"):
            replay(picture, result.record)
        with pytest.raises(BenchDataError, match="resized"):
            degrade(texture(3, 20, 30), "distortion", severity=4, seed=0, camera=camera)

    def test_useless_lenses_are_refused(self) -> None:
        camera = assumed_pinhole(64, 48)
        lens = distorted_camera(camera, BENCH, beyond_picture=True)
        with pytest.raises(BenchDataError, match="fisheye already"):
            distorted_camera(lens, BENCH, beyond_picture=True)
        with pytest.raises(BenchDataError, match="eightfold"):
            distorted_camera(camera, BENCH.model_copy(update={"k1": -9.0, "max_theta_rad": 0.01}), beyond_picture=True)


class TestRollingShutter:
    def test_each_row_is_a_homography_of_a_plane(self) -> None:
        # Against OpenCV's own warp of the whole picture by the homography of one row.
        picture, depth = photographs()[0], 2.0
        width, height = picture.size
        parameters = RollingShutterParameters(translation_m=(0.1, 0.02, 0.05), rotation_rad=(0.01, 0.09, 0.03))
        depth_m = np.full((height, width), depth, dtype=np.float32)
        result = degrade_with(picture, "rolling_shutter", parameters, seed=0, depth_m=depth_m).picture
        focal = max(width, height) / 2 / np.tan(np.deg2rad(30))
        K = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
        light = linear_reference(picture.image_srgb_u8).astype(np.float32)
        for row in (3, height // 2, height - 9):
            share = (row + 0.5) / height - 0.5
            turn = Rotation.from_rotvec(share * np.array(parameters.rotation_rad)).as_matrix()
            shift = share * np.array(parameters.translation_m)
            on_plane = (depth - shift[2]) * turn + np.outer(shift, turn[2])
            H = K @ on_plane @ np.linalg.inv(K)
            flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
            warped = cv2.warpPerspective(light, H, (width, height), flags=flags, borderMode=cv2.BORDER_REFLECT_101)
            expected = 255 * np.where(
                warped[row] <= 0.0031308, 12.92 * warped[row], 1.055 * np.clip(warped[row], 0, 1) ** (1 / 2.4) - 0.055
            )
            apart = np.abs(result.image_srgb_u8[row] - np.clip(expected, 0, 255))
            assert np.quantile(apart, 0.98) < 4 and apart.mean() < 1

    def test_pixels_arrive_where_the_map_says(self) -> None:
        places = np.array([[90.0, 40.0], [160.0, 120.0], [220.3, 70.7], [110.5, 190.2]])
        for level in LEVELS:
            result = degrade(dotted(places), "rolling_shutter", severity=level, seed=3)
            for told in result.pixel_map.to_degraded(places):
                assert np.abs(found_near(result.picture, told) - told).max() < 0.15

    def test_upright_lines_lean_and_the_middle_stays(self) -> None:
        pixels = np.zeros((120, 160, 3), dtype=np.uint8)
        pixels[:, 79:81] = 255
        pan = RollingShutterParameters(translation_m=(0, 0, 0), rotation_rad=(0, 0.1, 0))
        result = degrade_with(Picture(pixels), "rolling_shutter", pan, seed=0).picture
        light = linear_reference(result.image_srgb_u8[..., 0])
        centres = (light * (np.arange(160) + 0.5)).sum(axis=1) / light.sum(axis=1)
        focal = 80 / np.tan(np.deg2rad(30))
        # Turning to the right moves the scene to the left: the last rows see it farther left.
        assert centres[0] - centres[-1] == pytest.approx(focal * 0.1, rel=0.03)
        assert centres[60] == pytest.approx(80, abs=0.2)

    def test_a_still_camera_changes_next_to_nothing(self) -> None:
        still = RollingShutterParameters(translation_m=(0, 0, 0), rotation_rad=(0, 0, 0))
        picture = texture(4)
        result = degrade_with(picture, "rolling_shutter", still, seed=0).picture
        assert np.abs(result.image_srgb_u8.astype(int) - picture.image_srgb_u8).max() <= 1


@pytest.mark.parametrize("name", ["distortion", "rolling_shutter"])
def test_points_move_farther_with_each_level(name: str) -> None:
    picture = texture(1, 48, 64)
    places = np.array([[8.0, 6.0], [50.0, 10.0], [20.0, 40.0], [32.0, 8.0]])
    for seed in range(6):
        ways = []
        for level in LEVELS:
            moved = degrade(picture, name, severity=level, seed=seed).pixel_map.to_degraded(places)
            ways.append(float(np.linalg.norm(moved - places, axis=1).mean()))
        assert (np.diff(ways) > 0).all() and ways[0] > 0.2


def test_a_bent_and_skewed_photograph_has_one_map() -> None:
    places = np.array([[100.0, 70.0], [160.0, 120.0], [210.3, 160.7]])
    result = compose(dotted(places), [("rolling_shutter", 4), ("distortion", 5)], seed=2)
    assert [record.name for record in result.records] == ["distortion", "rolling_shutter"]
    for told in result.pixel_map.to_degraded(places):
        assert np.abs(found_near(result.picture, told) - told).max() < 0.2


def test_pixels_that_stay_have_the_identity() -> None:
    picture = texture(2)
    for result in (degrade(picture, "haze", severity=3, seed=0), degrade(picture, "distortion", severity=0, seed=0)):
        assert result.pixel_map.is_identity


def test_what_is_on_the_lens_is_not_smeared_by_motion() -> None:
    records = compose(texture(5), [("water_droplets", 3), ("motion_blur", 3), ("rain", 2)], seed=1).records
    assert [record.name for record in records] == ["rain", "motion_blur", "water_droplets"]
