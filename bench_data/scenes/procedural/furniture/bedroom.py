"""Beds and what lies on them."""

from __future__ import annotations

from ..assembling import Product, Surface, product
from ..materials import fabric, wood
from ..palette import pick
from ..shapes import Assembly, turn

__all__ = ["bed", "cushion"]


def bed(a: Assembly, colour: str) -> Product:
    """Headboard at -x, one or two pillows, and a cover that hangs over the sides."""
    rng, double = a.rng, bool(a.rng.random() < 0.6)
    half_l, half_w = float(rng.uniform(1.0, 1.06)), float(rng.uniform(0.75, 0.85) if double else rng.uniform(0.45, 0.5))
    frame = wood(rng) if rng.random() < 0.7 else fabric(rng, pick(rng, ("grey", "beige")))
    linen, cover = fabric(rng, "white"), fabric(rng, colour, pick(rng, ("", "", "striped", "checked")), period_m=0.24)
    base, top, head = 0.3, float(rng.uniform(0.5, 0.56)), float(rng.uniform(0.95, 1.15))
    a.box((-half_l, -half_w - 0.03, 0.08), (-half_l + 0.06, half_w + 0.03, head), frame, radius_m=0.012)
    a.box((-half_l + 0.05, -half_w, 0.12), (half_l, half_w, base), frame, radius_m=0.01)
    for x in (-half_l + 0.03, half_l - 0.1):
        for y in (-half_w + 0.02, half_w - 0.09):
            a.box((x, y, 0), (x + 0.07, y + 0.07, 0.13), frame)
    a.box((-half_l + 0.07, -half_w + 0.01, base), (half_l - 0.02, half_w - 0.01, top), linen, radius_m=0.05)
    a.box(
        (-half_l + 0.62, -half_w - 0.01, base - 0.08),
        (half_l - 0.005, half_w + 0.01, top + 0.025),
        cover,
        radius_m=0.04,
        bulge_m=0.012,
        without=("-z",),
    )
    a.box(
        (-half_l + 0.55, -half_w - 0.012, base - 0.06),
        (-half_l + 0.72, half_w + 0.012, top + 0.032),
        linen,
        radius_m=0.03,
        without=("-z",),
    )
    for y in (-half_w / 2, half_w / 2) if double else (0.0,):
        pillow = a.placed((-half_l + 0.1, y, top - 0.005), turn("y", -0.28))
        pillow.box((0.0, -0.3, 0.0), (0.4, 0.3, 0.12), linen, radius_m=0.055, bulge_m=0.03)
    surface = Surface(top + 0.037, (-0.1, -half_w + 0.15, half_l - 0.2, half_w - 0.15))
    return product(
        "bed",
        a,
        has_front=True,
        surfaces=(surface,),
        colour=cover.colour,
        pattern=cover.pattern,
        size="large" if double else "small",
    )


def cushion(a: Assembly, colour: str) -> Product:
    """Soft and square, lying on its side."""
    rng, half = a.rng, float(a.rng.uniform(0.18, 0.22))
    cloth = fabric(rng, colour, pick(rng, ("", "striped", "checked", "spotted")), period_m=0.09)
    a.box((-half, -half, 0.02), (half, half, 0.1), cloth, radius_m=0.038, bulge_m=0.022)
    return product("cushion", a, colour=colour, pattern=cloth.pattern, material="fabric")
