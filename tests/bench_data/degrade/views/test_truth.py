"""The truth of degraded views against where things are seen, and where geometry says they must be."""

from __future__ import annotations

import numpy as np
import pytest

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.degrade import DegradationParameters, degrade, degrade_with
from seeworthy.bench_data.degrade.distortion import DistortionParameters
from seeworthy.bench_data.degrade.haze import HazeParameters
from seeworthy.bench_data.degrade.jpeg_compression import JpegParameters
from seeworthy.bench_data.degrade.low_light import LowLightParameters
from seeworthy.bench_data.degrade.motion_blur import MotionBlurParameters
from seeworthy.bench_data.degrade.pixel_map import box_of_mask
from seeworthy.bench_data.degrade.rolling_shutter import RollingShutterParameters
from seeworthy.bench_data.degrade.views import object_visibility
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.render import render
from tests.bench_data.render.scenes import a_camera, a_cloud, blob

from .scenes import CAMERA, markers, markers_at, room, seen_with

LENS = DistortionParameters(k1=-0.235, k2=2e-4, k3=1.5e-4, k4=5e-5)
ROLL = RollingShutterParameters(translation_m=(0.2, 0.03, 0.05), rotation_rad=(-0.01, 0.12, 0.02))
BLUR = MotionBlurParameters(translation_m=(0.1, 0, 0), rotation_rad=(0, 0.04, 0))
KINDS: dict[str, dict[str, DegradationParameters]] = {
    "distortion": {"distortion": LENS},
    "rolling shutter": {"rolling_shutter": ROLL},
    "both": {"distortion": LENS, "rolling_shutter": ROLL},
}
LARGE = a_camera(240, 180)


@pytest.mark.parametrize("kind", KINDS)
def test_markers_are_seen_where_the_map_puts_them(kind: str) -> None:
    depth = np.array([1.5, 2, 4, 3, 2.5, 6, 1.2, 5, 3])
    points, cloud = markers(LARGE, depth_m=depth, scale_m=0.01)
    found = seen_with(cloud, LARGE, **KINDS[kind])
    nominal = LARGE.project(points)
    told = found.truth.pixel_map.to_degraded(nominal.points_px, nominal.depth_m)
    light = found.picture.image_srgb.sum(axis=2)
    v, u = np.mgrid[:180, :240] + 0.5
    for place in told:
        near = light * ((np.abs(u - place[0]) < 8) & (np.abs(v - place[1]) < 8))
        centroid = np.array([(near * u).sum(), (near * v).sum()]) / near.sum()
        assert np.abs(centroid - place).max() < 0.4
    assert np.abs(told - nominal.points_px).max() > 2


@pytest.mark.parametrize("kind", KINDS)
def test_ids_and_depth_are_those_of_the_degraded_picture(kind: str) -> None:
    points, cloud = markers(LARGE, depth_m=2.0, scale_m=0.05)
    found = seen_with(cloud, LARGE, **KINDS[kind])
    told = found.truth.pixel_map.to_degraded(LARGE.project(points).points_px, 2.0)
    assert found.truth.instance_ids is not None
    for instance, place in enumerate(told):
        box = found.truth.box(instance)
        assert box is not None
        middle = np.array([box[0] + box[2], box[1] + box[3]]) / 2
        assert np.abs(middle - place).max() < 1.5
        assert found.truth.depth_m[int(place[1]), int(place[0])] == pytest.approx(2.0, rel=0.08)
    assert found.truth.box(99) is None


def test_what_hides_what_is_drawn_anew() -> None:
    # Two cards, one behind the other in the nominal view; the camera moves sideways, so that lower rows uncover it.
    camera = Camera(width=120, height=120, fx=110, fy=110, cx=60, cy=60, world_from_camera=np.eye(4))
    front = [(x, y, 1.5) for x in np.linspace(-0.3, 0.3, 9) for y in np.linspace(-0.6, 0.6, 17)]
    back = [(2 * x, 2 * y, 3.0) for x, y, _ in front]
    cloud = a_cloud(
        *[blob(p, scale=0.06, opacity=0.99, instance=0) for p in front],
        *[blob(p, scale=0.12, opacity=0.99, instance=1) for p in back],
    )
    roll = RollingShutterParameters(translation_m=(1.0, 0, 0), rotation_rad=(0, 0, 0))
    found = seen_with(cloud, camera, rolling_shutter=roll).truth
    clean = render(cloud, camera, engine="numba", threads=1, instances=True).instance_ids
    assert clean is not None and found.instance_ids is not None
    hidden, shown = (clean == 1).sum(axis=1), (found.instance_ids == 1).sum(axis=1)
    assert hidden.max() == 0
    assert shown[96:104].min() >= 9 and shown[16:24].min() >= 9 and shown[58:62].max() <= 2
    with pytest.raises(BenchDataError, match="give depth_m"):
        found.pixel_map.mask_to_degraded(clean)


def test_blur_and_air_leave_truth_where_it_was() -> None:
    fog = HazeParameters(optical_thickness=2.0, airlight_linear=(0.7, 0.7, 0.7))
    found = seen_with(room(), CAMERA, motion_blur=BLUR, haze=fog)
    assert found.truth.pixel_map.is_identity
    assert found.truth.instance_ids is found.clean.instance_ids and found.truth.depth_m is found.clean.depth_m


def test_a_photographs_mask_follows_its_pixels() -> None:
    pixels = np.full((90, 120, 3), 40, dtype=np.uint8)
    pixels[20:40, 70:100] = 230
    mask = pixels[..., 0] > 128
    for name, parameters in (("distortion", LENS), ("rolling_shutter", ROLL)):
        result = degrade_with(Picture(pixels), name, parameters, seed=0)
        moved = result.pixel_map.mask_to_degraded(mask)
        seen = result.picture.image_srgb_u8[..., 0] > 128
        assert (moved & seen).sum() / (moved | seen).sum() > 0.93
        outline = result.pixel_map.box_to_degraded((70.0, 20.0, 100.0, 40.0))
        around = box_of_mask(moved)  # type: ignore[arg-type]
        assert outline is not None and around is not None
        assert np.abs(np.array(outline) - around).max() < 1.6


class TestVisibility:
    def scene(self) -> tuple[Picture, np.ndarray]:
        pixels = np.full((120, 160, 3), 90, dtype=np.uint8)
        ids = np.full((120, 160), -1, dtype=np.int32)
        ids[20:60, 20:60], pixels[20:60, 20:60] = 1, (200, 60, 60)  # stands out
        ids[70:100, 20:60], pixels[70:100, 20:60] = 2, (92, 92, 92)  # all but its surroundings' colour
        ids[20:50, 90:130] = 3
        pixels[20:50, 90:130] = np.where((np.indices((30, 40)).sum(axis=0) // 4 % 2)[..., None], 50, 130)  # chequered
        ids[80:82, 100:103], pixels[80:82, 100:103] = 4, 255  # six pixels
        return Picture(pixels), ids

    def test_what_stands_out_is_told_from_what_does_not(self) -> None:
        picture, ids = self.scene()
        found = {entry.instance_id: entry for entry in object_visibility(picture, ids, picture, ids)}
        assert {at: entry.is_visible for at, entry in found.items()} == {1: True, 2: False, 3: True, 4: False}
        assert found[1].degraded_ratio == found[1].clean_ratio > 10
        assert (found[4].clean_pixels, found[4].degraded_pixels) == (6, 6)

    def test_lightness_is_that_of_the_cie(self) -> None:
        # A step of 10 in L* between greys, and no noise: 10 / 2.3.
        def grey(lightness: float) -> float:
            light = ((lightness + 16) / 116) ** 3
            return 255 * (1.055 * light ** (1 / 2.4) - 0.055)

        pixels = np.full((60, 60, 3), round(grey(50)), dtype=np.uint8)
        ids = np.full((60, 60), -1, dtype=np.int32)
        pixels[20:40, 20:40], ids[20:40, 20:40] = round(grey(60)), 0
        (found,) = object_visibility(Picture(pixels), ids, Picture(pixels), ids)
        assert found.clean_ratio == pytest.approx(10 / 2.3, rel=0.05)

    def test_fog_and_noise_take_it_away_and_fine_coding_does_not(self) -> None:
        picture, ids = self.scene()

        def ratio(degraded: Picture) -> float:
            return object_visibility(picture, ids, degraded, ids)[0].degraded_ratio

        clean = ratio(picture)
        fogs = [
            ratio(
                degrade_with(
                    picture,
                    "haze",
                    HazeParameters(optical_thickness=t, airlight_linear=(0.8, 0.8, 0.8), depth_scale_m=1.0),
                    seed=0,
                    depth_m=np.full((120, 160), 1.0, dtype=np.float32),
                ).picture
            )
            for t in (0.5, 2.0, 7.0)
        ]
        assert clean > fogs[0] > fogs[1] > fogs[2] and fogs[2] < 1 < fogs[1]
        dark = LowLightParameters(exposure=1e-3, white_electrons=300, read_noise_electrons=3, row_noise_electrons=0)
        assert ratio(degrade_with(picture, "low_light", dark, seed=0).picture) < 1
        fine = JpegParameters(quality=95, subsampling="4:4:4")
        assert ratio(degrade_with(picture, "jpeg_compression", fine, seed=0).picture) > 0.8 * clean

    def test_of_a_scene_through_its_truth(self) -> None:
        points, _ = markers(LARGE, depth_m=0.5)
        cloud = a_cloud(markers_at(points, 0.02), room().with_instance_ids(None))
        found = seen_with(cloud, LARGE, distortion=LENS)
        assert found.clean.instance_ids is not None and found.truth.instance_ids is not None
        clean = Picture(found.clean.image_srgb_u8)
        entries = object_visibility(clean, found.clean.instance_ids, found.picture, found.truth.instance_ids)
        shown = [entry for entry in entries if entry.degraded_pixels >= 12]
        assert len(shown) == 9 and all(entry.is_visible for entry in shown)

    def test_something_that_left_the_picture_is_not_visible(self) -> None:
        picture, ids = self.scene()
        gone = np.full_like(ids, -1)
        assert not any(entry.is_visible for entry in object_visibility(picture, ids, picture, gone))
        everything = np.zeros_like(ids)
        (whole,) = object_visibility(picture, everything, picture, everything)
        assert whole.clean_ratio == 0 and not whole.is_visible

    def test_ids_of_another_size_are_refused(self) -> None:
        picture, ids = self.scene()
        with pytest.raises(BenchDataError, match="pass those of that picture"):
            object_visibility(picture, ids[:50], picture, ids)


def test_severity_0_leaves_a_photographs_truth() -> None:
    assert degrade(Picture(np.zeros((5, 6, 3), np.uint8)), "rolling_shutter", severity=0, seed=0).pixel_map.is_identity
