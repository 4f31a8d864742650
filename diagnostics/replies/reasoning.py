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
_HEAD = 64  # a quotation comes after something was said
_CODE_REACH = 200  # characters of the line that are searched for the end of a code span


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
    without a closing one leaves what stood before it. Once something was said, tags in a code span or in a closed code
    fence are text. The visible part is what follows the last block, or, if that is blank, the last piece between blocks
    that is not.

    >>> split_reasoning("<think>A? no.</think> C").visible
    ' C'
    """
    matches = list(_tag_pattern(tuple(tags)).finditer(text))
    if not matches:
        return SplitReply(text)
    visible: list[tuple[int, int]] = []
    reasoning: list[str] = []
    start, thinking, seen, said = 0, False, False, False
    code = _CodeSpans(text)
    for match in matches:
        opens = match.lastgroup == "open"
        said = said or bool(text[start : min(match.start(), start + _HEAD)].strip(" \n`"))
        if not thinking and said and code.holds(match.start(), match.end()):
            continue
        seen = True
        if opens and not thinking:
            visible.append((start, match.start()))
            start, thinking = match.end(), True
        elif not opens:
            if not thinking:  # a stray closing tag: all that came before was thought
                reasoning.extend(text[a:b] for a, b in visible if a < b)
                visible.clear()
            reasoning.append(text[start : match.start()])
            start, thinking, said = match.end(), False, False
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
        """Forget the marks before ``position``: they belonged to the reasoning."""
        self._read_to, self._fence_open, self._ticks_in_line = position, False, 0

    def holds(self, start: int, end: int) -> bool:
        """Whether text[start:end] stands in a closed code fence or in a code span of its line."""
        if self._text.count("```", self._read_to, start) % 2:
            self._fence_open = not self._fence_open
        line = self._text.rfind("\n", self._read_to, start)
        if line >= 0:
            self._ticks_in_line = 0
        self._ticks_in_line += self._text.count("`", max(line, self._read_to), start)
        self._read_to = start
        if self._fence_open and self._last_fence >= end:
            return True
        rest = self._text[end : end + _CODE_REACH].partition("\n")[0]
        return self._ticks_in_line % 2 == 1 and "`" in rest
