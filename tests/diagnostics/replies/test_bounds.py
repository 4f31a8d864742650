"""No reply can stop a run: patterns do not nest repetitions, long replies are read in bounded work, nothing raises."""

import importlib
import pkgutil
import random
import re
import re._constants as codes  # type: ignore[import-not-found]
import re._parser as regex_parser  # type: ignore[import-not-found]
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.questions import AnswerFormat
from seeworthy.diagnostics import replies
from seeworthy.diagnostics.replies import (
    ParsedReply,
    ParseStatus,
    PictureFrame,
    Published,
    parse_reply,
    published_reading,
    split_reasoning,
)
from seeworthy.diagnostics.replies.letters import _letter_pattern
from seeworthy.diagnostics.replies.option_text import option_texts
from seeworthy.tools.models import CoordinateSpace

from .corpus_files import all_rows

FRAME = PictureFrame(CoordinateSpace.PERMILLE, (1000, 500), (2000, 1000))
FORMATS = {
    "choice": AnswerFormat(answer_type="choice", options={"A": "left", "B": "right", "C": "above it", "D": "2.5 m"}),
    "yes_no": AnswerFormat(answer_type="yes_no"),
    "lettered": AnswerFormat(answer_type="yes_no", options={"A": "Yes", "B": "No"}),
    "number": AnswerFormat(answer_type="number", unit="m"),
    "count": AnswerFormat(answer_type="number", unit="count"),
    "list": AnswerFormat(answer_type="list", unit="m", length=3),
    "clock": AnswerFormat(answer_type="clock"),
    "box": AnswerFormat(answer_type="box"),
    "point": AnswerFormat(answer_type="point"),
    "graph": AnswerFormat(answer_type="graph"),
    "text": AnswerFormat(answer_type="text"),
}


# ---- patterns


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    for module in pkgutil.walk_packages(replies.__path__, prefix=f"{replies.__name__}."):
        for name, value in vars(importlib.import_module(module.name)).items():
            for pattern in inside(value):
                yield f"{module.name.rpartition('.')[2]}.{name}", pattern
    yield "letters", _letter_pattern("ABCDI")
    texts = option_texts({"A": "front left", "B": "the front", "C": "3", "D": "左边"})
    yield "options", texts.pattern or re.compile("")


def inside(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from inside(item)


def unbounded_inside(tree: Any, within: bool) -> bool:
    """Whether an unbounded repetition holds another one that can give characters back."""
    for code, argument in tree:
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            _, most, body = argument
            unbounded = most == codes.MAXREPEAT
            if (unbounded and within) or unbounded_inside(body, within or unbounded):
                return True
        elif code is codes.POSSESSIVE_REPEAT:
            if unbounded_inside(argument[2], False):
                return True
        else:
            for part in parts_of(code, argument):
                if unbounded_inside(part, within):
                    return True
    return False


def parts_of(code: Any, argument: Any) -> list[Any]:
    if code is codes.SUBPATTERN:
        return [argument[3]]
    if code is codes.BRANCH:
        return list(argument[1])
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return [argument[1]]
    return [argument] if code is codes.ATOMIC_GROUP else []


def test_the_check_of_patterns_can_fail() -> None:
    assert unbounded_inside(regex_parser.parse(r"(a+)+b"), False)
    assert unbounded_inside(regex_parser.parse(r"(?:x|(?=(?:a*b)*))+"), False)
    assert not unbounded_inside(regex_parser.parse(r"(a{1,9})+a*b(?:a++)+"), False)


@pytest.mark.parametrize(("name", "pattern"), list(patterns()), ids=lambda item: item if isinstance(item, str) else "")
def test_no_pattern_nests_unbounded_repetitions(name: str, pattern: re.Pattern[str]) -> None:
    assert not unbounded_inside(regex_parser.parse(pattern.pattern, pattern.flags), False)


# ---- long replies

UNITS = [
    "A ", "A or ", "(B) ", "answer is ", "Answer: ", "not A, ", "yes, ", "1 ", "1,", "2 ft 1 in ", "one ", "a metre ",
    "[1,2,", "(", '{"a":', "`", "<think>", "</think>", "<answer ", " ", "\\boxed{", "\\frac{1}{", "if A, ", "wait, ",
    "left or ", "o'clock ", "x1=1, ", '{"a":["b\n', "答案是", "π", "?", "9", "\u200b", "1. 2\n", "'answer': ", "1 x ",
    '"', "{'id': 1}, ",
]  # fmt: skip


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


@pytest.mark.parametrize("kind", FORMATS)
def test_work_does_not_grow_with_the_square_of_the_length(kind: str) -> None:
    """Sixteen times the text may cost 16 times the work; its square would be 256 times. Over all ugly texts at once."""

    def all_of_length(length: int) -> Callable[[], None]:
        texts = [unit * (length // len(unit)) for unit in UNITS]
        return lambda: [parse_reply(FORMATS[kind], text, frame=FRAME) for text in texts] and None

    all_of_length(200)()
    short = min(seconds(all_of_length(300)) for _ in range(3))
    long = seconds(all_of_length(4_800))
    assert long < 60 * max(short, 1e-3)


@pytest.mark.parametrize("unit", UNITS)
def test_a_megabyte_is_read_in_a_window(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    kind = list(FORMATS)[len(unit) % len(FORMATS)]
    result = parse_reply(FORMATS[kind], text, frame=FRAME)
    assert isinstance(result, ParsedReply)
    split_reasoning(text)


def test_an_answer_at_either_end_of_a_megabyte_is_found() -> None:
    filler = "The sofa stands near the window. " * 30_000
    for reply in (f"The answer is B. {filler}", f"{filler}\nThe answer is B."):
        result = parse_reply(FORMATS["choice"], reply)
        assert result.value == "B"
        assert result.span is not None
        assert reply[slice(*result.span)] == "B"
        assert "middle_skipped" in [flag.value for flag in result.flags]


# ---- anything at all

PIECES = [
    "The answer is ",
    "B",
    "A",
    "not ",
    " or ",
    "2.5",
    " m",
    "'",
    '"',
    "[",
    "]",
    "{",
    "}",
    "<think>",
    "</think>",
    "\n",
]


@given(st.text(max_size=60) | st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=14).map("".join))
@settings(max_examples=300)
def test_no_text_raises(text: str) -> None:
    for asked in FORMATS.values():
        check(parse_reply(asked, text, frame=FRAME), text)
    for published in Published:
        for asked in FORMATS.values():
            if asked.answer_type in published.answer_types:
                published_reading(text, asked, published)


def check(result: ParsedReply[Any], text: str) -> None:
    assert result.ok == (result.value is not None)
    spans = [result.span, *(candidate.span for candidate in result.candidates)]
    assert all(span is None or 0 <= span[0] <= span[1] <= len(text) for span in spans)
    if result.status is ParseStatus.AMBIGUOUS:
        assert len(result.candidates) > 1


def mutated(text: str, other: str, rng: random.Random) -> str:
    """One of the small accidents that befall a text."""
    at, to = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
    return rng.choice(
        [
            text[:at] + text[to:],
            text[:to] + text[at:],
            text[:at] + other + text[at:],
            text[:at] + rng.choice("ABCDab01?.,'\"()[]{}<>\\ \n-—是") + text[at:],
            text[at:] + text[:at],
            text.swapcase(),
            text[:at],
            text + " " + other,
        ]
    )


def test_a_hundred_thousand_mutations_of_the_corpus_never_raise() -> None:
    rng = random.Random(20260101)
    replies_of = [row["reply"] if isinstance(row["reply"], str) else row["reply"]["text"] for row in all_rows()]
    texts = [text for text in replies_of if 0 < len(text) <= 100]
    formats = list(FORMATS.values())
    for number in range(100_000):
        text = mutated(rng.choice(texts), rng.choice(texts)[:30], rng)
        result = parse_reply(formats[number % len(formats)], text, frame=FRAME)
        if number % 10 == 0:
            check(result, text)
