"""Scenes out of other programs' and data sets' files, and objects out of masks of single pictures."""

from .back_projection import ColourDepth, back_projected
from .importing import import_scene
from .lifting import InstanceMask, Lifted, LiftSettings, MaskedView, MaskSource, lift_masks, masked_view
from .options import ImportedScene, ImportOptions
from .registry import SCENE_IMPORTERS, SceneImporter, scene_importer
from .world import Up, WorldChange

__all__ = [
    "SCENE_IMPORTERS",
    "ColourDepth",
    "ImportOptions",
    "ImportedScene",
    "InstanceMask",
    "LiftSettings",
    "Lifted",
    "MaskSource",
    "MaskedView",
    "SceneImporter",
    "Up",
    "WorldChange",
    "back_projected",
    "import_scene",
    "lift_masks",
    "masked_view",
    "scene_importer",
]
