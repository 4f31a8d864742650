"""Lens flare: no light is made, ghosts lie on the line through the centre, and lamps are found where they are."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

from seeworthy.bench_data.degrade import SceneLight
from seeworthy.bench_data.degrade.glare import (
    Aperture,
    ghosts_of,
    glare_of_picture,
    glare_of_source,
    with_ghosts,
)
from seeworthy.bench_data.degrade.lens_flare import LensFlareParameters, lens_flare, white_spots

WHITE = np.ones(3)
FOCAL_PX = 300.0


def parameters(**change: object) -> LensFlareParameters:
    values: dict[str, object] = {
        "source_light": 4.0,
        "source_tint": 0.0,
        "scattered_share": 0.05,
        "surface_reflectance": 0.01,
        "bearing_rad": -2.0,
        "beyond": 0.1,
        "blades": 6,
        "turn_rad": 0.3,
        "lens_seed": 7,
    }
    return LensFlareParameters.model_validate(values | change)


def flare(image: NDArray[np.float32], values: LensFlareParameters) -> NDArray[np.float32]:
    return lens_flare(SceneLight(image), values, np.random.default_rng(0)).image_linear


class TestScatter:
    @pytest.mark.parametrize("blades", [5, 6, 9])
    def test_all_scattered_light_lands_within_the_widest_angle(self, blades: int) -> None:
        # 1.2 rad are 240 px at this focal length.
        side, focal_px = 480, 200.0
        spread = glare_of_source(Aperture(blades, 0.4, 3), (side / 2, side / 2), focal_px, side, side)
        rows, columns = np.mgrid[:side, :side] + 0.5 - side / 2
        landed = spread[np.hypot(rows, columns) < 1.2 * focal_px].sum(axis=0, dtype=np.float64)
        assert landed == pytest.approx(WHITE, rel=0.03)

    @pytest.mark.parametrize("focal_px", [100.0, 300.0, 1500.0])
    def test_a_picture_gets_no_more_than_was_scattered(self, focal_px: float) -> None:
        for place in ((60.0, 40.0), (-30.0, 20.0), (0.5, 0.5)):
            spread = glare_of_source(Aperture(7, 0.0, 1), place, focal_px, 80, 120)
            assert (spread.sum(axis=(0, 1), dtype=np.float64) <= 1).all()
            assert spread.min() > 0

    def test_it_falls_with_the_angle_by_a_power_between_one_and_a_half_and_three(self) -> None:
        # Mean over a ring, so that spikes and rays do not matter.
        spread = glare_of_source(Aperture(6, 0.2, 5), (300.0, 300.0), 500.0, 600, 600)[..., 1]
        rows, columns = np.mgrid[:600, :600] + 0.5 - 300
        angle = np.hypot(rows, columns) / 500
        rings = [float(spread[np.abs(angle - at) < 0.004].mean()) for at in (0.05, 0.1, 0.2)]
        slopes = np.diff(np.log2(rings))
        assert (slopes > -3).all() and (slopes < -1.0).all()

    @pytest.mark.parametrize(("blades", "spikes"), [(5, 10), (6, 6), (7, 14), (8, 8), (9, 18)])
    def test_the_star_has_as_many_spikes_as_the_aperture_makes(self, blades: int, spikes: int) -> None:
        around = np.arange(720) * (2 * np.pi / 720)
        rows = (200 + 40 * np.sin(around)).astype(int)
        columns = (200 + 40 * np.cos(around)).astype(int)
        # The mean over lenses takes out the dust, which differs from lens to lens.
        profile = np.mean(
            [
                glare_of_source(Aperture(blades, 0.3, seed), (200.5, 200.5), FOCAL_PX, 400, 400)[rows, columns, 1]
                for seed in range(12)
            ],
            axis=0,
        )
        strength = np.abs(np.fft.rfft(profile - profile.mean()))
        assert int(strength[: 2 * spikes].argmax()) == spikes

    def test_the_picture_keeps_its_mean(self) -> None:
        rng = np.random.default_rng(0)
        image = np.zeros((150, 200, 3), dtype=np.float32)
        image[20:60, 120:180] = rng.random((40, 60, 3), dtype=np.float32)
        scattered = glare_of_picture(image, 190.0)
        assert scattered.mean(axis=(0, 1)) == pytest.approx(image.mean(axis=(0, 1)), rel=0.01)
        assert float(scattered[40, 150, 0]) > 3 * float(scattered[140, 10, 0]) > 0

    def test_an_even_picture_stays_even(self) -> None:
        image = np.full((31, 47, 3), 0.4, dtype=np.float32)
        assert np.allclose(glare_of_picture(image, 45.0), image, rtol=1e-5)


class TestGhosts:
    APERTURE = Aperture(6, 0.3, 7)

    def test_they_carry_the_light_that_they_are_given(self) -> None:
        # The source is close to the middle, so that all ghosts are inside.
        black = np.zeros((1200, 1200, 3), dtype=np.float32)
        light = np.array([100.0, 200.0, 300.0])
        result = with_ghosts(black, self.APERTURE, source_px=(640, 580), centre_px=(600, 600), light=light)
        tints = np.sum([ghost.tint for ghost in ghosts_of(self.APERTURE)], axis=0)
        assert result.sum(axis=(0, 1), dtype=np.float64) == pytest.approx(tints * light, rel=0.02)

    @pytest.mark.parametrize("lens_seed", range(8))
    def test_no_pair_of_surfaces_reflects_more_than_the_square(self, lens_seed: int) -> None:
        ghosts = ghosts_of(Aperture(6, 0.0, lens_seed))
        tints = np.array([ghost.tint for ghost in ghosts])
        assert (tints >= 0).all()
        assert (tints.mean(axis=1) <= 1 + 1e-9).all()

    def test_a_source_on_the_other_side_turns_them_round(self) -> None:
        # An aperture of six blades looks the same after half a turn.
        black = np.zeros((160, 240, 3), dtype=np.float32)
        one, other = (
            with_ghosts(black, self.APERTURE, source_px=place, centre_px=(120, 80), light=WHITE * 1000)
            for place in ((190, 30), (50, 130))
        )
        assert one.max() > 0.1
        assert np.allclose(other[::-1, ::-1], one, rtol=1e-4, atol=1e-3)

    def test_they_lie_on_the_line_from_the_source_through_the_centre(self) -> None:
        black = np.zeros((400, 400, 3), dtype=np.float32)
        result = with_ghosts(black, self.APERTURE, source_px=(380, 200), centre_px=(200, 200), light=WHITE * 1e4)
        rows = np.arange(400) + 0.5
        weight = result.sum(axis=(1, 2), dtype=np.float64)
        assert float((rows * weight).sum() / weight.sum()) == pytest.approx(200, abs=0.5)
        assert np.ptp(np.flatnonzero(result.sum(axis=(0, 2)) > 0)) > 200


class TestFlare:
    def test_no_light_is_made(self) -> None:
        image = np.random.default_rng(1).uniform(0, 0.5, (90, 120, 3)).astype(np.float32)
        for seed in range(6):
            values = LensFlareParameters.sample("bench", np.random.default_rng(seed))
            aperture = Aperture(values.blades, values.turn_rad, values.lens_seed)
            tints = np.sum([ghost.tint for ghost in ghosts_of(aperture)], axis=0)
            stray = values.scattered_share + values.surface_reflectance**2 * tints
            bound = image.mean(axis=(0, 1)) + stray * values.source_light * (1 + abs(values.source_tint))
            assert (flare(image, values).mean(axis=(0, 1)) < bound).all()

    def test_what_is_added_is_in_proportion_to_the_source(self) -> None:
        black = np.zeros((90, 120, 3), dtype=np.float32)
        once, twice = (flare(black, parameters(source_light=light)) for light in (2.0, 4.0))
        assert np.allclose(twice, 2 * once, rtol=1e-4)
        assert not flare(black, parameters(source_light=0.0)).any()

    @pytest.mark.parametrize("bearing_rad", [-np.pi / 2, -2.2, -0.6, 0.0])
    def test_the_light_comes_from_its_bearing(self, bearing_rad: float) -> None:
        added = flare(np.zeros((90, 120, 3), dtype=np.float32), parameters(bearing_rad=bearing_rad)).mean(axis=2)
        rows, columns = np.mgrid[:90, :120] + 0.5
        bright = added >= np.quantile(added, 0.97)
        right, down = float(columns[bright].mean()) - 60, float(rows[bright].mean()) - 45
        turned = np.angle(np.exp(1j * (np.arctan2(down, right) - bearing_rad)))
        assert abs(turned) < 0.4

    def test_contrast_falls_by_the_scattered_share(self) -> None:
        # Without a source only the picture's own light is scattered; fine texture keeps 1 - share of its contrast.
        checker = np.tile([[0.1, 0.5], [0.5, 0.1]], (40, 60)).astype(np.float32)[..., None].repeat(3, axis=2)
        result = flare(checker, parameters(source_light=0.0, scattered_share=0.2, surface_reflectance=0.0))
        assert float(np.ptp(result[20:60, 20:100])) == pytest.approx(0.8 * 0.4, rel=0.02)
        assert float(result.mean()) == pytest.approx(float(checker.mean()), rel=0.01)


class TestWhiteSpots:
    @staticmethod
    def disc(x: float, y: float, radius: float, level: float = 1.0) -> NDArray[np.float32]:
        rows, columns = np.mgrid[:240, :320] + 0.5
        image = np.full((240, 320, 3), 0.05, dtype=np.float32)
        image[np.hypot(columns - x, rows - y) < radius] = level
        return image

    def test_a_lamp_is_found_in_its_middle(self) -> None:
        [spot] = white_spots(self.disc(100.0, 60.0, 9.0))
        assert (spot.x_px, spot.y_px) == pytest.approx((100.0, 60.0), abs=0.3)
        assert 0.65 < spot.area_px / (np.pi * 81) < 1.0

    def test_the_largest_three_come_largest_first(self) -> None:
        image = np.max([self.disc(60 * k, 100.0, 4.0 + k) for k in range(1, 6)], axis=0)
        spots = white_spots(image)
        assert [round(spot.x_px) for spot in spots] == [300, 240, 180]

    @pytest.mark.parametrize(
        "image",
        [
            np.ones((240, 320, 3), dtype=np.float32),
            np.zeros((240, 320, 3), dtype=np.float32),
            np.full((1, 1, 3), 1, dtype=np.float32),
        ],
    )
    def test_a_plain_picture_has_none(self, image: NDArray[np.float32]) -> None:
        assert white_spots(image) == ()

    def test_grey_long_and_large_things_are_no_lamps(self) -> None:
        assert white_spots(self.disc(100, 60, 9, level=0.7)) == ()
        assert white_spots(self.disc(160, 120, 60)) == ()
        stripe = self.disc(-50, -50, 1)
        stripe[100:104, 50:200] = 1
        assert white_spots(stripe) == ()

    def test_a_lamp_glows_where_it_is(self) -> None:
        plain, lit = self.disc(-50, -50, 1), self.disc(220, 150, 8)
        values = parameters(source_light=0.0, scattered_share=0.3)
        added = flare(lit, values) - lit - (flare(plain, values) - plain)
        assert float(added[150, 200:210].mean()) > 5 * float(added[40, 40:60].mean()) > 0


@pytest.mark.parametrize(
    "change",
    [
        {"blades": 2},
        {"scattered_share": 1.5},
        {"surface_reflectance": -0.1},
        {"source_light": float("nan")},
        {"beyond": -1},
        {"lens_seed": -1},
        {"sun": 1},
    ],
)
def test_bad_parameters_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        parameters(**change)
