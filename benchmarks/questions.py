"""How many structured questions a second each suite makes on one core, once it is known what each picture shows.

    python benchmarks/questions.py [--scenes 4] [--repeats 5]

Made-up rooms and streets of 20 pictures each. CPU time of this process, the best of the repeats for each scene, so that
a busy machine changes little.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from seeworthy.bench_data.questions import QUESTION_SUITES, QuestionSuite, Refusals, SceneTruth
from seeworthy.bench_data.scenes import SceneKind
from tests.bench_data.questions.furnished import a_furnished_room
from tests.bench_data.questions.truths import random_truth

VIEWS = 20


def scenes(count: int) -> list[SceneTruth]:
    """As many rooms, and as many streets."""
    rooms = [a_furnished_room(1000 + seed, objects=16, views=VIEWS) for seed in range(count)]
    streets = [
        random_truth(1000 + seed, kind=SceneKind.STREET, objects=14, views=VIEWS, occluded=0.3) for seed in range(count)
    ]
    return rooms + streets


def measure(suite: QuestionSuite, truths: list[SceneTruth], repeats: int) -> tuple[int, float]:
    """How many questions, and the seconds of processor time that they take."""
    questions, seconds = 0, 0.0
    for truth in truths:
        best = float("inf")
        number = 0
        for _ in range(repeats + 1):  # the first one also imports
            start = time.process_time()
            number = sum(1 for _ in suite.generate(truth, suite.settings(), 5, Refusals()))
            best = min(best, time.process_time() - start)
        questions += number
        seconds += best
    return questions, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=4, help="rooms, and as many streets")
    parser.add_argument("--repeats", type=int, default=5)
    chosen = parser.parse_args()
    truths = scenes(chosen.scenes)
    total, spent = 0, 0.0
    for name in QUESTION_SUITES.names():
        questions, seconds = measure(QUESTION_SUITES.get(name), truths, chosen.repeats)
        total, spent = total + questions, spent + seconds
        print(f"{name:12s}{questions:8,d} questions {questions / seconds:10,.0f} a second")
    print(f"{'all':12s}{total:8,d} questions {total / spent:10,.0f} a second")


if __name__ == "__main__":
    main()
