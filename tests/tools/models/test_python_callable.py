"""Any Python function is a model, and whatever it does stays inside its reply."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Callable

import pytest

from seeworthy.tools.errors import ModelError
from seeworthy.tools.models.protocol import (
    Capabilities,
    CoordinateSpace,
    FaultKind,
    Reply,
    ReplyStatus,
    Request,
    VisionLanguageModel,
)
from seeworthy.tools.models.providers.python_callable import CallableModel
from seeworthy.tools.models.registry import resolve_model

from . import sample_callables
from .conftest import ask, noise_picture

HERE = f"{__package__}.sample_callables"


class Method:
    def answer(self, request: Request) -> str:
        return "method"

    async def answer_async(self, request: Request) -> str:
        return "async method"


class CallableObject:
    def __call__(self, request: Request) -> str:
        return "object"


class AsyncCallableObject:
    async def __call__(self, request: Request) -> str:
        return "async object"


def with_prefix(prefix: str, request: Request) -> str:
    return prefix


async def with_prefix_async(prefix: str, request: Request) -> str:
    return prefix


async def coroutine(request: Request) -> str:
    return "from a lambda"


KINDS: dict[str, tuple[Callable[[Request], object], str]] = {
    "function": (sample_callables.answer, "0 pictures"),
    "async function": (sample_callables.answer_later, "later"),
    "method": (Method().answer, "method"),
    "async method": (Method().answer_async, "async method"),
    "object": (CallableObject(), "object"),
    "async object": (AsyncCallableObject(), "async object"),
    "partial": (functools.partial(with_prefix, "partial"), "partial"),
    "async partial": (functools.partial(with_prefix_async, "async partial"), "async partial"),
    "lambda that gives a coroutine": (lambda request: coroutine(request), "from a lambda"),
}


@pytest.mark.parametrize("kind", KINDS)
async def test_every_kind_of_callable_answers(kind: str) -> None:
    function, text = KINDS[kind]
    model = CallableModel(function, name=kind)  # type: ignore[arg-type]
    reply = await model.reply(ask())
    assert reply.text == text
    assert reply.fault is None
    assert reply.latency_s >= 0


async def test_a_reply_keeps_its_fields() -> None:
    given = Reply(text="no", status=ReplyStatus.REFUSAL, notes=("a",), cost_usd=0.1, attempts=2)
    reply = await CallableModel(lambda request: given, name="m").reply(ask())
    assert reply.model_copy(update={"latency_s": given.latency_s}) == given


class PeculiarError(Exception):
    def __str__(self) -> str:
        return "peculiar text"


@pytest.mark.parametrize(
    "error", [ValueError("bad"), PeculiarError(), KeyError("k"), TimeoutError(), MemoryError("big")]
)
@pytest.mark.parametrize("is_async", [False, True])
async def test_whatever_it_raises_is_a_crashed_reply(error: Exception, is_async: bool) -> None:
    def fail(request: Request) -> str:
        raise error

    async def fail_async(request: Request) -> str:
        raise error

    reply = await CallableModel(fail_async if is_async else fail, name="bad").reply(ask())
    assert reply.status is ReplyStatus.ERROR
    assert reply.text == ""
    assert reply.fault is not None
    assert reply.fault.kind is FaultKind.CRASHED
    assert not reply.fault.retryable
    assert reply.fault.message == f"bad raised {type(error).__name__}: {error}"


@pytest.mark.parametrize("is_async", [False, True])
async def test_an_exhausted_iterator_does_not_hang(is_async: bool) -> None:
    """A bare StopIteration cannot travel through a future: asyncio would wait for ever."""
    empty = iter(())

    async def take(request: Request) -> str:
        return next(empty)

    model = CallableModel(take if is_async else lambda request: next(empty), name="empty")
    reply = await asyncio.wait_for(model.reply(ask()), 30)
    assert reply.fault is not None
    assert "StopIteration" in reply.fault.message


@pytest.mark.parametrize("answer", [None, 5, b"bytes", ["A"], {"text": "A"}, float("nan")])
async def test_a_wrong_type_is_a_crashed_reply(answer: object) -> None:
    reply = await CallableModel(lambda request: answer, name="odd").reply(ask())  # type: ignore[arg-type, return-value]
    assert reply.fault is not None
    assert type(answer).__name__ in reply.fault.message
    assert "Reply or str" in reply.fault.message


async def test_a_plain_function_runs_beside_the_event_loop() -> None:
    loop_thread = threading.get_ident()
    other = asyncio.Event()
    loop = asyncio.get_running_loop()

    def block(request: Request) -> str:
        # Only a loop that is free can run this; a blocked one would never let the function return.
        asyncio.run_coroutine_threadsafe(other.wait(), loop).result(timeout=30)
        return str(threading.get_ident() != loop_thread)

    task = asyncio.ensure_future(CallableModel(block, name="block").reply(ask()))
    await asyncio.sleep(0.02)
    other.set()
    assert (await task).text == "True"


async def test_an_async_function_can_be_cancelled() -> None:
    cancelled = asyncio.Event()

    async def wait(request: Request) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return "never"

    task = asyncio.ensure_future(CallableModel(wait, name="wait").reply(ask()))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cancelled.is_set()


def test_what_is_not_callable_is_refused() -> None:
    with pytest.raises(ModelError, match="needs a callable"):
        CallableModel("hello", name="text")  # type: ignore[arg-type]


class TestByName:
    async def test_a_function(self) -> None:
        model = resolve_model(f"python/{HERE}:answer", {"coordinate_space": "fraction"})
        assert isinstance(model, VisionLanguageModel)
        assert model.name == f"python/{HERE}:answer"
        assert model.capabilities == Capabilities(coordinate_space=CoordinateSpace.FRACTION)
        assert (await model.reply(ask("?", (noise_picture(1), noise_picture(2))))).text == "2 pictures"

    async def test_an_async_function_and_a_dotted_path(self) -> None:
        assert (await resolve_model(f"python/{HERE}:answer_later").reply(ask())).status is ReplyStatus.TRUNCATED
        assert (await resolve_model(f"python/{HERE}:Group.answer").reply(ask())).text == "grouped"

    def test_a_model_object_is_taken_as_it_is(self) -> None:
        assert resolve_model(f"python/{HERE}:SHOUT") is sample_callables.SHOUT
        with pytest.raises(ModelError, match="says itself"):
            resolve_model(f"python/{HERE}:SHOUT", {"coordinate_space": "fraction"})

    @pytest.mark.parametrize(
        ("name", "complaint"),
        [
            ("python/no_such_module_here:f", "PYTHONPATH"),
            (f"python/{HERE}:missing", "missing"),
            (f"python/{HERE}:Group.missing", "missing"),
            (f"python/{HERE}:NUMBER", "a int"),
            (f"python/{HERE}:Group", "a class"),
            (f"python/{HERE}", "not of the form python/module:callable"),
            (f"python/{HERE}:", "not of the form python/module:callable"),
            ("python/:f", "not of the form python/module:callable"),
            ("python/os:", "not of the form"),
            ("python/..os:getcwd", "cannot import"),
            (f"python/{__package__}.broken_module:f", "OSError: no such sensor"),
            (f"python/{HERE}:answer@http://localhost/v1", "no base URL"),
        ],
    )
    def test_bad_names_say_what_is_wrong(self, name: str, complaint: str) -> None:
        with pytest.raises(ModelError, match=complaint.replace("(", r"\(").replace(".", r"\.")):
            resolve_model(name)

    def test_unknown_options_are_refused(self) -> None:
        with pytest.raises(ModelError, match="temperature"):
            resolve_model(f"python/{HERE}:answer", {"temperature": 1})
