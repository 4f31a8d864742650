"""Truths of made-up rooms whose objects have colours and materials, known or open."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from seeworthy.bench_data.questions import SceneTruth

from .indoor import a_room

COLOURS = ("red", "green", "blue", "orange", "white", "black", "grey", "yellow", "purple", "brown")
MATERIALS = ("wooden", "metal", "glass", "plastic", "fabric", "leather")


def a_furnished_room(seed: int, *, objects: int = 18, views: int = 20) -> SceneTruth:
    """`a_room` with a colour and a material for nine of ten objects each; of the others two colours are possible."""
    room = a_room(seed, objects=objects, views=views)
    rng = np.random.default_rng([seed, 21])
    instances = []
    for one in room.instances:
        attributes: dict[str, str] = {}
        colour, second = (str(word) for word in rng.choice(COLOURS, 2, replace=False))
        if rng.random() < 0.9:
            attributes["colour"] = colour
        else:
            attributes["colour_may_be"] = f"{colour} {second}"
        if rng.random() < 0.9:
            attributes["material"] = str(rng.choice(MATERIALS))
        instances.append(one if one.is_structure else replace(one, attributes=attributes))
    return replace(room, instances=tuple(instances))
