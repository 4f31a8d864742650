"""The one protocol that every model, wrapped model and plug-in obeys, and the values that pass through it."""

from __future__ import annotations

import operator
from enum import StrEnum
from typing import Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from ...bench_data.images import Picture
from ..findings import StressFinding

__all__ = [
    "Capabilities",
    "CoordinateSpace",
    "Fault",
    "FaultKind",
    "GenerationSettings",
    "ImagePart",
    "Message",
    "Reply",
    "ReplyStatus",
    "Request",
    "SentImage",
    "TextPart",
    "Usage",
    "VisionLanguageModel",
    "user_message",
]


class _Value(BaseModel):
    """Frozen, strict about names; pictures are passed by reference."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class CoordinateSpace(StrEnum):
    """What the numbers of a box or point that the model writes are measured in."""

    PERMILLE = "permille"
    SENT_PIXELS = "sent_pixels"
    ORIGINAL_PIXELS = "original_pixels"
    FRACTION = "fraction"


class Capabilities(_Value):
    """What a model, or the server in front of it, honours. None means "not known"."""

    coordinate_space: CoordinateSpace
    max_images: int | None = None
    honours_temperature: bool | None = None
    honours_seed: bool | None = None
    honours_system_message: bool | None = None
    max_image_side_px: int | None = None
    max_image_base64_bytes: int | None = None


class TextPart(_Value):
    text: str


class ImagePart(_Value):
    """A picture.

    Attributes:
        stress: what the caller knows to be wrong with it, () for nothing. A solver acts on that in place of what it
            would detect; a plain model is not told. None where nothing is known.
    """

    picture: Picture
    stress: tuple[StressFinding, ...] | None = None


class Message(_Value):
    """One turn: text and pictures in the order in which the model shall see them."""

    role: Literal["system", "user", "assistant"] = "user"
    parts: tuple[TextPart | ImagePart, ...]

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(part.picture for part in self.parts if isinstance(part, ImagePart))

    @property
    def text(self) -> str:
        """All text parts, joined by line breaks."""
        return "\n".join(part.text for part in self.parts if isinstance(part, TextPart))


class GenerationSettings(_Value):
    """How to decode. Temperature 0 is greedy.

    Attributes:
        logprobs: ask how likely the reply was, see `Reply.logprob`. It is written down only where it is asked for, so
            that requests without it keep their fingerprints.
    """

    temperature: float = Field(default=0.0, ge=0.0, allow_inf_nan=False)
    top_p: float | None = Field(default=None, gt=0.0, le=1.0)
    max_tokens: int = Field(default=1024, ge=1)
    stop: tuple[str, ...] = ()
    logprobs: bool = Field(default=False, exclude_if=operator.not_)


class Request(_Value):
    """One question to a model."""

    messages: tuple[Message, ...] = Field(min_length=1)
    settings: GenerationSettings = GenerationSettings()
    seed: int | None = None

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(picture for message in self.messages for picture in message.pictures)


def user_message(text: str, pictures: tuple[Picture, ...] = ()) -> Message:
    """A user turn with the pictures first and the text last, the order in which most models are trained."""
    return Message(parts=(*(ImagePart(picture=picture) for picture in pictures), TextPart(text=text)))


class ReplyStatus(StrEnum):
    """What came of a call. Only ``ok`` holds an answer."""

    OK = "ok"
    REFUSAL = "refusal"
    TRUNCATED = "truncated"
    FILTERED = "filtered"
    ERROR = "error"


class FaultKind(StrEnum):
    """Why a call gave no reply."""

    AUTHENTICATION = "authentication"
    BAD_REQUEST = "bad_request"
    TOO_LARGE = "too_large"
    RATE_LIMIT = "rate_limit"
    QUOTA = "quota"
    SERVER = "server"
    CONNECTION = "connection"
    TIMEOUT = "timeout"
    MALFORMED = "malformed"
    OUT_OF_MEMORY = "out_of_memory"
    NOT_RECORDED = "not_recorded"
    CRASHED = "crashed"


class Fault(_Value):
    """The last thing that went wrong in a call that ended with status ``error``.

    Attributes:
        retryable: whether the same call may succeed later. A caller that wants to go on must not repeat a call whose
            fault is not retryable.
        retry_after_s: seconds that the server asked to wait, counted from the end of the call; None when it did not.
    """

    kind: FaultKind
    message: str
    retryable: bool
    http_status: int | None = None
    retry_after_s: float | None = None


class Usage(_Value):
    """Tokens as the server counted them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


class SentImage(_Value):
    """How one picture really left the house.

    Attributes:
        sha256: of the original ``Picture``.
        original_size, sent_size: (width, height) in pixels.
        media_type: "image/png" or "image/jpeg"; "image/raw" where pixels were handed over in memory.
        jpeg_quality: None for PNG. A JPEG is a degradation of its own; ``note`` says so.
        base64_bytes: length after base64, which is what servers limit.
    """

    sha256: str
    original_size: tuple[int, int]
    sent_size: tuple[int, int]
    media_type: str
    jpeg_quality: int | None = None
    base64_bytes: int | None = None
    note: str | None = None


class Reply(_Value):
    """What a model said, or why it said nothing.

    Attributes:
        text: the visible reply; "" when there is none.
        reasoning: a separate reasoning field, or a reasoning block that the server split off; never graded.
        finish_reason: the server's own word.
        cost_usd: None when no price is known; never a guess.
        latency_s: seconds from the call to the reply, retries and waiting included.
        attempts: calls made, the first included.
        logprob: natural logarithm of how likely the model was to say just this, its end included where that is known;
            None where it was not asked for, or not told. It tells how sure a model is of an answer of few words.
    """

    text: str = ""
    reasoning: str | None = None
    status: ReplyStatus
    finish_reason: str | None = None
    usage: Usage = Usage()
    cost_usd: float | None = None
    latency_s: float = 0.0
    attempts: int = 1
    model_reported: str | None = None
    sent_images: tuple[SentImage, ...] = ()
    fault: Fault | None = None
    notes: tuple[str, ...] = ()
    logprob: float | None = Field(default=None, le=0, allow_inf_nan=False)


@runtime_checkable
class VisionLanguageModel(Protocol):
    """A model: anything with a name, capabilities, and an asynchronous reply.

    ``reply`` never raises for what a server or model does; it returns a ``Reply`` whose status says what happened.
    It raises ``ModelError`` only when the call cannot be made at all, and lets ``asyncio.CancelledError`` through.
    """

    @property
    def name(self) -> str: ...

    @property
    def capabilities(self) -> Capabilities: ...

    async def reply(self, request: Request) -> Reply: ...
