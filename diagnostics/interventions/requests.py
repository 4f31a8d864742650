"""Requests under a condition: what is shown, what is said beforehand, and the question."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...bench_data.images import Picture
from ...bench_data.questions import Question
from ...tools.models import CoordinateSpace, GenerationSettings, Message, Request, TextPart, user_message
from ..asking import question_request
from ..scene_graph import GraphRequest, SceneGraph, birds_eye_image, graph_legend, graph_text
from .experiment import Condition, PictureSource
from .hints import degradation_choices

__all__ = ["condition_request", "graph_parts", "graph_request", "grey_picture", "name_request", "shown_pictures"]

_GREY = 127
_NO_PICTURE = "No picture is shown. Answer with what you think is most likely."
_GRAPH_HEADING = "A scene graph of the picture:"
_DRAWING_HEADING = "A drawing of the scene from above:"
_NAME_QUESTION = (
    "What was done to this picture? Choose from this list:\n{choices}\n\nReply with the one name that fits best."
)


def shown_pictures(pictures: Sequence[Picture], source: PictureSource) -> tuple[Picture, ...]:
    """What is shown of pictures: themselves, grey ones of their size, or nothing."""
    if source == "none":
        return ()
    return tuple(pictures) if source == "shown" else tuple(grey_picture(one) for one in pictures)


def grey_picture(picture: Picture) -> Picture:
    """A picture of the same size in one middle grey."""
    return Picture(np.full_like(picture.image_srgb_u8, _GREY), source="grey")


def condition_request(
    condition: Condition,
    question: Question,
    pictures: Sequence[Picture],
    *,
    space: CoordinateSpace,
    graph: SceneGraph | None = None,
    hint: str = "",
    named: tuple[Request, str] | None = None,
    settings: GenerationSettings | None = None,
    seed: int | None = None,
) -> Request:
    """The request for a question under a condition.

    Args:
        pictures: of the question, as files have them; the condition decides what is shown.
        space: what the model's boxes and points are measured in.
        graph: that the condition shows; None for none.
        hint: what is said about what was done to the picture.
        named: of a chain: the first request and what was replied to it.
    """
    before: list[str | Picture] = [hint] if hint else []
    if condition.picture == "none":
        before.append(_NO_PICTURE)
    if graph is not None:
        before += graph_parts(graph, condition, pictures=max(1, len(pictures)))
    history: tuple[Message, ...] = ()
    if named is not None:
        first, reply = named
        history = (*first.messages, Message(role="assistant", parts=(TextPart(text=reply),)))
    return question_request(
        question,
        shown_pictures(pictures, condition.picture),
        space=space,
        before=before,
        history=history,
        settings=settings,
        seed=seed,
    )


def graph_parts(graph: SceneGraph, condition: Condition, *, pictures: int = 1) -> list[str | Picture]:
    """A graph in the media of a condition, with its legend.

    Raises:
        DiagnosticsError: it is to be drawn and states no places.
    """
    parts: list[str | Picture] = []
    for medium in condition.media:
        if medium == "birds_eye":
            parts += [_DRAWING_HEADING, Picture(birds_eye_image(graph), source="drawing from above")]
        else:
            parts.append(f"{_GRAPH_HEADING}\n{graph_text(graph, medium)}")
    if condition.legend:
        parts.append(graph_legend(graph, media=condition.media, pictures=pictures))
    return parts


def graph_request(
    asked: GraphRequest,
    pictures: Sequence[Picture],
    source: PictureSource,
    *,
    settings: GenerationSettings | None = None,
    seed: int | None = None,
) -> Request:
    """The request for a scene graph."""
    text = asked.text if source != "none" else f"{_NO_PICTURE}\n\n{asked.text}"
    return Request(
        messages=(user_message(text, shown_pictures(pictures, source)),),
        settings=settings or GenerationSettings(max_tokens=4096),
        seed=seed,
    )


def name_request(
    pictures: Sequence[Picture], *, settings: GenerationSettings | None = None, seed: int | None = None
) -> Request:
    """The first request of a chain: what was done to the picture."""
    text = _NAME_QUESTION.format(choices=degradation_choices())
    return Request(
        messages=(user_message(text, tuple(pictures)),), settings=settings or GenerationSettings(), seed=seed
    )
