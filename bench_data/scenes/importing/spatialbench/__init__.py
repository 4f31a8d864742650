"""SpatialBench's tree on disk: its index, and its frames as its own loader gives them."""

from .index import TAG_AXES, IndexEntry, has_true_cloud, prioritised, read_index, true_cloud_file
from .loading import BenchFrames, load_frames
from .tables import DATASETS, DatasetRules, WidthAligned

__all__ = [
    "DATASETS",
    "TAG_AXES",
    "BenchFrames",
    "DatasetRules",
    "IndexEntry",
    "WidthAligned",
    "has_true_cloud",
    "load_frames",
    "prioritised",
    "read_index",
    "true_cloud_file",
]
