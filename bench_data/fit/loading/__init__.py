"""Posed pictures and RGB-D from disk, as COLMAP, nerfstudio, TUM and Open3D lay them out."""

from .images import load_images
from .rgbd import load_rgbd
from .structure_from_motion import find_poses

__all__ = ["find_poses", "load_images", "load_rgbd"]
