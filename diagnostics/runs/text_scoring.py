"""Free text in runs: right when it says what a reference says, up to case, punctuation, articles and blanks.

The comparison is the exact match of SQuAD (Rajpurkar et al. 2016), after Unicode's compatibility folding. A whole
sentence can be said in many ways, none of which such a comparison knows; references of that length are left unscored.
"""

from __future__ import annotations

import re
import unicodedata

from ...bench_data.suites.literals import parse_list_cell

__all__ = ["MOST_REFERENCE_WORDS", "comparable_references", "same_text"]

MOST_REFERENCE_WORDS = 6
"""A reference with more words is a sentence."""
_MOST_REFERENCES = 100
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


def comparable_references(truth: str) -> tuple[str, ...]:
    """The references that a short answer can be compared with; () for none.

    Args:
        truth: one reference, or a list of them as text, as tables of several annotators have it.

    >>> comparable_references("['a red mug', 'the mug']"), comparable_references("a red mug")
    (('a red mug', 'the mug'), ('a red mug',))
    """
    references: tuple[str, ...] = (truth,)
    if truth.lstrip().startswith("["):
        try:
            listed = parse_list_cell(truth, most=_MOST_REFERENCES)
        except ValueError:
            listed = []
        references = tuple(str(one) for one in listed) or references
    return tuple(one for one in references if 0 < len(_normal(one).split()) <= MOST_REFERENCE_WORDS)


def same_text(said: str, references: tuple[str, ...]) -> bool:
    """Whether an answer says what one of the references says.

    >>> same_text("The red mug.", ("a red  Mug",)), same_text("a mug", ("a red mug",))
    (True, False)
    """
    return _normal(said) in {_normal(one) for one in references}


def _normal(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    # Signs and points inside numbers stay: "-3.5" is not "35".
    kept = "".join(
        one if one.isalnum() or one.isspace() or _is_in_number(folded, place) else " "
        for place, one in enumerate(folded)
    )
    return " ".join(_ARTICLE.sub(" ", kept).split())


def _is_in_number(text: str, place: int) -> bool:
    after = text[place + 1 : place + 2].isdigit()
    if text[place] in "-−":
        return after and not text[max(0, place - 1) : place].isalnum()
    return text[place] == "." and after and text[max(0, place - 1) : place].isdigit()
