"""The photographs that packages ship: real, split by photograph, and never fetched."""

from __future__ import annotations

import importlib.util
import itertools
import socket

import numpy as np
import pytest

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.photographs import package_photographs


def test_the_splits_share_no_photograph() -> None:
    calibration, counted = package_photographs("calibration"), package_photographs("counted")
    assert len(calibration) >= 8 and len(counted) >= 5
    originals = [{entry.crop_of or entry.name for entry in split} for split in (calibration, counted)]
    assert originals[0].isdisjoint(originals[1])
    assert {entry.split for entry in calibration} == {"calibration"}
    assert {entry.name for entry in package_photographs("all")} == {entry.name for entry in calibration + counted}


def test_every_picture_is_a_natural_colour_photograph_of_normal_quality() -> None:
    for entry in package_photographs("all"):
        assert entry.picture.width >= 320 and entry.picture.height >= 240, entry.name
        grey = entry.picture.image_srgb.mean(axis=2)
        spread = entry.picture.image_srgb.std(axis=2).mean()
        assert 0.1 < grey.mean() < 0.9, entry.name
        assert grey.std() > 0.08, entry.name
        assert spread > 0.02, entry.name
        assert entry.credit and entry.package


def test_crops_of_one_photograph_do_not_overlap() -> None:
    entries = {entry.name: entry for entry in package_photographs("all")}
    for name, entry in entries.items():
        crops = [crop for crop in entries.values() if crop.crop_of == name]
        if not crops:
            continue
        area = sum(crop.picture.width * crop.picture.height for crop in crops)
        assert area <= entry.picture.width * entry.picture.height
        for one, other in itertools.combinations(crops, 2):
            assert one.picture.sha256 != other.picture.sha256
        whole = entry.picture.image_srgb_u8
        first = crops[0].picture.image_srgb_u8
        assert np.array_equal(whole[: first.shape[0], : first.shape[1]], first)


def test_nothing_is_downloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a network connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert package_photographs("all")


def test_missing_packages_are_left_out_or_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "skimage" else real(name))
    assert {entry.package for entry in package_photographs("all")} == {"scikit-learn", "matplotlib"}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(BenchDataError, match="install one of scikit-image, scikit-learn"):
        package_photographs("calibration")


def test_unknown_split() -> None:
    with pytest.raises(BenchDataError, match='"calibration", "counted" or "all"'):
        package_photographs("test")  # type: ignore[arg-type]
