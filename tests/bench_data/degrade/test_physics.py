"""Each model against formulas written out again here, on pictures where the right answer is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np
import pytest
from PIL import Image
from scipy.signal import convolve2d

from seeworthy.bench_data.degrade import degrade_with
from seeworthy.bench_data.degrade.defocus import DefocusParameters, circle_of_confusion_sd
from seeworthy.bench_data.degrade.disc_blur import disc_blurred, disc_kernel
from seeworthy.bench_data.degrade.haze import HazeParameters
from seeworthy.bench_data.degrade.jpeg_compression import JpegParameters
from seeworthy.bench_data.degrade.low_light import LowLightParameters
from seeworthy.bench_data.degrade.low_res import LowResParameters
from seeworthy.bench_data.degrade.motion_blur import MotionBlurParameters
from seeworthy.bench_data.degrade.noise import NoiseParameters
from seeworthy.bench_data.degrade.over_exposure import OverExposureParameters
from seeworthy.bench_data.degrade.scene_depth import ground_plane_relative_depth
from seeworthy.bench_data.degrade.sensor import SensorParameters
from seeworthy.bench_data.images import Picture

from .scenes import encoded_reference, flat, linear_reference, photographs, texture

ParametersT = TypeVar("ParametersT", bound=SensorParameters)
GOLDEN = Path(__file__).resolve().parents[2] / "golden/spacedg/degradation_formulas.json"


def sensor(
    kind: type[ParametersT], exposure: float, electrons: float, read: float = 0.0, row: float = 0.0, bits: int = 16
) -> ParametersT:
    return kind(
        exposure=exposure,
        white_electrons=electrons,
        read_noise_electrons=read,
        row_noise_electrons=row,
        converter_bits=bits,
    )


class TestSensor:
    @pytest.mark.parametrize("level", [20, 90, 188, 255])
    @pytest.mark.parametrize("exposure", [0.004, 0.05, 0.3])
    def test_mean_light_is_scaled_linearly(self, level: int, exposure: float) -> None:
        # Nearly noiseless: a million electrons at white.
        result = degrade_with(flat(level), "low_light", sensor(LowLightParameters, exposure, 1e6), seed=1).picture
        expected = encoded_reference(exposure * linear_reference(np.array(level)))
        assert abs(float(result.image_srgb_u8.mean()) - float(expected)) < 1.0

    def test_white_at_bench_exposure_is_10_to_16(self) -> None:
        for exposure, value in ((0.003, 10), (0.005, 16)):
            result = degrade_with(flat(255), "low_light", sensor(LowLightParameters, exposure, 1e6), seed=1).picture
            assert abs(float(result.image_srgb_u8.mean()) - float(encoded_reference(np.array(exposure)))) < 0.5
            assert abs(float(result.image_srgb_u8.mean()) - value) < 1

    def test_shot_noise_grows_with_the_root_of_the_light(self) -> None:
        electrons, level = 400.0, 188
        result = degrade_with(flat(level, 200, 200), "noise", sensor(NoiseParameters, 1.0, electrons), seed=2).picture
        light = linear_reference(result.image_srgb_u8)
        mean = float(linear_reference(np.array(level)))
        assert float(light.mean()) == pytest.approx(mean, rel=0.01)
        assert float(light.std()) == pytest.approx(np.sqrt(mean / electrons), rel=0.03)

    def test_read_noise_has_the_stated_spread(self) -> None:
        electrons, read = 1e5, 3000.0
        result = degrade_with(flat(188, 200, 200), "noise", sensor(NoiseParameters, 1.0, electrons, read), seed=3)
        light = linear_reference(result.picture.image_srgb_u8)
        expected = np.hypot(read / electrons, np.sqrt(float(linear_reference(np.array(188))) / electrons))
        assert float(light.std()) == pytest.approx(float(expected), rel=0.03)

    def test_row_noise_is_shared_by_a_row(self) -> None:
        result = degrade_with(flat(188, 128, 64), "noise", sensor(NoiseParameters, 1.0, 4e5, 0, 8000), seed=4).picture
        light = linear_reference(result.image_srgb_u8)
        assert float(light.mean(axis=(1, 2)).std()) == pytest.approx(0.02, rel=0.25)
        assert float(light.std(axis=(1, 2)).mean()) < 0.004

    def test_channels_and_neighbours_are_independent(self) -> None:
        result = degrade_with(flat(188, 200, 200), "noise", sensor(NoiseParameters, 1.0, 100), seed=5).picture
        grain = linear_reference(result.image_srgb_u8)
        grain = grain - grain.mean()
        variance = float((grain**2).mean())
        assert abs(float((grain[..., 0] * grain[..., 1]).mean())) < 0.03 * variance
        assert abs(float((grain[:, 1:] * grain[:, :-1]).mean())) < 0.03 * variance
        assert abs(float((grain[1:] * grain[:-1]).mean())) < 0.03 * variance

    def test_converter_steps_are_counted(self) -> None:
        ramp = Picture(np.tile(np.arange(256, dtype=np.uint8)[None, :, None], (4, 1, 3)))
        result = degrade_with(ramp, "low_light", sensor(LowLightParameters, 0.05, 1e6, bits=6), seed=1).picture
        # 0.05 of 63 steps: levels 0 to 3 at most.
        assert len(np.unique(result.image_srgb_u8)) <= 4

    @pytest.mark.parametrize("gain", [1.6, 3.5, 9.0])
    def test_over_exposure_clips_before_the_gamma_curve(self, gain: float) -> None:
        ramp = Picture(np.tile(np.arange(256, dtype=np.uint8)[None, :, None], (8, 1, 3)))
        result = degrade_with(ramp, "over_exposure", sensor(OverExposureParameters, gain, 1e6), seed=1).picture
        expected = encoded_reference(gain * linear_reference(np.arange(256)))
        assert np.abs(result.image_srgb_u8.mean(axis=(0, 2)) - expected).max() < 2.5
        certainly_white = linear_reference(np.arange(256)) * gain > 1.02
        assert (result.image_srgb_u8[:, certainly_white] == 255).all()


class TestHaze:
    def haze(self, thickness: float, airlight: float, scale: float | None = None) -> HazeParameters:
        return HazeParameters(
            optical_thickness=thickness, airlight_linear=(airlight, airlight, airlight), depth_scale_m=scale
        )

    def test_koschmieder_with_metric_depth(self) -> None:
        picture = texture(1)
        depth = np.linspace(0.2, 8, 48 * 64, dtype=np.float32).reshape(48, 64)
        result = degrade_with(picture, "haze", self.haze(0.5, 0.8, scale=1.0), seed=0, depth_m=depth).picture
        through = np.exp(-0.5 * depth.astype(np.float64))[..., None]
        expected = encoded_reference(linear_reference(picture.image_srgb_u8) * through + 0.8 * (1 - through))
        assert np.abs(result.image_srgb_u8 - expected).max() < 0.6

    def test_reference_depth_is_the_95th_percentile(self) -> None:
        picture, depth = flat(0, 20, 20), np.full((20, 20), 4.0, dtype=np.float32)
        depth[0, :10] = 400.0  # 2.5 % outliers must not thin the air
        result = degrade_with(picture, "haze", self.haze(1.0, 1.0), seed=0, depth_m=depth).picture
        expected = encoded_reference(np.array(1 - np.exp(-1.0)))
        assert abs(int(result.image_srgb_u8[10, 10, 0]) - float(expected)) < 0.6
        assert (result.image_srgb_u8[0, :10] == 255).all()

    def test_scale_of_depth_does_not_matter_when_relative(self) -> None:
        picture = texture(2)
        depth = np.linspace(1, 5, 48 * 64, dtype=np.float32).reshape(48, 64)
        near, far = (
            degrade_with(picture, "haze", self.haze(2.0, 0.7), seed=0, depth_m=depth * scale).picture
            for scale in (np.float32(1), np.float32(64))
        )
        assert np.array_equal(near.image_srgb_u8, far.image_srgb_u8)

    def test_unknown_depth_takes_the_nearest_known(self) -> None:
        depth = np.full((10, 20), 2.0, dtype=np.float32)
        depth[:, 10:] = 6.0
        holes = depth.copy()
        holes[3:6, 2:5] = np.nan
        holes[3:6, 15:17] = 0
        record = degrade_with(flat(40, 10, 20), "haze", self.haze(1.0, 0.9, 2.0), seed=0, depth_m=holes)
        whole = degrade_with(flat(40, 10, 20), "haze", self.haze(1.0, 0.9, 2.0), seed=0, depth_m=depth)
        assert np.array_equal(record.picture.image_srgb_u8, whole.picture.image_srgb_u8)
        assert any("nearest pixel" in text for text in record.record.approximations)

    def test_without_depth_the_guess_is_recorded_and_grows_upwards(self) -> None:
        result = degrade_with(flat(0, 100, 10), "haze", self.haze(2.0, 1.0), seed=0)
        assert any("no depth given" in text for text in result.record.approximations)
        column = result.picture.image_srgb_u8[:, 0, 0].astype(int)
        assert (np.diff(column) <= 0).all()
        assert column[0] > column[-1]

    def test_guessed_depth_spans_one_to_a_fifth_without_an_edge(self) -> None:
        column = ground_plane_relative_depth(400, 3)[:, 0]
        assert column[0] == pytest.approx(1.0, abs=1e-6)
        assert column[-1] == pytest.approx(0.2, abs=0.01)
        assert (np.diff(column) <= 1e-7).all()
        assert np.abs(np.diff(column, 2)).max() < 4e-3


class TestDefocus:
    @pytest.mark.parametrize("radius", [0.4, 1.0, 2.5, 7.3])
    def test_kernel_is_a_disc_of_unit_sum(self, radius: float) -> None:
        kernel = disc_kernel(radius)
        assert float(kernel.sum()) == pytest.approx(1, abs=1e-5)
        assert np.allclose(kernel, kernel[::-1]) and np.allclose(kernel, kernel.T)
        half = kernel.shape[0] // 2
        # A pixel spreads by 1/12 beyond the disc's own R^2/4 along each axis.
        spread = float((kernel * (np.arange(-half, half + 1) ** 2)[:, None]).sum())
        if radius >= 2:
            assert spread == pytest.approx(radius**2 / 4 + 1 / 12, rel=0.05)

    def test_blur_equals_plain_convolution(self) -> None:
        image = np.random.default_rng(0).random((40, 50, 3)).astype(np.float32)
        kernel = disc_kernel(3.2)
        half = kernel.shape[0] // 2
        padded = np.pad(image, ((half, half), (half, half), (0, 0)), mode="reflect")
        expected = np.stack([convolve2d(padded[..., c], kernel, mode="valid") for c in range(3)], axis=-1)
        assert np.abs(disc_blurred(image, 3.2) - expected).max() < 1e-5

    @pytest.mark.parametrize("radius", [3.0, 12.0])
    def test_light_is_kept_and_a_point_becomes_a_disc(self, radius: float) -> None:
        image = np.zeros((61, 61, 3), dtype=np.float32)
        image[30, 30] = 100
        blurred = disc_blurred(image, radius)
        assert float(blurred[..., 0].sum()) == pytest.approx(100, rel=1e-4)
        assert blurred[30, 30 + int(radius) + 2, 0] < 1e-3
        assert blurred[30, 30 + int(radius) - 1, 0] == pytest.approx(float(blurred[30, 30, 0]), rel=0.05)

    def test_without_depth_light_blurs_by_the_aperture(self) -> None:
        lines = np.zeros((60, 200, 3), dtype=np.uint8)
        lines[:, ::2] = 255
        result = degrade_with(Picture(lines), "defocus", DefocusParameters(aperture=0.02, focus_m=2), seed=0)
        # Half the light is half of linear white, 188 of 255, not 128: the blur acts on light.
        assert abs(float(result.picture.image_srgb_u8[20:40, 60:140].mean()) - 188) < 3
        assert any("no depth given" in text for text in result.record.approximations)

    def test_circle_of_confusion_matches_the_published_formula(self) -> None:
        for case in json.loads(GOLDEN.read_text())["defocus"]:
            parameters = DefocusParameters(aperture=case["aperture_px"] / 1752, focus_m=case["focus_m"])
            found = circle_of_confusion_sd(np.array([case["depth_m"]], dtype=np.float32), parameters)[0] * 1752
            assert float(found) == pytest.approx(case["coc_px"], rel=1e-5)

    def test_what_is_in_focus_stays_sharp_and_the_rest_blurs(self) -> None:
        picture = texture(3, 60, 120)
        depth = np.full((60, 120), 2.0, dtype=np.float32)
        depth[:, 60:] = 6.0
        parameters = DefocusParameters(aperture=0.03, focus_m=2.0)
        result = degrade_with(picture, "defocus", parameters, seed=0, depth_m=depth).picture
        change = np.abs(result.image_srgb_u8.astype(int) - picture.image_srgb_u8)
        assert change[:, :45].max() <= 1
        assert change[:, 75:].mean() > 30

    def test_a_sharp_near_edge_keeps_the_background_out(self) -> None:
        pixels = np.zeros((60, 120, 3), dtype=np.uint8)
        pixels[:, 60:] = 255
        depth = np.full((60, 120), 1.0, dtype=np.float32)
        depth[:, 60:] = 50.0
        parameters = DefocusParameters(aperture=0.03, focus_m=1.0)
        result = degrade_with(Picture(pixels), "defocus", parameters, seed=0, depth_m=depth).picture
        assert result.image_srgb_u8[:, :60].max() <= 1

    def test_a_blurred_near_edge_spreads_over_the_background(self) -> None:
        pixels = np.zeros((60, 120, 3), dtype=np.uint8)
        pixels[:, 60:] = 255
        depth = np.full((60, 120), 10.0, dtype=np.float32)
        depth[:, 60:] = 1.0
        parameters = DefocusParameters(aperture=0.004, focus_m=10.0)
        result = degrade_with(Picture(pixels), "defocus", parameters, seed=0, depth_m=depth).picture
        assert result.image_srgb_u8[30, 57, 0] > 60


class TestMotionBlur:
    def test_a_still_camera_changes_nothing(self) -> None:
        picture = texture(4)
        still = MotionBlurParameters(translation_m=(0, 0, 0), rotation_rad=(0, 0, 0))
        assert np.array_equal(
            degrade_with(picture, "motion_blur", still, seed=0).picture.image_srgb_u8, picture.image_srgb_u8
        )

    def test_sideways_translation_smears_by_focal_times_shift_over_depth(self) -> None:
        pixels = np.zeros((41, 201, 3), dtype=np.uint8)
        pixels[:, 100] = 255
        depth = np.full((41, 201), 2.0, dtype=np.float32)
        parameters = MotionBlurParameters(translation_m=(0.2, 0, 0), rotation_rad=(0, 0, 0))
        result = degrade_with(Picture(pixels), "motion_blur", parameters, seed=0, depth_m=depth).picture
        row = linear_reference(result.image_srgb_u8[20, :, 0])
        focal_px = 201 / 2 / np.tan(np.deg2rad(30))
        length = focal_px * 0.2 / 2.0
        lit = np.flatnonzero(row > 0.5 * row.max())
        assert len(lit) == pytest.approx(length, abs=2.5)
        assert (lit[0] + lit[-1]) / 2 == pytest.approx(100, abs=0.6)  # centred on the nominal pose
        assert float(row.sum()) == pytest.approx(1.0, rel=0.05)  # light is kept
        assert (result.image_srgb_u8[20] == result.image_srgb_u8[5]).all()

    def test_yaw_and_the_matching_translation_add_up(self) -> None:
        pixels = np.zeros((41, 401, 3), dtype=np.uint8)
        pixels[:, 200] = 255

        def length(shift: float, yaw: float) -> int:
            parameters = MotionBlurParameters(translation_m=(shift, 0, 0), rotation_rad=(0, yaw, 0))
            result = degrade_with(Picture(pixels), "motion_blur", parameters, seed=0).picture
            row = linear_reference(result.image_srgb_u8[20, :, 0])
            return int((row > 0.3 * row.max()).sum())

        assert length(0.2, 0.06) == pytest.approx(length(0.2, 0) + length(0, 0.06), abs=3)

    def test_roll_leaves_the_centre_sharp(self) -> None:
        picture = texture(5, 81, 81)
        parameters = MotionBlurParameters(translation_m=(0, 0, 0), rotation_rad=(0, 0, 0.3))
        result = degrade_with(picture, "motion_blur", parameters, seed=0).picture
        change = np.abs(result.image_srgb_u8.astype(int) - picture.image_srgb_u8).mean(axis=2)
        assert change[40, 40] < 0.5 * change[5:10, 35:45].mean()

    def test_light_is_averaged_not_code_values(self) -> None:
        lines = np.zeros((60, 200, 3), dtype=np.uint8)
        lines[:, ::2] = 255
        parameters = MotionBlurParameters(translation_m=(0.2, 0, 0), rotation_rad=(0, 0, 0))
        result = degrade_with(Picture(lines), "motion_blur", parameters, seed=0).picture
        assert abs(float(result.image_srgb_u8[20:40, 60:140].mean()) - 188) < 4


class TestCodec:
    @pytest.mark.parametrize(("quality", "subsampling"), [(3, "4:2:0"), (25, "4:4:4"), (60, "4:2:2")])
    def test_jpeg_is_the_real_codec(self, quality: int, subsampling: str, tmp_path: Path) -> None:
        picture = photographs()[0]
        parameters = JpegParameters(quality=quality, subsampling=subsampling)
        result = degrade_with(picture, "jpeg_compression", parameters, seed=0).picture
        file = tmp_path / "written.jpg"
        Image.fromarray(picture.image_srgb_u8).save(file, quality=quality, subsampling=subsampling)
        read_by_opencv = cv2.imread(str(file), cv2.IMREAD_COLOR_RGB)
        assert read_by_opencv is not None
        assert np.abs(result.image_srgb_u8.astype(int) - read_by_opencv).mean() < 1.0

    @pytest.mark.parametrize("scale", [0.5, 0.25, 0.125])
    def test_low_res_averages_areas(self, scale: float) -> None:
        picture = texture(6, 64, 64)
        result = degrade_with(picture, "low_res", LowResParameters(scale=scale), seed=0).picture
        block = round(1 / scale)
        small = picture.image_srgb_u8.reshape(64 // block, block, 64 // block, block, 3).mean(axis=(1, 3))
        reference = cv2.resize(np.floor(small + 0.5).astype(np.uint8), (64, 64), interpolation=cv2.INTER_CUBIC).astype(
            int
        )
        assert np.abs(result.image_srgb_u8 - reference).max() <= 2

    def test_scale_1_changes_nothing(self) -> None:
        picture = texture(7)
        result = degrade_with(picture, "low_res", LowResParameters(scale=1.0), seed=0).picture
        assert np.array_equal(result.image_srgb_u8, picture.image_srgb_u8)
