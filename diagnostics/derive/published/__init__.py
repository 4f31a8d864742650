"""CRISP's flag-based solver as published, faults included; for results comparable with published ones."""

from .graph import PublishedGraph, PublishedNode, published_graph_from, published_graph_from_record
from .solver import derive_published
from .words import matching_option, relations_in

__all__ = [
    "PublishedGraph",
    "PublishedNode",
    "derive_published",
    "matching_option",
    "published_graph_from",
    "published_graph_from_record",
    "relations_in",
]
