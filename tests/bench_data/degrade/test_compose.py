"""Several degradations on one picture: order, one sensor, replay."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from seeworthy.bench_data.degrade import Severity, compose, degrade, replay
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.images import Picture

from .scenes import encoded_reference, linear_reference, texture

NIGHT: list[tuple[str, Severity]] = [("low_light", "bench"), ("motion_blur", 2), ("low_res", 1)]


@pytest.mark.parametrize("name", ["haze", "noise", "jpeg_compression", "low_res"])
def test_a_composition_of_one_is_that_degradation(name: str) -> None:
    picture = texture(1)
    alone = degrade(picture, name, severity=3, seed=8)
    composed = compose(picture, [(name, 3)], seed=8)
    assert composed.picture.sha256 == alone.picture.sha256
    assert composed.records == (alone.record,)


def test_listing_order_does_not_matter() -> None:
    picture = texture(2)
    results = {compose(picture, order, seed=3).picture.sha256 for order in itertools.permutations(NIGHT)}
    assert len(results) == 1


def test_records_stand_in_the_order_of_image_formation_and_replay() -> None:
    picture = texture(3)
    listed = [
        ("jpeg_compression", 2),
        ("low_res", 1),
        ("low_light", 2),
        ("motion_blur", 1),
        ("defocus", 1),
        ("haze", 1),
    ]
    result = compose(picture, listed, seed=4)
    names = [record.name for record in result.records]
    assert names == ["haze", "defocus", "motion_blur", "low_light", "low_res", "jpeg_compression"]
    assert replay(picture, result.records).sha256 == result.picture.sha256
    assert replay(picture, result.records[::-1]).sha256 == result.picture.sha256


def test_light_is_not_rounded_between_stages() -> None:
    # Haze, then a gain: the 8 bits come once, at the end.
    picture = texture(4)
    composed = compose(picture, [("haze", 3), ("over_exposure", 1)], seed=1)
    haze, gain = composed.records
    apart = degrade(degrade(picture, "haze", severity=3, seed=1).picture, "over_exposure", severity=1, seed=1).picture
    assert haze.parameters and gain.parameters
    assert composed.picture.sha256 != apart.sha256
    difference = np.abs(composed.picture.image_srgb_u8.astype(int) - apart.image_srgb_u8)
    assert difference.mean() < 4


def test_motion_blur_comes_before_the_gain_of_over_exposure() -> None:
    # A small white light smeared first and amplified second leaves a bright streak; the other order would dim it.
    pixels = np.full((40, 160, 3), 5, dtype=np.uint8)
    pixels[18:22, 78:82] = 255
    composed = compose(Picture(pixels), [("over_exposure", 5), ("motion_blur", 5)], seed=2)
    gain = composed.records[1].parameters["exposure"]
    blurred = degrade(Picture(pixels), "motion_blur", severity=5, seed=2).picture
    expected = encoded_reference(float(gain) * linear_reference(blurred.image_srgb_u8))  # type: ignore[arg-type]
    assert composed.records[0].name == "motion_blur"
    assert np.abs(composed.picture.image_srgb_u8 - expected).mean() < 3


def test_severity_0_parts_are_recorded_and_do_nothing() -> None:
    picture = texture(5)
    result = compose(picture, [("haze", 0), ("low_res", 0)], seed=0)
    assert result.picture is picture
    assert [record.severity for record in result.records] == [0, 0]


def test_nothing_to_compose_is_the_same_picture() -> None:
    picture = texture(6)
    assert compose(picture, [], seed=0).picture is picture


def test_two_sensors_are_refused() -> None:
    with pytest.raises(BenchDataError, match="both models of the sensor"):
        compose(texture(7), [("low_light", 1), ("over_exposure", 1)], seed=0)
    compose(texture(7), [("low_light", 1), ("over_exposure", 0)], seed=0)


def test_the_same_name_twice_is_refused() -> None:
    with pytest.raises(BenchDataError, match="twice"):
        compose(texture(7), [("haze", 1), ("haze", 2)], seed=0)


@pytest.mark.parametrize(
    ("depth", "message"),
    [
        (np.ones((3, 4), dtype=np.float32), "resample"),
        (np.full((48, 64), np.nan, dtype=np.float32), "no valid value"),
        (np.zeros((48, 64), dtype=np.float32), "no valid value"),
    ],
)
def test_useless_depth_is_refused(depth: np.ndarray, message: str) -> None:
    with pytest.raises(BenchDataError, match=message):
        degrade(texture(8), "haze", severity=2, seed=0, depth_m=depth)


def test_depth_is_hashed_by_meaning() -> None:
    picture = texture(9)
    depth = np.full((48, 64), 2.0)
    depth[0, 0] = -1.0
    same = depth.astype(np.float32)
    same[0, 0] = np.inf
    result = degrade(picture, "defocus", severity=3, seed=0, depth_m=depth)
    assert replay(picture, result.record, depth_m=same).sha256 == result.picture.sha256
    with pytest.raises(BenchDataError, match="no depth map"):
        replay(picture, result.record)
