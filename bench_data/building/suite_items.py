"""The questions of a data set as suite items, with the pictures of a condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from .data_set import DataSet

if TYPE_CHECKING:
    from ..suites.item import SuiteItem

__all__ = ["suite_items"]

_NO_PLACE = "what is asked for left the picture"


def suite_items(data: DataSet, suite: str, condition: str, left_out: Counter[str]) -> Iterator[SuiteItem]:
    """The questions of a suite under a condition, one at a time; those that no one could answer are tagged with why.

    Args:
        data: with questions, pictures and answers.
        suite, condition: of the data set.
        left_out: takes reason -> how many questions have no truth under the condition.

    Raises:
        BenchDataError: a file that cannot be read.
    """
    from ..suites.item import SuiteImage, item_from_question

    for one in data.asked(suite, condition):
        if not one.has_truth:
            left_out[_NO_PLACE] += 1
            continue
        images = [SuiteImage(path.relative_to(data.root).as_posix(), data.root) for path in one.pictures]
        item = item_from_question(one.question, images, condition=condition)
        yield item if one.answerable else replace(item, tags={**item.tags, "unanswerable": one.why})
