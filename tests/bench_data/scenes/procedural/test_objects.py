"""Every category of furniture and street object: sizes, exact and tight boxes, determinism."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from seeworthy.bench_data.scenes.procedural import ROOM_CATEGORIES, STREET_CATEGORIES
from seeworthy.bench_data.scenes.procedural.assembling import Product
from seeworthy.bench_data.scenes.procedural.furniture import made
from seeworthy.bench_data.scenes.procedural.palette import PAINTS
from seeworthy.bench_data.scenes.procedural.shapes import Assembly
from seeworthy.bench_data.scenes.procedural.street_objects import MAKERS, SPACING_M
from seeworthy.bench_data.scenes.procedural.street_objects.buildings import building

# Smallest and largest height, and the largest length on the ground, in metres, from furniture catalogues and road law.
HEIGHTS: dict[str, tuple[float, float, float]] = {
    "sofa": (0.7, 1.0, 2.7),
    "armchair": (0.7, 1.0, 1.2),
    "dining chair": (0.75, 1.1, 0.7),
    "office chair": (0.9, 1.3, 0.8),
    "stool": (0.4, 0.8, 0.6),
    "pouf": (0.3, 0.45, 0.7),
    "dining table": (0.7, 0.8, 2.0),
    "coffee table": (0.3, 0.5, 1.3),
    "side table": (0.4, 0.65, 0.6),
    "desk": (0.7, 0.8, 1.7),
    "chest of drawers": (0.6, 1.3, 1.3),
    "nightstand": (0.4, 0.65, 0.6),
    "TV stand": (0.35, 0.6, 1.9),
    "wardrobe": (1.8, 2.3, 1.8),
    "bookshelf": (0.9, 2.1, 1.2),
    "bed": (0.8, 1.3, 2.3),
    "cushion": (0.08, 0.25, 0.6),
    "floor lamp": (1.0, 1.9, 0.6),
    "table lamp": (0.3, 0.6, 0.4),
    "ceiling lamp": (0.4, 0.9, 0.6),
    "television": (0.5, 0.9, 1.4),
    "monitor": (0.35, 0.6, 0.7),
    "laptop": (0.15, 0.3, 0.4),
    "fridge": (1.5, 2.0, 0.8),
    "washing machine": (0.8, 0.9, 0.7),
    "microwave": (0.2, 0.35, 0.55),
    "potted plant": (0.3, 1.8, 1.7),
    "vase": (0.15, 0.45, 0.25),
    "mug": (0.07, 0.13, 0.15),
    "bottle": (0.2, 0.35, 0.1),
    "stack of books": (0.05, 0.25, 0.4),
    "rug": (0.005, 0.02, 2.6),
    "picture": (0.3, 1.0, 1.0),
    "mirror": (0.5, 1.3, 0.9),
    "clock": (0.25, 0.45, 0.45),
    "cardboard box": (0.15, 0.5, 0.7),
    "suitcase": (0.5, 1.1, 0.6),
    "backpack": (0.4, 0.6, 0.4),
    "waste bin": (0.25, 0.45, 0.4),
    "basket": (0.3, 0.6, 0.55),
    "toy ball": (0.18, 0.32, 0.32),
    "car": (1.35, 1.9, 4.7),
    "van": (1.9, 2.5, 5.8),
    "bus": (2.8, 3.4, 12.2),
    "truck": (2.9, 3.6, 8.3),
    "bicycle": (0.9, 1.2, 1.9),
    "motorcycle": (0.9, 1.3, 2.2),
    "person": (1.5, 1.95, 1.0),
    "tree": (3.5, 11, 7.5),
    "bush": (0.6, 1.7, 2.2),
    "street lamp": (5, 8, 2.2),
    "traffic light": (3, 3.6, 0.5),
    "road sign": (2.4, 3.3, 0.9),
    "bench": (0.75, 1.1, 1.9),
    "litter bin": (0.9, 1.2, 0.6),
    "hydrant": (0.6, 0.9, 0.5),
    "bollard": (0.8, 1.1, 0.25),
    "post box": (1.0, 1.5, 0.6),
    "traffic cone": (0.4, 0.6, 0.45),
}
SOFT = {"potted plant": 0.04, "tree": 0.11, "bush": 0.06}
"""Metres that Gaussians of leaves may reach over their box at two sigma."""


@cache
def one(label: str, seed: int, colour: str = "red") -> Product:
    return fresh(label, seed, colour)


def fresh(label: str, seed: int, colour: str = "red") -> Product:
    if label in MAKERS:
        return MAKERS[label](Assembly(SPACING_M[label], np.random.default_rng(seed)), colour)
    return made(label, colour, seed)


def test_there_are_more_than_25_categories_of_furniture_and_each_has_a_size_to_check() -> None:
    assert len(ROOM_CATEGORIES) >= 25
    assert {*ROOM_CATEGORIES, *STREET_CATEGORIES} - {"building"} == set(HEIGHTS)


@pytest.mark.parametrize("label", HEIGHTS)
def test_sizes_are_sensible(label: str) -> None:
    low, high, longest = HEIGHTS[label]
    for seed in range(2):
        size = one(label, seed).size_m
        assert low <= size[2] <= high
        assert 0.005 < max(size[0], size[1]) <= longest


@pytest.mark.parametrize("label", HEIGHTS)
def test_boxes_are_exact_and_tight(label: str) -> None:
    """No middle of a Gaussian outside; two sigma reach over by about a centimetre; each face is touched."""
    spacing = SPACING_M.get(label, 0.03)
    for seed in range(2):
        product = one(label, seed)
        assert product.low_m[2] == 0
        assert (product.low_m + product.high_m)[:2] == pytest.approx([0, 0], abs=1e-9)
        centres = product.surfels.centres_m
        assert (centres >= product.low_m - 1e-9).all() and (centres <= product.high_m + 1e-9).all()
        frames, scales, _ = product.surfels.frames()
        reach = 2 * np.sqrt(((frames * scales[:, None, :]) ** 2).sum(axis=2))
        over = max(
            (product.low_m - (centres - reach).min(axis=0)).max(),
            ((centres + reach).max(axis=0) - product.high_m).max(),
        )
        assert over < SOFT.get(label, 0.0) + 0.55 * spacing
        gaps = np.maximum((centres - reach).min(axis=0) - product.low_m, product.high_m - (centres + reach).max(axis=0))
        assert gaps.max() < 0.004


@pytest.mark.parametrize("label", HEIGHTS)
def test_the_same_arguments_make_the_same_object_and_others_make_others(label: str) -> None:
    first, again, other = one(label, 1), fresh(label, 1), one(label, 0)
    assert first.surfels.centres_m.tobytes() == again.surfels.centres_m.tobytes()
    assert first.surfels.albedo.tobytes() == again.surfels.albedo.tobytes()
    assert dict(first.attributes) == dict(again.attributes)
    if label != "traffic cone":  # all alike
        assert first.surfels.albedo.tobytes() != other.surfels.albedo.tobytes()


@pytest.mark.parametrize("label", ["sofa", "office chair", "car", "suitcase", "floor lamp", "person"])
def test_another_colour_changes_no_shape(label: str) -> None:
    red, blue = one(label, 3, "red"), one(label, 3, "blue")
    if len(red.surfels) == len(blue.surfels):  # leather is for some colours only
        assert red.size_m == pytest.approx(blue.size_m)
    assert not np.array_equal(red.surfels.albedo[: len(blue.surfels)], blue.surfels.albedo[: len(red.surfels)])


@pytest.mark.parametrize("label", HEIGHTS)
def test_light_that_comes_back_is_never_more_than_what_falls(label: str) -> None:
    albedo = one(label, 1, "white").surfels.albedo  # the brightest paint
    assert np.isfinite(albedo).all()
    assert albedo.min() >= 0 and albedo.max() <= 1


def test_more_density_means_more_surfels_of_the_same_object() -> None:
    coarse, usual, fine = (made("sofa", "blue", 5, density=d) for d in (0.3, 1.0, 3.0))
    assert 1.6 * len(coarse.surfels) < len(usual.surfels) < len(fine.surfels) / 1.6
    assert coarse.size_m == pytest.approx(fine.size_m, abs=0.012)


@pytest.mark.parametrize("floors", [1, 3, 6])
def test_a_building_has_the_height_of_its_floors(floors: int) -> None:
    house = building(Assembly(0.6, np.random.default_rng(floors)), 10, 8, floors)
    assert 3 * floors < house.high_m[2] < 3 * floors + 5
    assert house.size_m[1] == pytest.approx(10.4, abs=0.5)
    assert house.attributes["colour"] in PAINTS


def test_surfaces_to_put_things_on_lie_inside_their_object_and_carry_something() -> None:
    """Rays from above meet the object at the height of the surface, within the thickness of a cushion."""
    for label in ROOM_CATEGORIES:
        product = made(label, "green", 11)
        for surface in product.surfaces:
            x0, y0, x1, y1 = surface.rectangle_m
            assert product.low_m[0] <= x0 < x1 <= product.high_m[0]
            assert product.low_m[1] <= y0 < y1 <= product.high_m[1]
            assert 0 < surface.height_m <= product.high_m[2] + 1e-9
            c = product.surfels.centres_m
            within = (c[:, 0] > x0) & (c[:, 0] < x1) & (c[:, 1] > y0) & (c[:, 1] < y1)
            below = c[within & (c[:, 2] <= surface.height_m + 1e-6), 2]
            assert math.isclose(below.max(), surface.height_m, abs_tol=0.02), label
