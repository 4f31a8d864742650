"""Where a reply declares its answer in words: "the answer is ...", "Answer: ...", 答案是..."""

from __future__ import annotations

import re

from .context import is_asked, is_conditional, is_denied_before
from .result import Span

__all__ = ["declared_spans", "final_cue"]

MAX_CUES = 200
_CUE = re.compile(
    r"\b(?:(?:final|correct|best|right|my|the|estimated)[ ]){0,3}(?:answer|ans|response|solution|conclusion|"
    r"verdict|decision|choice|option|"
    r"respuesta|réponse|antwort)(?:[ ]{1,2}(?:to|for)[ ](?:the|this|your)[ ](?:question|problem))?[\s\"')]{0,4}"
    r"(?:(?:is|was|would be|should be|must be|will be|'s)(?![a-z])|[:=]|->|→)"
    r"|\b(?:therefore|thus|hence|in conclusion|to conclude|overall|in summary)[, ]"
    r"|(?:最终|正确)?(?:答案|回答|结论)(?:应该|应)?(?:是|为|:)|(?:所以|因此|故)[, ]?",
)
_FINAL = re.compile(r"final|conclusion|conclude|最终")
_CLAUSE = re.compile(r"\s{0,12}[^.;!?\n。]{1,200}(?:\.(?=[0-9])[^.;!?\n。]{0,80}){0,8}")


def declared_spans(lower: str) -> list[Span]:
    """The clauses that follow a cue, without questions, conditions and denials.

    Of more than ``MAX_CUES`` only the first and the last ones count.
    """
    spans = []
    cues = list(_CUE.finditer(lower))
    if len(cues) > MAX_CUES:
        cues = cues[: MAX_CUES // 4] + cues[-(MAX_CUES - MAX_CUES // 4) :]
    for match in cues:
        at = match.end()
        if (
            is_denied_before(lower, match.start())
            or is_conditional(lower, match.start())
            or is_asked(lower, match.start(), at)
        ):
            continue
        clause = _CLAUSE.match(lower, at)
        if clause:
            spans.append(clause.span())
    return spans


def final_cue(lower: str, start: int) -> bool:
    """Whether the cue that ends at ``start`` calls the answer final."""
    return _FINAL.search(lower, max(0, start - 40), start) is not None
