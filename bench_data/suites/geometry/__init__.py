"""Suites for models of geometry: posed frames with depth, in SpatialBench's tree (arXiv 2605.27367)."""

from ...scenes.importing.spatialbench import FrameFiles, GeometryFrame
from .sample import AXES, GeometrySample, sample_from_record
from .writing import GeometryScene, write_geometry

__all__ = [
    "AXES",
    "FrameFiles",
    "GeometryFrame",
    "GeometrySample",
    "GeometryScene",
    "sample_from_record",
    "write_geometry",
]
