"""The form of the answer that a ready-made prompt asks for, where the prompt leaves no doubt."""

from __future__ import annotations

import re

from ..bench_data.questions import AnswerFormat, AnswerType
from ..tools.models import Request

__all__ = ["infer_answer_format"]

_OPTION_LINE = re.compile(r"^[ \t]{0,8}\(?([A-Z])[.):][ \t]+(\S[^\n]{0,500})$", re.MULTILINE)
_YES_NO = re.compile(r"\b(?:answer|reply|respond)\b[^\n.]{0,40}\byes\b.{1,10}\bno\b", re.IGNORECASE)


def infer_answer_format(request: Request) -> AnswerFormat:
    """``choice`` when the last user message lists options A, B, C ... one a line; ``yes_no`` when it asks for yes or
    no; otherwise free text. A wrong guess costs agreement between views, never the model's own words.
    """
    text = next((message.text for message in reversed(request.messages) if message.role == "user"), "")
    options: dict[str, str] = {}
    for match in _OPTION_LINE.finditer(text):
        if match[1] == chr(ord("A") + len(options)):
            options[match[1]] = match[2].strip()
    if len(options) >= 2:
        return AnswerFormat(answer_type=AnswerType.CHOICE, options=options)
    if _YES_NO.search(text):
        return AnswerFormat(answer_type=AnswerType.YES_NO)
    return AnswerFormat(answer_type=AnswerType.TEXT)
