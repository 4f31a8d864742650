"""Things to sit on."""

from __future__ import annotations

import math

from ..assembling import Product, Surface, product
from ..materials import Material, fabric, leather, metal, plastic, steel, wicker, wood
from ..palette import pick
from ..shapes import Assembly, turn

__all__ = ["armchair", "dining_chair", "office_chair", "pouf", "sofa", "stool"]


def _upholstery(a: Assembly, colour: str) -> Material:
    if a.rng.random() < 0.3 and colour in ("brown", "black", "white", "red", "beige"):
        return leather(a.rng, colour)
    pattern = pick(a.rng, ("", "", "", "striped", "checked"))
    return fabric(a.rng, colour, pattern, period_m=0.16)


def _easy_seat(a: Assembly, cloth: Material, width_m: float, places: int) -> tuple[float, tuple[float, ...]]:
    """Sofa or armchair; gives the height of the seat and its rectangle."""
    rng, legs = a.rng, wood(a.rng, pick(a.rng, ("oak", "walnut", "wenge")))
    depth, arm = float(rng.uniform(0.82, 0.92)), float(rng.uniform(0.12, 0.2))
    seat_h, back_h, arm_h = (
        float(rng.uniform(0.40, 0.45)),
        float(rng.uniform(0.78, 0.9)),
        float(rng.uniform(0.55, 0.64)),
    )
    half, foot = width_m / 2, 0.10
    for x in (-depth / 2 + 0.08, depth / 2 - 0.08):
        for y in (-half + 0.1, half - 0.1):
            a.cylinder((x, y, 0), 0.018, foot, legs, top_radius_m=0.026)
    a.box((-depth / 2, -half + arm, foot), (depth / 2 - 0.02, half - arm, seat_h - 0.14), cloth, radius_m=0.02)
    for side in (-1, 1):
        y0, y1 = sorted((side * half, side * (half - arm)))
        a.box((-depth / 2, y0, foot), (depth / 2, y1, arm_h), cloth, radius_m=0.05, bulge_m=0.006)
    back = a.placed((-depth / 2 + 0.02, 0, seat_h - 0.1), turn("y", -0.12))
    back.box((0.0, -half + arm, 0), (0.16, half - arm, back_h - seat_h + 0.08), cloth, radius_m=0.05)
    seat_w = (width_m - 2 * arm) / places
    for k in range(places):
        y = -half + arm + k * seat_w
        a.box(
            (-depth / 2 + 0.17, y + 0.004, seat_h - 0.15),
            (depth / 2 + 0.01, y + seat_w - 0.004, seat_h),
            cloth,
            radius_m=0.045,
            bulge_m=0.018,
        )
        cushion = a.placed((-depth / 2 + 0.15, 0, seat_h), turn("y", -0.2))
        cushion.box(
            (0.02, y + 0.012, 0),
            (0.17, y + seat_w - 0.012, back_h - seat_h - 0.04),
            cloth,
            radius_m=0.06,
            bulge_m=0.025,
        )
    seat = (-depth / 2 + 0.36, -half + arm + 0.02, depth / 2 - 0.04, half - arm - 0.02)
    return seat_h + 0.018, seat


def sofa(a: Assembly, colour: str) -> Product:
    """Two or three seats with arms and loose back cushions."""
    cloth, places = _upholstery(a, colour), int(a.rng.integers(2, 4))
    height, seat = _easy_seat(a, cloth, 0.68 * places + float(a.rng.uniform(0.3, 0.45)), places)
    surface = Surface(height, (seat[0], seat[1], seat[2], seat[3]))
    return product(
        "sofa",
        a,
        has_front=True,
        surfaces=(surface,),
        colour=cloth.colour,
        material=cloth.word,
        pattern=cloth.pattern,
        size="large" if places == 3 else "small",
    )


def armchair(a: Assembly, colour: str) -> Product:
    """One deep seat with arms."""
    cloth = _upholstery(a, colour)
    height, seat = _easy_seat(a, cloth, float(a.rng.uniform(0.82, 0.96)), 1)
    surface = Surface(height, (seat[0], seat[1], seat[2], seat[3]))
    return product(
        "armchair",
        a,
        has_front=True,
        surfaces=(surface,),
        colour=cloth.colour,
        material=cloth.word,
        pattern=cloth.pattern,
    )


def dining_chair(a: Assembly, colour: str) -> Product:
    """Four legs, a seat, and a back of slats, of one panel, or padded."""
    rng = a.rng
    width, depth = float(rng.uniform(0.42, 0.48)), float(rng.uniform(0.42, 0.48))
    seat_h, back_h = float(rng.uniform(0.44, 0.47)), float(rng.uniform(0.82, 0.98))
    frame, seat, attributes = _chair_materials(a, colour)
    leg, half_w, half_d = 0.019, width / 2, depth / 2
    for y in (-half_w + leg, half_w - leg):
        a.box((half_d - 2 * leg, y - leg, 0), (half_d, y + leg, seat_h - 0.02), frame)
        post = a.placed((-half_d + leg, y, 0))
        post.box((-leg, -leg, 0), (leg, leg, seat_h - 0.02), frame)
        upper = a.placed((-half_d + leg, y, seat_h - 0.02), turn("y", -0.14))
        upper.box((-leg, -leg, 0), (leg, leg, back_h - seat_h), frame)
        a.box((-half_d + 2 * leg, y - 0.01, seat_h - 0.075), (half_d - 2 * leg, y + 0.01, seat_h - 0.025), frame)
    a.box((-half_d, -half_w, seat_h - 0.025), (half_d, half_w, seat_h + 0.015), seat, radius_m=0.014, bulge_m=0.006)
    back = a.placed((-half_d + leg, 0, seat_h - 0.02), turn("y", -0.14))
    height = back_h - seat_h
    style = pick(rng, ("slats", "panel", "rungs"))
    inner = half_w - 2 * leg
    if style == "panel":
        back.box((-0.016, -inner - leg, 0.12), (0.02, inner + leg, height + 0.01), seat, radius_m=0.012)
    else:
        back.box((-0.012, -inner, height - 0.09), (0.014, inner, height - 0.01), frame)
    if style == "rungs":
        for z in (0.14, 0.25):
            back.box((-0.01, -inner, z), (0.01, inner, z + 0.045), frame)
    if style == "slats":
        for k in range(5):
            y = -inner + (k + 0.5) * 2 * inner / 5
            back.box((-0.008, y - 0.016, 0.02), (0.01, y + 0.016, height - 0.085), frame)
    return product(
        "dining chair",
        a,
        has_front=True,
        colour=attributes.get("colour", ""),
        material=attributes.get("material", ""),
    )


def _chair_materials(a: Assembly, colour: str) -> tuple[Material, Material, dict[str, str]]:
    kind = pick(a.rng, ("wood", "painted", "padded", "plastic"))
    if kind == "wood":
        frame = wood(a.rng)
        return frame, frame, {"material": "wooden", "colour": frame.colour}
    if kind == "painted":
        frame = metal(a.rng, colour)
        return frame, frame, {"material": "metal", "colour": colour}
    if kind == "padded":
        frame, seat = wood(a.rng, pick(a.rng, ("oak", "walnut"))), fabric(a.rng, colour)
        return frame, seat, {"colour": colour}
    frame = plastic(a.rng, colour)
    return frame, frame, {"material": "plastic", "colour": colour}


def office_chair(a: Assembly, colour: str) -> Product:
    """Swivel chair on five castors, with arms."""
    rng, cloth, dark = a.rng, fabric(a.rng, colour), plastic(a.rng, "black")
    seat_h, back_h = float(rng.uniform(0.46, 0.52)), float(rng.uniform(0.98, 1.15))
    for k in range(5):
        angle = 2 * math.pi * (k + 0.5) / 5
        arm = a.placed((0, 0, 0), turn("z", angle))
        arm.tube((0.03, 0, 0.105), (0.27, 0, 0.075), 0.018, dark)
        arm.ball((0.28, 0, 0.03), (0.026, 0.03, 0.03), dark)
    a.cylinder((0, 0, 0.08), 0.032, 0.07, dark)
    a.cylinder((0, 0, 0.14), 0.018, seat_h - 0.2, steel(rng))
    a.box((-0.12, -0.1, seat_h - 0.08), (0.12, 0.1, seat_h - 0.05), dark)
    a.box((-0.24, -0.25, seat_h - 0.055), (0.25, 0.25, seat_h + 0.03), cloth, radius_m=0.035, bulge_m=0.012)
    a.box((-0.27, -0.03, seat_h - 0.05), (-0.22, 0.03, seat_h + 0.2), dark)
    back = a.placed((-0.25, 0, seat_h + 0.09), turn("y", -0.12))
    back.box((-0.03, -0.23, 0), (0.05, 0.23, back_h - seat_h - 0.1), cloth, radius_m=0.035, bulge_m=0.012)
    for y in (-0.28, 0.28):
        a.box((-0.02, y - 0.015, seat_h - 0.03), (0.03, y + 0.015, seat_h + 0.2), dark)
        a.box((-0.13, y - 0.03, seat_h + 0.2), (0.14, y + 0.03, seat_h + 0.23), dark, radius_m=0.012)
        a.box((-0.02, min(y, 0), seat_h - 0.06), (0.03, max(y, 0), seat_h - 0.035), dark)
    return product("office chair", a, has_front=True, colour=colour, material="fabric")


def stool(a: Assembly, colour: str) -> Product:
    """A round seat on splayed legs, low or as high as a bar."""
    rng, tall = a.rng, bool(a.rng.random() < 0.4)
    height, radius = float(rng.uniform(0.68, 0.76) if tall else rng.uniform(0.43, 0.48)), float(rng.uniform(0.16, 0.19))
    painted = rng.random() < 0.5
    top = plastic(rng, colour) if painted else wood(rng)
    legs = top if rng.random() < 0.5 else steel(rng)
    a.lathe(
        [
            (0, height - 0.035),
            (radius - 0.01, height - 0.035),
            (radius, height - 0.02),
            (radius, height - 0.01),
            (radius - 0.01, height),
            (0, height),
        ],
        top,
    )
    for k in range(4):
        c, s = math.cos(math.pi * (k + 0.5) / 2), math.sin(math.pi * (k + 0.5) / 2)
        a.tube(
            (radius * 1.05 * c, radius * 1.05 * s, 0.008),
            (radius * 0.6 * c, radius * 0.6 * s, height - 0.03),
            0.014,
            legs,
        )
    ring_r = radius * (1.05 - 0.45 * 0.35)
    a.ring((0, 0, 0.35 * height), "z", ring_r, 0.009, legs)
    return product("stool", a, surfaces=(), colour=top.colour, material=top.word, size="tall" if tall else "short")


def pouf(a: Assembly, colour: str) -> Product:
    """A soft round seat without legs."""
    radius, height = float(a.rng.uniform(0.24, 0.32)), float(a.rng.uniform(0.32, 0.42))
    woven = a.rng.random() < 0.2
    cloth = wicker(a.rng) if woven else fabric(a.rng, colour, pick(a.rng, ("", "striped", "spotted")), period_m=0.1)
    profile = [(0.0, 0.0)]
    for k in range(9):
        t = -math.pi / 2 + math.pi * k / 8
        profile.append((radius - 0.09 + 0.09 * math.cos(t), height / 2 + (height / 2) * math.sin(t)))
    a.lathe([*profile, (0.0, height)], cloth, smooth=True)
    return product("pouf", a, colour=cloth.colour, material=cloth.word, pattern=cloth.pattern)
