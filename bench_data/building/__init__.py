"""Building data sets: scenes, views, questions and conditions from settings and a seed, the same bytes every time."""

from .build import BuildReport, Progress, build_data_set
from .conditions import Condition, parse_conditions
from .data_set import AskedQuestion, DataSet
from .manifest import Manifest, changed_files, read_manifest
from .picture_record import ObjectRecord, PictureRecord, read_picture_record
from .settings import BuildSettings, SceneSpec

__all__ = [
    "AskedQuestion",
    "BuildReport",
    "BuildSettings",
    "Condition",
    "DataSet",
    "Manifest",
    "ObjectRecord",
    "PictureRecord",
    "Progress",
    "SceneSpec",
    "build_data_set",
    "changed_files",
    "parse_conditions",
    "read_manifest",
    "read_picture_record",
]
