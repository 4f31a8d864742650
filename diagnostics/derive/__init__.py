"""The symbolic engine: what follows from a scene graph for a question, and how far a true graph would carry."""

from .ceiling import CeilingRow, CeilingTable, Engine, GraphOf, agrees, oracle_ceiling
from .derived import Derived, Status
from .engine import Deriver, derive
from .numbering import Numbering, numbers_by_name
from .published import PublishedGraph, derive_published, published_graph_from_record
from .true_graphs import full_graph_of, published_graph_of, star_graph_of

__all__ = [
    "CeilingRow",
    "CeilingTable",
    "Derived",
    "Deriver",
    "Engine",
    "GraphOf",
    "Numbering",
    "PublishedGraph",
    "Status",
    "agrees",
    "derive",
    "derive_published",
    "full_graph_of",
    "numbers_by_name",
    "oracle_ceiling",
    "published_graph_from_record",
    "published_graph_of",
    "star_graph_of",
]
