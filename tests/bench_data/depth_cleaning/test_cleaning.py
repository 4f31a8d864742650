"""Depth cleaning: against loops over pixels, its invariants, and small maps whose answer is known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from seeworthy.bench_data.depth_cleaning import CleaningSettings, CleaningStage, clean_depth
from seeworthy.bench_data.errors import BenchDataError
from tests.bench_data.depth_cleaning.plain_cleaning import plain_clean

SETTINGS = CleaningSettings(far_m=12.0)
HEIGHT, WIDTH = 24, 32


def a_depth_map(seed: int = 0) -> NDArray[np.float64]:
    """A slanted floor, a box before it, flying points between the two, specks, holes, and depths out of range."""
    rng = np.random.default_rng(seed)
    depth = np.linspace(4, 2.6, HEIGHT)[:, None] + np.linspace(0, 0.5, WIDTH)
    depth[6:16, 8:20] = 1.5
    depth[6:16, 20] = rng.uniform(1.7, 3.5, 10)  # a column of flying points along its edge
    depth[3:5, 25:28] = 1.0  # a speck
    depth[12, 3] = 9.0  # a spike
    depth *= 1 + rng.normal(0, 0.002, depth.shape)
    depth[20:22, 4:7] = 0
    depth[rng.integers(0, HEIGHT, 4), rng.integers(0, WIDTH, 4)] = [math.nan, math.inf, -math.inf, -1]
    depth[0, :5] = 20
    depth[22, 10:12] = 0.01
    return depth


def a_picture(seed: int = 0) -> NDArray[np.uint8]:
    rng = np.random.default_rng(seed)
    image = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
    image[6:16, 8:20] = (200, 60, 30)
    return (image + rng.integers(0, 12, image.shape)).astype(np.uint8)


def a_sky() -> NDArray[np.bool_]:
    sky = np.zeros((HEIGHT, WIDTH), np.bool_)
    sky[:2, 14:] = True
    return sky


def luma_of(image: NDArray[np.uint8]) -> NDArray[np.float64]:
    red, green, blue = image.astype(np.float64).transpose(2, 0, 1)
    return (299 * red + 587 * green + 114 * blue) / 1000


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("with_picture", [True, False])
def test_every_pixel_is_as_in_plain_loops(seed: int, with_picture: bool) -> None:
    depth, image, sky = a_depth_map(seed), a_picture(seed), a_sky()
    cleaned = clean_depth(depth, image_srgb_u8=image if with_picture else None, sky=sky, settings=SETTINGS)
    wanted, stages = plain_clean(depth, luma_of(image) if with_picture else None, sky, SETTINGS)
    np.testing.assert_array_equal(cleaned.stages, stages)
    np.testing.assert_allclose(cleaned.depth_m, wanted, rtol=1e-6)
    if seed == 0:  # the map exercises all that can be removed
        assert all(cleaned.counts[stage] for stage in CleaningStage if stage != CleaningStage.SMOOTHING)


MAPS = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9),
    elements=st.sampled_from([1.0, 1.01, 1.02, 1.05, 1.2, 2.0, 2.06, 4.0, 0.0, math.nan, 20.0, 0.01]),
)


@settings(max_examples=150, deadline=None)
@given(MAPS, st.integers(0, 30))
def test_small_wild_maps_are_as_in_plain_loops(depth: NDArray[np.float64], least_px: int) -> None:
    limits = replace(SETTINGS, component_least_px=least_px)
    cleaned = clean_depth(depth, settings=limits)
    wanted, stages = plain_clean(depth, None, None, limits)
    np.testing.assert_array_equal(cleaned.stages, stages)
    np.testing.assert_allclose(cleaned.depth_m, wanted, rtol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_a_mirrored_map_gives_a_mirrored_result(seed: int) -> None:
    depth, image, sky = a_depth_map(seed), a_picture(seed), a_sky()
    cleaned = clean_depth(depth, image_srgb_u8=image, sky=sky, settings=SETTINGS)
    turns = [(slice(None, None, -1), slice(None)), (slice(None), slice(None, None, -1))]
    for turn in turns:
        mirrored = clean_depth(depth[turn], image_srgb_u8=image[turn], sky=sky[turn], settings=SETTINGS)
        np.testing.assert_array_equal(mirrored.stages, cleaned.stages[turn])
        np.testing.assert_allclose(mirrored.depth_m, cleaned.depth_m[turn], rtol=1e-6)
    turned = clean_depth(depth.T, image_srgb_u8=image.transpose(1, 0, 2), sky=sky.T, settings=SETTINGS)
    np.testing.assert_array_equal(turned.stages, cleaned.stages.T)


@pytest.mark.parametrize("factor", [0.25, 3.28084, 1000.0])
def test_other_units_give_the_same_stages(factor: float) -> None:
    depth, image = a_depth_map(), a_picture()
    cleaned = clean_depth(depth, image_srgb_u8=image, settings=SETTINGS)
    scaled = replace(SETTINGS, near_m=SETTINGS.near_m * factor, far_m=SETTINGS.far_m * factor)
    other = clean_depth(depth * factor, image_srgb_u8=image, settings=scaled)
    np.testing.assert_array_equal(other.stages, cleaned.stages)
    np.testing.assert_allclose(other.depth_m, cleaned.depth_m * factor, rtol=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_invented_and_little_is_left_for_a_second_pass(seed: int) -> None:
    depth, image = a_depth_map(seed), a_picture(seed)
    first = clean_depth(depth, image_srgb_u8=image, settings=SETTINGS)
    kept = ~np.isnan(first.depth_m)
    np.testing.assert_array_equal(kept, first.stages == CleaningStage.KEPT)
    assert (np.abs(first.depth_m[kept] / depth[kept] - 1) <= 0.01 + 1e-6).all()
    second = clean_depth(first.depth_m, image_srgb_u8=image, settings=SETTINGS)
    lost = kept & np.isnan(second.depth_m)
    assert lost.sum() <= 0.02 * kept.sum()
    assert not (~kept & ~np.isnan(second.depth_m)).any()
    assert sum(first.counts.values()) == depth.size


def flat(depth_m: float = 2.0, size: int = 21) -> NDArray[np.float64]:
    return np.full((size, size), depth_m)


def test_a_clean_surface_stays_as_it_is() -> None:
    cleaned = clean_depth(flat())
    np.testing.assert_array_equal(cleaned.depth_m, flat())
    assert cleaned.depth_m.dtype == np.float32
    assert cleaned.stages.dtype == np.uint8
    assert cleaned.counts[CleaningStage.KEPT] == flat().size


def test_edges_and_corners_survive_and_what_hangs_between_does_not() -> None:
    edge = flat()
    edge[:, 10:] = 4.0
    assert not clean_depth(edge).stages.any()
    corner = flat()
    corner[10:, 10:] = 4.0
    assert not clean_depth(corner).stages.any()
    between = edge.copy()
    between[:, 10] = 3.0
    assert (clean_depth(between).stages[:, 10] == CleaningStage.FLYING).all()
    assert (clean_depth(between).stages == CleaningStage.FLYING).sum() == 21
    lonely = flat()
    lonely[5, 5] = 1.0
    assert clean_depth(lonely).stages[5, 5] == CleaningStage.FLYING
    assert clean_depth(lonely).stages.astype(bool).sum() == 1


def test_a_steep_surface_is_no_row_of_flying_points() -> None:
    """Each step is 3.5 %, more than the least ratio; the local slope raises the threshold.

    Two columns at the border have more level steps than steep ones in their windows, and are not protected.
    """
    steep = np.broadcast_to(1.5 * 1.035 ** np.arange(21), (21, 21)).copy()
    assert not clean_depth(steep).stages[:, 2:-2].any()
    assert CleaningStage.FLYING in clean_depth(steep, settings=CleaningSettings(flying_slopes=0)).stages[:, 2:-2]


def test_smoothing_reduces_noise_and_keeps_edges_of_the_picture() -> None:
    rng = np.random.default_rng(0)
    noisy = flat(2.0, 41) * (1 + rng.normal(0, 0.003, (41, 41)))
    smooth = clean_depth(noisy).depth_m
    assert smooth.std() < 0.4 * noisy.std()
    step = flat(2.0, 41)
    step[:, 20:] = 2.03
    image = np.zeros((41, 41, 3), np.uint8)
    image[:, 20:] = 255
    blurred, kept = (clean_depth(step, image_srgb_u8=one).depth_m[20, 19] for one in (None, image))
    assert kept == pytest.approx(2.0, abs=1e-6)
    assert blurred > 2.001


@pytest.mark.parametrize(("side", "kept"), [(3, False), (4, True)])
def test_pieces_below_sixteen_pixels_go(side: int, kept: bool) -> None:
    depth = np.full((30, 30), np.nan)
    depth[3 : 3 + side, 3 : 3 + side] = 1.0
    depth[12:, 12:] = 3.0
    stages = clean_depth(depth).stages[3 : 3 + side, 3 : 3 + side]
    assert (stages == (CleaningStage.KEPT if kept else CleaningStage.SMALL_COMPONENT)).all()


def test_the_least_piece_grows_with_the_picture() -> None:
    assert CleaningSettings().smallest_component_px(100, 100) == 16
    assert CleaningSettings().smallest_component_px(378, 518) == 98


def test_the_sky_takes_one_pixel_more_on_every_side() -> None:
    sky = np.zeros((21, 21), np.bool_)
    sky[8, 8] = True
    stages = clean_depth(flat(), sky=sky).stages
    assert set(map(tuple, np.argwhere(stages == CleaningStage.SKY).tolist())) == {
        (row, column) for row in (7, 8, 9) for column in (7, 8, 9)
    }


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf, -math.inf, 1e300])
@pytest.mark.filterwarnings("error")
def test_maps_without_any_depth(value: float) -> None:
    cleaned = clean_depth(flat(value))
    assert np.isnan(cleaned.depth_m).all()
    assert (cleaned.stages == CleaningStage.UNKNOWN_BEFORE).all()


@pytest.mark.filterwarnings("error")
def test_extreme_but_real_depths() -> None:
    for value in (1e-30, 1e-6, 1e6, 1e30):
        cleaned = clean_depth(flat(value), settings=CleaningSettings(near_m=0))
        np.testing.assert_allclose(cleaned.depth_m, flat(value), rtol=1e-6)
    one = clean_depth([[2.0]])
    assert one.stages.tolist() == [[CleaningStage.SMALL_COMPONENT]]


def test_what_is_given_is_not_changed() -> None:
    depth = a_depth_map()
    before = depth.copy()
    clean_depth(depth, sky=a_sky())
    np.testing.assert_array_equal(depth, before)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: clean_depth(np.zeros(3)), r"\(H, W\)"),
        (lambda: clean_depth(np.zeros((0, 3))), r"\(H, W\)"),
        (lambda: clean_depth([["near"]]), "array of metres"),
        (lambda: clean_depth(flat(), image_srgb_u8=np.zeros((21, 21), np.uint8)), "image_srgb_u8"),
        (lambda: clean_depth(flat(), image_srgb_u8=np.zeros((21, 21, 3), np.float32)), "image_srgb_u8"),
        (lambda: clean_depth(flat(), sky=np.zeros((21, 20), bool)), "sky"),
        (lambda: clean_depth(flat(), sky=np.zeros((21, 21), np.uint8)), "sky"),
        (lambda: CleaningSettings(near_m=2, far_m=1), "near_m < far_m"),
        (lambda: CleaningSettings(smooth_luma=0), "smooth_luma"),
        (lambda: CleaningSettings(link_ratio=math.nan), "link_ratio"),
        (lambda: CleaningSettings(component_least_share=2), "component_least_share"),
    ],
)
def test_what_cannot_be_cleaned(make: object, says: str) -> None:
    with pytest.raises(BenchDataError, match=says):
        make()  # type: ignore[operator]
