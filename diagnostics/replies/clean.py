"""One look for all replies: wide letters, quotes, emphasis and LaTeX become plain text, and every position can be
traced back to the text that was given.

Almost every change keeps the length of the text (a mark becomes a blank), so that positions need no map; only
invisible characters and the middle of very long texts are taken out.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

from .result import Span

__all__ = ["MAX_CHARS", "CleanText", "clean"]

MAX_CHARS = 65_536
_HEAD_CHARS = 16_384
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_SPECIAL_TOKEN = re.compile(r"<\|[a-zA-Z 0-9]{1,40}\|>|</?s>")
_HTML_MARK = re.compile(
    r"</?(?:b|i|u|p|br|em|strong|span|div|code|sup|sub|big|mark|h[1-6])(?:\s[^<>]{0,200})?/?>", re.I
)
_LATEX_WORDS = {"times": "×", "cdot": "×", "pm": "±", "approx": "~", "sim": "~", "simeq": "~", "pi": "π", "le": "≤"}
_LATEX_WORDS |= {"leq": "≤", "ge": "≥", "geq": "≥", "circ": "°", "degree": "°", "to": "→", "rightarrow": "→"}
_LATEX_WORDS |= {"Rightarrow": "→", "therefore": "∴", "percent": "%"}
_LATEX = re.compile(r"\\([a-zA-Z]{1,24})|\^\{?\\circ\}?|\\([\\,;:!%()\[\]{}$_ ])")
_UPRIGHT = re.compile(r"\\(?:text(?:bf|it|rm|sf|tt)?|math(?:rm|bf|it|sf)|operatorname|mbox)\s?\{([^{}]{0,80})\}")
_FRACTION = re.compile(r"\\[dt]?frac\s?\{([^{}]{1,24})\}\s?\{([^{}]{1,24})\}")


def _single_characters() -> dict[int, str]:
    """Wide, circled, bold and mathematical forms of ASCII characters, all decimal digits, and punctuation."""
    table: dict[int, str] = {}
    for first, last in ((0xFF01, 0xFF5E), (0x2460, 0x2468), (0x24B6, 0x24E9), (0x1D400, 0x1D7FF), (0x1F130, 0x1F149)):
        for code in range(first, last + 1):
            plain = unicodedata.normalize("NFKC", chr(code))
            if len(plain) == 1 and plain.isascii():
                table[code] = plain
    for first in (0x1F150, 0x1F170):  # letters in black discs and squares have no compatibility form
        table.update({first + n: chr(ord("A") + n) for n in range(26)})
    table.update({0x249C + n: chr(ord("a") + n) for n in range(26)})  # parenthesised small letters
    for code in range(0x660, 0x11000):
        digit = unicodedata.decimal(chr(code), None)
        if digit is not None:
            table[code] = str(digit)
    for chars, plain in (
        ("‘’‛ʼ′＇`´", "'"),
        ("“”„″«»「」『』＂", '"'),
        ("−‐‑‒", "-"),
        ("〔【［｛〖", "["),
        ("〕】］｝〗", "]"),
        ("《〈＜", "<"),
        ("》〉＞", ">"),
        ("（", "("),
        ("）", ")"),
        ("，、", ","),
        ("。．", "."),
        ("：∶", ":"),
        ("；", ";"),
        ("！", "!"),
        ("？", "?"),
        ("～〜∼≈≃≅", "~"),
        ("º˚", "°"),
        ("\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u205f\u3000\t\r\x0b\x0c\x00", " "),
        ("\u202f", "\u2009"),
        ("\u2028\u2029\x85", "\n"),
        ("*_$#", " "),
    ):
        table.update({ord(char): plain for char in chars})
    table[ord("`")] = " "
    return table


_TABLE = _single_characters()


@dataclass(frozen=True, slots=True)
class CleanText:
    """Plain text with the way back.

    Attributes:
        text: what the rules read.
        lower: the same in small letters, position by position.
        starts, shifts: positions of ``text`` from ``starts[k]`` on lie ``shifts[k]`` further right in the given text.
        skipped_middle: the text was too long, so that only its beginning and its end were kept.
    """

    text: str
    lower: str
    starts: tuple[int, ...] = (0,)
    shifts: tuple[int, ...] = (0,)
    skipped_middle: bool = False

    def span(self, start: int, end: int) -> Span:
        """Where text[start:end] stands in the text that was given."""
        if len(self.starts) == 1:
            return start + self.shifts[0], end + self.shifts[0]
        last = max(start, end - 1)
        return (
            start + self.shifts[bisect_right(self.starts, start) - 1],
            last + self.shifts[bisect_right(self.starts, last) - 1] + (end - last),
        )


def clean(text: str, offset: int = 0) -> CleanText:
    """Plain form of ``text``, which stands at ``offset`` in the text that was given."""
    pieces = [(0, len(text))]
    skipped = len(text) > MAX_CHARS
    if skipped:
        pieces = [(0, _HEAD_CHARS), (len(text) - (MAX_CHARS - _HEAD_CHARS), len(text))]
    if not text.isascii():
        pieces = [span for piece in pieces for span in _visible_pieces(text, *piece)]
    plain = "".join(text[a:b] for a, b in pieces).translate(_TABLE)
    if "\\" in plain:
        plain = _without_latex(plain)
    if "<" in plain:
        plain = _SPECIAL_TOKEN.sub(_blank, plain)
        plain = _HTML_MARK.sub(_blank, plain)
    if len(pieces) == 1:
        return CleanText(plain, _lower(plain), (0,), (offset + pieces[0][0],), skipped)
    starts, shifts, at = [], [], 0
    for a, b in pieces:
        starts.append(at)
        shifts.append(offset + a - at)
        at += b - a
    return CleanText(plain, _lower(plain), tuple(starts), tuple(shifts), skipped)


def _lower(text: str) -> str:
    """Small letters at unchanged length; the few letters whose small form is longer stay as they are."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := char.lower()) == 1 else char for char in text)


def _visible_pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    pieces = []
    for match in _INVISIBLE.finditer(text, start, end):
        if match.start() > start:
            pieces.append((start, match.start()))
        start = match.end()
    pieces.append((start, end))
    return pieces


def _blank(match: re.Match[str]) -> str:
    return " " * (match.end() - match.start())


def _without_latex(text: str) -> str:
    """LaTeX commands become the sign that they print, or blanks, at unchanged length; ``\\boxed`` stays."""
    text = _UPRIGHT.sub(_plain_content, text)
    text = _FRACTION.sub(_plain_fraction, text)
    return _LATEX.sub(_plain_command, text)


def _plain_content(match: re.Match[str]) -> str:
    """The content of ``\\text{...}`` in its place."""
    return match[1].rjust(match.end(1) - match.start()) + " "


def _plain_fraction(match: re.Match[str]) -> str:
    upper, lower = match.span(1), match.span(2)
    line = [" "] * (match.end() - match.start())
    line[upper[0] - match.start() : upper[1] - match.start()] = match[1]
    line[upper[1] - match.start()] = "/"
    line[lower[0] - match.start() : lower[1] - match.start()] = match[2]
    return "".join(line)


def _plain_command(match: re.Match[str]) -> str:
    word, width = match[1], match.end() - match.start()
    if word in ("boxed", "fbox"):
        return match[0]
    if word is None:
        sign = "°" if match[0][0] == "^" else {"%": "%", "{": "{", "}": "}", "\\": "\n"}.get(match[2], "")
    else:
        sign = _LATEX_WORDS.get(word, "")
    return sign.rjust(width)
