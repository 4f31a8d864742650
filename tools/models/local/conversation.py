"""Requests in the form that chat templates take."""

from __future__ import annotations

from collections.abc import Sequence

from ..protocol import ImagePart, Message, Request, TextPart
from ..surrogates import without_lone_surrogates
from .library import Processor

__all__ = ["Conversation", "conversation", "fold_system_messages", "template_takes_system"]

Conversation = list[dict[str, object]]

_PROBE = "seeworthy-system-probe"


def conversation(messages: Sequence[Message]) -> Conversation:
    """Turns with their parts in order; pictures as PIL images."""
    from PIL import Image

    def part_dict(part: TextPart | ImagePart) -> dict[str, object]:
        if isinstance(part, ImagePart):
            return {"type": "image", "image": Image.fromarray(part.picture.image_srgb_u8)}
        return {"type": "text", "text": without_lone_surrogates(part.text)}

    return [{"role": message.role, "content": [part_dict(part) for part in message.parts]} for message in messages]


def fold_system_messages(request: Request) -> tuple[Message, ...]:
    """The turns with every system text put in front of the first user turn, for templates that know no system turn."""
    system = [part for message in request.messages if message.role == "system" for part in message.parts]
    turns = [message for message in request.messages if message.role != "system"]
    if not system:
        return tuple(turns)
    first_user = next((index for index, turn in enumerate(turns) if turn.role == "user"), None)
    if first_user is None:
        return (Message(role="user", parts=tuple(system)), *turns)
    user = turns[first_user]
    turns[first_user] = Message(role="user", parts=(*system, *user.parts))
    return tuple(turns)


def template_takes_system(processor: Processor) -> bool:
    """Whether the chat template writes a system turn into the prompt; some refuse it and some drop it silently."""
    turns = [
        {"role": "system", "content": [{"type": "text", "text": _PROBE}]},
        {"role": "user", "content": [{"type": "text", "text": "Hello"}]},
    ]
    try:
        return _PROBE in str(processor.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))
    except Exception:  # noqa: BLE001 - a template is a program of the checkpoint's author and may raise anything
        return False
