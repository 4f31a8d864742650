"""Scenes: a cloud of Gaussians with the truth that belongs to it - objects with oriented boxes, and views."""

from .box import OrientedBox
from .folder import read_scene, write_scene
from .scene import Instance, Scene, SceneKind, SceneView

__all__ = ["Instance", "OrientedBox", "Scene", "SceneKind", "SceneView", "read_scene", "write_scene"]
