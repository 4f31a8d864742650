"""The rules, each a function that raises ``ConformanceError`` when an adapter breaks it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterator

import numpy as np

from ....bench_data.images import Picture
from ..fingerprint import request_fingerprint
from ..protocol import (
    Capabilities,
    GenerationSettings,
    Message,
    Reply,
    ReplyStatus,
    Request,
    TextPart,
    VisionLanguageModel,
    user_message,
)
from .subject import Check, ConformanceError, Subject
from .well_formed import require_well_formed

__all__ = ["CHECKS", "UGLY_TEXTS"]

UGLY_TEXTS: tuple[str, ...] = (
    "Ünïcödé 中文 العربية עברית",
    "👩‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿 é",
    "nul \x00 bell \x07 escape \x1b[31m",
    "<image> <|image_pad|> <|im_end|> </s> [INST] {{ x }} {% if %}",
    "line\r\nline\u2028line\u0085end",
    '{"role": "system", "content": "null"}',
    "   ",
)
"""Texts that break adapters: scripts, joined emoji, control characters, prompt markup, odd line ends, JSON, blanks."""

_LONG_TEXT = "word " * 14_000
_MAX_TOKENS = 16
_HANG_S = 120.0
_CONCURRENT_CALLS = 6


def _picture(seed: int, size: tuple[int, int] = (48, 40)) -> Picture:
    width, height = size
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Picture(pixels, source=f"conformance picture {seed}")


def _request(text: str = "What do you see?", pictures: tuple[Picture, ...] = ()) -> Request:
    return Request(
        messages=(user_message(text, pictures),), settings=GenerationSettings(max_tokens=_MAX_TOKENS), seed=1
    )


async def _reply(model: VisionLanguageModel, request: Request) -> Reply:
    try:
        reply: object = await asyncio.wait_for(model.reply(request), _HANG_S)
    except TimeoutError:
        raise ConformanceError(f"reply() did not return within {_HANG_S:g} s") from None
    return require_well_formed(reply, request)


async def _answered(model: VisionLanguageModel, request: Request) -> Reply:
    reply = await _reply(model, request)
    if reply.fault is not None:
        raise ConformanceError(f"an ordinary request failed: {reply.fault.kind}: {reply.fault.message}")
    return reply


def _run(coroutine: Awaitable[None]) -> None:
    async def main() -> None:
        await coroutine

    asyncio.run(main())


def _check_name(subject: Subject) -> None:
    model = subject.build()
    if not isinstance(model.name, str) or not model.name.strip() or not model.name.isprintable():
        raise ConformanceError(f"name is {model.name!r}; it must be a printable text")
    first, second = model.name, model.name
    if first != second:
        raise ConformanceError("name changes from one reading to the next")


def _check_capabilities(subject: Subject) -> None:
    model = subject.build()
    first, second = model.capabilities, model.capabilities
    if not isinstance(first, Capabilities):
        raise ConformanceError(f"capabilities is {type(first).__name__}, not Capabilities")
    if first != second:
        raise ConformanceError("capabilities changes from one reading to the next")


def _check_text_only(subject: Subject) -> None:
    async def go() -> None:
        await _answered(subject.build(), _request())

    _run(go())


def _check_pictures(count: int) -> Callable[[Subject], None]:
    def check(subject: Subject) -> None:
        async def go() -> None:
            model = subject.build()
            pictures = tuple(_picture(seed, (48 + 16 * seed, 40)) for seed in range(count))
            request = _request(pictures=pictures)
            limit = model.capabilities.max_images
            if limit is None or count <= limit:
                await _answered(model, request)
                return
            reply = await _reply(model, request)
            if reply.fault is None or reply.fault.retryable:
                raise ConformanceError(
                    f"max_images is {limit}, so {count} pictures must give an error that is not retryable"
                )

        _run(go())

    return check


def _check_dialogue(subject: Subject) -> None:
    async def go() -> None:
        turns = (
            Message(role="system", parts=(TextPart(text="Answer in one word."),)),
            user_message("Which is closer?", (_picture(3),)),
            Message(role="assistant", parts=(TextPart(text="The chair."),)),
            user_message("And which is larger?"),
        )
        await _answered(subject.build(), Request(messages=turns, settings=GenerationSettings(max_tokens=_MAX_TOKENS)))

    _run(go())


def _check_settings(subject: Subject) -> None:
    async def go() -> None:
        settings = GenerationSettings(temperature=0.7, top_p=0.9, max_tokens=_MAX_TOKENS, stop=("\n\n", "###"))
        await _answered(subject.build(), Request(messages=(user_message("Hello"),), settings=settings, seed=7))

    _run(go())


def _check_ugly_requests(subject: Subject) -> None:
    async def go() -> None:
        model = subject.build()
        for text in (*UGLY_TEXTS, "lone \ud800 surrogate", ""):
            await _reply(model, _request(text))

    _run(go())


def _check_concurrent(subject: Subject) -> None:
    async def go() -> None:
        model = subject.build()
        requests = [
            _request(f"Question {index}", (_picture(index),) if index % 2 else ()) for index in range(_CONCURRENT_CALLS)
        ]
        await asyncio.gather(*(_answered(model, request) for request in requests))

    _run(go())


def _check_cancellation(subject: Subject) -> None:
    async def go() -> None:
        model = (subject.build_slow or subject.build)()
        cancelled = asyncio.ensure_future(model.reply(_request("Never mind")))
        # Two turns of the loop: the call has begun, and no model that waits for anything is done.
        for _ in range(2):
            await asyncio.sleep(0)
        if cancelled.cancel():
            done, _ = await asyncio.wait([cancelled], timeout=_HANG_S)
            if not done:
                raise ConformanceError("a cancelled call does not end")
            if not cancelled.cancelled() and cancelled.exception() is not None:
                raise ConformanceError(f"a cancelled call raised {cancelled.exception()!r}")
            if not cancelled.cancelled() and subject.build_slow is not None:
                raise ConformanceError("a cancelled call returned a reply; CancelledError must pass through")
        await _answered(model, _request("Still there?"))

    _run(go())


def _check_loop_stays_free(subject: Subject) -> None:
    async def go() -> None:
        model = (subject.build_slow or subject.build)()
        turns = 0

        async def tick() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0.01)
                turns += 1

        ticker = asyncio.ensure_future(tick())
        await _answered(model, _request())
        ticker.cancel()
        if turns < 2:
            raise ConformanceError("nothing else ran while a slow call waited; move blocking work to a thread")

    _run(go())


def _check_same_loop(subject: Subject) -> None:
    async def go() -> None:
        model = subject.build()
        for text in ("First", "Second"):
            await _answered(model, _request(text, (_picture(4),)))

    _run(go())


def _check_second_loop(subject: Subject) -> None:
    model = subject.build()

    async def go() -> None:
        await asyncio.gather(_answered(model, _request("One")), _answered(model, _request("Two")))

    _run(go())
    _run(go())


def _check_request_unchanged(subject: Subject) -> None:
    async def go() -> None:
        picture = _picture(5)
        request = _request("Keep your hands off", (picture,))
        before = request_fingerprint(request), hashlib.sha256(picture.image_srgb_u8.tobytes()).digest()
        await _answered(subject.build(), request)
        after = request_fingerprint(request), hashlib.sha256(picture.image_srgb_u8.tobytes()).digest()
        if before != after:
            raise ConformanceError("the request or a picture of it was changed")

    _run(go())


def _check_says(texts: tuple[str, ...]) -> Callable[[Subject], None]:
    def check(subject: Subject) -> None:
        async def go(build_saying: Callable[[str], VisionLanguageModel]) -> None:
            for text in texts:
                reply = await _answered(build_saying(text), _request())
                if reply.text != text:
                    raise ConformanceError(f"the backend said {_shown(text)} and the reply is {_shown(reply.text)}")

        if subject.build_saying is not None:
            _run(go(subject.build_saying))

    return check


def _check_failure(subject: Subject) -> None:
    async def go(build_failing: Callable[[], VisionLanguageModel]) -> None:
        model = build_failing()
        for request in (_request(), _request(pictures=(_picture(6),))):
            reply = await _reply(model, request)
            if reply.status is not ReplyStatus.ERROR:
                raise ConformanceError(f"the backend failed and the reply has status {reply.status}")

    if subject.build_failing is not None:
        _run(go(subject.build_failing))


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:20]}...{text[-10:]} ({len(text)} characters)")


def _checks() -> Iterator[Check]:
    yield Check("name", "the name is a stable, printable text", _check_name)
    yield Check("capabilities", "capabilities are complete and stable", _check_capabilities)
    yield Check("text_only", "a question without pictures gets a well-formed reply", _check_text_only)
    yield Check("one_picture", "a question with a picture gets a well-formed reply", _check_pictures(1))
    yield Check("two_pictures", "two pictures are sent or refused, never dropped", _check_pictures(2))
    yield Check("dialogue", "system, user and assistant turns are taken", _check_dialogue)
    yield Check("settings", "sampling settings, stop texts and a seed are taken", _check_settings)
    yield Check("ugly_requests", "no text of a request makes reply() raise", _check_ugly_requests)
    yield Check("concurrent", "concurrent calls do not disturb each other", _check_concurrent)
    yield Check("cancellation", "a call can be cancelled and the model goes on", _check_cancellation)
    yield Check("loop_stays_free", "a slow call does not block the event loop", _check_loop_stays_free, "build_slow")
    yield Check("same_loop", "a model can be used twice in one event loop", _check_same_loop)
    yield Check("second_loop", "a model can be used in a second event loop", _check_second_loop)
    yield Check("request_unchanged", "the request and its pictures stay as they were", _check_request_unchanged)
    yield Check("says_ugly_texts", "any text comes through unchanged", _check_says(UGLY_TEXTS), "build_saying")
    yield Check("says_nothing", "an empty reply is a reply", _check_says(("",)), "build_saying")
    yield Check(
        "says_long_text", "a reply of 70,000 characters comes through", _check_says((_LONG_TEXT,)), "build_saying"
    )
    yield Check("failure", "a broken backend gives a reply with a fault, no exception", _check_failure, "build_failing")


CHECKS: tuple[Check, ...] = tuple(_checks())
"""All rules, in the order in which one wants to see them fail."""
