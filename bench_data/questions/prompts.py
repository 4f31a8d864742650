"""A question in the words in which a model gets it: in runs, audits and training data alike."""

from __future__ import annotations

from typing import Final, Literal, assert_never

from .answer_format import AnswerFormat, AnswerType
from .units import Unit

__all__ = ["Places", "prompt_text"]

Places = Literal["permille", "fraction", "pixels"]
"""What boxes and points are wanted in: thousandths or fractions of the picture's width and height, or its pixels."""

_WORDS: Final[dict[Places, str]] = {
    "permille": "each from 0 to 1000, relative to the width and height of the picture",
    "fraction": "each from 0 to 1, relative to the width and height of the picture",
    "pixels": "in pixels of the picture",
}


def prompt_text(text: str, form: AnswerFormat, *, places: Places = "permille") -> str:
    """The question, its options with their letters, and a line on the form of the answer.

    A task that asks for a scene graph says itself what it wants, and is left as it is.

    >>> print(prompt_text("Is it raining?", AnswerFormat(answer_type=AnswerType.YES_NO)))
    Is it raining?
    <BLANKLINE>
    Reply with yes or no.
    """
    parts = [text.strip()]
    if form.answer_type is AnswerType.CHOICE:
        parts.append("\n".join(f"{letter}. {option}" for letter, option in (form.options or {}).items()))
    if form.answer_type is not AnswerType.GRAPH:
        parts.append(_form_line(form, places))
    return "\n\n".join(parts)


def _form_line(form: AnswerFormat, places: Places) -> str:
    match form.answer_type:
        case AnswerType.CHOICE:
            return "Reply with the capital letter of the one option that is right."
        case AnswerType.YES_NO:
            return "Reply with yes or no."
        case AnswerType.CLOCK:
            return "Reply with a clock direction, where 12 o'clock is straight ahead and 3 o'clock is to the right."
        case AnswerType.TEXT:
            return "Reply in a few words."
        case AnswerType.NUMBER if form.unit in (None, Unit.COUNT):
            return "Reply with one number."
        case AnswerType.NUMBER:
            return f"Reply with one number in {form.unit}."
        case AnswerType.LIST:
            return f"Reply with exactly {form.length or 1} numbers in {form.unit or Unit.METRE}, separated by commas."
        case AnswerType.BOX:
            return (
                "Reply with the four numbers left, top, right, bottom of the box, in square brackets, "
                f"{_WORDS[places]}."
            )
        case AnswerType.POINT:
            return f"Reply with the two numbers x, y of the point, in square brackets, {_WORDS[places]}."
        case AnswerType.GRAPH:
            return ""
        case _:
            assert_never(form.answer_type)
