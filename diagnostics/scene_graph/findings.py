"""What had to be understood, repaired or left out while a graph was read from a reply."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["MAX_FINDINGS", "Finding", "FindingKind", "GraphStatus"]

MAX_FINDINGS = 100
"""No more are kept; all are counted."""


class GraphStatus(StrEnum):
    """How reading a graph ended.

    clean: everything was read as it stood. repaired: everything was read, some of it after a repair or a conversion.
    partial: something could not be read and is missing. failed: there is no graph.
    """

    CLEAN = "clean"
    REPAIRED = "repaired"
    PARTIAL = "partial"
    FAILED = "failed"


class FindingKind(StrEnum):
    """A sort of finding; `loses` tells those by which something is missing."""

    JSON_REPAIRED = "json_repaired"
    UNWRAPPED = "unwrapped"
    OTHER_FORM = "other_form"
    NUMBER_CONVERTED = "number_converted"
    LABEL_CLEANED = "label_cleaned"
    REPEATED = "repeated"
    IMPLIED_OBJECT = "implied_object"
    SOURCE_ASSUMED = "source_assumed"
    NO_GRAPH = "no_graph"
    TRUNCATED = "truncated"
    SEVERAL_GRAPHS = "several_graphs"
    WRONG_TYPE = "wrong_type"
    NO_ID = "no_id"
    BAD_NUMBER = "bad_number"
    CONFLICT = "conflict"
    SELF_EDGE = "self_edge"
    CAMERA_EDGE = "camera_edge"
    UNKNOWN_WORD = "unknown_word"
    UNSURE_WORD = "unsure_word"
    CONTRADICTION = "contradiction"
    TOO_MANY = "too_many"

    @property
    def loses(self) -> bool:
        """Whether something that was said is missing from the graph, or said in two ways."""
        return self not in _HARMLESS


_HARMLESS = frozenset(
    {
        FindingKind.JSON_REPAIRED,
        FindingKind.UNWRAPPED,
        FindingKind.OTHER_FORM,
        FindingKind.NUMBER_CONVERTED,
        FindingKind.LABEL_CLEANED,
        FindingKind.REPEATED,
        FindingKind.IMPLIED_OBJECT,
        FindingKind.SOURCE_ASSUMED,
    }
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One of them: what, where ("objects[3].height"), and a few words."""

    kind: FindingKind
    path: str = ""
    detail: str = ""


@dataclass
class FindingLog:
    """Collects findings, keeps the first ones and counts all."""

    kept: list[Finding] = field(default_factory=list)
    counts: Counter[FindingKind] = field(default_factory=Counter)

    def add(self, kind: FindingKind, path: str = "", detail: str = "") -> None:
        """Note one."""
        self.counts[kind] += 1
        if len(self.kept) < MAX_FINDINGS:
            self.kept.append(Finding(kind, _printable(path), _printable(detail)))

    @property
    def status(self) -> GraphStatus:
        """Of a graph that was read with these findings."""
        if any(kind.loses for kind in self.counts):
            return GraphStatus.PARTIAL
        return GraphStatus.REPAIRED if self.counts else GraphStatus.CLEAN


def _printable(text: str) -> str:
    """Text on one line; a finding quotes what a model wrote."""
    return text if text.isprintable() else "".join(char if char.isprintable() else " " for char in text)
