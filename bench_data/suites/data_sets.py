"""What suites need to know of data sets, the folders that `bench_data.building` makes.

A data set is read through its own classes, and these write suites in turn; so they are imported when they are needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ..errors import BenchDataError
from ..questions import Question
from .findings import Finding
from .item import CLEAN, SuiteImage, SuiteItem, item_from_question
from .registry import Row
from .rows import file_fault

__all__ = ["bare_item", "data_set_rows", "is_data_set"]

_MANIFEST = "manifest.json"
_MARK = b'"format": "seeworthy data set'
_HEAD_BYTES = 256
"""The manifest begins with its format."""


def is_data_set(folder: Path) -> bool:
    """Whether a folder holds a finished data set, by the beginning of its manifest."""
    manifest = folder / _MANIFEST
    if not manifest.is_file():
        return False
    with manifest.open("rb") as stream:
        return _MARK in stream.read(_HEAD_BYTES)


def data_set_rows(root: Path) -> Iterator[Row]:
    """Every question of a data set under every condition; a file that cannot be read is one finding.

    Questions whose place left the picture under a condition have no truth there, and are left out of it.
    """
    from ..building.data_set import DataSet
    from ..building.layout import question_file
    from ..building.suite_items import suite_items

    try:
        data = DataSet(root)
    except BenchDataError as error:
        yield file_fault("bad_manifest", _MANIFEST, str(error))
        return
    said: set[str] = set()
    for suite in data.suites:
        for condition in data.conditions:
            try:
                for item in suite_items(data, suite, condition, Counter()):
                    yield Row(question_file(suite), None, item)
            except BenchDataError as error:
                # A damaged file of questions would be named again under each condition.
                if str(error) not in said:
                    finding = Finding("error", "damaged_data_set", question_file(suite), str(error))
                    yield Row(question_file(suite), None, None, (finding,))
                said.add(str(error))


def bare_item(question: Question, file: Path) -> SuiteItem:
    """A question of a file of questions, over clean pictures.

    Args:
        question: it names views, not files.
        file: that it was read from; in the ``questions`` folder of a data set, the pictures are the data set's. A file
            elsewhere has none until the pictures lie beside it as in a data set.
    """
    from ..building.layout import image_file, marked_file

    around = file.absolute().parent.parent
    root = around if file.absolute().parent.name == "questions" and is_data_set(around) else file.parent
    images = []
    for view in question.views:
        place = image_file(CLEAN, question.scene, view)
        marked = marked_file(question.suite, CLEAN, question.scene, view)
        images.append(SuiteImage(marked if question.marks and (root / marked).is_file() else place, root))
    return item_from_question(question, images)
