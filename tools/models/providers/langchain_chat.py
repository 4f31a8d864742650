"""``langchain/<init_chat_model string>``: any LangChain chat model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from ...errors import ModelError
from ..coordinate_spaces import guess_coordinate_space
from ..declared_options import ProviderOptions, option_help, read_options
from ..extras import is_installed
from ..image_fitting import FittedImage, ImageFitError, ImageLimits, fit_images
from ..protocol import (
    Capabilities,
    CoordinateSpace,
    Fault,
    FaultKind,
    ImagePart,
    Message,
    Reply,
    ReplyStatus,
    Request,
    Usage,
    VisionLanguageModel,
)
from ..registry import ModelName, model_provider

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage

__all__ = ["LangChainModel", "LangChainOptions"]

# How providers say why a reply ended, in lower case; LangChain passes their words on.
_FINISH_FIELDS = ("finish_reason", "stop_reason", "done_reason")
_TRUNCATED = ("length", "max_tokens", "max_output_tokens", "model_length")
_FILTERED = ("content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii")
_REFUSED = ("refusal",)
_MODEL_FIELDS = ("model_name", "model")

_FAULT_OF_STATUS = {
    401: FaultKind.AUTHENTICATION,
    403: FaultKind.AUTHENTICATION,
    402: FaultKind.QUOTA,
    408: FaultKind.TIMEOUT,
    413: FaultKind.TOO_LARGE,
    429: FaultKind.RATE_LIMIT,
}
_RETRYABLE = (FaultKind.TIMEOUT, FaultKind.RATE_LIMIT, FaultKind.SERVER, FaultKind.CONNECTION)


class LangChainModel:
    """A LangChain chat model behind the model protocol.

    Pictures travel as data URIs in ``image_url`` blocks, the form that all vision integrations of LangChain take.
    Temperature, ``top_p`` and ``max_tokens`` are passed with each call; retries and time limits are the chat model's
    own (its arguments ``max_retries`` and ``timeout``).

    Args:
        chat_model: what ``init_chat_model`` or an integration package gives.
        name: for records; two different models must not share one.
        capabilities: known families are looked up by ``name`` unless given.
        limits: what the server accepts; larger pictures are made to fit.
        send_seed: pass the seed too. Off by default, since several integrations refuse the argument.
    """

    def __init__(
        self,
        chat_model: BaseChatModel,
        *,
        name: str,
        capabilities: Capabilities | None = None,
        limits: ImageLimits | None = None,
        send_seed: bool = False,
    ) -> None:
        self._chat_model = chat_model
        self._name = name
        self._limits = limits or ImageLimits()
        self._send_seed = send_seed
        self._capabilities = capabilities or Capabilities(
            coordinate_space=guess_coordinate_space(name).space,
            honours_seed=None if send_seed else False,
            max_image_side_px=self._limits.max_side_px,
            max_image_base64_bytes=self._limits.max_base64_bytes,
        )

    @property
    def name(self) -> str:
        return self._name

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    async def reply(self, request: Request) -> Reply:
        """What the chat model says; see ``VisionLanguageModel``."""
        started = time.monotonic()
        try:
            images = await asyncio.to_thread(fit_images, request.pictures, self._limits)
        except ImageFitError as error:
            reply = _error(FaultKind.TOO_LARGE, str(error))
        else:
            reply = await self._ask(request, images)
        return reply.model_copy(update={"latency_s": time.monotonic() - started})

    async def _ask(self, request: Request, images: Sequence[FittedImage]) -> Reply:
        from langchain_core.messages import AIMessage

        notes: tuple[str, ...] = ()
        if request.seed is not None and not self._send_seed:
            notes = ("the seed was not sent; set send_seed if the chat model takes one",)
        sent = tuple(image.sent for image in images)
        try:
            answer = await self._chat_model.ainvoke(
                _messages(request.messages, images),
                stop=list(request.settings.stop) or None,
                **self._arguments(request),
            )
        except Exception as error:  # noqa: BLE001 - an integration may raise anything; the reply reports it
            return _fault_reply(error).model_copy(update={"sent_images": sent, "notes": notes})
        if not isinstance(answer, AIMessage):
            return _error(FaultKind.MALFORMED, f"{self._name} returned {type(answer).__name__}, not an AIMessage")
        return _as_reply(answer).model_copy(update={"sent_images": sent, "notes": notes})

    def _arguments(self, request: Request) -> dict[str, Any]:
        settings = request.settings
        arguments: dict[str, Any] = {"temperature": settings.temperature, "max_tokens": settings.max_tokens}
        if settings.top_p is not None:
            arguments["top_p"] = settings.top_p
        if self._send_seed and request.seed is not None:
            arguments["seed"] = request.seed
        return arguments


def _messages(messages: Sequence[Message], images: Sequence[FittedImage]) -> list[BaseMessage]:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    kinds = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
    uris = iter([image.data_uri for image in images])
    converted = []
    for message in messages:
        blocks: list[str | dict[str, object]] = [
            {"type": "image_url", "image_url": {"url": next(uris)}}
            if isinstance(part, ImagePart)
            else {"type": "text", "text": part.text}
            for part in message.parts
        ]
        converted.append(kinds[message.role](content=blocks))
    return converted


def _as_reply(answer: AIMessage) -> Reply:
    metadata = answer.response_metadata or {}
    finish = next((str(metadata[name]) for name in _FINISH_FIELDS if metadata.get(name)), None)
    reported = next((str(metadata[name]) for name in _MODEL_FIELDS if metadata.get(name)), None)
    refusal = answer.additional_kwargs.get("refusal")
    reasoning = [str(block.get("reasoning", "")) for block in answer.content_blocks if block["type"] == "reasoning"]
    text = str(answer.text)
    if isinstance(refusal, str) and refusal and not text:
        text = refusal
    return Reply(
        text=text,
        reasoning="\n".join(part for part in reasoning if part) or None,
        status=_status(finish, text, refused=bool(refusal)),
        finish_reason=finish,
        usage=_usage(answer),
        model_reported=reported,
    )


def _status(finish: str | None, text: str, *, refused: bool) -> ReplyStatus:
    word = (finish or "").lower()
    if refused or word in _REFUSED:
        return ReplyStatus.REFUSAL
    if word in _FILTERED:
        # Stopped before the first word it is a refusal; in mid-sentence the text is kept.
        return ReplyStatus.FILTERED if text else ReplyStatus.REFUSAL
    return ReplyStatus.TRUNCATED if word in _TRUNCATED else ReplyStatus.OK


def _usage(answer: AIMessage) -> Usage:
    counted = answer.usage_metadata
    if counted is None:
        return Usage()
    return Usage(
        input_tokens=counted["input_tokens"],
        output_tokens=counted["output_tokens"],
        reasoning_tokens=counted.get("output_token_details", {}).get("reasoning"),
    )


def _fault_reply(error: Exception) -> Reply:
    """Integrations raise the exceptions of their own clients, which share an HTTP status and a way of naming."""
    status = next(
        (
            value
            for name in ("status_code", "http_status", "code")
            if isinstance(value := getattr(error, name, None), int)
        ),
        None,
    )
    kind = FaultKind.CRASHED
    if status is not None and 400 <= status < 600:
        kind = _FAULT_OF_STATUS.get(status, FaultKind.SERVER if status >= 500 else FaultKind.BAD_REQUEST)
    elif isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
        kind = FaultKind.TIMEOUT
    elif isinstance(error, ConnectionError) or "Connect" in type(error).__name__:
        kind = FaultKind.CONNECTION
    return _error(kind, f"{type(error).__name__}: {error}", http_status=status)


def _error(kind: FaultKind, message: str, *, http_status: int | None = None) -> Reply:
    fault = Fault(kind=kind, message=message, retryable=kind in _RETRYABLE, http_status=http_status)
    return Reply(status=ReplyStatus.ERROR, fault=fault)


class LangChainOptions(ProviderOptions):
    """Options of ``langchain/``."""

    coordinate_space: CoordinateSpace | None = Field(
        default=None, description="what boxes are measured in; looked up for known families"
    )
    send_seed: bool = Field(default=False, description="pass the seed; some integrations refuse it")
    timeout_s: float | None = Field(default=None, gt=0, allow_inf_nan=False, description="for one call")
    max_retries: int | None = Field(default=None, ge=0, description="the chat model's own retries")
    max_image_side_px: int | None = Field(default=None, ge=1, description="make larger pictures fit")
    max_image_base64_bytes: int | None = Field(default=None, ge=1, description="make larger files fit")


@model_provider(
    "langchain",
    summary="any LangChain chat model, by the name that init_chat_model takes",
    example="langchain/anthropic:claude-sonnet-4-5",
    options=option_help(LangChainOptions),
)
def _build(name: ModelName, options: Mapping[str, object]) -> VisionLanguageModel:
    chosen = read_options(LangChainOptions, options, provider="langchain")
    if not is_installed("langchain"):
        raise ModelError(
            f"{name}: init_chat_model lives in the package langchain, which this Python lacks; "
            "run: pip install 'seeworthy[langchain]' and the integration, such as langchain-anthropic"
        )
    from langchain.chat_models import init_chat_model

    arguments: dict[str, object] = {}
    if name.base_url is not None:
        arguments["base_url"] = name.base_url
    if chosen.timeout_s is not None:
        arguments["timeout"] = chosen.timeout_s
    if chosen.max_retries is not None:
        arguments["max_retries"] = chosen.max_retries
    try:
        chat_model = init_chat_model(name.model, **arguments)
    except Exception as error:
        raise ModelError(f"{name}: init_chat_model says {type(error).__name__}: {error}") from error
    limits = ImageLimits(max_side_px=chosen.max_image_side_px, max_base64_bytes=chosen.max_image_base64_bytes)
    capabilities = Capabilities(
        coordinate_space=chosen.coordinate_space or guess_coordinate_space(name.model).space,
        honours_seed=None if chosen.send_seed else False,
        max_image_side_px=limits.max_side_px,
        max_image_base64_bytes=limits.max_base64_bytes,
    )
    return LangChainModel(
        chat_model, name=str(name), capabilities=capabilities, limits=limits, send_seed=chosen.send_seed
    )
