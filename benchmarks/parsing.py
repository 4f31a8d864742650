"""Counts how many replies a second are parsed on one core, by kind, and the worst megabytes.

    python benchmarks/parsing.py [--seconds 2]

Replies are those of the test corpus, which are ugly on purpose, and typical ones. CPU time of this process is counted,
so that a busy machine changes little. Long replies are the ugliest found; each must take less than a second.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from seeworthy.bench_data.questions import AnswerFormat
from seeworthy.diagnostics.replies import PictureFrame, parse_reply
from seeworthy.tools.models import CoordinateSpace

CORPUS = Path(__file__).parent.parent / "tests" / "golden" / "replies"
CHOICES_A_SECOND = 20_000
FRAME = PictureFrame(CoordinateSpace.PERMILLE, (1000, 500), (2000, 1000))
FOUR = AnswerFormat(answer_type="choice", options={"A": "left", "B": "right", "C": "above", "D": "below"})
METRES = AnswerFormat(answer_type="number", unit="m")
GRAPH = AnswerFormat(answer_type="graph")
TYPICAL = [
    "B",
    "The answer is B.",
    "**Answer:** B",
    "<answer>C</answer>",
    "B. right",
    "The lamp is to the left of the sofa.",
    "答案是B",
    "<think>The lamp stands left of the sofa, so A or C.</think>\n\nThe answer is A.",
]
WORST = [
    (FOUR, "A "),
    (FOUR, "\\boxed{"),
    (FOUR, "是答案"),
    (FOUR, "</think>"),
    (METRES, "1. 2\n"),
    (METRES, "a metre "),
    (GRAPH, '{"a":["b\n'),
    (GRAPH, '{"id": 1}, '),
    (GRAPH, "{'id': 1}, "),
]

Item = tuple[AnswerFormat, str]


def corpus_items(name: str) -> list[Item]:
    lines = (CORPUS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [
        (AnswerFormat.model_validate(row["answer_format"]), row["reply"])
        for row in rows
        if isinstance(row["reply"], str)
    ]


def replies_a_second(items: Sequence[Item], seconds: float) -> float:
    """Best of three runs of at least ``seconds`` / 3 CPU seconds each."""

    def one_pass() -> None:
        for asked, text in items:
            parse_reply(asked, text, frame=FRAME)

    one_pass()
    best = 0.0
    for _ in range(3):
        passes, start = 0, time.process_time()
        while time.process_time() - start < seconds / 3:
            one_pass()
            passes += 1
        best = max(best, passes * len(items) / (time.process_time() - start))
    return best


def cpu_seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0, help="CPU seconds for each kind")
    seconds = parser.parse_args().seconds
    kinds: dict[str, list[Item]] = {"choices, typical": [(FOUR, text) for text in TYPICAL]}
    names = {"choice": "choices, corpus", "yes_no": "yes/no", "number": "numbers", "list": "lists", "clock": "clock"}
    names |= {"coordinates": "boxes and points", "graph": "scene graphs"}
    kinds |= {label: corpus_items(name) for name, label in names.items()}
    slow = []
    for label, items in kinds.items():
        speed = replies_a_second(items, seconds)
        wanted = CHOICES_A_SECOND if label.startswith("choices") else 0
        slow += [label] if speed < wanted else []
        print(f"{label:<20} {speed:10,.0f} replies/s" + (f"  (at least {wanted:,})" if wanted else ""))
    for asked, unit in WORST:
        text = unit * (1_000_000 // len(unit.encode()))
        took = cpu_seconds(lambda asked=asked, text=text: parse_reply(asked, text))  # type: ignore[misc]
        slow += [f"1 MB of {unit!r}"] if took >= 1 else []
        print(f"1 MB of {unit!r:<22} {took:6.2f} s")
    print("too slow: " + ", ".join(slow) if slow else "all fast enough")
    return 1 if slow else 0


if __name__ == "__main__":
    raise SystemExit(main())
