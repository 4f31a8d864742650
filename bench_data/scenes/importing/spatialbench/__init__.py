"""SpatialBench's tree on disk: its index, and its frames as its own loader gives them."""

from .frame_files import FrameFiles, GeometryFrame, SceneMeta
from .index import TAG_AXES, IndexEntry, has_true_cloud, prioritised, read_index, scene_folder, true_cloud_file
from .loading import BenchFrames, load_frames
from .scene_files import read_meta, scene_frames
from .tables import DATASETS, DatasetRules, Resolution, WidthAligned

__all__ = [
    "DATASETS",
    "TAG_AXES",
    "BenchFrames",
    "DatasetRules",
    "FrameFiles",
    "GeometryFrame",
    "IndexEntry",
    "Resolution",
    "SceneMeta",
    "WidthAligned",
    "has_true_cloud",
    "load_frames",
    "prioritised",
    "read_index",
    "read_meta",
    "scene_folder",
    "scene_frames",
    "true_cloud_file",
]
