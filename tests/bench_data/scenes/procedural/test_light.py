"""Baked light against what light does."""

from __future__ import annotations

import numpy as np
import pytest

from seeworthy.bench_data.scenes import OrientedBox
from seeworthy.bench_data.scenes.procedural.light import (
    Lamp,
    Lighting,
    Occupancy,
    WindowLight,
    displayed,
    light_on,
    sun_direction,
)

NOTHING = np.zeros(3)
UP = np.array([0.0, 0.0, 1.0])
LOW, HIGH = np.zeros(3), np.array([4.0, 4.0, 2.5])


def occupancy() -> Occupancy:
    return Occupancy.of_points(np.zeros((0, 3)), np.zeros(0), voxel_m=0.1, low_m=LOW, high_m=HIGH)


def lit(points: list[tuple[float, float, float]], lighting: Lighting, filled: OrientedBox | None = None) -> np.ndarray:
    grid = occupancy()
    if filled is not None:
        grid.fill(filled)
    where = np.array(points, dtype=np.float64)
    light, _ = light_on(where, np.broadcast_to(UP, where.shape).copy(), grid.blurred(), lighting)
    return light[:, 0]


def lighting(**changes: object) -> Lighting:
    values: dict[str, object] = {"sky": NOTHING, "ground": NOTHING, "sun": NOTHING, "to_sun": UP}
    return Lighting(**{**values, **changes})  # type: ignore[arg-type]


def test_open_sky_lights_level_ground_fully_and_a_roof_darkens_what_is_under_it() -> None:
    roof = OrientedBox.upright((2, 2, 1.0), (1.6, 1.6, 0.3))
    under, edge, out = lit([(2, 2, 0.3), (2, 2.85, 0.3), (2, 3.9, 0.3)], lighting(sky=np.ones(3)), roof)
    assert out == pytest.approx(1, abs=0.03)
    assert under < 0.5
    assert under < edge < out


def test_the_sun_casts_a_shadow_away_from_itself() -> None:
    post = OrientedBox.upright((2, 2, 0.6), (0.4, 0.4, 1.2))
    towards = sun_direction(0.0, np.pi / 4)  # from +x
    shaded, sunny = lit([(1.3, 2, 0.02), (2.7, 2, 0.02)], lighting(sun=np.ones(3), to_sun=towards), post)
    assert shaded < 0.05
    assert sunny == pytest.approx(np.sin(np.pi / 4), rel=0.02)


def test_the_sun_enters_a_room_through_its_panes_only() -> None:
    window = WindowLight(
        np.array([4.0, 2.0, 1.5]), np.array([0, 0.5, 0]), np.array([0, 0, 0.5]), np.array([-1.0, 0, 0])
    )
    sun = lighting(sun=np.ones(3), to_sun=sun_direction(0.0, np.pi / 4), windows=(window,))
    # 45 degrees from the window's 1 to 2 m: the pool reaches from 1 to 2 m before it, and spares the middle bar.
    pool, beyond, before, beside, bar = lit(
        [(2.5, 2.2, 0), (1.5, 2.2, 0), (3.5, 2.2, 0), (2.5, 3, 0), (2.5, 2, 0)], sun
    )
    assert pool == pytest.approx(np.sin(np.pi / 4))
    assert [beyond, before, beside, bar] == [0, 0, 0, 0]


def test_a_window_lights_by_the_inverse_square_from_afar() -> None:
    small = WindowLight(
        np.array([2.0, 2.0, 2.4]), np.array([0.05, 0, 0]), np.array([0, 0.05, 0]), np.array([0, 0, -1.0])
    )
    near, far = lit([(2, 2, 1.28), (2, 2, 0.28)], lighting(windows=(small,), window_power=np.ones(3)))
    # The samples lie 0.12 m before the pane: at 1 m and 2 m from the points, 0.01 m2.
    assert near == pytest.approx(0.01, rel=0.02)
    assert near / far == pytest.approx(4, rel=0.02)


def test_a_lamp_fades_and_reaches_two_and_a_half_metres() -> None:
    lamp = Lamp(np.array([0.5, 0.5, 1.0]), np.ones(3))
    below, away, too_far = lit([(0.5, 0.5, 0.0), (2.0, 0.5, 0.0), (3.2, 0.5, 0.0)], lighting(lamps=(lamp,)))
    assert below == pytest.approx(1 - 1 / 2.5**2, rel=0.01)
    assert 0 < away < 0.3
    assert too_far == 0


def test_corners_of_a_room_are_darker_than_the_middle_of_its_floor() -> None:
    room = lighting(sky=np.ones(3), room_m=(LOW, HIGH))
    middle, by_wall, corner = lit([(2, 2, 0), (0.05, 2, 0), (0.05, 0.05, 0)], room)
    assert middle > by_wall + 0.1 > corner + 0.1


def test_fill_makes_the_inside_of_a_turned_box_solid() -> None:
    grid = occupancy()
    box = OrientedBox.upright((2, 2, 1.03), (1.0, 0.4, 0.6), heading_rad=0.6)
    grid.fill(box)
    index = np.argwhere(grid.full == 1)
    assert box.contains((index + 0.5) * 0.1).all()
    assert len(index) * 0.1**3 == pytest.approx((0.9) * 0.3 * 0.5, rel=0.15)


def test_display_keeps_order_and_its_range() -> None:
    radiance = np.linspace(0, 20, 200)[:, None] * np.ones(3)
    shown = displayed(radiance)
    assert shown.dtype == np.float32
    assert (np.diff(shown[:, 0]) >= 0).all()
    assert shown.min() == 0 and shown.max() <= 1
    assert displayed(np.full((1, 3), 0.5)) == pytest.approx(0.7354, abs=1e-3)  # under the knee: plain sRGB
