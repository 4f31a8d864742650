"""Degraded views against drawing the same by brute force, through the renderer alone."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.degrade import (
    DegradationParameters,
    FormationStage,
    Severity,
    degrade_with,
    light_degradation,
)
from seeworthy.bench_data.degrade.defocus import DefocusParameters
from seeworthy.bench_data.degrade.distortion import DistortionParameters, distorted_camera
from seeworthy.bench_data.degrade.haze import HazeParameters
from seeworthy.bench_data.degrade.motion_blur import MotionBlurParameters
from seeworthy.bench_data.degrade.rolling_shutter import RollingShutterParameters
from seeworthy.bench_data.degrade.views import degrade_view, scene_far_m
from seeworthy.bench_data.degrade.views.row_bands import row_bands
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.render import Defocus, RenderSettings, exposure_ends, render
from seeworthy.bench_data.splats import GaussianCloud
from seeworthy.bench_data.stress import Stress
from tests.bench_data.degrade.scenes import encoded_reference, linear_reference
from tests.bench_data.render.scenes import a_camera, a_cloud, blob, furnished_room

from .scenes import CAMERA, clear_room, markers, room, seen_with

BLUR = MotionBlurParameters(translation_m=(0.15, -0.05, 0.04), rotation_rad=(0.02, 0.06, 0.01))
ROLL = RollingShutterParameters(translation_m=(0.2, 0.03, 0.05), rotation_rad=(-0.01, 0.12, 0.02))
LENS = DistortionParameters(k1=-0.235, k2=2e-4, k3=1.5e-4, k4=5e-5)
FOG = HazeParameters(optical_thickness=1.5, airlight_linear=(0.7, 0.75, 0.8))
SPREAD = DefocusParameters(aperture=0.03, focus_m=1.5)


def light_of(camera: Camera, cloud: GaussianCloud | None = None, **settings: object) -> np.ndarray:
    """(H, W, 3) linear, of a picture drawn by the renderer alone."""
    drawn = render(room() if cloud is None else cloud, camera, engine="numba", threads=1, **settings)  # type: ignore[arg-type]
    return linear_reference(255 * drawn.image_srgb.astype(np.float64))


def moved(camera: Camera, motion: MotionBlurParameters | RollingShutterParameters, share: float) -> Camera:
    """The camera after a share (-0.5 to 0.5) of a motion."""
    shift, turn = 2 * share * np.array(motion.translation_m), 2 * share * np.array(motion.rotation_rad)
    return camera.with_pose(exposure_ends(camera, translation_m=shift, rotation_rad=turn)[1])


class TestDefocus:
    def test_the_renderer_spreads_by_the_published_circle(self) -> None:
        wide = a_camera(96, 64)
        aperture_px = SPREAD.aperture * 96
        expected = render(
            room(), wide, engine="numba", threads=1, defocus=Defocus(aperture_px=aperture_px, focus_m=1.5)
        )
        found = seen_with(room(), wide, defocus=SPREAD)
        # Light that got lost is given back; what differs beyond that is nothing but its smooth gain.
        gain = found.picture.image_srgb / np.maximum(expected.image_srgb, 0.02)
        bright = expected.image_srgb > 0.2
        assert np.abs(gain[bright] - 1).max() < 0.12

    def test_energy_is_kept_to_one_percent(self) -> None:
        clean = render(room(), CAMERA, engine="numba", threads=1).image_srgb
        for level in (1, 3, 5, "bench"):
            for seed in (0, 4):
                found = degrade_view(room(), CAMERA, [("defocus", level)], seed=seed, engine="numba", threads=1)
                assert float(found.picture.image_srgb.mean()) == pytest.approx(float(clean.mean()), rel=0.01)

    def test_a_lone_point_keeps_its_energy(self) -> None:
        camera = Camera(width=80, height=80, fx=90, fy=90, cx=40, cy=40, world_from_camera=np.eye(4))
        point = blob((0, 0, 4.0), scale=0.06, opacity=0.9)
        sharp = render(point, camera, engine="numba", threads=1)
        found = seen_with(point, camera, defocus=DefocusParameters(aperture=0.03, focus_m=2.0))
        assert float(found.picture.image_srgb.sum()) == pytest.approx(float(sharp.image_srgb.sum()), rel=0.03)
        assert found.picture.image_srgb.max() < 0.8 * sharp.image_srgb.max()

    def test_what_is_in_focus_stays(self) -> None:
        points, cloud = markers(CAMERA, depth_m=2.0, scale_m=0.05)
        found = seen_with(cloud, CAMERA, defocus=DefocusParameters(aperture=0.05, focus_m=2.0))
        assert np.abs(found.picture.image_srgb - found.clean.image_srgb).max() < 2 / 255
        assert len(points) == 9


class TestMotionBlur:
    def test_light_is_the_mean_of_80_poses(self) -> None:
        expected = np.mean([light_of(moved(CAMERA, BLUR, share)) for share in np.linspace(-0.5, 0.5, 80)], axis=0)
        found = seen_with(room(), CAMERA, motion_blur=BLUR).picture.image_srgb_u8
        assert np.abs(found - encoded_reference(expected)).max() <= 1

    def test_draft_is_close_and_half_the_work(self) -> None:
        full, draft = (
            degrade_view(room(), CAMERA, [("motion_blur", 3)], seed=1, quadrature=q, engine="numba", threads=1)  # type: ignore[arg-type]
            for q in ("full", "draft")
        )
        assert np.abs(full.picture.image_srgb_u8.astype(int) - draft.picture.image_srgb_u8).max() <= 3
        assert full.records[0].approximations == ("80 instants were drawn",)
        assert draft.records[0].approximations == ("41 instants were drawn",)

    def test_a_point_is_smeared_about_its_nominal_place(self) -> None:
        camera = a_camera(120, 90)
        points, cloud = markers(camera, depth_m=3.0, scale_m=0.03)
        found = seen_with(cloud, camera, motion_blur=BLUR)
        light = linear_reference(found.picture.image_srgb_u8).sum(axis=2)
        v, u = np.mgrid[:90, :120] + 0.5
        middle = camera.project(points[4:5]).points_px[0]
        near = (np.abs(u - middle[0]) < 14) & (np.abs(v - middle[1]) < 10)
        centroid = np.array([(light * near * u).sum(), (light * near * v).sum()]) / (light * near).sum()
        assert np.abs(centroid - middle).max() < 0.3
        assert found.truth.pixel_map.is_identity


class TestDistortion:
    def test_the_view_is_rendered_through_the_lens(self) -> None:
        expected = render(room(), distorted_camera(CAMERA, LENS, beyond_picture=True), engine="numba", threads=1)
        found = seen_with(room(), CAMERA, distortion=LENS).picture
        assert np.abs(found.image_srgb_u8.astype(int) - expected.image_srgb_u8).max() <= 1

    def test_levels_end_at_the_same_place_as_on_a_photograph_whose_camera_is_known(self) -> None:
        # Where the focal length is enlarged in both ways, positions agree up to that enlargement.
        photograph = degrade_with(Picture(np.zeros((48, 64, 3), np.uint8)), "distortion", LENS, seed=0, camera=CAMERA)
        in_scene = seen_with(room(), CAMERA, distortion=LENS).truth.pixel_map
        points = np.array([[10.0, 8.0], [40.0, 30.0], [60.0, 20.0]])
        ways = [m.to_degraded(points) - [32, 24] for m in (photograph.pixel_map, in_scene)]
        zoom = photograph.pixel_map.degraded.fx / in_scene.degraded.fx
        assert zoom > 1.1 and np.abs(ways[0] - zoom * ways[1]).max() < 1e-9

    def test_a_level_near_the_pinhole_shows_nearly_the_same(self) -> None:
        # A lens that reaches to a right angle must not smear over the picture what is beside the camera.
        found = degrade_view(clear_room(), CAMERA, [("distortion", 1)], seed=0, engine="numba", threads=1)
        assert np.abs(found.picture.image_srgb - found.clean.image_srgb).mean() < 0.04


class TestRollingShutter:
    def test_rows_are_those_of_full_pictures_at_their_instants(self) -> None:
        brute = np.stack([light_of(moved(CAMERA, ROLL, (row + 0.5) / 48 - 0.5))[row] for row in range(48)])
        found = seen_with(room(), CAMERA, rolling_shutter=ROLL).picture.image_srgb_u8
        apart = np.abs(found - encoded_reference(brute))
        assert len(row_bands(CAMERA, ROLL.motion, 0.8)) >= 24
        assert apart.mean() < 0.7 and np.quantile(apart, 0.99) < 8

    def test_one_row_a_band_is_exact(self) -> None:
        # A motion fast enough that no two rows can be drawn together.
        fast = RollingShutterParameters(translation_m=(0.6, 0, 0), rotation_rad=(0, 0.5, 0))
        brute = np.stack([light_of(moved(CAMERA, fast, (row + 0.5) / 48 - 0.5))[row] for row in range(48)])
        found = seen_with(room(), CAMERA, rolling_shutter=fast)
        assert "48 bands" in found.records[0].approximations[0]
        assert np.abs(found.picture.image_srgb_u8 - encoded_reference(brute)).max() <= 2

    @pytest.mark.parametrize("near_m", [0.5, 3.0])
    def test_bands_keep_every_point_within_the_stated_error(self, near_m: float) -> None:
        camera = a_camera(160, 120)
        rng = np.random.default_rng(0)
        pixels = rng.uniform(0, [160, 120], (300, 2))
        points = camera.unproject(pixels, rng.uniform(near_m, 20, 300))
        bands = row_bands(camera, ROLL.motion, near_m)
        assert bands[0][0] == 0 and bands[-1][1] == 120
        assert all(before[1] == after[0] for before, after in pairwise(bands))
        worst = 0.0
        for first, end in bands:
            middle = moved(camera, ROLL, (first + end) / 240 - 0.5).project(points).points_px
            for row in (first, end - 1):
                true = moved(camera, ROLL, (row + 0.5) / 120 - 0.5).project(points).points_px
                inside = (true[:, 1] >= 0) & (true[:, 1] < 120) & (true[:, 0] >= 0) & (true[:, 0] < 160)
                worst = max(worst, float(np.linalg.norm(true - middle, axis=1)[inside].max(initial=0)))
        assert worst <= 0.26
        assert len(bands) <= (120 if near_m < 1 else 60)

    def test_a_still_camera_is_one_band(self) -> None:
        still = RollingShutterParameters(translation_m=(0, 0, 0), rotation_rad=(0, 0, 0))
        assert row_bands(CAMERA, still.motion, 1.0) == [(0, 48)] == row_bands(CAMERA, None, 1.0)
        found = seen_with(room(), CAMERA, rolling_shutter=still)
        assert np.abs(found.picture.image_srgb_u8.astype(int) - found.clean.image_srgb_u8).max() <= 1


class TestHaze:
    def test_it_inverts_exactly_with_known_depth(self) -> None:
        found = seen_with(room(), CAMERA, far_m=6.0, haze=FOG)
        depth = np.where(np.isnan(found.clean.depth_m), 6.0, found.clean.depth_m)
        through = np.exp(-1.5 * depth / 6.0)[..., None]
        light = linear_reference(found.picture.image_srgb_u8)
        back = (light - np.array(FOG.airlight_linear) * (1 - through)) / through
        clean = linear_reference(255 * found.clean.image_srgb.astype(np.float64))
        # Half an 8-bit step of the encoded value, taken back through the fog.
        step = linear_reference(found.picture.image_srgb_u8 + 0.51) - light
        assert (np.abs(back - clean) <= step / through + 1e-4).all()

    def test_it_acts_in_every_instant_on_that_instants_depth(self) -> None:
        expected = np.zeros((48, 64, 3))
        for share in np.linspace(-0.5, 0.5, 80):
            instant = render(room(), moved(CAMERA, BLUR, share), engine="numba", threads=1)
            depth = np.where(np.isnan(instant.depth_m), 6.0, instant.depth_m).astype(np.float64)
            through = np.exp(-1.5 * depth / 6.0)[..., None]
            light = linear_reference(255 * instant.image_srgb.astype(np.float64))
            expected += (light * through + np.array(FOG.airlight_linear) * (1 - through)) / 80
        found = seen_with(room(), CAMERA, far_m=6.0, haze=FOG, motion_blur=BLUR).picture.image_srgb_u8
        assert np.abs(found - encoded_reference(expected)).max() <= 1

    def test_what_is_thin_counts_as_far(self) -> None:
        cloud = a_cloud(blob(tuple(CAMERA.unproject([[16.0, 24.0]], 2.0)[0]), scale=0.2, opacity=0.99))
        found = seen_with(cloud, CAMERA, far_m=4.0, haze=FOG)
        expected = encoded_reference(np.array(FOG.airlight_linear) * (1 - np.exp(-1.5)))
        assert np.abs(found.picture.image_srgb_u8[2, 62] - expected).max() <= 1
        assert any("far" in note for note in found.records[0].approximations)

    def test_views_of_a_scene_share_their_far_depth(self) -> None:
        other = a_camera(64, 48, eye=(2.0, 4.0, 1.5))
        far_m = scene_far_m(room(), [CAMERA, other], engine="numba", threads=1)
        depths = [render(room(), c, engine="numba", threads=1).depth_m for c in (CAMERA, other)]
        assert far_m == pytest.approx(float(np.nanpercentile(np.stack(depths), 95)), rel=0.02)
        for camera in (CAMERA, other):
            found = degrade_view(room(), camera, [("haze", 2)], seed=0, far_m=far_m, engine="numba", threads=1)
            assert found.records[0].view is not None and found.records[0].view.far_m == far_m

    def test_a_view_of_nothing_asks_for_the_far_depth(self) -> None:
        with pytest.raises(BenchDataError, match="give far_m"):
            seen_with(GaussianCloud.empty(), CAMERA, far_m=None, haze=FOG)
        white = seen_with(GaussianCloud.empty(), CAMERA, far_m=4.0, haze=FOG).picture.image_srgb_u8
        assert white.min() == white[0, 0].min() > 100
        with pytest.raises(BenchDataError, match="no camera sees"):
            scene_far_m(GaussianCloud.empty(), [CAMERA], engine="numba")


class TestTogether:
    def test_all_at_once_is_the_mean_over_bands_and_instants(self) -> None:
        camera, cloud = a_camera(24, 18), furnished_room(1_000)
        roll = RollingShutterParameters(translation_m=(0.4, 0, 0), rotation_rad=(0, 0.4, 0))
        lens = distorted_camera(camera, LENS, beyond_picture=True)
        expected = np.zeros((18, 24, 3))
        for row in range(0, 18, 6):
            at_row = moved(camera, roll, (row + 0.5) / 18 - 0.5)
            poses = [moved(at_row, BLUR, share).world_from_camera for share in np.linspace(-0.5, 0.5, 80)]
            rows = []
            for pose in poses:
                instant = render(cloud, lens.with_pose(pose), engine="numba", threads=1)
                depth = np.where(np.isnan(instant.depth_m), 6.0, instant.depth_m).astype(np.float64)
                through = np.exp(-1.5 * depth / 6.0)[..., None]
                light = linear_reference(255 * instant.image_srgb.astype(np.float64))
                rows.append((light * through + np.array(FOG.airlight_linear) * (1 - through))[row])
            expected[row] = np.mean(rows, axis=0)
        found = seen_with(cloud, camera, far_m=6.0, distortion=LENS, rolling_shutter=roll, motion_blur=BLUR, haze=FOG)
        assert [r.name for r in found.records] == ["haze", "distortion", "motion_blur", "rolling_shutter"]
        apart = np.abs(found.picture.image_srgb_u8 - encoded_reference(expected))[::6]
        assert np.quantile(apart, 0.98) <= 2 and apart.mean() < 0.8

    def test_later_stages_act_on_the_light_that_was_collected(self) -> None:
        found = degrade_view(
            room(),
            CAMERA,
            [("jpeg_compression", 5), ("low_light", 3), ("motion_blur", 2), ("water_droplets", 3)],
            seed=1,
            engine="numba",
            threads=1,
        )
        names = [record.name for record in found.records]
        assert names == ["motion_blur", "water_droplets", "low_light", "jpeg_compression"]
        assert found.picture.image_srgb.mean() < 0.5 * found.clean.image_srgb.mean()

    @pytest.mark.parametrize("name", ["defocus", "motion_blur", "haze"])
    def test_effects_grow_with_severity(self, name: str) -> None:
        levels: tuple[Severity, ...] = (0, 1, 3, 5, "bench")
        apart = []
        for level in levels:
            found = degrade_view(
                room(), CAMERA, [(name, level)], seed=2, quadrature="draft", engine="numba", threads=1, far_m=6.0
            )
            apart.append(float(((found.picture.image_srgb - found.clean.image_srgb) ** 2).mean()))
        assert (np.diff(apart) > 0).all(), apart

    def test_points_move_farther_with_each_level_of_rolling_shutter(self) -> None:
        levels: tuple[Severity, ...] = (0, 1, 3, 5, "bench")
        points, apart = np.array([[8.0, 6.0], [50.0, 10.0], [20.0, 40.0]]), []
        for level in levels:
            found = degrade_view(room(), CAMERA, [("rolling_shutter", level)], seed=2, engine="numba", threads=1)
            apart.append(float(np.linalg.norm(found.truth.pixel_map.to_degraded(points, 2.0) - points, axis=1).mean()))
        assert apart[0] == 0 and (np.diff(apart) > 0).all(), apart

    def test_lines_bend_more_with_each_level_of_distortion(self) -> None:
        # The sagitta of a line near the top, over its length: the focal length plays no part in it.
        levels: tuple[Severity, ...] = (0, 1, 3, 5, "bench")
        line, bent = np.array([[8.0, 5.0], [32.0, 5.0], [56.0, 5.0]]), []
        for level in levels:
            found = degrade_view(room(), CAMERA, [("distortion", level)], seed=2, engine="numba", threads=1)
            left, middle, right = found.truth.pixel_map.to_degraded(line)
            bent.append(float(((left + right) / 2 - middle)[1] / (right - left)[0]))
        assert bent[0] == 0 and (np.diff(bent) > 0.003).all(), bent


def test_only_what_happens_in_the_air_acts_in_every_instant() -> None:
    with pytest.raises(BenchDataError, match="leave per_pixel out"):
        light_degradation(
            Stress.COLOUR_CAST, summary="", stage=FormationStage.LENS, parameters=HazeParameters, per_pixel=True
        )


def test_settings_that_belong_to_degradations_are_refused() -> None:
    with pytest.raises(BenchDataError, match="leave the defocus"):
        degrade_view(
            room(), CAMERA, [("haze", 1)], seed=0, settings=RenderSettings(defocus=Defocus(aperture_px=1, focus_m=2))
        )
    with pytest.raises(BenchDataError, match="positive number"):
        degrade_view(room(), CAMERA, [("haze", 1)], seed=0, far_m=-1.0)
    with pytest.raises(BenchDataError, match="quadrature"):
        degrade_view(room(), CAMERA, [("haze", 1)], seed=0, quadrature="fast")  # type: ignore[arg-type]
    wrong: dict[str, DegradationParameters] = {"haze": LENS}
    with pytest.raises(BenchDataError, match="takes HazeParameters"):
        seen_with(room(), CAMERA, **wrong)
    fisheye = distorted_camera(CAMERA, LENS, beyond_picture=True)
    with pytest.raises(BenchDataError, match="fisheye already"):
        seen_with(room(), fisheye, distortion=LENS)
