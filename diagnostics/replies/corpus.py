"""A corpus of replies with the right outcome, as JSON lines, and the check that the parser agrees with it.

A row::

    {"id": "negation-3", "reply": "Not B, but C.", "answer_format": {"answer_type": "choice", "options": {...}},
     "expected": {"status": "ok", "value": "C", "rule": "declared", "flags": [], "candidates": ["A", "B"]}}

* ``reply``: a string, or an object with the fields of ``seeworthy.tools.models.Reply`` (``text``, ``status``, ...).
* ``expected.status`` is required; every other key that is given has to agree. Ranges are written
  ``{"low": 2.0, "high": 3.0}`` with null for an open side; numbers agree within a relative 1e-5. ``candidates`` are
  the values kept beside an answer, in any order; ``text`` is what stands at the span, without outer blanks.
* ``frame``: ``{"space": "permille", "sent_size": [w, h], "original_size": [w, h]}`` for boxes and points.
* ``published``: read by the rules of a public benchmark instead.
* ``id``, ``kind`` and ``note`` are for people. Empty lines are allowed.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ...bench_data.questions import AnswerFormat
from ...tools.models import CoordinateSpace, Reply
from ..errors import DiagnosticsError
from .boxes import PictureFrame
from .parse import Value, parse_reply
from .published import Published
from .result import Flag, Interval, JsonValue, ParsedReply, ParseStatus, Rule

__all__ = ["CorpusReport", "CorpusRow", "Disagreement", "check_corpus", "check_lines", "format_report"]

_TOLERANCE = 1e-5


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FrameRow(_Row):
    """How the coordinates of a row relate to its picture."""

    space: CoordinateSpace
    sent_size: tuple[int, int]
    original_size: tuple[int, int]

    def frame(self) -> PictureFrame:
        return PictureFrame(self.space, self.sent_size, self.original_size)


class Expected(_Row):
    """What has to come out; what is not given is not compared."""

    status: ParseStatus
    value: JsonValue = None
    rule: Rule | None = None
    flags: tuple[Flag, ...] | None = None
    candidates: tuple[JsonValue, ...] | None = None
    text: str | None = None
    detail_contains: str | None = None


class CorpusRow(_Row):
    """One line of a corpus."""

    id: str = ""
    kind: str = ""
    note: str = ""
    reply: str | Reply
    answer_format: AnswerFormat
    expected: Expected
    frame: FrameRow | None = None
    published: Published | None = None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A row on which parser and corpus differ.

    Attributes:
        line: counted from 1.
        problems: one sentence for each thing that differs.
    """

    line: int
    row: CorpusRow
    result: ParsedReply[Value]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CorpusReport:
    """Outcome of a check.

    Attributes:
        malformed: line number and reason of every line that is no row; they are never left out silently.
        statuses: how often each status came out.
    """

    total: int
    disagreements: tuple[Disagreement, ...]
    malformed: tuple[tuple[int, str], ...]
    statuses: Mapping[str, int] = field(default_factory=dict)

    @property
    def agreed(self) -> int:
        return self.total - len(self.disagreements)

    @property
    def ok(self) -> bool:
        """Whether every line was a row and every row agreed."""
        return not self.disagreements and not self.malformed and self.total > 0


def check_corpus(path: str | Path) -> CorpusReport:
    """Parse every reply of a JSON-lines file and compare with what is expected.

    Raises:
        DiagnosticsError: the file cannot be read at all.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").split("\n")  # other separators may stand inside a reply
    except (OSError, UnicodeDecodeError) as error:
        raise DiagnosticsError(f"cannot read the corpus {path}: {error}; it has to be JSON lines in UTF-8") from error
    return check_lines(lines)


def check_lines(lines: Iterable[str]) -> CorpusReport:
    """As ``check_corpus``, on lines at hand."""
    disagreements: list[Disagreement] = []
    malformed: list[tuple[int, str]] = []
    statuses: Counter[str] = Counter()
    total = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = CorpusRow.model_validate(json.loads(line))
            result = _parsed(row)
        except (ValueError, RecursionError, DiagnosticsError) as error:
            malformed.append((number, _reason(error)))
            continue
        total += 1
        statuses[result.status.value] += 1
        problems = _problems(row, result)
        if problems:
            disagreements.append(Disagreement(number, row, result, tuple(problems)))
    return CorpusReport(total, tuple(disagreements), tuple(malformed), dict(sorted(statuses.items())))


def _parsed(row: CorpusRow) -> ParsedReply[Value]:
    frame = None if row.frame is None else row.frame.frame()
    return parse_reply(row.answer_format, row.reply, frame=frame, published=row.published)


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error)


def _problems(row: CorpusRow, result: ParsedReply[Value]) -> list[str]:
    expected, found = row.expected, []
    if result.status is not expected.status:
        found.append(f"status {result.status.value}, expected {expected.status.value}")
    if expected.value is not None and not _equal(_plain(result.value), expected.value):
        found.append(f"value {_plain(result.value)!r}, expected {expected.value!r}")
    if expected.rule is not None and result.rule is not expected.rule:
        found.append(f"rule {result.rule.value}, expected {expected.rule.value}")
    if expected.flags is not None and set(result.flags) != set(expected.flags):
        found.append(f"flags {_names(result.flags)}, expected {_names(expected.flags)}")
    if expected.candidates is not None:
        values = [_plain(one.value) for one in result.candidates]
        if len(values) != len(expected.candidates) or not all(
            any(_equal(value, wanted) for value in values) for wanted in expected.candidates
        ):
            found.append(f"candidates {values!r}, expected {list(expected.candidates)!r}")
    if expected.text is not None:
        whole = row.reply if isinstance(row.reply, str) else row.reply.text
        said = None if result.span is None else whole[slice(*result.span)].strip()
        if said != expected.text:
            found.append(f"span holds {said!r}, expected {expected.text!r}")
    if expected.detail_contains is not None and expected.detail_contains not in result.detail:
        found.append(f"detail {result.detail!r} lacks {expected.detail_contains!r}")
    return found


def _names(flags: Iterable[Flag]) -> list[str]:
    return sorted(flag.value for flag in flags)


def _plain(value: Value | None) -> JsonValue:
    """A value as JSON writes it; an open side of a range is null."""
    if isinstance(value, Interval):
        ends = {"low": value.low, "high": value.high}
        return {name: end if math.isfinite(end) else None for name, end in ends.items()}
    return list(value) if isinstance(value, tuple) else value


def _equal(one: JsonValue, other: JsonValue) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=_TOLERANCE, abs_tol=1e-12)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_equal(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    return one == other


def format_report(report: CorpusReport) -> str:
    """The report as text: every disagreement and every malformed line, then one line of counts."""
    lines = [f"line {number}: not a row: {reason}" for number, reason in report.malformed]
    for one in report.disagreements:
        name = f" [{one.row.id}]" if one.row.id else ""
        reply = one.row.reply if isinstance(one.row.reply, str) else one.row.reply.text
        lines.append(f"line {one.line}{name}: {reply[:120]!r}")
        lines += [f"    {problem}" for problem in one.problems]
    counts = ", ".join(f"{count} {status}" for status, count in report.statuses.items())
    lines.append(
        f"{report.agreed} of {report.total} rows agree, {len(report.malformed)} lines are malformed "
        f"({counts or 'none read'})"
    )
    return "\n".join(lines)
