"""A chat request as JSON, read strictly: what cannot be honoured is refused or named, never dropped in silence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...tools.models import GenerationSettings
from ..state import storable
from .errors import ApiError, bad_request, too_large
from .settings import ServeLimits, ServeSettings

__all__ = ["ChatCall", "ImageUrl", "Turn", "read_chat_call"]

Role = Literal["system", "user", "assistant"]
Json = Mapping[str, object]

_ROLES: dict[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_OTHER_ROLES = frozenset({"tool", "function"})
_TEXT_PARTS = frozenset({"text", "input_text", "output_text"})
_MOST_STOPS = 4
_MOST_NAME_CHARACTERS = 400

# Read here, or without meaning for the answer.
_KNOWN = frozenset(
    {
        "model",
        "messages",
        "n",
        "stream",
        "stream_options",
        "temperature",
        "top_p",
        "max_tokens",
        "max_completion_tokens",
        "seed",
        "stop",
        "user",
        "metadata",
        "store",
        "service_tier",
        "safety_identifier",
        "prompt_cache_key",
    }
)
# A client that asks for these cannot work with a plain answer, so it must hear that there is none. Each is fine at the
# value that asks for nothing.
_NEUTRAL: dict[str, tuple[object, ...]] = {
    "tools": (None, []),
    "functions": (None, []),
    "tool_choice": (None, "none", "auto"),
    "function_call": (None, "none", "auto"),
    "response_format": (None, {"type": "text"}),
    "logprobs": (None, False),
    "top_logprobs": (None, 0),
    "logit_bias": (None, {}),
    "modalities": (None, ["text"]),
    "audio": (None,),
    "parallel_tool_calls": (None, True, False),
}


@dataclass(frozen=True)
class ImageUrl:
    """A picture as the client names it, before anything is read.

    Attributes:
        where: the place in the request, for messages.
    """

    url: str
    where: str


@dataclass(frozen=True)
class Turn:
    """One message."""

    role: Role
    parts: tuple[str | ImageUrl, ...]


@dataclass(frozen=True)
class ChatCall:
    """A request that is sound in form.

    Attributes:
        model: the name that the client used.
        choices: how many answers are wanted, ``n``.
        ignored: fields that were understood by nobody, for the client to see.
    """

    model: str
    turns: tuple[Turn, ...]
    settings: GenerationSettings
    seed: int | None
    choices: int
    stream: bool
    include_usage: bool
    ignored: tuple[str, ...]


def read_chat_call(body: Json, settings: ServeSettings) -> ChatCall:
    """Checks names, types and ranges.

    Raises:
        ApiError: 400 with the field that is to blame, or 404 for a model that is not served.
    """
    limits = settings.limits
    for name, neutral in _NEUTRAL.items():
        if name in body and not any(body[name] == value for value in neutral):
            message = f"{name} is not supported: the answer is always plain text"
            raise bad_request(message, param=name, code="unsupported_parameter")
    stream = _flag(body, "stream")
    options = body.get("stream_options")
    if options is not None and not (stream and isinstance(options, dict)):
        raise bad_request("stream_options must be an object, and goes with stream: true only", param="stream_options")
    return ChatCall(
        model=_model(body, settings.names),
        turns=_turns(body.get("messages"), limits),
        settings=_generation(body, settings.default_max_tokens),
        seed=_whole(body, "seed", -(2**63), 2**63 - 1),
        choices=_whole(body, "n", 1, limits.max_choices) or 1,
        stream=stream,
        include_usage=isinstance(options, dict) and _flag(options, "include_usage"),
        ignored=tuple(sorted(storable(name)[:80] for name in body if name not in _KNOWN and name not in _NEUTRAL)[:32]),
    )


def _model(body: Json, names: Sequence[str]) -> str:
    wanted = body.get("model")
    if not isinstance(wanted, str) or not wanted:
        raise bad_request("model must be text", param="model")
    if wanted not in names:
        message = f"the model {storable(wanted)[:_MOST_NAME_CHARACTERS]!r} is not served; this server has {names[0]!r}"
        raise ApiError(404, message, code="model_not_found", param="model")
    return wanted


def _generation(body: Json, default_max_tokens: int) -> GenerationSettings:
    temperature = _number(body, "temperature", 0.0, 2.0)
    top_p = _number(body, "top_p", 0.0, 1.0)
    if top_p == 0.0:
        raise bad_request("top_p must be above 0; for greedy answers set temperature to 0", param="top_p")
    most = 2**31 - 1
    budget = _whole(body, "max_completion_tokens", 1, most) or _whole(body, "max_tokens", 1, most)
    return GenerationSettings(
        temperature=0.0 if temperature is None else temperature,
        top_p=top_p,
        max_tokens=budget or default_max_tokens,
        stop=_stops(body.get("stop")),
    )


def _stops(value: object) -> tuple[str, ...]:
    found = [] if value is None else value if isinstance(value, list) else [value]
    if len(found) > _MOST_STOPS or not all(isinstance(text, str) and text for text in found):
        raise bad_request(f"stop must be text or a list of up to {_MOST_STOPS} texts, none empty", param="stop")
    return tuple(str(text) for text in found)


def _turns(value: object, limits: ServeLimits) -> tuple[Turn, ...]:
    if not isinstance(value, list) or not value:
        raise bad_request("messages must be a list with at least one message", param="messages")
    if len(value) > limits.max_messages:
        raise bad_request(f"messages has {len(value)} entries, the limit is {limits.max_messages}", param="messages")
    turns = tuple(_turn(message, f"messages[{index}]") for index, message in enumerate(value))
    parts = [part for turn in turns for part in turn.parts]
    images = sum(isinstance(part, ImageUrl) for part in parts)
    if images > limits.max_images:
        raise bad_request(f"the request holds {images} pictures, the limit is {limits.max_images}", param="messages")
    characters = sum(len(part) for part in parts if isinstance(part, str))
    if characters > limits.max_text_characters:
        message = f"the request holds {characters:,} characters, the limit is {limits.max_text_characters:,}"
        raise too_large(message, param="messages")
    if not any(turn.role == "user" and turn.parts for turn in turns):
        raise bad_request("messages holds no message of the user: nothing was asked", param="messages")
    return turns


def _turn(message: object, where: str) -> Turn:
    if not isinstance(message, dict):
        raise bad_request(f"{where} must be an object, not {type(message).__name__}", param=where)
    named = message.get("role")
    if not isinstance(named, str) or named not in _ROLES:
        if isinstance(named, str) and named in _OTHER_ROLES:
            what = f"{where}.role {named!r} is not supported: this server calls no tools of the client"
            raise bad_request(what, param=f"{where}.role", code="unsupported_value")
        raise bad_request(f"{where}.role must be one of {', '.join(_ROLES)}", param=f"{where}.role")
    if message.get("tool_calls") or message.get("function_call"):
        what = f"{where} holds a tool call: this server calls no tools of the client"
        raise bad_request(what, param=where, code="unsupported_value")
    role, content, place = _ROLES[named], message.get("content"), f"{where}.content"
    if content is None and role == "assistant":
        refusal = message.get("refusal")
        return Turn(role, (storable(refusal),) if isinstance(refusal, str) else ())
    if isinstance(content, str):
        return Turn(role, (storable(content),))
    if not isinstance(content, list) or not content:
        raise bad_request(f"{place} must be text or a list of parts", param=place)
    parts = tuple(_part(part, f"{place}[{index}]") for index, part in enumerate(content))
    if role != "user" and any(isinstance(part, ImageUrl) for part in parts):
        raise bad_request(f"{place} holds a picture; pictures belong in messages of the user", param=place)
    return Turn(role, parts)


def _part(part: object, where: str) -> str | ImageUrl:
    if not isinstance(part, dict):
        raise bad_request(f"{where} must be an object, not {type(part).__name__}", param=where)
    kind = part.get("type")
    if kind == "refusal" and isinstance(part.get("refusal"), str):
        return storable(str(part["refusal"]))
    if isinstance(kind, str) and kind in _TEXT_PARTS:
        text = part.get("text")
        if not isinstance(text, str):
            raise bad_request(f"{where}.text must be text", param=f"{where}.text")
        return storable(text)
    if kind == "image_url":
        place = f"{where}.image_url"
        image = part.get("image_url")
        url = image.get("url") if isinstance(image, dict) else None
        if not isinstance(url, str):
            raise bad_request(f'{place} must be an object {{"url": "..."}}', param=place)
        return ImageUrl(url, f"{place}.url")
    named = storable(kind)[:80] if isinstance(kind, str) else type(kind).__name__
    message = f"{where}.type {named!r} is not supported; use text or image_url"
    raise bad_request(message, param=f"{where}.type", code="unsupported_value")


def _flag(body: Json, name: str) -> bool:
    value = body.get(name)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise bad_request(f"{name} must be true or false", param=name)


def _whole(body: Json, name: str, low: int, high: int) -> int | None:
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise bad_request(f"{name} must be a whole number from {low} to {high}", param=name)
    return value


def _number(body: Json, name: str, low: float, high: float) -> float | None:
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise bad_request(f"{name} must be a number from {low:g} to {high:g}", param=name)
    return float(value)
