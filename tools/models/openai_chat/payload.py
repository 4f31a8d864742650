"""From a request to the JSON of a chat completion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..image_fitting import FittedImage
from ..protocol import ImagePart, Message, Request
from ..surrogates import without_lone_surrogates
from .quirks import Quirks
from .settings import OpenAIChatOptions

__all__ = ["Payload", "build_payload"]


@dataclass(frozen=True)
class Payload:
    """What is sent.

    Attributes:
        messages: as the protocol wants them.
        fields: everything else but the model's name.
        image_bytes: base64 characters of all pictures together.
        notes: what had to be changed on the way.
    """

    messages: list[dict[str, object]]
    fields: dict[str, object]
    image_bytes: int
    notes: tuple[str, ...]


def build_payload(
    request: Request, fitted: tuple[FittedImage, ...], quirks: Quirks, options: OpenAIChatOptions
) -> Payload:
    """The body for one call. ``fitted`` holds the request's pictures."""
    notes: list[str] = []
    messages = request.messages
    if options.honours_system_message is False:
        messages, folded = _without_system(messages)
        if folded:
            notes.append("the system message was put before the first user message")
    # By content, because moving a system message may change the order of the pictures.
    images = {image.sent.sha256: image for image in fitted}
    written = [_message(message, images, options) for message in messages]
    if any(message.text != without_lone_surrogates(message.text) for message in messages):
        notes.append("half characters (lone surrogates) in the prompt were replaced by U+FFFD")
    return Payload(
        messages=written,
        fields=_settings(request, quirks) | options.extra_body,
        image_bytes=sum(image.sent.base64_bytes or 0 for image in fitted),
        notes=(*notes, *quirks.notes(request)),
    )


def _settings(request: Request, quirks: Quirks) -> dict[str, object]:
    settings = request.settings
    fields: dict[str, object] = {quirks.budget_field: settings.max_tokens, "temperature": settings.temperature}
    if settings.top_p is not None:
        fields["top_p"] = settings.top_p
    if settings.stop:
        fields["stop"] = [without_lone_surrogates(text) for text in settings.stop]
    if request.seed is not None:
        fields["seed"] = request.seed
    if settings.logprobs:
        fields["logprobs"] = True
    return {name: value for name, value in fields.items() if name not in quirks.dropped}


def _message(message: Message, images: Mapping[str, FittedImage], options: OpenAIChatOptions) -> dict[str, object]:
    if not message.pictures:
        # A plain string: some servers refuse a list of parts where there is no picture.
        return {"role": message.role, "content": without_lone_surrogates(message.text)}
    parts: list[dict[str, object]] = []
    for part in message.parts:
        if isinstance(part, ImagePart):
            url: dict[str, object] = {"url": images[part.picture.sha256].data_uri}
            if options.image_detail is not None:
                url["detail"] = options.image_detail
            parts.append({"type": "image_url", "image_url": url})
        else:
            parts.append({"type": "text", "text": without_lone_surrogates(part.text)})
    return {"role": message.role, "content": parts}


def _without_system(messages: tuple[Message, ...]) -> tuple[tuple[Message, ...], bool]:
    """System text moved in front of the first user message; pictures keep their order."""
    system = [message for message in messages if message.role == "system"]
    rest = [message for message in messages if message.role != "system"]
    if not system:
        return messages, False
    opening = tuple(part for message in system for part in message.parts)
    for index, message in enumerate(rest):
        if message.role == "user":
            rest[index] = Message(parts=(*opening, *message.parts))
            return tuple(rest), True
    return (Message(parts=opening), *rest), True
