"""Records with a conversation of one question and one answer, as training data has them."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import JsonValue

from .findings import Fields
from .item import SuiteImage

__all__ = ["IMAGE_MARK", "conversation", "images_of", "turns", "unmarked"]

IMAGE_MARK = "<image>"
_MARKS = re.compile(r"\s*<image>[ \t]*\n?")


def conversation(fields: Fields, name: str = "conversations") -> tuple[str, str]:
    """(what the person says, what the model should say).

    Raises:
        RecordError: the field is no list of such turns.
    """
    said = {"human": "", "gpt": ""}
    found = fields.listed(name)
    for turn in found:
        speaker, value = (turn.get("from"), turn.get("value")) if isinstance(turn, dict) else (None, None)
        if not isinstance(speaker, str) or speaker not in said or not isinstance(value, str):
            raise fields.error("bad_conversation", name, 'each turn must be {"from": "human" or "gpt", "value": text}')
        if said[speaker]:
            raise fields.error("bad_conversation", name, "one question and one answer are expected, there are more")
        said[speaker] = value
    if not any(isinstance(turn, dict) and turn.get("from") == "human" for turn in found):
        raise fields.error("bad_conversation", name, "nothing is asked")
    return said["human"], said["gpt"]


def turns(question: str, answer: str) -> list[JsonValue]:
    """The two turns of a conversation."""
    return [{"from": "human", "value": question}, {"from": "gpt", "value": answer}]


def unmarked(fields: Fields, text: str, images: int, name: str = "conversations") -> str:
    """The text without the marks for pictures at its beginning.

    Raises:
        RecordError: there are marks, but more or fewer than pictures.
    """
    place, marks = 0, 0
    while match := _MARKS.match(text, place):
        place, marks = match.end(), marks + 1
    if marks and marks != images:
        raise fields.error("image_count_mismatch", name, f"{marks} {IMAGE_MARK} marks for {images} pictures")
    return text[place:]


def images_of(fields: Fields, root: Path | None, name: str = "image") -> tuple[SuiteImage, ...]:
    """The pictures of a field that holds one path or a list of them.

    Raises:
        RecordError: it holds neither, or a path leads elsewhere.
    """
    value = fields.values.get(name)
    paths = value if isinstance(value, list) else [fields.text(name)]
    if not all(isinstance(path, str) for path in paths):
        raise fields.error("wrong_type", name, "paths must be texts")
    return tuple(SuiteImage(fields.checked_path(str(path), name), root=root) for path in paths)
