"""The question as the state keeps it, and the requests that are made of it for each view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict

from ..bench_data.images import Picture
from ..bench_data.questions import AnswerFormat, AnswerType
from ..tools.findings import StressFinding
from ..tools.models import (
    CoordinateSpace,
    GenerationSettings,
    ImagePart,
    Message,
    Request,
    TextPart,
)
from .errors import SolverError
from .prompts import load_prompt
from .records import PictureWork, View
from .store import PictureStore

__all__ = ["Conversation", "ask"]

_SPACE_WORDS = {
    CoordinateSpace.PERMILLE: "each from 0 to 1000, relative to the width and height of the picture",
    CoordinateSpace.FRACTION: "each from 0 to 1, relative to the width and height of the picture",
    CoordinateSpace.SENT_PIXELS: "in pixels of the picture",
    CoordinateSpace.ORIGINAL_PIXELS: "in pixels of the picture",
}


def ask(
    question: str,
    pictures: Sequence[Picture],
    answer_format: AnswerFormat,
    *,
    space: CoordinateSpace,
    settings: GenerationSettings | None = None,
    seed: int | None = None,
    stress: tuple[StressFinding, ...] | None = None,
) -> Request:
    """The request for a plain question: pictures first, then the question and how to answer it.

    Args:
        stress: what is known to be wrong with the pictures, () for nothing; None where nothing is known.
    """
    kind = answer_format.answer_type
    values = {"question": question.strip()}
    if kind is AnswerType.CHOICE:
        options = answer_format.options or {}
        values["options"] = "\n".join(f"{letter}. {text}" for letter, text in options.items())
    if kind in (AnswerType.NUMBER, AnswerType.LIST):
        values["unit"] = answer_format.unit.value if answer_format.unit else ""
    if kind is AnswerType.LIST:
        values["length"] = str(answer_format.length)
    if kind in (AnswerType.BOX, AnswerType.POINT):
        values["space"] = _SPACE_WORDS[space]
    if kind is AnswerType.GRAPH:
        raise SolverError("a scene graph is not an answer that the solver can cross-check; ask for it with the audit")
    text = load_prompt(f"ask_{kind.value}").fill(**values)
    parts = (*(ImagePart(picture=picture, stress=stress) for picture in pictures), TextPart(text=text))
    return Request(messages=(Message(parts=parts),), settings=settings or GenerationSettings(), seed=seed)


class _Part(BaseModel):
    """A piece of text, or the index of a picture."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str | None = None
    picture: int | None = None


class _Turn(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Literal["system", "user", "assistant"]
    parts: list[_Part]


class Conversation(BaseModel):
    """A request with its pictures named by hash, and the form that its answer has.

    Attributes:
        pictures: one hash a picture, in the order shown.
        stress: picture by picture, what the caller knows to be wrong with it; None where nothing is known.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    turns: list[_Turn]
    pictures: list[str]
    stress: list[list[StressFinding] | None] = []
    settings: GenerationSettings
    seed: int | None
    answer_format: AnswerFormat

    @classmethod
    def of(cls, request: Request, answer_format: AnswerFormat, store: PictureStore) -> Self:
        pictures: list[str] = []
        stress: list[list[StressFinding] | None] = []
        turns: list[_Turn] = []
        for message in request.messages:
            parts: list[_Part] = []
            for part in message.parts:
                if isinstance(part, ImagePart):
                    parts.append(_Part(picture=len(pictures)))
                    pictures.append(store.put(part.picture))
                    stress.append(None if part.stress is None else list(part.stress))
                else:
                    parts.append(_Part(text=part.text))
            turns.append(_Turn(role=message.role, parts=parts))
        return cls(
            turns=turns,
            pictures=pictures,
            stress=stress,
            settings=request.settings,
            seed=request.seed,
            answer_format=answer_format,
        )

    def plain(self) -> dict[str, object]:
        return self.model_dump(mode="json")

    def known_stress(self, index: int) -> list[StressFinding] | None:
        """What the caller knows to be wrong with a picture; None where nothing is known."""
        return self.stress[index] if index < len(self.stress) else None

    @property
    def question(self) -> str:
        """The text of the last user turn."""
        for turn in reversed(self.turns):
            if turn.role == "user":
                return "\n".join(part.text for part in turn.parts if part.text is not None)
        return ""

    def request(
        self,
        view: View,
        work: Sequence[PictureWork],
        store: PictureStore,
        *,
        sample: int = 0,
        temperature: float | None = None,
        explain: bool = True,
        logprobs: bool = False,
    ) -> Request:
        """The request for one view.

        The original view is the user's request, unchanged. The others differ in their pictures and, if ``explain``, in
        one paragraph of text before the first picture that was repaired. With ``logprobs`` all ask how likely the reply
        was.
        """
        settings = self.settings.model_copy(update={"logprobs": True}) if logprobs else self.settings
        if temperature is not None:
            settings = settings.model_copy(update={"temperature": temperature})
        seed = self.seed if sample == 0 else (self.seed or 0) + sample
        introduction = _introduction(view, work) if explain else ""
        messages: list[Message] = []
        for turn in self.turns:
            parts: list[TextPart | ImagePart] = []
            for part in turn.parts:
                if part.picture is None:
                    parts.append(TextPart(text=part.text or ""))
                    continue
                item = work[part.picture]
                if introduction and item.rectified:
                    parts.append(TextPart(text=introduction))
                    introduction = ""
                parts.extend(ImagePart(picture=store.get(name)) for name in _shown(view, item))
            messages.append(Message(role=turn.role, parts=tuple(parts)))
        return Request(messages=tuple(messages), settings=settings, seed=seed)


def _shown(view: View, item: PictureWork) -> tuple[str, ...]:
    if view is View.ORIGINAL or not item.rectified:
        return (item.original,)
    if view is View.RECTIFIED:
        return (item.repaired,)
    return item.repaired, item.original


def _introduction(view: View, work: Sequence[PictureWork]) -> str:
    if view is View.ORIGINAL or not any(item.rectified for item in work):
        return ""
    stress = ", ".join(dict.fromkeys(t.stress.label for item in work for t in item.tries if t.accepted))
    if view is View.RECTIFIED:
        return load_prompt("rectified_view").fill(stress=stress)
    pairs: list[str] = []
    position = 1
    for item in work:
        if item.rectified:
            pairs.append(f"picture {position}, which is a repaired version of picture {position + 1}")
        position += len(_shown(view, item))
    return load_prompt("both_views").fill(pairs=" and ".join(pairs), stress=stress)
