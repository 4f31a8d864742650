"""Refusals: a reply that says it will not or cannot look, in English and Chinese.

"I cannot determine which" is no refusal: the model looked and did not know. That is ``no_answer``.
"""

from __future__ import annotations

import re

from .result import Span

__all__ = ["find_refusal"]

_CANNOT = (
    r"(?:can(?:'t|not| not)|could(?:n't| not)|(?:'m|am|is|are|was)(?: not|n't)? ?(?:unable|able|incapable|"
    r"allowed|permitted)"
    r"(?: to| of)?|(?:do|does|did)(?: not|n't) (?:actually )?(?:have|possess) (?:the )?"
    r"(?:ability|capability|access|vision|permission)(?: to)?|won't|will not|lack the ability to|unable to)"
)
_LOOK = (
    r"(?:view|see|access|open|process|analy[sz]e|interpret|look at|perceive|load|examine|inspect|display|viewing|"
    r"seeing|"
    r"processing|analy[sz]ing|interpreting)"
)
_PICTURE = r"(?:images?|pictures?|photos?|photographs?|visuals?|visual content|attachments?|files?|screenshots?)"
_ANY = r"(?:(?:the|this|that|these|those|any|an?|your|actual|attached|provided|uploaded|external|or|directly) ){0,4}"
_GIVEN = r"(?:provided|attached|included|uploaded|given|available|visible|found|loaded|accessible)"
_HELP = (
    r"(?:help|assist|answer|comply|respond|provide (?:an?|the|that|this) (?:answer|response)|fulfil|complete|"
    r"identify (?:people|real|individuals|persons)|engage|discuss|share|continue|do (?:that|this))"
)
_UNSURE = r"(?! (?:with certainty|for sure|for certain|definitively|precisely|exactly))"

_PHRASES = (
    rf"\b(?:i|we) ?{_CANNOT} (?:directly |actually |currently |physically )?{_LOOK} {_ANY}{_PICTURE}\b",
    rf"\b(?:do|does|did)(?: not|n't) (?:actually )?(?:have|see|get|receive) (?:direct |any |visual |the ){{0,4}}"
    rf"(?:access to )?(?:the |any |an? |your )?{_PICTURE}\b",
    rf"\bno {_PICTURE} (?:was |were |has been |have been |is |are )?{_GIVEN}\b",
    rf"\b{_PICTURE} (?:was|were|is|are|has|have)(?: not|n't) (?:been )?{_GIVEN}\b",
    r"\bas an? (?:ai|artificial intelligence|text[- ]based|language|large language)\b[^.!?\n]{0,60}\b"
    r"(?:can(?:'t|not)|unable|not able|don't|do not)\b",
    rf"\bi(?:'m| am)? ?{_CANNOT} (?:to )?{_HELP}\b{_UNSURE}",
    r"\b(?:i'm|i am) (?:very |so |really )?sorry,? (?:but )?(?:i|as|that)\b[^.!?\n]{0,20}\b"
    r"(?:can(?:'t|not)|unable|not able|won't)\b(?! (?:see|determine|tell|find|identify|say|be) )",
    r"\bi (?:must |have to |respectfully )?(?:decline|refuse)\b",
    r"\b(?:against|violates?) (?:my|the|our) (?:guidelines|policy|policies)\b",
    rf"\bplease (?:upload|provide|attach|share|send|re-?upload) (?:the |an? |your |a valid )?{_PICTURE}\b",
    r"(?:无法|不能|没法|没办法|不支持)(?:直接)?(?:查看|看到|访问|打开|处理|分析|读取|识别|看)(?:这张|该|您的|你的|任何|到){0,3}"
    r"(?:图片|图像|照片|图)",
    r"作为(?:一个|一款|一名)?(?:人工智能|ai|语言模型|大语言模型|文本)[^.!?\n]{0,30}(?:无法|不能|没法)",
    r"(?:抱歉|对不起)[,.]?\s?(?:我|但){0,2}(?:无法|不能|没法)(?!确定|判断)",
    r"我(?:无法|不能)(?:回答|提供|协助|帮助)",
    r"没有(?:提供|看到|收到|上传)(?:任何)?(?:图片|图像|照片)",
    r"看不到(?:任何)?(?:图片|图像|照片)",
)
_REFUSAL = re.compile("|".join(_PHRASES))


def find_refusal(lower: str) -> Span | None:
    """Where small-letter text refuses, or None.

    >>> find_refusal("i cannot view images.") is not None, find_refusal("i cannot see the lamp.") is None
    (True, True)
    """
    match = _REFUSAL.search(lower)
    return match.span() if match else None
