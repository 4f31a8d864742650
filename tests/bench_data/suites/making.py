"""Suites made on the spot: generated questions over plain pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from seeworthy.bench_data.questions import QUESTION_SUITES, Question, Refusals
from seeworthy.bench_data.suites import SuiteImage, SuiteItem, item_from_question
from tests.bench_data.questions.truths import random_truth

SIZE = (640, 480)


def questions(seed: int = 3, most: int = 60, suites: Sequence[str] = ("crisp", "spacedg")) -> list[Question]:
    """Some of the questions about a made-up scene whose pictures have `SIZE`."""
    truth = random_truth(seed, size=SIZE)
    found = []
    for name in suites:
        suite = QUESTION_SUITES.get(name)
        made = list(suite.generate(truth, suite.settings(), seed, Refusals()))
        found += made[:: max(1, len(made) // most)]
    return found


def picture(path: Path, seed: int = 0, size: tuple[int, int] = SIZE) -> None:
    """Writes a picture of a few coloured blocks, another for each seed; the file is small."""
    path.parent.mkdir(parents=True, exist_ok=True)
    blocks = np.random.default_rng(seed).integers(0, 256, (3, 4, 3), dtype=np.uint8)
    Image.fromarray(blocks).resize(size, Image.Resampling.NEAREST).save(path)


def items(root: Path, made: Sequence[Question], conditions: Sequence[str] = ("clean",)) -> list[SuiteItem]:
    """Items over pictures at condition/scene/view.png below ``root``."""
    found = []
    for number, condition in enumerate(conditions):
        for question in made:
            images = []
            for place, view in enumerate(question.views):
                image = SuiteImage(f"{condition}/{question.scene}/{view}.png", root=root)
                if not (root / image.path).exists():
                    picture(root / image.path, seed=100 * number + place + len(view))
                images.append(image)
            found.append(item_from_question(question, images, condition=condition))
    return found
