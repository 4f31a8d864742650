"""Writing a record back word for word, as long as it still says what the item says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pydantic import JsonValue

from ..errors import BenchDataError
from .files.rows import RawRow
from .findings import Fields
from .item import SuiteImage, SuiteItem
from .pictures import PictureCopier
from .rows import Decode

__all__ = ["source_fields", "with_placed_pictures"]


def source_fields(item: SuiteItem, format: str, decode: Decode) -> Mapping[str, JsonValue] | None:  # noqa: A002
    """The record that an item was read from, if it was of this format and reading it again gives the same item."""
    source = item.source
    if source is None or source.format != format:
        return None
    try:
        again = decode(Fields(source.fields, warn=_unheard), RawRow(0, source.fields))
    except (BenchDataError, ValueError):
        return None
    return source.fields if again == item else None


def with_placed_pictures(item: SuiteItem, copier: PictureCopier) -> SuiteItem:
    """The item with its pictures, and its mask, in the folder of the new suite."""

    def placed(image: SuiteImage) -> SuiteImage:
        path = copier.place(image)
        return image if path == image.path else replace(image, path=path)

    images = tuple(placed(image) for image in item.images)
    mask = None if item.mask is None else placed(item.mask)
    return item if (images, mask) == (item.images, item.mask) else replace(item, images=images, mask=mask)


def _unheard(code: str, field: str, message: str) -> None:
    """Warnings were given when the record was read first."""
