"""Views: checks, the split, smaller copies, and the fingerprint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.fit import FitData, FitPoints, FitView
from seeworthy.bench_data.fit.views import downscaled
from seeworthy.bench_data.images import linear_from_srgb, srgb_from_u8
from tests.bench_data.fit.scenes import room_views
from tests.bench_data.render.scenes import a_camera


def a_view(width: int = 32, height: int = 24, value: int = 100) -> FitView:
    image = np.full((height, width, 3), value, np.uint8)
    return FitView(name="a.png", camera=a_camera(width, height), image_srgb_u8=image)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"image_srgb_u8": np.zeros((24, 33, 3), np.uint8)}, "32x24"),
        ({"image_srgb_u8": np.zeros((24, 32, 3), np.float32)}, "uint8"),
        ({"depth_m": np.zeros((12, 16), np.float32)}, "depth"),
        ({"camera": a_camera(10, 24), "image_srgb_u8": np.zeros((24, 10, 3), np.uint8)}, "too small"),
    ],
)
def test_what_does_not_fit_together_is_refused_by_name(change: dict[str, object], word: str) -> None:
    with pytest.raises(BenchDataError, match=rf"a\.png.*{word}"):
        replace(a_view(), **change)  # type: ignore[arg-type]


class TestSplit:
    data = FitData(views=room_views(9, 12, 11, gaussians=50))

    def test_every_so_many_from_the_first(self) -> None:
        fitted, held_out = self.data.split(4)
        assert [view.name[0] for view in held_out] == ["0", "4", "8"]
        assert [view.name[0] for view in fitted] == ["1", "2", "3", "5", "6", "7"]

    @pytest.mark.parametrize("every", [0, 10])
    def test_none_is_held_out(self, every: int) -> None:
        assert self.data.split(every) == (self.data.views, ())

    @pytest.mark.parametrize("every", [1, -2])
    def test_all_cannot_be_held_out(self, every: int) -> None:
        with pytest.raises(BenchDataError, match="at least 2"):
            self.data.split(every)


class TestDownscaled:
    def test_light_is_averaged_not_its_encoding(self) -> None:
        image = np.zeros((24, 32, 3), np.uint8)
        image[:, ::2] = 255
        small = downscaled(replace(a_view(), image_srgb_u8=image), 2)
        assert linear_from_srgb(srgb_from_u8(small.image_srgb_u8)) == pytest.approx(0.5, abs=0.005)

    def test_the_camera_still_sees_the_same(self) -> None:
        view = a_view(66, 50)
        small = downscaled(view, 4)
        assert (small.camera.width, small.camera.height) == (16, 12)
        point = view.camera.unproject([[33.0, 25.0]], 2.0)
        assert small.camera.project(point).points_px[0] == pytest.approx([33 * 16 / 66, 25 * 12 / 50])

    def test_depth_is_never_mixed(self) -> None:
        depth_m = np.where(np.arange(32) % 4 < 2, np.float32(1), np.float32(3)) * np.ones((24, 1), np.float32)
        depth_m[0] = np.nan
        small = downscaled(replace(a_view(), depth_m=depth_m), 2).depth_m
        assert small is not None
        known = small[np.isfinite(small)]
        assert set(np.unique(known).tolist()) == {1.0, 3.0}

    def test_one_changes_nothing_and_none_is_refused(self) -> None:
        view = a_view()
        assert downscaled(view, 1) is view
        with pytest.raises(BenchDataError, match="factor"):
            downscaled(view, 0)


def test_the_fingerprint_sees_everything() -> None:
    view = a_view()
    points = FitPoints(points_m=np.zeros((2, 3)), colours_srgb=np.zeros((2, 3)))
    data = [
        FitData(views=(view,)),
        FitData(views=(replace(view, image_srgb_u8=view.image_srgb_u8 + np.uint8(1)),)),
        FitData(views=(replace(view, name="b.png"),)),
        FitData(views=(replace(view, camera=replace(view.camera, fx=31.0)),)),
        FitData(views=(replace(view, camera=view.camera.with_pose(np.eye(4))),)),
        FitData(views=(replace(view, depth_m=np.ones((24, 32), np.float32)),)),
        FitData(views=(view, view)),
        FitData(views=(view,), points=points),
    ]
    assert len({one.fingerprint() for one in data}) == len(data)
    assert data[0].fingerprint() == FitData(views=(a_view(),), notes=("read differently",)).fingerprint()


def test_no_view_is_no_data() -> None:
    with pytest.raises(BenchDataError, match="at least one picture"):
        FitData(views=())
