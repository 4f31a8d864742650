"""What comes of reading a reply: a status, a value, where it stood in the text, and the rule that found it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from pydantic import JsonValue

from ..errors import DiagnosticsError

__all__ = ["Candidate", "Flag", "Interval", "JsonValue", "ParseStatus", "ParsedReply", "Rule", "Span"]

T_co = TypeVar("T_co", covariant=True)
Span = tuple[int, int]
"""Start and end of a piece of the text that was given to the parser: ``text[start:end]``."""


class ParseStatus(StrEnum):
    """How reading ended. Only ``ok`` can score; every other status is counted on its own."""

    OK = "ok"
    NO_ANSWER = "no_answer"
    AMBIGUOUS = "ambiguous"
    REFUSAL = "refusal"
    TRUNCATED = "truncated"
    INVALID = "invalid"


class Rule(StrEnum):
    """The rule that decided, so that a report can say how often each one was needed."""

    ANSWER_TAG = "answer_tag"
    BOXED = "boxed"
    JSON_FIELD = "json_field"
    DECLARED = "declared"
    DECLARED_TEXT = "declared_text"
    PREDICATE = "predicate"
    ALONE = "alone"
    HEAD = "head"
    LABEL = "label"
    BRACKETED = "bracketed"
    ALTERNATIVES = "alternatives"
    OPTION_TEXT = "option_text"
    OPTION_TEXT_EXACT = "option_text_exact"
    OPTION_CORE = "option_core"
    OPTION_NUMBER = "option_number"
    ORDINAL = "ordinal"
    WORD = "word"
    SHORT_CLAUSE = "short_clause"
    WITH_UNIT = "with_unit"
    BARE_NUMBER = "bare_number"
    AFTER_EQUALS = "after_equals"
    NONE_IS_ZERO = "none_is_zero"
    BRACKETED_LIST = "bracketed_list"
    ALL_NUMBERS = "all_numbers"
    OCLOCK = "oclock"
    NAMED_COORDINATES = "named_coordinates"
    COORDINATES = "coordinates"
    JSON = "json"
    FREE_TEXT = "free_text"
    IN_REASONING = "in_reasoning"
    DENIED = "denied"
    REPLY_STATUS = "reply_status"
    REFUSAL_PHRASE = "refusal_phrase"
    NOTHING_FOUND = "nothing_found"
    EMPTY = "empty"
    PUBLISHED = "published"


class Flag(StrEnum):
    """What a reader of the result must know beside the value."""

    UNIT_ASSUMED = "unit_assumed"
    UNIT_INHERITED = "unit_inherited"
    UNIT_UNKNOWN = "unit_unknown"
    WRONG_DIMENSION = "wrong_dimension"
    RESTATED = "restated"
    THOUSANDS = "thousands"
    DECIMAL_COMMA = "decimal_comma"
    INTERVAL = "interval"
    INTERVAL_MIDPOINT = "interval_midpoint"
    BOUND = "bound"
    HEDGED = "hedged"
    REVISED = "revised"
    LABEL_TEXT_CONFLICT = "label_text_conflict"
    LETTER_IS_OPTION_TEXT = "letter_is_option_text"
    UNCLOSED_REASONING = "unclosed_reasoning"
    MIDDLE_SKIPPED = "middle_skipped"
    ANSWER_BEFORE_CUT = "answer_before_cut"
    RAISE_OUTPUT_BUDGET = "raise_output_budget"
    REPAIRED = "repaired"
    UNWRAPPED = "unwrapped"
    CORNERS_REORDERED = "corners_reordered"
    SIZE_FORM = "size_form"
    COORDINATE_ORDER_UNSURE = "coordinate_order_unsure"
    SPACE_LOOKS_WRONG = "space_looks_wrong"
    OUT_OF_RANGE = "out_of_range"


@dataclass(frozen=True, slots=True)
class Interval:
    """A range that a model gave instead of a number, in the asked unit; an open side is infinite.

    >>> Interval(2.0, 3.0).midpoint
    2.5
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if math.isnan(self.low) or math.isnan(self.high) or self.low > self.high:
            raise DiagnosticsError(f"an interval needs low <= high, got {self.low} and {self.high}")

    @property
    def midpoint(self) -> float:
        """Half way; infinite for a one-sided bound."""
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True)
class Candidate(Generic[T_co]):
    """Something that was found but did not become the value, kept for inspection."""

    value: T_co
    span: Span | None
    rule: Rule


@dataclass(frozen=True, slots=True)
class ParsedReply(Generic[T_co]):
    """The typed reading of one reply.

    Attributes:
        value: set if, and only if, ``status`` is ``ok``: nothing else can be scored by accident.
        span: where the answer stands in the text that was given, reasoning block included; None when it was not read
            from the text (an empty reply, a status of the server).
        rule: what decided.
        flags: facts about the value or about why there is none, in the order in which they came up.
        candidates: readings that were not chosen: both sides of an ambiguity, what was salvaged from a cut reply, an
            answer that stood only in the reasoning.
        detail: one sentence for people; the path, the id or the edge for JSON.
    """

    status: ParseStatus
    value: T_co | None = None
    span: Span | None = None
    rule: Rule = Rule.NOTHING_FOUND
    flags: tuple[Flag, ...] = ()
    candidates: tuple[Candidate[T_co], ...] = ()
    detail: str = ""

    def __post_init__(self) -> None:
        if (self.status is ParseStatus.OK) != (self.value is not None):
            raise DiagnosticsError(f"a reply that parsed as {self.status.value} cannot hold the value {self.value!r}")

    @property
    def ok(self) -> bool:
        """Whether there is a value to score."""
        return self.status is ParseStatus.OK
