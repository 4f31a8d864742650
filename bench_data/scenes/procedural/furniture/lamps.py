"""Lamps: their shades glow, and the room knows where they are."""

from __future__ import annotations

from ..assembling import Product, product
from ..materials import Material, ceramic, glowing, metal, plain, steel, wood
from ..palette import paint, pick
from ..shapes import Assembly

__all__ = ["ceiling_lamp", "floor_lamp", "table_lamp"]


def _shade(a: Assembly, colour: str) -> Material:
    """Cloth that light comes through."""
    return plain("fabric", paint(colour, a.rng), roughness=0.03, colour=colour).glows(0.5)


def _drum(a: Assembly, low_m: float, height_m: float, bottom_m: float, top_m: float, cloth: Material) -> None:
    """A shade, seen from outside and from within."""
    a.lathe([(bottom_m, low_m), (top_m, low_m + height_m)], cloth)
    a.lathe([(top_m - 0.004, low_m + height_m), (bottom_m - 0.004, low_m)], cloth.glows(0.8))
    a.ball((0, 0, low_m + height_m * 0.45), 0.035, glowing((255, 236, 200), 1.0))


def floor_lamp(a: Assembly, colour: str) -> Product:
    """A pole with a drum or cone of cloth."""
    rng, tall = a.rng, bool(a.rng.random() < 0.6)
    height, drum = float(rng.uniform(1.55, 1.75) if tall else rng.uniform(1.15, 1.3)), float(rng.uniform(0.24, 0.32))
    pole, cloth = steel(rng, int(rng.integers(60, 170))), _shade(a, colour)
    radius = float(rng.uniform(0.17, 0.22))
    a.lathe([(0, 0), (0.14, 0), (0.14, 0.018), (0.02, 0.035), (0, 0.035)], pole)
    a.cylinder((0, 0, 0.03), 0.012, height - 0.03 - drum * 0.5, pole)
    _drum(a, height - drum, drum, radius, radius * float(rng.uniform(0.6, 0.95)), cloth)
    return product("floor lamp", a, colour=colour, size="tall" if tall else "short", lamp_m=(0, 0, height - drum / 2))


def table_lamp(a: Assembly, colour: str) -> Product:
    """A turned foot under a shade."""
    rng = a.rng
    foot = ceramic(rng, colour) if rng.random() < 0.6 else wood(rng)
    shade_colour = colour if foot.word == "wooden" else pick(rng, ("white", "beige", colour))
    height, radius = float(rng.uniform(0.38, 0.52)), float(rng.uniform(0.11, 0.14))
    drum = height * 0.42
    body = height - drum
    a.lathe(
        [
            (0, 0),
            (0.06, 0),
            (0.065, 0.01),
            (0.045, 0.03),
            (0.055, body * 0.35),
            (0.06, body * 0.5),
            (0.045, body * 0.72),
            (0.018, body * 0.9),
            (0.014, body),
            (0.012, body + 0.05),
        ],
        foot,
    )
    _drum(a, body, drum, radius, radius * 0.75, _shade(a, shade_colour))
    return product("table lamp", a, colour=shade_colour, lamp_m=(0, 0, body + drum / 2))


def ceiling_lamp(a: Assembly, colour: str) -> Product:
    """Hangs from a cord; its top is the ceiling."""
    rng, drop, radius = a.rng, float(a.rng.uniform(0.5, 0.75)), float(a.rng.uniform(0.17, 0.24))
    shade = metal(rng, colour)
    a.lathe([(radius, 0), (radius * 0.8, 0.09), (radius * 0.4, 0.17), (0.03, 0.2), (0, 0.2)], shade)
    a.lathe(
        [(0.03, 0.195), (radius * 0.4 - 0.005, 0.165), (radius * 0.8 - 0.005, 0.085), (radius - 0.005, 0)],
        glowing((255, 244, 222), 0.55),
    )
    a.ball((0, 0, 0.07), 0.05, glowing((255, 240, 210), 1.0))
    a.cylinder((0, 0, 0.2), 0.005, drop - 0.2, metal(rng, "black"))
    a.cylinder((0, 0, drop - 0.03), 0.05, 0.03, metal(rng, "white"))
    return product("ceiling lamp", a, colour=colour, material="metal", lamp_m=(0, 0, 0.02))
