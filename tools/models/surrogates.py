"""Half characters: what a text cut in the middle of an emoji leaves behind, and no file or socket can carry."""

from __future__ import annotations

__all__ = ["without_lone_surrogates"]


def without_lone_surrogates(text: str) -> str:
    """The text with lone surrogates as U+FFFD; halves that belong together become their character.

    >>> without_lone_surrogates("left \\ud83d")
    'left �'
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
