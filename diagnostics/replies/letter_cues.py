"""Phrases around a letter: what declares it, affirms it, denies it, or sets it alone. All read small-letter text."""

from __future__ import annotations

import re

from .letters import LetterMention

__all__ = [
    "affirmed_after",
    "begins_reply",
    "declared_before",
    "denied_after",
    "is_approved_label",
    "is_label",
    "is_past_thought",
    "opens_reply",
    "stands_alone",
]

_LEFT_REACH = 96
_RIGHT_REACH = 80

_FILL_WORDS = (
    r"that|it|it's|its|is|be|the|an?(?= option| choice)|option|choice|letter|number|answer|alternative|question|of|one|"
    r"definitely|clearly|certainly|most|more|likely|probably|therefore|thus|indeed|simply|just|actually|in fact|surely|"
    r"obviously|still|then|now|going|to|as|follows|so|hence|accordingly|here|i|think|believe|would|say|choose|select|"
    r"pick|go|with|labell?ed|marked|correct|right|best|final|我|是|选|选择|选项|项|为|应该|应|就|最|的"
)
_WEAK_WORDS = r"might|may|could|perhaps|maybe|possibly|可能"
_FILL = rf"(?:[\s\"'(\[{{<:=>,~-]|(?:{_FILL_WORDS}|{_WEAK_WORDS})(?![a-z])){{0,40}}\Z"
"""What may stand between a cue and its letter: "the answer is [most likely option] B"."""

_LINK = (
    r"(?:(?:is|was|'s|are|would|should|must|has|will|might|may|could|seems|appears|remains|becomes|est|ist|es|é|è)(?![a-z])"
    r"|[:=]|->|→)"
)
_CUES = (
    # the answer is; Antwort:
    r"(?<![a-z])(?:answer|ans|response|solution|conclusion|verdict|decision|respuesta|réponse|reponse|antwort|risposta|"
    r"resposta|ответ)(?:[ ]{1,2}(?:to|for|of)[ ](?:the|this|your|that)[ ](?:question|problem|query))?[\s\"')]{0,4}"
    + _LINK,
    # the best choice here is
    r"(?<![a-z])(?:choice|option|letter|selection|pick|alternative)(?:[ ](?:here|then|in this case))?[\s\"')]{0,4}"
    + _LINK,
    # I would go with
    r"(?<![a-z])(?:choose|chose|choosing|pick|picked|picking|select|selected|selecting|go|going|went|opt|opting|settle|"
    r"vote|say|think|believe|guess|conclude|answer|mark|tick|mean|meant)[ ](?:with|for|on)?",
    # it must be
    r"(?<![a-z])(?:it|that|this|which|one|he|she)"
    r"(?:[ ](?:is|must|should|would|has|will|might|may|could|seems)|'s|'d|'ll)(?![a-z])",
    # so; probably
    r"(?<![a-z])(?:so|thus|therefore|hence|then|definitely|clearly|certainly|obviously|probably|likely|surely|actually|"
    r"finally|ultimately|overall|maybe|perhaps|possibly)(?![a-z])",
    # wait,
    r"(?<![a-z])(?:wait|no|sorry|correction|corrected|rather|make that|i mean|oops)[,.!:-]",
    # not A but
    r"\bnot[ ][^.;!?\n]{1,24}[ ]but(?: rather)?(?![a-z])",
    # if I had to choose,
    r"\b(?:on second thoughts?|if (?:forced|pressed|i had|i have|i must)[^,.;\n]{0,24}|in (?:the end|short|summary)|"
    r"all in all|to (?:conclude|sum up))[,:]",
    # which corresponds to
    r"(?<![a-z])(?:only|lean(?:ing|s)?[ ](?:towards?|to)|correspond(?:s|ing)?[ ](?:to|with)|match(?:es|ing)?|leaves|"
    r"points[ ]to|indicates|suggests|supports)(?![a-z])",
    r"->|=>|→|∴",
    r"(?:答案|回答|选项|结论|选择|答え|正解|정답)(?:应该|应当|应|就)?(?:是|为|:|选|は)?",
    r"选(?:择|项)?|(?:应该?|所以|因此|故|那么|就)(?:是|为)|(?:\A|[,.;:!\n ])(?:而)?是",
)
_CUE = re.compile(f"(?:{'|'.join(_CUES)}){_FILL}")
_BARE_ANSWER = re.compile(r"(?<![a-z])(?:answer|ans)[\s\"'(\[<]{1,12}\Z")
_BREAK_BEFORE = re.compile(r"[a-z0-9)\"'\u3000-\u9fff][ ]{0,2}[:,][\s\"'(\[]{0,8}\Z")
_CLAUSE_STOPS = re.compile(r"[\"')\] ]{0,4}(?:[.,;!\n]|\Z)")
_FINAL = re.compile(r"\bfinal|\bconclusion|\bultimately|最终|最后")
_WEAK = re.compile(r"\b(?:" + _WEAK_WORDS + r")(?![a-z])")
_PAST_THOUGHT = re.compile(r"\b(?:initially|originally|thought|considered|considering|tempt\w*|at first)\b")

_AFTER = r"[\"')\]}>.]{0,3}[ ]{0,2}(?:选项|项|option|choice|answer)?[ ]{0,2}"
_DENIED_AFTER = re.compile(
    _AFTER + r"(?:[:(][ ]?|(?:is|are|was|were|can|does|do|must|should|would|could|seems?|looks?|also|both|clearly|"
    r"therefore|是|也)[ ]){0,3}"
    r"(?:not\b(?![ ](?:option |choice )?[a-z]\b)|(?:is|are|was|do|does|ca|should|would|could)n't|cannot|wrong|"
    r"incorrect|false|impossible|ruled out|eliminated|excluded|invalid|unlikely|"
    r"be (?:ruled|excluded|eliminated|wrong|discarded)|(?:a |the )?(?:common )?distractors?|out\b|不|错|排除)"
)
_AFFIRMED_AFTER = re.compile(
    _AFTER + r"(?:"
    r"[ ,:(-]{0,3}(?:is|'s|seems?|looks?|appears?|must be|would be|should be|has to be|remains)[ ](?:to be )?"
    r"(?:(?:the|my|definitely|clearly|most|only|single|best|final|indeed|therefore|thus|more|likely|also|"
    r"in fact) ){0,4}"
    r"(?:correct|right(?! (?:of|side|hand|next|behind|in|to|above|below))|answer|best|true|accurate|appropriate|better|"
    r"choice|match|fit|suitable|likely|it\b)"
    r"|(?:best )?(?:fits|matches)\b|it is\b|[ ]?[:(-][ ]?(?:correct|right answer|true)\b|(?:是|为)?(?:正确|对)的?)"
)
_LINE_WORDS = r"(?:(?:the|my|your|final|correct|best|option|choice|answer|letter|is|选项|选|答案|是|:)[ ]?){0,5}"
_LINE_BEFORE = re.compile(
    r"(?:\A|\n|[.!?][ ]{1,3})[^\w\n]{0,24}(?:\d{1,2}[.)][ ]{1,3})?" + _LINE_WORDS + r"[^\w\n]{0,12}\Z"
)
_LINE_AFTER = re.compile(r"[^\w\n]{0,24}(?:选项|项|option)?[^\w\n]{0,24}(?:\n|\Z)")
_LABEL_REACH = 40
_LABEL_BEFORE = re.compile(
    r"(?:\A|\n)[\s\"'(\[{<>|-]{0,12}(?:\d{1,2}[.)][ ]{1,3})?(?:(?:option|choice|answer|选项)[ ]{0,2})?[\"'(\[]{0,2}\Z"
)
_LABEL_AFTER = re.compile(r"[\"')\]]{0,2}[ ]{0,2}(?:[.:)\]-]|[ ]-)[\"')\]]{0,2}[ ]{0,3}(?=[^\s])")
_LABEL_LINE = 160
_APPROVED = re.compile(r"\bcorrect\b|[✓✔✅☑]|[:,(-][ ]?(?:yes|true)\b|\bright (?:answer|option|choice)\b|<-|←|正确")
_DISAPPROVED = re.compile(r"\b(?:not|no|incorrect|wrong|false)\b|n't\b|[✗✘❌]|不|错误")
_HEAD_AFTER = re.compile(
    r"[\"')\]]{0,2}(?:[ ]{0,2}[.,:;!)\]-]|[ ]{1,3}[(-]|[\u3000-\u9fff]|"
    r"[ ]{1,3}(?:because|since|as|and|or|not|for|due|given|but|so|instead|rather|based|according)\b)"
)


def declared_before(lower: str, mention: LetterMention) -> tuple[bool, bool] | None:
    """(final, weak) of the cue that leads to the letter, such as "the answer is", or None."""
    at = mention.position
    left = lower[max(0, at - _LEFT_REACH) : at]
    cue = _CUE.search(left)
    if cue is None and mention.capital and _CLAUSE_STOPS.match(lower, at + 1):
        cue = _BARE_ANSWER.search(left) or (_BREAK_BEFORE.search(left) if _LINE_AFTER.match(lower, at + 1) else None)
    if cue is None:
        return None
    return _FINAL.search(left, max(0, cue.start() - 16)) is not None, _WEAK.search(cue[0]) is not None


def affirmed_after(lower: str, mention: LetterMention) -> bool:
    """ "B is correct", "B fits best"."""
    return _AFFIRMED_AFTER.match(lower, mention.end, mention.end + _RIGHT_REACH) is not None


def denied_after(lower: str, mention: LetterMention) -> bool:
    """ "B is wrong", "B does not fit"."""
    return _DENIED_AFTER.match(lower, mention.end, mention.end + _RIGHT_REACH) is not None


def is_past_thought(clause: str) -> bool:
    """ "I first thought it was B"."""
    return _PAST_THOUGHT.search(clause) is not None


def stands_alone(lower: str, mention: LetterMention) -> bool:
    """Whether the letter is all that its line or its last sentence says, but for "option", "answer" and marks."""
    if _LINE_AFTER.match(lower, mention.end) is None:
        return False
    return _LINE_BEFORE.search(lower[max(0, mention.position - _LEFT_REACH) : mention.position]) is not None


def is_label(lower: str, mention: LetterMention) -> bool:
    """Whether the letter opens a line as "B. text", "(B) text" or "option B: text"."""
    at = mention.position
    bracketed = lower[at - 1 : at] == "(" and lower[at + 1 : at + 2] == ")"
    if not bracketed and _LABEL_AFTER.match(lower, at + 1) is None:
        return False
    return _LABEL_BEFORE.search(lower if at < _LABEL_REACH else "." + lower, max(0, at - _LABEL_REACH), at) is not None


def is_approved_label(lower: str, mention: LetterMention) -> bool:
    """Whether the line of a label says that it is the right one: "B. right - correct"."""
    line = lower[mention.end : mention.end + _LABEL_LINE].partition("\n")[0]
    return _APPROVED.search(line) is not None and _DISAPPROVED.search(line) is None


def begins_reply(lower: str, mention: LetterMention) -> bool:
    """Whether nothing but "option", "answer" and marks stands before the letter."""
    at = mention.position
    return at < _LEFT_REACH and _LINE_BEFORE.fullmatch(lower, 0, at) is not None


def opens_reply(lower: str, mention: LetterMention) -> bool:
    """Whether the reply begins with the letter and goes on to explain it: "B, because ..."."""
    if not mention.capital or not begins_reply(lower, mention):
        return False
    return _HEAD_AFTER.match(lower, mention.end) is not None
