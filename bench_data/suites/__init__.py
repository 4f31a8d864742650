"""Suites: questions with their pictures and truths in files, in the published formats and in our own."""

from .crisp_graphs import PictureGraph, read_crisp_graphs, write_crisp_graphs
from .findings import Finding
from .geometry import GeometryFrame, GeometrySample, GeometryScene, write_geometry
from .item import AS_FOUND, CLEAN, SourceRecord, SuiteImage, SuiteItem, item_from_question
from .limits import SuiteLimits
from .reading import locate_suite, read_geometry, read_suite
from .registry import SUITE_FORMATS, Held, SuiteFormat, suite_format
from .validation import SuiteValidation, validate_suite
from .writing import WriteReport, write_suite

__all__ = [
    "AS_FOUND",
    "CLEAN",
    "SUITE_FORMATS",
    "Finding",
    "GeometryFrame",
    "GeometrySample",
    "GeometryScene",
    "Held",
    "PictureGraph",
    "SourceRecord",
    "SuiteFormat",
    "SuiteImage",
    "SuiteItem",
    "SuiteLimits",
    "SuiteValidation",
    "WriteReport",
    "item_from_question",
    "locate_suite",
    "read_crisp_graphs",
    "read_geometry",
    "read_suite",
    "suite_format",
    "validate_suite",
    "write_crisp_graphs",
    "write_geometry",
    "write_suite",
]
