"""Whatever JSON comes in, it is a sound call or an error of the client: never anything else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.agent.server import ServeLimits, ServeSettings
from seeworthy.agent.server.chat_request import ChatCall, ImageUrl, read_chat_call
from seeworthy.agent.server.errors import ApiError

from .conftest import NAME, Json, chat, image_part, user

SETTINGS = ServeSettings(names=(NAME, "other"), traces=Path("unused"), limits=ServeLimits(max_images=3))

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NAMES = st.sampled_from(
    [
        "model",
        "messages",
        "n",
        "seed",
        "stop",
        "stream",
        "stream_options",
        "temperature",
        "top_p",
        "max_tokens",
        "tools",
    ]
)
PARTS = st.dictionaries(
    st.sampled_from(["type", "text", "image_url"]),
    st.sampled_from(["text", "image_url", {"url": "data:,"}, {"url": 3}, ["text"], None]) | ANY_JSON,
)
MESSAGES = st.dictionaries(
    st.sampled_from(["role", "content", "tool_calls", "refusal"]),
    st.sampled_from(["user", "system", "assistant", "tool", ["user"]]) | st.lists(PARTS, max_size=3) | ANY_JSON,
)


def outcome(body: Json) -> ChatCall | ApiError:
    try:
        return read_chat_call(body, SETTINGS)
    except ApiError as error:
        return error


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(NAMES | st.text(max_size=8), ANY_JSON, max_size=6), st.lists(MESSAGES, max_size=3))
def test_no_json_breaks_the_reader(fields: Json, messages: list[Json]) -> None:
    for body in (fields, {"model": NAME, "messages": messages}, {**chat(), **fields}):
        found = outcome(body)
        if isinstance(found, ApiError):
            assert found.status in (400, 404, 413)
            assert len(str(found)) < 1000
        else:
            assert found.model in SETTINGS.names
            assert 1 <= found.choices <= SETTINGS.limits.max_choices
            assert found.settings.max_tokens >= 1
            assert all(part for turn in found.turns for part in turn.parts if isinstance(part, ImageUrl))


@settings(max_examples=60, deadline=None)
@given(
    st.floats(0, 2),
    st.floats(0, 1, exclude_min=True),
    st.integers(1, 2**31 - 1),
    st.integers(-(2**63), 2**63 - 1),
    st.lists(st.text(min_size=1), max_size=4),
    st.integers(1, 8),
)
def test_every_setting_in_range_is_passed_on(
    temperature: float, top_p: float, max_tokens: int, seed: int, stop: list[str], choices: int
) -> None:
    body = chat(temperature=temperature, top_p=top_p, max_tokens=max_tokens, seed=seed, stop=stop, n=choices)
    call = read_chat_call(body, SETTINGS)
    found = call.settings
    assert (found.temperature, found.top_p, found.max_tokens) == (temperature, top_p, max_tokens)
    assert (list(found.stop), call.seed, call.choices, call.ignored) == (stop, seed, choices, ())


def test_text_and_pictures_keep_their_order_and_place() -> None:
    content = [{"type": "text", "text": "first"}, image_part("data:a"), {"type": "text", "text": ""}, image_part("b")]
    call = read_chat_call(chat({"role": "user", "content": content}), SETTINGS)
    place = "messages[0].content[{}].image_url.url"
    assert call.turns[0].parts == ("first", ImageUrl("data:a", place.format(1)), "", ImageUrl("b", place.format(3)))


def test_the_newer_name_of_the_budget_wins_and_other_names_of_the_model_are_taken() -> None:
    call = read_chat_call({**chat(max_tokens=5, max_completion_tokens=7), "model": "other"}, SETTINGS)
    assert (call.settings.max_tokens, call.model) == (7, "other")


@pytest.mark.parametrize(
    "fields",
    [
        {"tools": [], "tool_choice": "auto", "functions": None},
        {"response_format": {"type": "text"}, "logprobs": False, "top_logprobs": 0, "logit_bias": {}},
        {"user": "me", "metadata": {"a": "b"}, "store": False, "service_tier": "auto"},
        {"modalities": ["text"], "audio": None, "parallel_tool_calls": True},
    ],
)
def test_fields_that_ask_for_nothing_are_no_reason_to_complain(fields: Json) -> None:
    assert read_chat_call(chat(**fields), SETTINGS).ignored == ()


def test_fields_that_nobody_understands_are_named_and_bounded() -> None:
    strange = {f"field {index:03}": 1 for index in range(100)} | {"x" * 1000: 1}
    ignored = read_chat_call(chat(user("?"), top_k=5, **strange), SETTINGS).ignored
    assert len(ignored) == 32
    assert max(map(len, ignored)) <= 80
    assert ignored == tuple(sorted(ignored))
