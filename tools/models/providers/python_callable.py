"""``python/module:callable``: any Python function as a model."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import time
from collections.abc import Awaitable, Callable, Mapping

from pydantic import Field

from ...errors import ModelError
from ..declared_options import ProviderOptions, option_help, read_options
from ..protocol import Capabilities, CoordinateSpace, Fault, FaultKind, Reply, ReplyStatus, Request, VisionLanguageModel
from ..registry import ModelName, model_provider

__all__ = ["CallableModel", "CallableOptions"]

Answer = Reply | str
RequestFunction = Callable[[Request], Answer | Awaitable[Answer]]


class CallableModel:
    """A function ``(request) -> Reply | str`` behind the model protocol.

    A plain function runs in a thread, so it may block; an async one runs in the event loop. Whatever it raises becomes
    a reply with fault ``crashed``.

    Args:
        function: gets the whole request.
        name: for records; two different functions must not share one.
        capabilities: boxes in 0 to 1000 and nothing else known, unless given.

    >>> import asyncio
    >>> from seeworthy.tools.models import Request, user_message
    >>> model = CallableModel(lambda request: request.messages[-1].text.upper(), name="shout")
    >>> asyncio.run(model.reply(Request(messages=(user_message("hello"),)))).text
    'HELLO'
    """

    def __init__(self, function: RequestFunction, *, name: str, capabilities: Capabilities | None = None) -> None:
        if not callable(function):
            raise ModelError(f"model {name!r} needs a callable (request) -> Reply | str, got {type(function).__name__}")
        self._function = function
        self._name = name
        self._capabilities = capabilities or Capabilities(coordinate_space=CoordinateSpace.PERMILLE)

    @property
    def name(self) -> str:
        return self._name

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    async def reply(self, request: Request) -> Reply:
        """What the function returns; see ``VisionLanguageModel``."""
        started = time.monotonic()
        try:
            answer = await self._call(request)
        except Exception as error:  # noqa: BLE001 - a user's function may raise anything; the reply reports it
            reply = _crashed(f"{self._name} raised {type(error).__name__}: {error}")
        else:
            reply = self._as_reply(answer)
        return reply.model_copy(update={"latency_s": time.monotonic() - started})

    async def _call(self, request: Request) -> object:
        if _is_async(self._function):
            answer: object = self._function(request)
        else:
            answer, error = await asyncio.to_thread(self._attempt, request)
            if error is not None:
                raise error
        return await answer if inspect.isawaitable(answer) else answer

    def _attempt(self, request: Request) -> tuple[object, Exception | None]:
        """Hands exceptions back as values: a StopIteration (from ``next``) can never leave a future."""
        try:
            return self._function(request), None
        except StopIteration as error:
            return None, RuntimeError(f"StopIteration: {error}")
        except Exception as error:  # noqa: BLE001 - raised again in the event loop
            return None, error

    def _as_reply(self, answer: object) -> Reply:
        if isinstance(answer, Reply):
            return answer
        if isinstance(answer, str):
            return Reply(text=answer, status=ReplyStatus.OK)
        return _crashed(f"{self._name} returned {type(answer).__name__}; it must return Reply or str")


def _is_async(function: RequestFunction) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


def _crashed(message: str) -> Reply:
    return Reply(status=ReplyStatus.ERROR, fault=Fault(kind=FaultKind.CRASHED, message=message, retryable=False))


class CallableOptions(ProviderOptions):
    """Options of ``python/``."""

    coordinate_space: CoordinateSpace | None = Field(
        default=None, description="what the boxes of a function are measured in; permille unless given"
    )


@model_provider(
    "python",
    summary="a Python function (request) -> Reply | str, or a model object, by its import path",
    example="python/my_package.my_module:answer",
    options=option_help(CallableOptions),
)
def _build(name: ModelName, options: Mapping[str, object]) -> VisionLanguageModel:
    if name.base_url is not None:
        raise ModelError(f"{name}: a Python callable has no base URL; leave out @{name.base_url}")
    space = read_options(CallableOptions, options, provider="python").coordinate_space
    target = _import_target(name.model)
    if inspect.isclass(target) or not (isinstance(target, VisionLanguageModel) or callable(target)):
        raise ModelError(
            f"{name}: {name.model} is {'a class' if inspect.isclass(target) else f'a {type(target).__name__}'}; "
            "name a function (request) -> Reply | str, or a model object"
        )
    if isinstance(target, VisionLanguageModel):
        if space is not None:
            raise ModelError(f"{name}: {name.model} is a model and says itself what boxes are measured in")
        return target
    return CallableModel(
        target, name=str(name), capabilities=Capabilities(coordinate_space=space or CoordinateSpace.PERMILLE)
    )


def _import_target(path: str) -> object:
    module_name, colon, attributes = path.partition(":")
    if not colon or not module_name or not attributes:
        raise ModelError(f"python/{path} is not of the form python/module:callable")
    try:
        target: object = importlib.import_module(module_name)
    except Exception as error:
        raise ModelError(
            f"python/{path}: cannot import {module_name!r}: {type(error).__name__}: {error}; "
            "is its folder on PYTHONPATH?"
        ) from error
    for attribute in attributes.split("."):
        try:
            target = getattr(target, attribute)
        except AttributeError as error:
            raise ModelError(f"python/{path}: {error}") from error
    return target
