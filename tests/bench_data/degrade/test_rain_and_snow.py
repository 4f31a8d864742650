"""Rain and snow against the laws they are built on, written out again here and integrated by quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError
from scipy.integrate import quad

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.degrade import DEGRADATION_REGISTRY, SceneLight, degrade
from seeworthy.bench_data.degrade.airborne import (
    NEAREST_M,
    Particles,
    Shutter,
    SizeLaw,
    coverage,
    drawn_width_rad,
    scatter,
    veil_optical_depth,
)
from seeworthy.bench_data.degrade.disc_blur import disc_blurred_dots, disc_kernel
from seeworthy.bench_data.degrade.precipitation import fall_velocity_m_s
from seeworthy.bench_data.degrade.rain import RainParameters, rain, rain_drop_sizes, rain_fall_speed_m_s
from seeworthy.bench_data.degrade.snow import SnowParameters, snow, snow_fall_speed_m_s, snow_flake_sizes
from seeworthy.bench_data.degrade.viewpoint import Viewpoint, viewpoint_of

from .scenes import texture

Array = NDArray[np.float64]
SHARP = 1e9


def view_of(width: int, height: int) -> Viewpoint:
    return viewpoint_of(SceneLight(np.zeros((height, width, 3), dtype=np.float32)))


def wall(depth_m: float, height: int = 240, width: int = 320) -> NDArray[np.float32]:
    return np.full((height, width), depth_m, dtype=np.float32)


def one_particle(z_m: float, velocity: tuple[float, float, float], diameter_m: float) -> Particles:
    return Particles(np.array([[0.0, 0.0, z_m]]), np.array([velocity]), np.array([diameter_m]))


def rain_of(rate_mm_h: float, brightness: float = 4.0, exposure_s: float = 0.005) -> RainParameters:
    return RainParameters(rate_mm_h=rate_mm_h, wind_m_s=(0.5, 0.0), exposure_s=exposure_s, drop_brightness=brightness)


def snow_of(rate_mm_h: float, brightness: float = 3.0) -> SnowParameters:
    return SnowParameters(
        rate_mm_h=rate_mm_h, wind_m_s=(0.5, 0.0), exposure_s=0.005, aperture_m=0.004, flake_brightness=brightness
    )


class TestSizes:
    @pytest.mark.parametrize(
        "law", [rain_drop_sizes(3), rain_drop_sizes(120), snow_flake_sizes(0.5), snow_flake_sizes(8)]
    )
    def test_counts_and_cross_sections_are_integrals_of_the_law(self, law: SizeLaw) -> None:
        def density(diameter_m: float) -> float:
            return law.intercept_per_m4 * float(np.exp(-law.slope_per_m * diameter_m))

        def area(diameter_m: float) -> float:
            return np.pi / 4 * diameter_m**2 * density(diameter_m)

        end = 60 / law.slope_per_m
        assert float(law.number_per_m3(1e-3)) == pytest.approx(quad(density, 1e-3, end)[0], rel=1e-6)
        assert law.cross_section_per_m == pytest.approx(quad(area, 0, end)[0], rel=1e-6)
        share = quad(area, 0, 2e-3)[0] / quad(area, 0, end)[0]
        assert float(law.share_smaller(np.array(2e-3))) == pytest.approx(share, rel=1e-6)

    @pytest.mark.parametrize("rate", [5.0, 25.0, 100.0])
    def test_rain_dims_by_half_of_the_published_extinction(self, rate: float) -> None:
        # 0.312 R^0.67 per km: Weber et al., as used by Halder et al. (ICCV 2019). Half of it is diffraction.
        assert 2e3 * rain_drop_sizes(rate).cross_section_per_m == pytest.approx(0.312 * rate**0.67, rel=0.12)

    def test_marshall_and_palmer(self) -> None:
        law = rain_drop_sizes(10.0)
        assert law.intercept_per_m4 == pytest.approx(8000 * 1e3)
        assert law.slope_per_m == pytest.approx(4.1 * 10**-0.21 * 1e3)

    def test_drops_fall_as_gunn_and_kinzer_measured(self) -> None:
        # Their table of 1949, at 1 to 5 mm.
        measured = [4.03, 6.49, 8.06, 8.83, 9.09]
        assert rain_fall_speed_m_s(np.arange(1, 6) * 1e-3) == pytest.approx(measured, rel=0.025)
        assert rain_fall_speed_m_s(np.array([0.0, 1e-5])).tolist() == [0.0, 0.0]

    def test_flakes_fall_at_about_one_metre_a_second(self) -> None:
        speed = snow_fall_speed_m_s(np.array([1e-3, 4e-3, 1e-2]))
        assert (np.diff(speed) > 0).all()
        assert 0.4 < speed[0] < speed[-1] < 1.5

    @pytest.mark.parametrize(("rate", "metres"), [(0.3, (1000, 4000)), (1.2, (500, 1500)), (10.0, (100, 500))])
    def test_snow_is_as_thick_as_weather_services_grade_it(self, rate: float, metres: tuple[int, int]) -> None:
        # Light snow is seen through for more than 1 km, heavy snow for less than 500 m (contrast 2 %, full extinction).
        visibility_m = 3.912 / (2 * snow_flake_sizes(rate).cross_section_per_m)
        assert metres[0] < visibility_m < metres[1]


class TestStreaks:
    @pytest.mark.parametrize("z_m", [0.6, 1.0, 2.5])
    @pytest.mark.parametrize("exposure_s", [0.004, 0.02])
    def test_length_is_speed_times_exposure_times_focal_length_over_depth(self, z_m: float, exposure_s: float) -> None:
        view = view_of(640, 480)
        shutter = Shutter(exposure_s, 0.0, SHARP)
        drop = one_particle(z_m, (0.0, 6.5, 0.0), 5e-4)
        cover = coverage(drop, view, shutter, wall(50, 480, 640))
        rows = np.flatnonzero(cover.max(axis=1) > 0.5 * cover.max())
        assert len(rows) == pytest.approx(6.5 * exposure_s * view.mean_focal_px / z_m, abs=2)
        assert len(np.flatnonzero(cover.any(axis=0))) <= 3

    @pytest.mark.parametrize("diameter_m", [4e-4, 2e-3, 6e-3])
    @pytest.mark.parametrize("aperture_m", [0.0, 0.008])
    @pytest.mark.parametrize("exposure_s", [1e-4, 0.01])
    def test_a_drop_keeps_its_area_whatever_blurs_it(
        self, diameter_m: float, aperture_m: float, exposure_s: float
    ) -> None:
        view = view_of(640, 480)
        drop = one_particle(1.0, (1.0, 6.0, 0.0), diameter_m)
        cover = coverage(drop, view, Shutter(exposure_s, aperture_m, 5.0), wall(50, 480, 640))
        expected = np.pi / 4 * (diameter_m * view.mean_focal_px) ** 2
        assert float(cover.sum(dtype=np.float64)) == pytest.approx(expected, rel=0.02)

    def test_brightness_falls_with_exposure(self) -> None:
        view = view_of(640, 480)
        drop = one_particle(1.0, (0.0, 6.5, 0.0), 5e-4)
        short, long = (
            float(coverage(drop, view, Shutter(time_s, 0.0, SHARP), wall(50, 480, 640)).max())
            for time_s in (0.005, 0.02)
        )
        assert short / long == pytest.approx(4, rel=0.15)

    def test_wind_tilts_streaks(self) -> None:
        view = view_of(640, 480)
        cover = coverage(one_particle(1.0, (3.0, 6.0, 0.0), 5e-4), view, Shutter(0.02, 0.0, SHARP), wall(50, 480, 640))
        rows, columns = np.nonzero(cover > 0.2 * cover.max())
        assert np.polyfit(rows, columns, 1)[0] == pytest.approx(0.5, abs=0.02)

    def test_flicker_keeps_the_mean_and_changes_the_rest(self) -> None:
        view, shutter = view_of(640, 480), Shutter(0.02, 0.0, SHARP)
        plain = one_particle(1.0, (0.0, 6.5, 0.0), 1e-3)
        # Two full swings within the exposure.
        swinging = Particles(
            plain.position_m, plain.velocity_m_s, plain.diameter_m, flicker=np.array([[0.5, 1.0, 100.0]])
        )
        even, uneven = (coverage(drop, view, shutter, wall(50, 480, 640)) for drop in (plain, swinging))
        assert float(uneven.sum()) == pytest.approx(float(even.sum()), rel=0.01)
        assert float(uneven.max()) > 1.3 * float(even.max())

    @pytest.mark.parametrize("flickers", [False, True])
    def test_streaks_are_sums_of_dots_written_out(self, flickers: bool) -> None:
        rng = np.random.default_rng(0)
        position, velocity = rng.uniform([-1, -1, 0.3], [1, 1, 4], (60, 3)), rng.normal(0, 5, (60, 3))
        diameter = rng.uniform(1e-4, 4e-4, 60)
        flicker = rng.uniform([0, 0, 20], [0.5, 6, 300], (60, 3)) if flickers else None
        view, exposure_s = view_of(64, 48), 0.01
        depth_m = rng.uniform(0.5, 6, (48, 64)).astype(np.float32)
        expected = np.zeros((50, 66))
        for number in range(60):
            z, way = position[number, 2], velocity[number] * exposure_s
            run = np.hypot(*(view.focal_px[0] * (way[:2] - position[number, :2] / z * way[2]))) / z
            count = max(1, int(np.ceil(run / 0.8)))
            for when in (np.arange(count) + 0.5) / count - 0.5:
                at_x, at_y, at_z = position[number] + way * when
                u, v = view.focal_px[0] * at_x / at_z + 32, view.focal_px[0] * at_y / at_z + 24
                if not (-0.5 < u < 64.5 and -0.5 < v < 48.5):
                    continue
                if at_z >= depth_m[min(max(int(v), 0), 47), min(max(int(u), 0), 63)]:
                    continue
                area = np.pi / 4 * (view.focal_px[0] * diameter[number] / at_z) ** 2 / count
                if flicker is not None:
                    amplitude, phase, hertz = flicker[number]
                    area *= 1 + amplitude * np.sin(phase + 2 * np.pi * hertz * when * exposure_s)
                left, top = int(np.floor(u - 0.5)), int(np.floor(v - 0.5))
                aside, below = u - 0.5 - left, v - 0.5 - top
                shares = np.outer([1 - below, below], [1 - aside, aside])
                expected[top + 1 : top + 3, left + 1 : left + 3] += area * shares
        drops = Particles(position, velocity, diameter, flicker)
        cover = coverage(drops, view, Shutter(exposure_s, 0.0, SHARP), depth_m)
        hidden = depth_m <= position[:, 2].min()
        assert expected.max() > 10 * np.median(expected[expected > 0]) > 0
        assert np.allclose(cover, np.where(hidden, 0, np.minimum(expected[1:-1, 1:-1], 1)), atol=1e-6)

    def test_a_blurred_drop_just_beside_the_picture_reaches_into_it(self) -> None:
        view, shutter = view_of(64, 48), Shutter(1e-4, 0.1, 50.0)
        # One metre away, the middle two pixels left of the picture, blurred by a disc of 2.7 pixels.
        beside = Particles(np.array([[-34 / view.focal_px[0], 0.0, 1.0]]), np.zeros((1, 3)), np.array([5e-3]))
        inside = Particles(np.array([[-19 / view.focal_px[0], 0.0, 1.0]]), np.zeros((1, 3)), np.array([5e-3]))
        cover = coverage(beside, view, shutter, wall(9, 48, 64))
        whole = coverage(inside, view, shutter, wall(9, 48, 64))
        assert cover[:, 0].any()
        assert np.allclose(cover[:, :20], whole[:, 15:35], atol=1e-6)


class TestScatteredDots:
    @pytest.mark.parametrize("count", [3, 2000])
    @pytest.mark.parametrize("radius_px", [0.8, 2.4, 9.3])
    def test_stamps_and_filter_agree(self, count: int, radius_px: float) -> None:
        import cv2

        rng = np.random.default_rng(count)
        margin = 1 + int(np.ceil(radius_px))
        dots = np.zeros((40 + 2 * margin, 61 + 2 * margin), dtype=np.float32)
        np.add.at(dots, (rng.integers(0, dots.shape[0], count), rng.integers(0, dots.shape[1], count)), np.float32(1))
        filtered = cv2.filter2D(dots, cv2.CV_32F, disc_kernel(radius_px), borderType=cv2.BORDER_CONSTANT)
        blurred = disc_blurred_dots(dots, radius_px, margin)
        assert blurred.shape == (40, 61)
        assert np.allclose(blurred, filtered[margin:-margin, margin:-margin], atol=1e-4 * count**0.5)


class TestDirection:
    def test_a_level_camera_sees_drops_fall_down_the_picture(self) -> None:
        velocity = fall_velocity_m_s(np.array([6.0]), (1.0, 2.0), view_of(64, 48))
        # Right, down, away from the camera.
        assert velocity.tolist() == [[1.0, 6.0, 2.0]]

    def test_a_camera_that_looks_up_sees_them_come(self) -> None:
        pose = look_at([0, 0, 0], [0, 1, 100])
        camera = Camera(width=64, height=48, fx=60, fy=60, cx=32, cy=24, world_from_camera=pose)
        view = viewpoint_of(SceneLight(np.zeros((48, 64, 3), dtype=np.float32), camera=camera))
        [[x, y, z]] = fall_velocity_m_s(np.array([6.0]), (0.0, 0.0), view)
        assert z == pytest.approx(-6.0, abs=0.01)
        assert abs(x) + abs(y) < 0.1

    def test_the_given_camera_sets_the_angle_of_view(self) -> None:
        camera = Camera(width=64, height=48, fx=500, fy=400, cx=20, cy=30, world_from_camera=np.eye(4))
        view = viewpoint_of(SceneLight(np.zeros((48, 64, 3), dtype=np.float32), camera=camera))
        assert (view.focal_px, view.centre_px, view.approximations) == ((500.0, 400.0), (20.0, 30.0), ())


class TestNumbers:
    @pytest.mark.parametrize(
        "law", [rain_drop_sizes(8), rain_drop_sizes(150), snow_flake_sizes(1), snow_flake_sizes(6)]
    )
    @pytest.mark.parametrize("farthest_m", [3.0, 40.0])
    def test_as_many_are_drawn_as_the_law_has_in_the_picture(self, law: SizeLaw, farthest_m: float) -> None:
        view, margin_m = view_of(320, 240), 0.02
        width_rad = drawn_width_rad(view)

        def per_metre(z_m: float) -> float:
            width = view.width / view.focal_px[0] * z_m + 2 * margin_m
            height = view.height / view.focal_px[1] * z_m + 2 * margin_m
            return width * height * float(law.number_per_m3(z_m * width_rad))

        expected = quad(per_metre, NEAREST_M, farthest_m, limit=200)[0]
        position, diameter, uniform = scatter(
            law, view, margin_m=margin_m, farthest_m=farthest_m, rng=np.random.default_rng(3), columns=2
        )
        assert len(position) == pytest.approx(expected, rel=0.01, abs=1)
        assert uniform.shape == (len(position), 2)
        assert (position[:, 2] >= NEAREST_M).all() and (position[:, 2] <= farthest_m).all()
        beyond_smallest = diameter - position[:, 2] * width_rad
        assert beyond_smallest.min() >= 0
        error = 4 / np.sqrt(len(position))
        assert float(beyond_smallest.mean()) * law.slope_per_m == pytest.approx(1, abs=error)

    def test_fewer_than_one_is_drawn_now_and_then(self) -> None:
        law, view = rain_drop_sizes(3), view_of(320, 240)
        counts = [
            len(scatter(law, view, margin_m=0.0, farthest_m=0.257, rng=np.random.default_rng(seed), columns=0)[0])
            for seed in range(2000)
        ]
        z_m = (NEAREST_M + 0.257) / 2
        slice_m2 = view.width * view.height * (z_m / view.mean_focal_px) ** 2
        expected = (0.257 - NEAREST_M) * slice_m2 * float(law.number_per_m3(z_m * drawn_width_rad(view)))
        assert 0.1 < expected < 0.9
        assert set(counts) == {0, 1}
        assert np.mean(counts) == pytest.approx(expected, abs=0.04)

    def test_a_heavier_fall_keeps_the_random_numbers_of_a_lighter_one(self) -> None:
        view = view_of(640, 480)
        light, heavy = (
            scatter(rain_drop_sizes(rate), view, margin_m=0.01, farthest_m=20, rng=np.random.default_rng(1), columns=3)[
                2
            ]
            for rate in (5, 80)
        )
        assert len(heavy) > len(light) > 20
        assert np.array_equal(heavy[: len(light)], light)

    @pytest.mark.parametrize("size", [(160, 120), (320, 240), (1280, 960)])
    @pytest.mark.parametrize(("name", "parameters"), [("rain", rain_of(150, 0.0)), ("snow", snow_of(2.0, 0.0))])
    def test_the_scene_is_dimmed_by_the_cross_section_of_all_particles(
        self, size: tuple[int, int], name: str, parameters: RainParameters | SnowParameters
    ) -> None:
        # Black particles before a white wall: what is missing is what they cover, drawn or not, at every picture size.
        width, height = size
        law = rain_drop_sizes(150) if name == "rain" else snow_flake_sizes(2.0)
        act = DEGRADATION_REGISTRY.get(name).on_light
        assert act is not None
        light = SceneLight(np.ones((height, width, 3), dtype=np.float32), wall(15, height, width))
        kept = np.mean(
            [act(light, parameters, np.random.default_rng(seed)).image_linear.mean(dtype=np.float64) for seed in (1, 2)]
        )
        expected = np.exp(-law.cross_section_per_m * 15)
        assert 1 - kept == pytest.approx(1 - expected, rel=0.06)

    def test_the_veil_is_what_is_not_drawn(self) -> None:
        law, view = rain_drop_sizes(60), view_of(320, 240)
        width_rad = drawn_width_rad(view)
        for depth_m in (0.1, 0.7, 4.0, 300.0):
            thickness = quad(
                lambda z: float(law.share_smaller(np.array(z * width_rad))) if z >= NEAREST_M else 1.0,
                0,
                depth_m,
                points=[NEAREST_M] if depth_m > NEAREST_M else None,
                limit=400,
            )[0]
            veil = veil_optical_depth(law, view, wall(depth_m))
            assert float(veil[0, 0]) == pytest.approx(law.cross_section_per_m * thickness, rel=1e-5)


class TestOcclusion:
    def test_nothing_is_drawn_before_a_scene_nearer_than_all_particles(self) -> None:
        drops = one_particle(1.0, (0.0, 6.0, 0.0), 2e-3)
        view, shutter = view_of(320, 240), Shutter(0.01, 0.005, 3.0)
        assert not coverage(drops, view, shutter, wall(0.2)).any()
        assert coverage(drops, view, shutter, wall(1.1)).any()

    def test_a_near_half_shows_only_what_is_before_it(self) -> None:
        view, shutter = view_of(320, 240), Shutter(0.005, 0.002, 5.0)
        law = rain_drop_sizes(200)
        position, diameter, _ = scatter(
            law, view, margin_m=0.05, farthest_m=30, rng=np.random.default_rng(5), columns=0
        )
        velocity = np.tile([0.4, 7.0, 0.0], (len(position), 1))
        drops = Particles(position, velocity, diameter)
        depth_m = wall(30)
        depth_m[:, :160] = 1.0
        step = coverage(drops, view, shutter, depth_m)
        near, far = coverage(drops, view, shutter, wall(1.0)), coverage(drops, view, shutter, wall(30))
        # Blur reaches a few pixels over the edge at most.
        assert np.allclose(step[:, :150], near[:, :150], atol=1e-6)
        assert np.allclose(step[:, 170:], far[:, 170:], atol=1e-6)
        assert far[:, :150].sum() > 2 * near[:, :150].sum()

    def test_rain_is_hidden_by_what_stands_before_it(self) -> None:
        light = SceneLight(np.full((240, 320, 3), 0.2, dtype=np.float32), wall(0.2))
        result = rain(light, rain_of(200), np.random.default_rng(0)).image_linear
        assert float(np.ptp(result[..., 0])) < 1e-6


class TestStatements:
    @pytest.mark.parametrize("name", ["rain", "snow"])
    def test_what_is_assumed_is_said(self, name: str) -> None:
        picture = texture(1)
        without = degrade(picture, name, severity=2, seed=1).record.approximations
        assert any("no depth given" in line for line in without)
        assert any("60 degrees" in line for line in without)
        depth_m = np.full((48, 64), 5, dtype=np.float32)
        depth_m[:10] = np.nan
        holes = degrade(picture, name, severity=2, seed=1, depth_m=depth_m).record.approximations
        assert not any("no depth given" in line for line in holes)
        assert any("nearest pixel" in line for line in holes)

    @pytest.mark.parametrize("rate", [0.0, 1e-300, 1e-5])
    def test_no_rain_and_no_snow_change_nothing(self, rate: float) -> None:
        light = SceneLight(np.random.default_rng(0).random((9, 13, 3), dtype=np.float32))
        assert np.array_equal(rain(light, rain_of(rate), np.random.default_rng(0)).image_linear, light.image_linear)
        assert np.array_equal(snow(light, snow_of(rate), np.random.default_rng(0)).image_linear, light.image_linear)

    def test_the_slightest_fall_is_hardly_seen(self) -> None:
        light = SceneLight(np.random.default_rng(0).random((60, 80, 3), dtype=np.float32))
        for act, parameters in ((rain, rain_of(1e-3)), (snow, snow_of(1e-3))):
            changed = act(light, parameters, np.random.default_rng(0)).image_linear - light.image_linear
            assert 0 < float(np.abs(changed).mean()) < 2e-3

    def test_a_long_lens_before_far_hills_does_not_draw_all_there_is(self) -> None:
        camera = Camera(width=320, height=240, fx=2e4, fy=2e4, cx=160, cy=120, world_from_camera=np.eye(4))
        light = SceneLight(np.full((240, 320, 3), 0.2, dtype=np.float32), wall(5000), camera)
        assert (
            len(
                scatter(
                    snow_flake_sizes(10),
                    viewpoint_of(light),
                    margin_m=0.01,
                    farthest_m=5000,
                    rng=np.random.default_rng(0),
                    columns=0,
                )[0]
            )
            < 200_000
        )
        assert np.isfinite(snow(light, snow_of(10), np.random.default_rng(0)).image_linear).all()

    def test_particles_are_as_bright_as_their_surroundings(self) -> None:
        # A scene twice as bright makes drops twice as bright: the picture scales.
        image = np.random.default_rng(0).uniform(0.0, 0.1, (60, 80, 3)).astype(np.float32)
        depth_m = wall(8, 60, 80)
        for act, parameters in ((rain, rain_of(100)), (snow, snow_of(5))):
            once = act(SceneLight(image, depth_m), parameters, np.random.default_rng(1)).image_linear
            twice = act(SceneLight(2 * image, depth_m), parameters, np.random.default_rng(1)).image_linear
            assert np.allclose(twice, 2 * once, rtol=1e-4, atol=1e-6)

    @pytest.mark.parametrize(
        "change",
        [
            {"rate_mm_h": -1},
            {"rate_mm_h": float("nan")},
            {"rate_mm_h": 1e9},
            {"exposure_s": 0},
            {"exposure_s": 3},
            {"aperture_m": -0.1},
            {"wind_m_s": (1.0,)},
            {"drops": 3},
        ],
    )
    def test_bad_parameters_are_refused(self, change: dict[str, object]) -> None:
        for parameters in (rain_of(5), snow_of(1)):
            with pytest.raises(ValidationError):
                type(parameters).model_validate(parameters.model_dump() | change)
