"""Where a fit starts from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.fit import FitPoints, FitSettings, FitView
from seeworthy.bench_data.fit.initial import initial_cloud, points_from_depth, random_points, scene_extent_m
from seeworthy.bench_data.splats import SH_C0
from tests.bench_data.fit.scenes import room_views
from tests.bench_data.render.scenes import a_camera


def a_wall(eye: tuple[float, float, float], depth: bool = True) -> FitView:
    """A picture of the plane y = 4, red on the left half and blue on the right, from anywhere with y < 4."""
    camera = a_camera(64, 48).with_pose(look_at(eye, (0.0, 4.0, 0.0)))
    rays = camera.directions_in_camera(camera.pixel_centres())
    along = rays @ camera.world_from_camera[:3, :3].T
    depth_m = ((4 - camera.centre_m[1]) / along[:, 1] * rays[:, 2]).reshape(48, 64).astype(np.float32)
    red = camera.unproject_depth(depth_m)[..., 0] < 0
    image = np.where(red[..., None], [255, 0, 0], [0, 0, 255]).astype(np.uint8)
    return FitView(name="wall", camera=camera, image_srgb_u8=image, depth_m=depth_m if depth else None)


class TestDepth:
    def test_points_lie_on_the_surface_with_its_colours(self) -> None:
        found = points_from_depth([a_wall((0.0, 0.0, 0.0)), a_wall((1.0, 0.5, 0.2))], 10**6)
        assert len(found.points_m) == 2 * 64 * 48
        assert found.points_m[:, 1] == pytest.approx(4, abs=1e-5)
        assert (found.colours_srgb[:, 0] == (found.points_m[:, 0] < 0)).mean() > 0.999

    @pytest.mark.parametrize("most", [1, 50, 700])
    def test_thinning_keeps_to_the_number_and_the_surface(self, most: int) -> None:
        found = points_from_depth([a_wall((0.0, 0.0, 0.0))], most)
        assert most / 3 <= len(found.points_m) <= most
        assert found.points_m[:, 1] == pytest.approx(4, abs=1e-5)
        assert found.colours_srgb.min() >= 0
        assert found.colours_srgb.max() <= 1

    def test_unknown_depth_gives_no_point(self) -> None:
        view = a_wall((0.0, 0.0, 0.0))
        assert view.depth_m is not None
        holes = np.where(np.arange(64) < 60, np.float32(np.nan), view.depth_m)
        assert len(points_from_depth([replace(view, depth_m=holes)], 10**6).points_m) == 4 * 48

    def test_without_depth_there_is_an_error(self) -> None:
        with pytest.raises(BenchDataError, match="no picture has depth"):
            points_from_depth([a_wall((0.0, 0.0, 0.0), depth=False)], 10)


class TestRandom:
    views = (a_wall((-2.0, 0.0, 0.0), depth=False), a_wall((2.0, 0.0, 0.0), depth=False), a_wall((0.0, -1.0, 1.0)))

    def test_points_are_seen_by_two_cameras_about_what_they_look_at(self) -> None:
        found = random_points(self.views, 500, np.random.default_rng(0))
        assert found.points_m.shape == (500, 3)
        seen = sum(view.camera.sees(found.points_m).astype(int) for view in self.views)
        assert seen.min() >= 2
        assert np.median(found.points_m[:, 1]) == pytest.approx(4, abs=2)

    def test_a_single_camera_is_enough(self) -> None:
        found = random_points(self.views[:1], 100, np.random.default_rng(0))
        assert self.views[0].camera.sees(found.points_m).all()

    def test_parallel_cameras_look_at_a_distance_of_their_spread(self) -> None:
        views = [
            replace(view, camera=view.camera.with_pose(look_at((x, 0, 0), (x, 1, 0))))
            for x, view in enumerate(self.views)
        ]
        found = random_points(views, 200, np.random.default_rng(0))
        assert 2 < np.median(found.points_m[:, 1]) < 25

    def test_cameras_that_look_apart_are_reported(self) -> None:
        apart = [
            replace(self.views[0], camera=self.views[0].camera.with_pose(look_at((x, 0, 0), (2 * x, 0, 0))))
            for x in (-1, 1)
        ]
        with pytest.raises(BenchDataError, match="OpenCV or OpenGL"):
            random_points(apart, 100, np.random.default_rng(0))


class TestCloud:
    views = room_views(3, depth=True)
    points = FitPoints(
        points_m=np.random.default_rng(0).uniform(0, 3, (300, 3)), colours_srgb=np.full((300, 3), [0.2, 0.4, 0.8])
    )

    def test_points_of_the_model_come_first(self) -> None:
        cloud = initial_cloud(self.views, self.points, FitSettings(sh_degree=1))
        assert cloud.means == pytest.approx(self.points.points_m, abs=1e-6)
        assert 0.5 + SH_C0 * cloud.sh[:, 0] == pytest.approx(self.points.colours_srgb, abs=1e-6)
        assert cloud.opacities == pytest.approx(0.1)
        assert cloud.sh_degree == 1

    def test_never_more_than_allowed_and_the_same_for_the_same_seed(self) -> None:
        first, again = (initial_cloud(self.views, self.points, FitSettings(max_gaussians=70)) for _ in range(2))
        other = initial_cloud(self.views, self.points, FitSettings(max_gaussians=70, seed=1))
        assert len(first) == len(other) == 70
        assert first.means.tobytes() == again.means.tobytes()
        assert first.means.tobytes() != other.means.tobytes()

    def test_then_depth_then_chance(self) -> None:
        measured = initial_cloud(self.views, None, FitSettings(max_gaussians=500))
        assert measured.opacities == pytest.approx(0.5)
        assert 100 < len(measured) <= 250
        blind = [replace(view, depth_m=None) for view in self.views]
        assert len(initial_cloud(blind, None, FitSettings(max_gaussians=500))) == 500

    def test_two_points_are_needed(self) -> None:
        view = self.views[0]
        single = np.full((48, 64), np.nan, np.float32)
        single[3, 3] = 1
        with pytest.raises(BenchDataError, match="two points"):
            initial_cloud([replace(view, depth_m=single)], None, FitSettings())


class TestExtent:
    def test_it_is_the_reach_of_the_cameras(self) -> None:
        views = [a_wall((x, 0.0, 0.0)) for x in (-2.0, 2.0)]
        cloud = initial_cloud(views, None, FitSettings())
        assert scene_extent_m(views, cloud) == pytest.approx(1.1 * 2)

    def test_a_camera_that_stands_still_has_one_from_the_distance(self) -> None:
        views = [a_wall((0.0, 0.0, 0.0))]
        cloud = initial_cloud(views, None, FitSettings())
        assert 0.4 < scene_extent_m(views, cloud) < 0.6
