"""Every adapter passes the conformance suite, and every rule of the suite catches an adapter that breaks it."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest

from seeworthy.bench_data.images import Picture
from seeworthy.tools.models.conformance import (
    CHECKS,
    UGLY_TEXTS,
    Check,
    ConformanceError,
    Subject,
    check_model,
    require_well_formed,
)
from seeworthy.tools.models.protocol import (
    Capabilities,
    CoordinateSpace,
    Fault,
    FaultKind,
    Reply,
    ReplyStatus,
    Request,
    SentImage,
    Usage,
    VisionLanguageModel,
)
from seeworthy.tools.models.providers.langchain_chat import LangChainModel
from seeworthy.tools.models.providers.python_callable import CallableModel
from seeworthy.tools.models.providers.recorded import RecordedModel, Recorder
from seeworthy.tools.models.recording import read_recording

from .conftest import ask, noise_picture

SLOW_S = 0.25
CAPABILITIES = Capabilities(coordinate_space=CoordinateSpace.PERMILLE)


def python_subject(*, is_async: bool) -> Subject:
    def model(text: str = "yes", *, fails: bool = False, is_slow: bool = False) -> VisionLanguageModel:
        def answer(request: Request) -> str:
            if is_slow:
                time.sleep(SLOW_S)
            if fails:
                raise ConnectionError("backend is gone")
            return text

        async def answer_async(request: Request) -> str:
            if is_slow:
                await asyncio.sleep(SLOW_S)
            if fails:
                raise ConnectionError("backend is gone")
            return text

        return CallableModel(answer_async if is_async else answer, name="python/test")

    return Subject(
        build=model,
        build_saying=model,
        build_failing=lambda: model(fails=True),
        build_slow=lambda: model(is_slow=True),
    )


def langchain_subject() -> Subject:
    from langchain_core.language_models.fake_chat_models import FakeListChatModel

    def model(text: str = "yes", **more: object) -> VisionLanguageModel:
        return LangChainModel(FakeListChatModel(responses=[text], **more), name="langchain/fake")  # type: ignore[arg-type]

    return Subject(
        build=model,
        build_saying=model,
        # No responses at all: the fake raises IndexError.
        build_failing=lambda: LangChainModel(FakeListChatModel(responses=[]), name="langchain/fake"),
        build_slow=lambda: model(sleep=SLOW_S),
    )


def recorded_subject(folder: Path) -> Subject:
    numbers = itertools.count()

    def model(text: str = "yes", replies: int = 50) -> VisionLanguageModel:
        path = folder / f"{next(numbers)}.jsonl"
        path.write_text((json.dumps({"reply": text}) + "\n") * replies, encoding="utf-8")
        return RecordedModel(read_recording(path), name="recorded/test")

    return Subject(build=model, build_saying=model, build_failing=lambda: model(replies=0))


def recorder_subject(folder: Path) -> Subject:
    inner = python_subject(is_async=True)
    numbers = itertools.count()

    def wrap(model: VisionLanguageModel) -> Recorder:
        return Recorder(model, folder / f"{next(numbers)}.jsonl")

    assert inner.build_saying is not None
    assert inner.build_failing is not None
    assert inner.build_slow is not None
    saying, failing, slow = inner.build_saying, inner.build_failing, inner.build_slow
    return Subject(
        build=lambda: wrap(inner.build()),
        build_saying=lambda text: wrap(saying(text)),
        build_failing=lambda: wrap(failing()),
        build_slow=lambda: wrap(slow()),
    )


def transformers_subject(folder: Path) -> Subject:
    import torch

    from seeworthy.tools.models.local import TransformersModel, load

    stock = load(str(folder), device="cpu")
    end = stock.processor.tokenizer.eos_token_id
    speaking = load(str(folder), device="cpu")

    def model(generate: Callable[..., torch.Tensor]) -> TransformersModel:
        speaking.model.generate = generate  # type: ignore[method-assign]
        return TransformersModel(speaking, name="hf/tiny", batch_wait_s=0.0)

    def saying(text: str) -> VisionLanguageModel:
        ids = stock.processor.tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]

        def generate(**options: object) -> torch.Tensor:
            prompt = cast("torch.Tensor", options["input_ids"])
            return torch.cat([prompt, torch.tensor([[*ids, end]] * len(prompt), dtype=prompt.dtype)], dim=1)

        return model(generate)

    def failing(**options: object) -> torch.Tensor:
        raise RuntimeError("device-side assert triggered")

    def slow(**options: object) -> torch.Tensor:
        time.sleep(SLOW_S)
        return cast("torch.Tensor", stock.model.generate(**options))

    return Subject(
        build=lambda: TransformersModel(stock, name="hf/tiny", batch_wait_s=0.0),
        build_saying=saying,
        build_failing=lambda: model(failing),
        build_slow=lambda: model(slow),
    )


SUBJECTS = ["python", "python async", "langchain", "recorded", "recorder", "hf llava", "hf qwen3-vl"]


@pytest.fixture(scope="session")
def subjects(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Callable[[str], Subject]]:
    """Subjects by name, each built once, when it is first asked for."""
    built: dict[str, Subject] = {}
    makers: dict[str, Callable[[], Subject]] = {
        "python": lambda: python_subject(is_async=False),
        "python async": lambda: python_subject(is_async=True),
        "langchain": langchain_subject,
        "recorded": lambda: recorded_subject(tmp_path_factory.mktemp("recorded")),
        "recorder": lambda: recorder_subject(tmp_path_factory.mktemp("recorder")),
        "hf llava": lambda: transformers_subject(request.getfixturevalue("tiny_llava")),
        "hf qwen3-vl": lambda: transformers_subject(request.getfixturevalue("tiny_qwen3_vl")),
    }

    def subject(name: str) -> Subject:
        if name not in built:
            built[name] = makers[name]()
        return built[name]

    yield subject


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
@pytest.mark.parametrize("name", SUBJECTS)
def test_adapter_conforms(name: str, check: Check, subjects: Callable[[str], Subject]) -> None:
    if name == "langchain":
        pytest.importorskip("langchain_core")
    if name.startswith("hf"):
        pytest.importorskip("transformers")
    subject = subjects(name)
    if not check.applies_to(subject):
        pytest.skip(f"{name} gives no {check.needs}")
    check.run(subject)


class Good:
    """A model that breaks no rule; each test below changes one thing."""

    name = "good"
    capabilities = CAPABILITIES

    async def reply(self, request: Request) -> Reply:
        await asyncio.sleep(0.001)
        sent = tuple(
            SentImage(
                sha256=picture.sha256,
                original_size=picture.size,
                sent_size=picture.size,
                media_type="image/png",
            )
            for picture in request.pictures
        )
        return Reply(text="yes", status=ReplyStatus.OK, sent_images=sent)


def changed(**fields: object) -> type[Good]:
    class Changed(Good):
        async def reply(self, request: Request) -> Reply:
            return (await super().reply(request)).model_copy(update=fields)

    return Changed


class ChangingName(Good):
    def __init__(self) -> None:
        self._readings = itertools.count()

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"model {next(self._readings)}"


class ChangingCapabilities(Good):
    def __init__(self) -> None:
        self._readings = itertools.count(1)

    @property
    def capabilities(self) -> Capabilities:  # type: ignore[override]
        return Capabilities(coordinate_space=CoordinateSpace.PERMILLE, max_images=next(self._readings))


class RefusedError(Exception):
    """What broken models raise."""


class UnprintableName(Good):
    name = "two\nlines"


class NoCapabilities(Good):
    capabilities = cast("Capabilities", {"coordinate_space": "permille"})


class DropsPictures(Good):
    capabilities = Capabilities(coordinate_space=CoordinateSpace.PERMILLE, max_images=1)

    async def reply(self, request: Request) -> Reply:
        return Reply(text="yes", status=ReplyStatus.OK)


class SwapsPictures(Good):
    async def reply(self, request: Request) -> Reply:
        reply = await super().reply(request)
        return reply.model_copy(update={"sent_images": reply.sent_images[::-1]})


class RaisesOn(Good):
    def __init__(self, condition: Callable[[Request], bool]) -> None:
        self._condition = condition

    async def reply(self, request: Request) -> Reply:
        if self._condition(request):
            raise RefusedError("refused")
        return await super().reply(request)


class OneLoopOnly(Good):
    def __init__(self) -> None:
        self._lock: asyncio.Lock | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def reply(self, request: Request) -> Reply:
        loop = asyncio.get_running_loop()
        if self._loop not in (None, loop):
            raise RefusedError("bound to a different event loop")
        self._loop = loop
        return await super().reply(request)


class OneCallOnly(Good):
    def __init__(self) -> None:
        self._used = False

    async def reply(self, request: Request) -> Reply:
        if self._used:
            raise RefusedError("already used")
        self._used = True
        return await super().reply(request)


class OneAtATime(Good):
    def __init__(self) -> None:
        self._busy = False

    async def reply(self, request: Request) -> Reply:
        if self._busy:
            raise RefusedError("busy")
        self._busy = True
        try:
            return await super().reply(request)
        finally:
            self._busy = False


class SwallowsCancellation(Good):
    async def reply(self, request: Request) -> Reply:
        try:
            await asyncio.sleep(SLOW_S)
        except asyncio.CancelledError:
            return Reply(status=ReplyStatus.ERROR, fault=Fault(kind=FaultKind.CRASHED, message="c", retryable=False))
        return await super().reply(request)


class BreaksAfterCancellation(Good):
    def __init__(self) -> None:
        self._broken = False

    async def reply(self, request: Request) -> Reply:
        if self._broken:
            raise RefusedError("a lock was left behind")
        self._broken = True
        await asyncio.sleep(SLOW_S)
        self._broken = False
        return await super().reply(request)


class Blocks(Good):
    async def reply(self, request: Request) -> Reply:
        time.sleep(SLOW_S)
        return await super().reply(request)


class Scribbles(Good):
    async def reply(self, request: Request) -> Reply:
        for picture in request.pictures:
            writable = Picture(picture.image_srgb_u8 ^ 1).image_srgb_u8
            object.__setattr__(picture, "image_srgb_u8", writable)
        return Reply(text="yes", status=ReplyStatus.OK)


FAULT = Fault(kind=FaultKind.SERVER, message="down", retryable=True)
SILENT_FAULT = Fault(kind=FaultKind.SERVER, message=" ", retryable=True)
BROKEN: dict[str, tuple[str, Callable[[], VisionLanguageModel], str]] = {
    "changing name": ("name", ChangingName, "name changes"),
    "unprintable name": ("name", UnprintableName, "printable"),
    "changing capabilities": ("capabilities", ChangingCapabilities, "capabilities changes"),
    "no capabilities": ("capabilities", NoCapabilities, "dict, not Capabilities"),
    "not a Reply": ("text_only", lambda: cast("VisionLanguageModel", SaysText()), "gave str, not Reply"),
    "error without a fault": ("text_only", changed(status=ReplyStatus.ERROR, text=""), "there is no fault"),
    "error with text": ("text_only", changed(status=ReplyStatus.ERROR, fault=FAULT), "someone may grade"),
    "fault without an error": ("text_only", changed(fault=FAULT), "status is ok but there is a fault"),
    "empty fault": ("text_only", changed(status=ReplyStatus.ERROR, text="", fault=SILENT_FAULT), "has no message"),
    "negative latency": ("text_only", changed(latency_s=-1.0), "latency_s is -1"),
    "infinite latency": ("text_only", changed(latency_s=float("inf")), "latency_s is inf"),
    "no attempt": ("text_only", changed(attempts=0), "attempts is 0"),
    "negative cost": ("text_only", changed(cost_usd=-0.1), "cost_usd is -0.1"),
    "negative usage": ("text_only", changed(usage=Usage(output_tokens=-1)), "usage.output_tokens is -1"),
    "surrogate in the text": ("text_only", changed(text="a\ud800"), "lone surrogate"),
    "request fails": ("text_only", changed(status=ReplyStatus.ERROR, text="", fault=FAULT), "ordinary request failed"),
    "one picture raises": ("one_picture", lambda: RaisesOn(lambda request: len(request.pictures) == 1), "refused"),
    "second picture dropped": ("two_pictures", DropsPictures, "not retryable"),
    "pictures swapped": ("two_pictures", SwapsPictures, "in their order"),
    "no system turn": ("dialogue", lambda: RaisesOn(lambda request: request.messages[0].role == "system"), "refused"),
    "no stop texts": ("settings", lambda: RaisesOn(lambda request: bool(request.settings.stop)), "refused"),
    "surrogate raises": ("ugly_requests", lambda: RaisesOn(lambda request: not _encodable(request)), "refused"),
    "one at a time": ("concurrent", OneAtATime, "busy"),
    "cancellation swallowed": ("cancellation", SwallowsCancellation, "CancelledError must pass"),
    "broken after cancellation": ("cancellation", BreaksAfterCancellation, "a lock was left behind"),
    "blocks the loop": ("loop_stays_free", Blocks, "nothing else ran"),
    "used once": ("same_loop", OneCallOnly, "already used"),
    "bound to a loop": ("second_loop", OneLoopOnly, "different event loop"),
    "scribbles on pictures": ("request_unchanged", Scribbles, "was changed"),
    "strips text": ("says_ugly_texts", changed(text=""), "the backend said"),
    "never silent": ("says_nothing", changed(text="(no reply)"), "the backend said ''"),
    "cuts long text": ("says_long_text", changed(text="word " * 10), "70000 characters"),
    "raises when the backend fails": ("failure", lambda: RaisesOn(lambda request: True), "refused"),
    "dresses a failure up as a reply": ("failure", Good, "the reply has status ok"),
}


class SaysText:
    name = "text"
    capabilities = CAPABILITIES

    async def reply(self, request: Request) -> str:
        return "yes"


def _encodable(request: Request) -> bool:
    try:
        request.messages[-1].text.encode()
    except UnicodeEncodeError:
        return False
    return True


@pytest.mark.parametrize("name", BROKEN)
def test_every_rule_catches_its_breach(name: str) -> None:
    rule, build, complaint = BROKEN[name]
    check = next(check for check in CHECKS if check.name == rule)
    slow = build if rule in ("cancellation", "loop_stays_free") else None
    subject = Subject(build=build, build_saying=lambda text: build(), build_failing=build, build_slow=slow)
    # What the adapter raises itself comes through as it is.
    with pytest.raises((ConformanceError, RefusedError), match=re.escape(complaint)):
        check.run(subject)


def test_every_rule_has_a_breach() -> None:
    assert {rule for rule, _, _ in BROKEN.values()} == {check.name for check in CHECKS}


def test_a_good_model_passes_what_applies_to_it() -> None:
    report = check_model(Good)
    report.raise_for_failures()
    assert set(report.skipped) == {"says_ugly_texts", "says_nothing", "says_long_text", "failure", "loop_stays_free"}
    assert set(report.passed) | set(report.skipped) == {check.name for check in CHECKS}


def test_a_report_names_every_broken_rule() -> None:
    report = check_model(OneLoopOnly)
    assert set(report.failures) == {"second_loop"}
    assert "different event loop" in report.failures["second_loop"]
    with pytest.raises(ConformanceError, match="breaks 1 rules:\n- second_loop: "):
        report.raise_for_failures()


def test_a_hanging_model_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hangs(Good):
        async def reply(self, request: Request) -> Reply:
            await asyncio.Event().wait()
            return await super().reply(request)

    monkeypatch.setattr("seeworthy.tools.models.conformance.checks._HANG_S", 0.05)
    check = next(check for check in CHECKS if check.name == "text_only")
    with pytest.raises(ConformanceError, match="did not return"):
        check.run(Subject(build=Hangs))


class TestWellFormed:
    request = ask("?", (noise_picture(1), noise_picture(2)))

    def sent(self, *pictures: Picture) -> tuple[SentImage, ...]:
        return tuple(
            SentImage(sha256=p.sha256, original_size=p.size, sent_size=p.size, media_type="image/png") for p in pictures
        )

    def test_all_pictures_or_none_are_named(self) -> None:
        first, second = self.request.pictures
        reply = Reply(text="A", status=ReplyStatus.OK)
        assert require_well_formed(reply, self.request) is reply
        full = reply.model_copy(update={"sent_images": self.sent(first, second)})
        assert require_well_formed(full, self.request) is full
        for wrong in ((first,), (second, first), (first, second, first)):
            with pytest.raises(ConformanceError, match="sent_images"):
                require_well_formed(reply.model_copy(update={"sent_images": self.sent(*wrong)}), self.request)

    @pytest.mark.parametrize("size", [(0, 5), (5, 0), (-1, 5)])
    def test_sizes_make_sense(self, size: tuple[int, int]) -> None:
        images = tuple(image.model_copy(update={"sent_size": size}) for image in self.sent(*self.request.pictures))
        with pytest.raises(ConformanceError, match="sizes"):
            require_well_formed(Reply(status=ReplyStatus.OK, sent_images=images), self.request)

    @pytest.mark.parametrize("status", [status for status in ReplyStatus if status is not ReplyStatus.ERROR])
    def test_every_other_ending_is_allowed_without_text(self, status: ReplyStatus) -> None:
        reply = Reply(status=status)
        assert require_well_formed(reply, self.request) is reply

    @pytest.mark.parametrize("text", UGLY_TEXTS)
    def test_ugly_text_is_text(self, text: str) -> None:
        reply = Reply(text=text, status=ReplyStatus.OK)
        assert require_well_formed(reply, self.request) is reply

    def test_an_error_that_was_never_sent_counts_no_attempt(self) -> None:
        reply = Reply(status=ReplyStatus.ERROR, fault=FAULT, attempts=0)
        assert require_well_formed(reply, self.request) is reply
