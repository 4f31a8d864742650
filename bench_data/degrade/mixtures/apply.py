"""Degrading pictures by recipe."""

from __future__ import annotations

from operator import index

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchDataError
from ...images.picture import Picture
from ..apply import compose
from ..record import Composition
from ..registry import DEGRADATION_REGISTRY, FormationStage
from .recipe import RECIPES, Recipe

__all__ = ["check_recipe", "degrade_recipe"]


def degrade_recipe(
    picture: Picture,
    recipe: Recipe | str,
    *,
    seed: int,
    depth_m: NDArray[np.float32] | None = None,
) -> Composition:
    """Degrades a photograph by a mixture, in the order of image formation.

    A scene is degraded alike by passing ``recipe.degradations(seed)`` to the function that draws it.

    Args:
        picture: the clean picture.
        recipe: or the name of a registered one, such as "night_capture".
        seed: chooses the severities of the parts that leave it open, the parameters and the noise.
        depth_m: (H, W), metres along the optical axis, NaN = unknown.

    Raises:
        BenchDataError: two parts that both are the sensor, or a depth map of another size.
        RegistryError: an unknown recipe or degradation.
    """
    chosen = RECIPES.get(recipe) if isinstance(recipe, str) else recipe
    check_recipe(chosen)
    return compose(picture, chosen.degradations(index(seed)), seed=seed, depth_m=depth_m)


def check_recipe(recipe: Recipe) -> None:
    """Refuses what no picture can go through, before any is touched.

    Raises:
        BenchDataError: two parts that both are the sensor.
        RegistryError: an unknown degradation.
    """
    specs = [(part, DEGRADATION_REGISTRY.get(part.degradation)) for part in recipe.parts]
    sensors = [
        part.degradation
        for part, spec in specs
        if spec.stage is FormationStage.SENSOR and part.severity not in (0, (0, 0))
    ]
    if len(sensors) > 1:
        raise BenchDataError(
            f"recipe {recipe.name!r}: {' and '.join(sensors)} are both models of the sensor, and a picture has one; "
            "keep one of them"
        )
