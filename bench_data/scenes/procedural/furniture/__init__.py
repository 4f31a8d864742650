"""Furniture and household things, made of parts of sensible size.

Each maker takes an empty `Assembly` and the colour that is wished for, and gives a `Product`. Things of wood, cane or
card keep their own colour.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..assembling import Product
from ..shapes import Assembly
from . import bedroom, decoration, electronics, lamps, movables, seating, storage, tables

__all__ = ["MAKERS", "Maker", "made"]

Maker = Callable[[Assembly, str], Product]

MAKERS: dict[str, Maker] = {
    "sofa": seating.sofa,
    "armchair": seating.armchair,
    "dining chair": seating.dining_chair,
    "office chair": seating.office_chair,
    "stool": seating.stool,
    "pouf": seating.pouf,
    "dining table": tables.dining_table,
    "coffee table": tables.coffee_table,
    "side table": tables.side_table,
    "desk": tables.desk,
    "chest of drawers": storage.chest_of_drawers,
    "nightstand": storage.nightstand,
    "TV stand": storage.tv_stand,
    "wardrobe": storage.wardrobe,
    "bookshelf": storage.bookshelf,
    "bed": bedroom.bed,
    "cushion": bedroom.cushion,
    "floor lamp": lamps.floor_lamp,
    "table lamp": lamps.table_lamp,
    "ceiling lamp": lamps.ceiling_lamp,
    "television": electronics.television,
    "monitor": electronics.monitor,
    "laptop": electronics.laptop,
    "fridge": electronics.fridge,
    "washing machine": electronics.washing_machine,
    "microwave": electronics.microwave,
    "potted plant": decoration.potted_plant,
    "vase": decoration.vase,
    "mug": decoration.mug,
    "bottle": decoration.bottle,
    "stack of books": decoration.book_stack,
    "rug": decoration.rug,
    "picture": decoration.picture,
    "mirror": decoration.mirror,
    "clock": decoration.clock,
    "cardboard box": movables.cardboard_box,
    "suitcase": movables.suitcase,
    "backpack": movables.backpack,
    "waste bin": movables.waste_bin,
    "basket": movables.basket,
    "toy ball": movables.toy_ball,
}
"""Every category, under its label."""

_FINENESS = {
    "dining chair": 0.8,
    "office chair": 0.8,
    "stool": 0.7,
    "floor lamp": 0.7,
    "nightstand": 0.8,
    "suitcase": 0.7,
    "cardboard box": 0.8,
    "television": 0.9,
    "picture": 0.8,
    "rug": 1.5,
    "microwave": 0.55,
    "monitor": 0.55,
    "cushion": 0.55,
    "backpack": 0.55,
    "potted plant": 0.6,
    "ceiling lamp": 0.6,
    "waste bin": 0.55,
    "toy ball": 0.5,
    "table lamp": 0.45,
    "clock": 0.45,
    "stack of books": 0.75,
    "laptop": 0.4,
    "vase": 0.33,
    "bottle": 0.25,
    "mug": 0.23,
}
"""Distance between surfels against that of large furniture: small things are looked at from closer by."""

SPACING_M = 0.03


def made(label: str, colour: str, seed: int, *, density: float = 1.0) -> Product:
    """One object; the same arguments give the same one, and another colour the same in another colour.

    Args:
        label: a key of `MAKERS`.
        colour: a word of `palette.PAINTS`.
        seed: of everything else about it.
        density: surfels against the usual number.
    """
    spacing = SPACING_M * _FINENESS.get(label, 1.0) / density**0.5
    return MAKERS[label](Assembly(spacing, np.random.default_rng(seed)), colour)
