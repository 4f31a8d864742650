"""What stands, parks, grows and walks in a street, in sensible sizes."""

from __future__ import annotations

from collections.abc import Callable

from ..assembling import Product
from ..shapes import Assembly
from . import fixtures, two_wheelers, vehicles

__all__ = ["MAKERS", "SPACING_M"]

MAKERS: dict[str, Callable[[Assembly, str], Product]] = {
    "car": vehicles.car,
    "van": vehicles.van,
    "bus": vehicles.bus,
    "truck": vehicles.truck,
    "bicycle": two_wheelers.bicycle,
    "motorcycle": two_wheelers.motorcycle,
    "person": two_wheelers.person,
    "tree": fixtures.tree,
    "bush": fixtures.bush,
    "street lamp": fixtures.street_lamp,
    "traffic light": fixtures.traffic_light,
    "road sign": fixtures.road_sign,
    "bench": fixtures.bench,
    "litter bin": fixtures.litter_bin,
    "hydrant": fixtures.hydrant,
    "bollard": fixtures.bollard,
    "post box": fixtures.post_box,
    "traffic cone": fixtures.traffic_cone,
}
"""Every category but houses, under its label."""

SPACING_M: dict[str, float] = {
    "car": 0.12,
    "van": 0.16,
    "bus": 0.22,
    "truck": 0.2,
    "bicycle": 0.08,
    "motorcycle": 0.08,
    "person": 0.11,
    "tree": 0.12,
    "bush": 0.12,
    "street lamp": 0.09,
    "traffic light": 0.06,
    "road sign": 0.06,
    "bench": 0.07,
    "litter bin": 0.06,
    "hydrant": 0.025,
    "bollard": 0.05,
    "post box": 0.06,
    "traffic cone": 0.04,
}
"""Distance between surfels of each."""
