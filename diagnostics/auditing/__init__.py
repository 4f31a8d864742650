"""Audits: a model is asked for answers and scene graphs of the same pictures, and told apart by how they fit."""

from .pictures import AuditedPicture, PictureChoice, choose_pictures, true_graph
from .published import PublishedValues, published_values
from .results import AnswerRow, AuditPart, DrawnGraph, Item
from .run import Progress, run_audit
from .settings import AuditSettings
from .summary import AskedGraphs, PartSummary, RelationConfusion, audit_errors, compared_answers, summarise

__all__ = [
    "AnswerRow",
    "AskedGraphs",
    "AuditPart",
    "AuditSettings",
    "AuditedPicture",
    "DrawnGraph",
    "Item",
    "PartSummary",
    "PictureChoice",
    "Progress",
    "PublishedValues",
    "RelationConfusion",
    "audit_errors",
    "choose_pictures",
    "compared_answers",
    "published_values",
    "run_audit",
    "summarise",
    "true_graph",
]
