"""How large the parts of a suite may be before they are refused."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..images import ImageLimits

__all__ = ["SuiteLimits"]


@dataclass(frozen=True, kw_only=True)
class SuiteLimits:
    """Bounds on what readers accept, so that a broken or hostile file cannot fill the memory.

    Args:
        row_bytes: of one record as it stands in its file, pictures in base64 included.
        row_lines: that one record of a table may go on over, in quotes.
        text_characters: of a question with its options.
        images: pictures of one question.
        options: of a choice; there are 26 letters.
        image: bounds on each picture.
    """

    row_bytes: int = 256 * 2**20
    row_lines: int = 500
    text_characters: int = 200_000
    images: int = 256
    options: int = 26
    image: ImageLimits = field(default_factory=ImageLimits)
