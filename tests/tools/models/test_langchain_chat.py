"""LangChain chat models behind the protocol, tried with langchain-core's own fake models."""

from __future__ import annotations

import base64
import io
import sys
import types
from typing import Any

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("langchain_core")
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import FakeListChatModel, FakeMessagesListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from seeworthy.tools.errors import ModelError
from seeworthy.tools.models.image_fitting import ImageLimits, OversizePolicy
from seeworthy.tools.models.protocol import (
    CoordinateSpace,
    FaultKind,
    GenerationSettings,
    Message,
    ReplyStatus,
    Request,
    TextPart,
    Usage,
    user_message,
)
from seeworthy.tools.models.providers.langchain_chat import LangChainModel
from seeworthy.tools.models.registry import resolve_model

from .conftest import ask, noise_picture


class Spy(BaseChatModel):
    """Keeps what it was called with."""

    seen: list[tuple[list[BaseMessage], list[str] | None, dict[str, Any]]] = []  # noqa: RUF012 - pydantic copies it
    error: Exception | None = None

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self.seen.append((messages, stop, kwargs))
        if self.error is not None:
            raise self.error
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content="seen"))])

    @property
    def _llm_type(self) -> str:
        return "spy"


def saying(message: AIMessage) -> LangChainModel:
    return LangChainModel(FakeMessagesListChatModel(responses=[message]), name="fake")


async def test_turns_parts_and_settings_arrive_in_order() -> None:
    spy = Spy()
    picture, other = noise_picture(1), noise_picture(2, 31, 17)
    turns = (
        Message(role="system", parts=(TextPart(text="Be brief."),)),
        user_message("Which is closer?", (picture, other)),
        Message(role="assistant", parts=(TextPart(text="A"),)),
        user_message("Sure?"),
    )
    settings = GenerationSettings(temperature=0.5, top_p=0.9, max_tokens=7, stop=("\n", "END"))
    reply = await LangChainModel(spy, name="spy").reply(Request(messages=turns, settings=settings, seed=3))

    messages, stop, arguments = spy.seen[0]
    assert [type(message) for message in messages] == [SystemMessage, HumanMessage, AIMessage, HumanMessage]
    content = messages[1].content
    assert [block["type"] for block in content] == ["image_url", "image_url", "text"]  # type: ignore[index]
    for block, sent in zip(content, (picture, other), strict=False):
        head, _, data = block["image_url"]["url"].partition(",")  # type: ignore[index]
        assert head == "data:image/png;base64"
        decoded = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))
        assert np.array_equal(decoded, sent.image_srgb_u8)
    assert stop == ["\n", "END"]
    assert arguments == {"temperature": 0.5, "top_p": 0.9, "max_tokens": 7}
    assert reply.text == "seen"
    assert "seed was not sent" in reply.notes[0]
    assert [image.sha256 for image in reply.sent_images] == [picture.sha256, other.sha256]
    assert all(image.original_size == image.sent_size for image in reply.sent_images)


async def test_a_seed_is_sent_on_request_and_then_not_noted() -> None:
    spy = Spy()
    model = LangChainModel(spy, name="spy", send_seed=True)
    reply = await model.reply(ask(seed=11))
    assert spy.seen[0][2]["seed"] == 11
    assert reply.notes == ()
    assert model.capabilities.honours_seed is None
    assert LangChainModel(spy, name="spy").capabilities.honours_seed is False


async def test_absent_settings_are_not_sent() -> None:
    spy = Spy()
    await LangChainModel(spy, name="spy").reply(ask())
    assert spy.seen[0][1] is None
    assert "top_p" not in spy.seen[0][2]


@pytest.mark.parametrize(
    ("message", "status", "text"),
    [
        (AIMessage(content="B"), "ok", "B"),
        (AIMessage(content="B", response_metadata={"finish_reason": "stop"}), "ok", "B"),
        (AIMessage(content="B", response_metadata={"stop_reason": "end_turn"}), "ok", "B"),
        (AIMessage(content="", response_metadata={"finish_reason": "stop"}), "ok", ""),
        (AIMessage(content="cut of", response_metadata={"finish_reason": "length"}), "truncated", "cut of"),
        (AIMessage(content="", response_metadata={"finish_reason": "MAX_TOKENS"}), "truncated", ""),
        (AIMessage(content="", response_metadata={"stop_reason": "max_tokens"}), "truncated", ""),
        (AIMessage(content="", response_metadata={"finish_reason": "content_filter"}), "refusal", ""),
        (AIMessage(content="half", response_metadata={"finish_reason": "SAFETY"}), "filtered", "half"),
        (AIMessage(content="", response_metadata={"stop_reason": "refusal"}), "refusal", ""),
        (AIMessage(content="", additional_kwargs={"refusal": "I can't help"}), "refusal", "I can't help"),
        (AIMessage(content="A", additional_kwargs={"refusal": None}), "ok", "A"),
        (AIMessage(content=[{"type": "text", "text": "in "}, {"type": "text", "text": "two"}]), "ok", "in two"),
        (AIMessage(content=["plain ", {"type": "text", "text": "and block"}]), "ok", "plain and block"),
    ],
)
async def test_endings_are_told_apart(message: AIMessage, status: str, text: str) -> None:
    reply = await saying(message).reply(ask())
    assert (reply.status.value, reply.text) == (status, text)
    assert reply.fault is None


async def test_reasoning_is_never_part_of_the_answer() -> None:
    blocks: list[str | dict[str, Any]] = [
        {"type": "reasoning", "reasoning": "The lamp is at 2 m."},
        {"type": "text", "text": "B"},
    ]
    reply = await saying(AIMessage(content=blocks)).reply(ask())
    assert (reply.text, reply.reasoning) == ("B", "The lamp is at 2 m.")


async def test_usage_and_the_reported_model_are_kept() -> None:
    message = AIMessage(
        content="B",
        usage_metadata={
            "input_tokens": 5,
            "output_tokens": 9,
            "total_tokens": 14,
            "output_token_details": {"reasoning": 4},
        },
        response_metadata={"model_name": "m-2026"},
    )
    reply = await saying(message).reply(ask())
    assert reply.usage == Usage(input_tokens=5, output_tokens=9, reasoning_tokens=4)
    assert reply.model_reported == "m-2026"


class SdkError(Exception):
    def __init__(self, message: str, status_code: object) -> None:
        super().__init__(message)
        self.status_code = status_code


class ReadTimeout(Exception):  # noqa: N818
    """As HTTP clients call it."""


class ConnectError(Exception):
    """As HTTP clients call it."""


@pytest.mark.parametrize(
    ("error", "kind", "retryable"),
    [
        (SdkError("no key", 401), FaultKind.AUTHENTICATION, False),
        (SdkError("not yours", 403), FaultKind.AUTHENTICATION, False),
        (SdkError("pay", 402), FaultKind.QUOTA, False),
        (SdkError("bad", 400), FaultKind.BAD_REQUEST, False),
        (SdkError("gone", 404), FaultKind.BAD_REQUEST, False),
        (SdkError("big", 413), FaultKind.TOO_LARGE, False),
        (SdkError("slow down", 429), FaultKind.RATE_LIMIT, True),
        (SdkError("oops", 500), FaultKind.SERVER, True),
        (SdkError("overloaded", 529), FaultKind.SERVER, True),
        (SdkError("odd", 200), FaultKind.CRASHED, False),
        (SdkError("odd", "429"), FaultKind.CRASHED, False),
        (TimeoutError("late"), FaultKind.TIMEOUT, True),
        (ReadTimeout("late"), FaultKind.TIMEOUT, True),
        (ConnectionRefusedError("closed"), FaultKind.CONNECTION, True),
        (ConnectError("closed"), FaultKind.CONNECTION, True),
        (ValueError("whatever"), FaultKind.CRASHED, False),
    ],
)
async def test_exceptions_become_faults(error: Exception, kind: FaultKind, retryable: bool) -> None:
    reply = await LangChainModel(Spy(error=error), name="spy").reply(ask("?", (noise_picture(1),)))
    assert reply.status is ReplyStatus.ERROR
    assert reply.fault is not None
    assert (reply.fault.kind, reply.fault.retryable) == (kind, retryable)
    assert type(error).__name__ in reply.fault.message
    assert len(reply.sent_images) == 1


async def test_pictures_are_made_to_fit_or_refused() -> None:
    spy = Spy()
    model = LangChainModel(spy, name="spy", limits=ImageLimits(max_side_px=24))
    assert model.capabilities.max_image_side_px == 24
    reply = await model.reply(ask("?", (noise_picture(1, 48, 40),)))
    assert reply.sent_images[0].sent_size == (24, 20)

    strict = ImageLimits(max_side_px=24, policy=OversizePolicy.REFUSE)
    reply = await LangChainModel(spy, name="spy", limits=strict).reply(ask("?", (noise_picture(1, 48, 40),)))
    assert reply.fault is not None
    assert reply.fault.kind is FaultKind.TOO_LARGE
    assert len(spy.seen) == 1


class TestByName:
    def test_without_langchain_the_error_says_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("seeworthy.tools.models.providers.langchain_chat.is_installed", lambda package: False)
        with pytest.raises(ModelError, match=r"pip install 'seeworthy\[langchain\]'"):
            resolve_model("langchain/anthropic:claude")

    @pytest.fixture
    def calls(self, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
        """Stands for the package ``langchain``, of which one function is used."""
        seen: list[tuple[str, dict[str, Any]]] = []

        def init_chat_model(model: str, **arguments: Any) -> BaseChatModel:
            seen.append((model, arguments))
            if "unknown" in model:
                raise ImportError("Please install langchain-unknown")
            return FakeListChatModel(responses=["hello"])

        module = types.ModuleType("langchain.chat_models")
        module.init_chat_model = init_chat_model  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "langchain", types.ModuleType("langchain"))
        monkeypatch.setitem(sys.modules, "langchain.chat_models", module)
        monkeypatch.setattr("seeworthy.tools.models.providers.langchain_chat.is_installed", lambda package: True)
        return seen

    async def test_the_string_and_options_reach_init_chat_model(self, calls: list[tuple[str, dict[str, Any]]]) -> None:
        options = {"timeout_s": "20", "max_retries": 3, "send_seed": True, "max_image_side_px": 100}
        model = resolve_model("langchain/openai:qwen2.5-vl@http://localhost:1/v1", options)
        assert calls == [
            ("openai:qwen2.5-vl", {"base_url": "http://localhost:1/v1", "timeout": 20.0, "max_retries": 3})
        ]
        assert model.name == "langchain/openai:qwen2.5-vl@http://localhost:1/v1"
        assert model.capabilities.coordinate_space is CoordinateSpace.SENT_PIXELS
        assert model.capabilities.max_image_side_px == 100
        assert (await model.reply(ask())).text == "hello"

    def test_a_given_coordinate_space_wins(self, calls: list[tuple[str, dict[str, Any]]]) -> None:
        model = resolve_model("langchain/openai:qwen2.5-vl", {"coordinate_space": "permille"})
        assert model.capabilities.coordinate_space is CoordinateSpace.PERMILLE

    def test_what_init_chat_model_complains_about_is_passed_on(self, calls: list[tuple[str, dict[str, Any]]]) -> None:
        with pytest.raises(ModelError, match="Please install langchain-unknown"):
            resolve_model("langchain/unknown:x")

    @pytest.mark.parametrize("options", [{"timeout_s": 0}, {"timeout_s": "inf"}, {"max_retries": -1}, {"seed": 1}])
    def test_wrong_options_are_refused(self, calls: list[tuple[str, dict[str, Any]]], options: dict[str, Any]) -> None:
        with pytest.raises(ModelError, match="option"):
            resolve_model("langchain/openai:x", options)
