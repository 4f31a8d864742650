"""Mark: where and how one number is drawn, as data, so that it can be drawn again on any version of the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from ..errors import BenchDataError

__all__ = ["Disc", "Mark", "marks_from_json", "marks_to_json"]

Disc = Literal["light", "dark"]
"""A white disc with a black number, or a black one with a white number."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One number on a picture; continuous pixel coordinates, pixel centres at +0.5.

    Args:
        object: the number of the object in its scene.
        number: what is drawn.
        centre_px: (x, y) middle of the disc.
        radius_px: of the disc with its rims.
        disc: its colours.
        anchor_px: (x, y) on the object, to which a line leads from a disc that stands beside it; None for a disc on it.
    """

    object: int
    number: int
    centre_px: tuple[float, float]
    radius_px: float
    disc: Disc = "light"
    anchor_px: tuple[float, float] | None = None


@cache
def _adapter() -> TypeAdapter[tuple[Mark, ...]]:
    return TypeAdapter(tuple[Mark, ...])


def marks_to_json(marks: Sequence[Mark]) -> str:
    """The marks of one picture as one line of JSON, without loss."""
    return _adapter().dump_json(tuple(marks)).decode("utf-8")


def marks_from_json(text: str | bytes) -> tuple[Mark, ...]:
    """Reads what :func:`marks_to_json` wrote.

    Raises:
        BenchDataError: not JSON, or not marks; the message names the field.
    """
    try:
        return _adapter().validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the record"
        raise BenchDataError(f"not the marks of a picture: {place}: {first['msg']}") from error
