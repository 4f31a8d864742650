"""What holds for each registered degradation, whatever it models."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.degrade import (
    DEGRADATION_REGISTRY,
    DegradationRecord,
    FormationStage,
    Severity,
    degrade,
    degrade_with,
    names_on_photographs,
    replay,
)
from seeworthy.bench_data.errors import BenchDataError, RegistryError
from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.stress import Stress

from .scenes import photographs, psnr_db, texture

NAMES = [name.value for name in names_on_photographs()]
LEVELS: tuple[Severity, ...] = (1, 2, 3, 4, 5, "bench")
RANDOM_PIXELS = ("low_light", "over_exposure", "noise")


def test_all_the_photographic_degradations_are_registered() -> None:
    assert set(NAMES) >= {
        "defocus",
        "distortion",
        "haze",
        "jpeg_compression",
        "low_light",
        "low_res",
        "motion_blur",
        "noise",
        "over_exposure",
        "rolling_shutter",
    }
    assert all(Stress(name) for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_psnr_falls_with_severity_on_every_photograph(name: str) -> None:
    for picture in photographs():
        for seed in (0, 1):
            quality = [psnr_db(picture, degrade(picture, name, severity=level, seed=seed).picture) for level in LEVELS]
            assert all(np.diff(quality) < 0), (name, seed, quality)


@pytest.mark.parametrize("name", NAMES)
def test_level_1_is_visible_and_level_3_is_strong(name: str) -> None:
    for picture in photographs():
        mild = degrade(picture, name, severity=1, seed=5).picture
        strong = degrade(picture, name, severity=3, seed=5).picture
        assert psnr_db(picture, mild) < 42
        assert psnr_db(picture, strong) < 30


@pytest.mark.parametrize("name", NAMES)
def test_severity_0_is_the_same_picture(name: str) -> None:
    picture = texture(1)
    result = degrade(picture, name, severity=0, seed=9)
    assert result.picture is picture
    assert result.record.parameters == {}
    assert replay(picture, result.record) is picture


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("severity", LEVELS)
def test_record_survives_json_and_rebuilds_the_picture(name: str, severity: Severity) -> None:
    picture = texture(2)
    result = degrade(picture, name, severity=severity, seed=123)
    record = DegradationRecord.model_validate_json(result.record.model_dump_json())
    assert record == result.record
    assert record.severity == severity
    assert np.array_equal(replay(picture, record).image_srgb_u8, result.picture.image_srgb_u8)


def test_replay_in_another_process_is_bit_equal() -> None:
    picture = texture(3)
    results = [degrade(picture, name, severity=3, seed=77) for name in NAMES]
    program = (
        "import json, sys\n"
        "import numpy as np\n"
        "from seeworthy.bench_data.degrade import DegradationRecord, replay\n"
        "from seeworthy.bench_data.images import Picture\n"
        "rng = np.random.default_rng(3)\n"
        "picture = Picture(rng.integers(0, 256, (48, 64, 3), dtype=np.uint8))\n"
        "records = [DegradationRecord.model_validate(entry) for entry in json.load(sys.stdin)]\n"
        "print(json.dumps([replay(picture, record).sha256 for record in records]))\n"
    )
    entries = json.dumps([result.record.model_dump(mode="json") for result in results])
    done = subprocess.run([sys.executable, "-c", program], input=entries, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [result.picture.sha256 for result in results]


@pytest.mark.parametrize("name", NAMES)
def test_same_call_same_pixels_and_another_seed_other_pixels(name: str) -> None:
    picture = texture(4)
    first, again, other = (degrade(picture, name, severity=5, seed=seed) for seed in (1, 1, 2))
    assert first.record == again.record
    assert first.picture.sha256 == again.picture.sha256
    if name != "jpeg_compression":  # its few quality steps may coincide
        assert first.picture.sha256 != other.picture.sha256


@pytest.mark.parametrize("name", RANDOM_PIXELS)
def test_noise_never_repeats_between_seeds(name: str) -> None:
    parameters = DEGRADATION_REGISTRY.get(name).parameters.sample(3, np.random.default_rng(0))
    grains = {degrade_with(texture(5), name, parameters, seed=seed).picture.sha256 for seed in range(40)}
    assert len(grains) == 40


@pytest.mark.parametrize("name", RANDOM_PIXELS)
def test_noise_never_repeats_between_pictures(name: str) -> None:
    # Shot noise only, drawn row by row: with one stream for both, all rows above the changed pixel would be equal.
    kind = DEGRADATION_REGISTRY.get(name).parameters
    parameters = kind.model_validate(
        {"exposure": 0.5, "white_electrons": 200, "read_noise_electrons": 0, "row_noise_electrons": 0}
    )
    pixels = np.full((48, 64, 3), 150, dtype=np.uint8)
    one = degrade_with(Picture(pixels), name, parameters, seed=0).picture
    pixels = pixels.copy()
    pixels[-1, -1] = 151
    other = degrade_with(Picture(pixels), name, parameters, seed=0).picture
    assert (one.image_srgb_u8[:-1] != other.image_srgb_u8[:-1]).mean() > 0.5


@pytest.mark.parametrize(
    ("name", "strength"),
    [
        ("haze", "optical_thickness"),
        ("defocus", "aperture"),
        ("low_light", "exposure"),
        ("over_exposure", "exposure"),
        ("noise", "white_electrons"),
        ("jpeg_compression", "quality"),
        ("low_res", "scale"),
    ],
)
def test_the_levels_of_one_seed_differ_in_strength_only(name: str, strength: str) -> None:
    records = [degrade(texture(7), name, severity=level, seed=31).record for level in LEVELS]
    rest = [{key: value for key, value in record.parameters.items() if key != strength} for record in records]
    assert rest == rest[:1] * len(LEVELS)
    values = [record.parameters[strength] for record in records]
    assert len(set(values)) == len(LEVELS)
    assert values == sorted(values) or values == sorted(values, reverse=True)


def test_the_levels_of_one_seed_blur_in_one_direction() -> None:
    records = [degrade(texture(7), "motion_blur", severity=level, seed=31).record for level in LEVELS]
    for key in ("translation_m", "rotation_rad"):
        vectors = np.array([record.parameters[key] for record in records])
        lengths = np.linalg.norm(vectors, axis=1)
        assert (np.diff(lengths) > 0).all()
        assert np.allclose(vectors / lengths[:, None], vectors[0] / lengths[0])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [(1, 1), (1, 7), (7, 1), (2, 3), (17, 5)])
@pytest.mark.parametrize("severity", [3, "bench"])
def test_tiny_pictures_keep_their_size(name: str, size: tuple[int, int], severity: Severity) -> None:
    picture = Picture(np.full((*size, 3), 90, dtype=np.uint8))
    result = degrade(picture, name, severity=severity, seed=0)
    assert result.picture.size == picture.size


@settings(max_examples=40, deadline=None)
@given(
    name=st.sampled_from(NAMES),
    severity=st.sampled_from(LEVELS),
    seed=st.integers(min_value=-(2**70), max_value=2**70),
    level=st.integers(0, 255),
)
def test_any_seed_gives_a_picture_of_the_same_size(name: str, severity: Severity, seed: int, level: int) -> None:
    picture = Picture(np.full((9, 13, 3), level, dtype=np.uint8))
    result = degrade(picture, name, severity=severity, seed=seed)
    assert result.picture.size == (13, 9)
    assert replay(picture, result.record).sha256 == result.picture.sha256


def test_numpy_integers_are_integers() -> None:
    picture = texture(8)
    plain = degrade(picture, "noise", severity=2, seed=5)
    numpy = degrade(picture, "noise", severity=np.int64(2), seed=np.int32(5))  # type: ignore[arg-type]
    assert plain.record == numpy.record


@pytest.mark.parametrize("severity", [-1, 6, 2.5, "hard", None, True])
def test_unknown_severity_is_refused(severity: object) -> None:
    with pytest.raises(BenchDataError, match="severity"):
        degrade(texture(1), "haze", severity=severity, seed=0)  # type: ignore[arg-type]


def test_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(RegistryError, match="did you mean 'motion_blur'"):
        degrade(texture(1), "motion_blurr", severity=1, seed=0)


@pytest.mark.parametrize("name", NAMES)
def test_severity_0_has_no_parameters_to_sample(name: str) -> None:
    with pytest.raises(BenchDataError, match="severity 0"):
        DEGRADATION_REGISTRY.get(name).parameters.sample(0, np.random.default_rng(0))


def test_wrong_parameters_are_refused() -> None:
    haze = DEGRADATION_REGISTRY.get("haze").parameters.sample(1, np.random.default_rng(0))
    with pytest.raises(BenchDataError, match="takes LowResParameters, got HazeParameters"):
        degrade_with(texture(1), "low_res", haze, seed=0)


def test_replay_refuses_another_picture_depth_or_version() -> None:
    picture = texture(9)
    record = degrade(picture, "haze", severity=2, seed=0).record
    with pytest.raises(BenchDataError, match="degrade_with"):
        replay(texture(10), record)
    with pytest.raises(BenchDataError, match="another depth map"):
        replay(picture, record, depth_m=np.ones((48, 64), dtype=np.float32))
    with pytest.raises(BenchDataError, match="version 0"):
        replay(picture, record.model_copy(update={"version": "0"}))
    with pytest.raises(BenchDataError, match="bad parameters"):
        replay(picture, record.model_copy(update={"parameters": {"fog": 1.0}}))


def test_the_source_picture_is_untouched() -> None:
    picture = texture(11)
    before = picture.sha256
    for name in NAMES:
        degrade(picture, name, severity=4, seed=1)
    assert Picture(picture.image_srgb_u8.copy()).sha256 == before


def test_stages_follow_image_formation() -> None:
    stage = {name: DEGRADATION_REGISTRY.get(name).stage for name in NAMES}
    order = ["haze", "defocus", "motion_blur", "low_light", "low_res", "jpeg_compression"]
    assert [stage[name] for name in order] == sorted(stage[name] for name in order)
    assert stage["noise"] is stage["over_exposure"] is FormationStage.SENSOR
