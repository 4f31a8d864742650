"""Degraded views of scenes: what belongs to lens and motion is rendered, not painted on, and the truth moves along."""

from .apply import degrade_view, degrade_view_with, replay_view
from .far_depth import scene_far_m
from .forming import DegradedView
from .truth import ViewTruth
from .visibility import ObjectContrast, ObjectVisibility, object_contrasts, object_visibility

__all__ = [
    "DegradedView",
    "ObjectContrast",
    "ObjectVisibility",
    "ViewTruth",
    "degrade_view",
    "degrade_view_with",
    "object_contrasts",
    "object_visibility",
    "replay_view",
    "scene_far_m",
]
