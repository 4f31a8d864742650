"""Consistency: does what a model answers follow from the scene graph that it draws of the same picture?"""

from .chance import expected_agreement, expected_same_wrong
from .compared import Compared, Outcome, outcome_of
from .published import PublishedConsistency, PublishedItem, published_consistency, published_match
from .report import Ceiling, ConsistencyReport, GroupConsistency, SharedErrors, consistency

__all__ = [
    "Ceiling",
    "Compared",
    "ConsistencyReport",
    "GroupConsistency",
    "Outcome",
    "PublishedConsistency",
    "PublishedItem",
    "SharedErrors",
    "consistency",
    "expected_agreement",
    "expected_same_wrong",
    "outcome_of",
    "published_consistency",
    "published_match",
]
