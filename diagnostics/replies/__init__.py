"""What a model said, as a typed answer or an honest reason why there is none. Nothing is ever guessed."""

from .boxes import Box, PictureFrame, Point, parse_box, parse_point
from .choice import parse_choice
from .clock import parse_clock
from .corpus import CorpusReport, Disagreement, check_corpus, check_lines, format_report
from .free_text import parse_text
from .graph_json import Graph, graph_problem, parse_graph_json
from .number import parse_number
from .number_list import parse_list
from .parse import Asks, Value, parse_reply, picture_frame
from .published import Published, published_reading, published_score
from .reasoning import DEFAULT_TAGS, SplitReply, split_reasoning
from .result import Candidate, Flag, Interval, JsonValue, ParsedReply, ParseStatus, Rule, Span
from .side_by_side import ScoredRow, format_side_by_side, score_side_by_side
from .yes_no import parse_yes_no

__all__ = [
    "DEFAULT_TAGS",
    "Asks",
    "Box",
    "Candidate",
    "CorpusReport",
    "Disagreement",
    "Flag",
    "Graph",
    "Interval",
    "JsonValue",
    "ParseStatus",
    "ParsedReply",
    "PictureFrame",
    "Point",
    "Published",
    "Rule",
    "ScoredRow",
    "Span",
    "SplitReply",
    "Value",
    "check_corpus",
    "check_lines",
    "format_report",
    "format_side_by_side",
    "graph_problem",
    "parse_box",
    "parse_choice",
    "parse_clock",
    "parse_graph_json",
    "parse_list",
    "parse_number",
    "parse_point",
    "parse_reply",
    "parse_text",
    "parse_yes_no",
    "picture_frame",
    "published_reading",
    "published_score",
    "score_side_by_side",
    "split_reasoning",
]
