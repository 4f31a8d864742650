"""Degradations: physical models of what goes wrong with a picture, from the air to the file."""

from .apply import compose, degrade, degrade_with, names_on_photographs, replay
from .mixtures import RECIPES, Recipe, degrade_recipe, recipes_from_yaml
from .pixel_map import Box, PixelMap, box_of_mask
from .record import Composition, DegradationRecord, Degraded
from .registry import (
    DEGRADATION_REGISTRY,
    DegradationParameters,
    DegradationSpec,
    EncodedEffect,
    FormationStage,
    LightEffect,
    SceneLight,
    Severity,
    codec_degradation,
    light_degradation,
)
from .view_plan import ViewPlan
from .views import (
    DegradedView,
    ObjectVisibility,
    ViewTruth,
    degrade_view,
    degrade_view_with,
    object_visibility,
    replay_view,
    scene_far_m,
)

__all__ = [
    "DEGRADATION_REGISTRY",
    "RECIPES",
    "Box",
    "Composition",
    "DegradationParameters",
    "DegradationRecord",
    "DegradationSpec",
    "Degraded",
    "DegradedView",
    "EncodedEffect",
    "FormationStage",
    "LightEffect",
    "ObjectVisibility",
    "PixelMap",
    "Recipe",
    "SceneLight",
    "Severity",
    "ViewPlan",
    "ViewTruth",
    "box_of_mask",
    "codec_degradation",
    "compose",
    "degrade",
    "degrade_recipe",
    "degrade_view",
    "degrade_view_with",
    "degrade_with",
    "light_degradation",
    "names_on_photographs",
    "object_visibility",
    "recipes_from_yaml",
    "replay",
    "replay_view",
    "scene_far_m",
]
