"""Reasoning blocks are split off before anything is read: what a model thinks aloud is never its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["DEFAULT_TAGS", "SplitReply", "split_reasoning"]

TagPair = tuple[str, str]

DEFAULT_TAGS: tuple[TagPair, ...] = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
)
_CODE_REACH = 200  # characters of a line that are searched for the two ends of a code span


@dataclass(frozen=True, slots=True)
class SplitReply:
    """A reply in two parts.

    Attributes:
        visible: what was meant for the reader; a contiguous piece of the text.
        offset: where it begins in the text.
        reasoning: all that was thought aloud, or None when there was no block.
        unclosed: a block was opened and never closed, so the reply was cut while thinking.
    """

    visible: str
    offset: int = 0
    reasoning: str | None = None
    unclosed: bool = False


@lru_cache(maxsize=16)
def _tag_pattern(tags: tuple[TagPair, ...]) -> re.Pattern[str]:
    openers = "|".join(re.escape(opener) for opener, _ in tags)
    closers = "|".join(re.escape(closer) for _, closer in tags)
    return re.compile(f"(?P<close>{closers})|(?P<open>{openers})", re.IGNORECASE)


def split_reasoning(text: str, tags: Sequence[TagPair] = DEFAULT_TAGS) -> SplitReply:
    """Split ``text`` at its reasoning tags.

    A closing tag without an opening one makes everything before it reasoning, as some servers send it. An opening tag
    without a closing one leaves what stood before it. Tags inside a code span or a closed code fence are text.
    The visible part is what follows the last block, or, if that is blank, the last piece between blocks that is not.

    >>> split_reasoning("<think>A? no.</think> C").visible
    ' C'
    """
    matches = list(_tag_pattern(tuple(tags)).finditer(text))
    if not matches:
        return SplitReply(text)
    visible: list[tuple[int, int]] = []
    reasoning: list[str] = []
    start, thinking, seen = 0, False, False
    code = _CodeSpans(text)
    for match in matches:
        opens = match.lastgroup == "open"
        if not thinking and code.holds(match.start(), match.end()):
            continue
        seen = True
        if opens and not thinking:
            visible.append((start, match.start()))
            start, thinking = match.end(), True
        elif not opens:
            if not thinking:  # a stray closing tag: all that came before was thought
                reasoning.extend(text[a:b] for a, b in visible)
                visible.clear()
            reasoning.append(text[start : match.start()])
            start, thinking = match.end(), False
            code.restart(start)
    if not seen:
        return SplitReply(text)
    if thinking:
        reasoning.append(text[start:])
    else:
        visible.append((start, len(text)))
    begin, end = next(((a, b) for a, b in reversed(visible) if text[a:b].strip()), (len(text), len(text)))
    return SplitReply(text[begin:end], begin, "\n".join(reasoning), unclosed=thinking)


class _CodeSpans:
    """Tells whether a tag is quoted as code; walks forward only, so the whole text is read once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last_fence = text.rfind("```")
        self.restart(0)

    def restart(self, position: int) -> None:
        """Forget the fences before ``position``: they belonged to the reasoning."""
        self._counted_to, self._fence_open = position, False

    def holds(self, start: int, end: int) -> bool:
        """Whether text[start:end] stands in a closed code fence or in a code span of its line."""
        if self._text.count("```", self._counted_to, start) % 2:
            self._fence_open = not self._fence_open
        self._counted_to = start
        if self._fence_open and self._last_fence >= end:
            return True
        left = self._text[max(0, start - _CODE_REACH) : start].rpartition("\n")[2]
        right = self._text[end : end + _CODE_REACH].partition("\n")[0]
        return left.count("`") % 2 == 1 and "`" in right
