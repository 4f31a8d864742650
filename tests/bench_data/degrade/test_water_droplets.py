"""Droplets on the glass: shapes, normals and refraction against spheres, and what must hold for any pattern."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

from seeworthy.bench_data.degrade import SceneLight, degrade
from seeworthy.bench_data.degrade.droplet_field import RIM_SLOPE, DropField, Drops, drop_field, placed_drops
from seeworthy.bench_data.degrade.water_droplets import (
    WaterDropletsParameters,
    droplets_of,
    refraction_offset_px,
    water_droplets,
)

from .scenes import photographs

LEVELS = (1, 2, 3, 4, 5, "bench")


def drops_of(*parts: tuple[float, float, float]) -> Drops:
    x, y, radius = np.array(parts).T
    return Drops(x, y, radius)


def parameters(density: float = 0.5, **change: object) -> WaterDropletsParameters:
    values: dict[str, object] = {
        "cells": 3.0,
        "radius": (0.25, 0.75),
        "strength": 0.4,
        "blur_px": 2.2,
        "density": density,
        "light_rad": -1.5,
        "pattern_seed": 4,
    }
    return WaterDropletsParameters.model_validate(values | change)


def acted(image: NDArray[np.float32], values: WaterDropletsParameters, seed: int = 0) -> NDArray[np.float32]:
    return water_droplets(SceneLight(image), values, np.random.default_rng(seed)).image_linear


def polar(height: int, width: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Offsets right and down from the middle of the picture, in pixels."""
    rows, columns = np.mgrid[:height, :width] + 0.5
    return columns - width / 2, rows - height / 2


class TestOneDrop:
    RADIUS_PX = 60.0

    @pytest.fixture
    def field(self) -> DropField:
        return drop_field(drops_of((0.0, 0.0, 0.25)), 240, 320)

    def test_it_is_a_disc_of_its_radius(self, field: DropField) -> None:
        right, down = polar(240, 320)
        assert np.array_equal(field.inside, np.hypot(right, down) < self.RADIUS_PX)
        assert np.allclose(field.radius_px[field.inside], self.RADIUS_PX, rtol=1e-5)

    def test_its_normals_are_those_of_a_sphere(self, field: DropField) -> None:
        # A sphere that meets the glass at an angle of sine RIM_SLOPE: n_xy grows in proportion to the distance.
        right, down = polar(240, 320)
        core = np.hypot(right, down) < self.RADIUS_PX - 2
        expected = np.stack([right, down], axis=-1) / self.RADIUS_PX * RIM_SLOPE
        assert np.abs(field.normal_xy - expected)[core].max() < 0.02

    def test_the_view_is_pulled_to_the_other_side(self, field: DropField) -> None:
        offset = refraction_offset_px(field, 0.4)
        # Half way to the right rim: n_x is half of the rim's, and the offset is 0.4 of 240 px times that, to the left.
        assert offset[120, 190].tolist() == pytest.approx([-0.4 * 240 * RIM_SLOPE / 2, 0], abs=2)
        assert offset[150, 160, 1] < 0 < offset[90, 160, 1]

    def test_it_shows_the_scene_upside_down(self) -> None:
        # White above, black below; the only drop lies across the border.
        image = np.zeros((240, 320, 3), dtype=np.float32)
        image[:120] = 1
        field = drop_field(drops_of((0.0, 0.0, 0.25)), 240, 320)
        offset = refraction_offset_px(field, 0.4)
        above, below = 120 - 20, 120 + 20
        assert above + offset[above, 160, 1] > 120
        assert below + offset[below, 160, 1] < 120

    def test_its_edge_is_soft_on_the_inside_only(self, field: DropField) -> None:
        right, down = polar(240, 320)
        distance = np.hypot(right, down)
        assert not field.edge[distance >= self.RADIUS_PX].any()
        assert (field.edge[distance < 0.88 * self.RADIUS_PX] == 1).all()
        assert 0.2 < float(field.edge[np.abs(distance - 0.95 * self.RADIUS_PX) < 0.7].mean()) < 0.8


class TestSeveralDrops:
    def test_drops_far_apart_do_not_know_of_each_other(self) -> None:
        both = drop_field(drops_of((-0.4, 0.0, 0.1), (0.4, 0.0, 0.1)), 240, 320)
        left, right = (drop_field(drops_of((x, 0.0, 0.1)), 240, 320) for x in (-0.4, 0.4))
        assert np.array_equal(both.inside, left.inside | right.inside)
        assert np.allclose(both.normal_xy, left.normal_xy + right.normal_xy, atol=1e-5)

    def test_touching_drops_flow_together(self) -> None:
        both = drop_field(drops_of((-0.1, 0.0, 0.1), (0.1, 0.0, 0.1)), 240, 320)
        apart = [drop_field(drops_of((x, 0.0, 0.1)), 240, 320).inside for x in (-0.1, 0.1)]
        separate = apart[0] | apart[1]
        assert (both.inside | ~separate).all()
        # The neck: outside of each of the two, inside of their union.
        assert both.inside[126, 160] and not separate[126, 160]

    def test_many_small_drops_at_once_are_like_one_by_one(self) -> None:
        rng = np.random.default_rng(1)
        parts = np.stack([rng.uniform(-0.9, 0.9, 300), rng.uniform(-0.7, 0.7, 300), rng.uniform(0.003, 0.12, 300)], 1)
        height, width = 97, 130
        right, down = polar(height, width)
        total = np.zeros((height, width))
        for x, y, radius in parts * height:
            total += np.exp(-4 * ((right - x) ** 2 + (down - y) ** 2) / radius**2)
        with np.errstate(divide="ignore"):
            q = -np.log(total) / 4
        field = drop_field(Drops(*parts.T), height, width)
        clear_cut = np.abs(q - 1) > 0.01
        assert np.array_equal(field.inside[clear_cut], q[clear_cut] < 1)

    def test_it_looks_the_same_at_another_size(self) -> None:
        small, large = (droplets_of(parameters(), height, width) for height, width in ((240, 320), (960, 1280)))
        shrunk = large.inside.reshape(240, 4, 320, 4).mean(axis=(1, 3)) > 0.5
        both = (small.inside & shrunk).sum() / (small.inside | shrunk).sum()
        assert both > 0.93

    def test_a_wider_picture_shows_more_of_the_same_glass(self) -> None:
        narrow, wide = (droplets_of(parameters(), 240, width).inside for width in (240, 400))
        assert np.array_equal(wide[:, 80:320], narrow)

    def test_long_pictures_see_the_pattern_again(self) -> None:
        field = droplets_of(parameters(), 20, 400)
        thirds = [float(field.inside[:, start : start + 80].mean()) for start in range(0, 400, 80)]
        assert min(thirds) > 0.05
        assert droplets_of(parameters(), 1, 100_000).inside.shape == (1, 100_000)


class TestPattern:
    @pytest.mark.parametrize("pattern_seed", range(6))
    def test_more_density_adds_large_drops_and_moves_none(self, pattern_seed: int) -> None:
        found = []
        for density in (0.1, 0.4, 0.9):
            drops = placed_drops(
                cells=3, radius=(0.25, 0.75), density=density, pattern_seed=pattern_seed, span=(1.5, 1.0)
            )
            # Only the coarsest layer has drops of more than 0.058, and its parts.
            large = drops.radius > 0.06
            found.append(set(zip(drops.x[large].tolist(), drops.y[large].tolist(), strict=True)))
        assert found[0] <= found[1] <= found[2]
        assert len(found[2]) > len(found[1])

    def test_the_glass_is_wetter_from_level_to_level(self) -> None:
        for seed in range(5):
            wet = [
                droplets_of(WaterDropletsParameters.sample(level, np.random.default_rng(seed)), 240, 320).inside.mean()
                for level in LEVELS
            ]
            assert all(np.diff(wet) > 0)
            assert 0.005 < wet[0] < 0.15
            assert 0.25 < wet[-1] < 0.8

    def test_it_is_on_the_lens_whatever_the_picture_and_the_noise(self) -> None:
        first, second = photographs()[0].image_srgb[:120, :160], photographs()[1].image_srgb[:120, :160]
        values = parameters(0.6)
        changed = [acted(image, values, seed) != image for image, seed in ((first, 1), (first, 2), (second, 3))]
        assert np.array_equal(changed[0], changed[1])
        inside = droplets_of(values, 120, 160).inside
        assert not (changed[0] & ~inside[..., None]).any() and not (changed[2] & ~inside[..., None]).any()
        assert changed[0][inside].mean() > 0.9

    def test_pictures_of_one_seed_share_the_drops(self) -> None:
        records = [degrade(picture, "water_droplets", severity=3, seed=8).record for picture in photographs()[:2]]
        assert records[0].parameters == records[1].parameters


class TestLight:
    def test_between_drops_nothing_changes(self) -> None:
        image = np.random.default_rng(0).random((150, 200, 3), dtype=np.float32)
        values = parameters(0.9)
        field = droplets_of(values, 150, 200)
        assert 0.2 < field.inside.mean() < 0.9
        assert not refraction_offset_px(field, values.strength)[~field.inside].any()
        assert np.array_equal(acted(image, values)[~field.inside], image[~field.inside])

    def test_on_an_even_picture_rims_are_dark_and_the_light_is_bounded(self) -> None:
        image = np.full((240, 320, 3), 0.18, dtype=np.float32)
        values = parameters(0.5)
        field, result = droplets_of(values, 240, 320), acted(image, values)[..., 0]
        steep = field.inside & (np.hypot(*np.moveaxis(field.normal_xy, -1, 0)) > 0.8) & (field.edge > 0.5)
        flat = field.inside & (np.hypot(*np.moveaxis(field.normal_xy, -1, 0)) < 0.2)
        assert float(np.median(result[steep])) < 0.6 * 0.18
        assert float(np.median(result[flat])) == pytest.approx(0.18, rel=0.1)
        assert 0.5 < float(result.max()) < 0.18 * 1.45 + 0.91

    def test_highlights_lie_towards_the_light(self) -> None:
        image = np.full((240, 240, 3), 0.18, dtype=np.float32)
        for light_rad, side in ((0.0, (1, 0)), (np.pi / 2, (0, 1)), (-np.pi / 2, (0, -1))):
            values = parameters(0.5, light_rad=light_rad)
            normals = droplets_of(values, 240, 240).normal_xy
            bright = acted(image, values)[..., 0] > 0.6
            assert bright.sum() > 10
            assert float((normals[bright] @ np.array(side)).mean()) > 0.25

    def test_in_the_dark_there_is_no_highlight(self) -> None:
        assert not acted(np.zeros((60, 80, 3), dtype=np.float32), parameters(0.9)).any()

    def test_the_view_in_small_drops_is_not_aliased(self) -> None:
        # A one-pixel checkerboard shrinks to grey in any drop.
        image = (np.indices((200, 200)).sum(axis=0) % 2).astype(np.float32)[..., None].repeat(3, axis=2)
        values = parameters(0.9, cells=6.0)
        field = droplets_of(values, 200, 200)
        seen = acted(image, values)[..., 0][(field.edge == 1) & (np.abs(field.normal_xy).max(axis=-1) < 0.35)]
        assert len(seen) > 100
        assert float(seen.std()) < 0.12


@pytest.mark.parametrize(
    "change",
    [
        {"radius": (0.75, 0.25)},
        {"radius": (0.0, 0.5)},
        {"radius": (0.5,)},
        {"density": 1.5},
        {"cells": 0},
        {"strength": float("inf")},
        {"pattern_seed": -1},
        {"blur_px": -1},
    ],
)
def test_bad_parameters_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        parameters(**change)
