"""Bodies of chat completions: what is an answer, and what only looks like one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.tools.models import ReplyStatus, Usage
from seeworthy.tools.models.openai_chat.answers import (
    HALF_CHARACTERS,
    ONLY_REASONING,
    RAISE_BUDGET,
    Answer,
    Malformed,
    read_answer,
)
from seeworthy.tools.models.openai_chat.server_errors import ServerError

OK, REFUSAL, TRUNCATED, FILTERED = (
    ReplyStatus.OK,
    ReplyStatus.REFUSAL,
    ReplyStatus.TRUNCATED,
    ReplyStatus.FILTERED,
)


def read(body: object, *, max_tokens: int = 100):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return read_answer(data, max_tokens=max_tokens)


def completion(content: object, finish_reason: object = "stop", usage: object = None, **message: object):
    return read(
        {"choices": [{"message": {"content": content, **message}, "finish_reason": finish_reason}], "usage": usage}
    )


@pytest.mark.parametrize(
    ("content", "finish", "message", "status", "text"),
    [
        ("B", "stop", {}, OK, "B"),
        ("B", None, {}, OK, "B"),
        ("B", "eos_token", {}, OK, "B"),
        ("", "content_filter", {}, REFUSAL, ""),
        (None, "content_filter", {}, REFUSAL, ""),
        ("  \n", "content_filter", {}, REFUSAL, "  \n"),
        ("The lamp is", "content_filter", {}, FILTERED, "The lamp is"),
        ("", "SAFETY", {}, REFUSAL, ""),
        (None, "stop", {"refusal": "I can't help"}, REFUSAL, "I can't help"),
        (None, "content_filter", {"refusal": "I can't help"}, REFUSAL, "I can't help"),
        ("B", "stop", {"refusal": ""}, OK, "B"),
        ("B", "stop", {"refusal": None}, OK, "B"),
        ("", "length", {}, TRUNCATED, ""),
        ("The ans", "length", {}, TRUNCATED, "The ans"),
        ("The ans", "max_tokens", {}, TRUNCATED, "The ans"),
        ("", "length", {"reasoning_content": "Let me see"}, TRUNCATED, ""),
        ("", "stop", {"reasoning_content": "The answer is B"}, OK, ""),
        (None, "stop", {"reasoning": "The answer is B"}, OK, ""),
        ("", "stop", {}, OK, ""),
        (None, "tool_calls", {"tool_calls": []}, OK, ""),
        ([{"type": "text", "text": "The "}, {"type": "text", "text": "lamp"}], "stop", {}, OK, "The lamp"),
        ([{"type": "output_text", "text": "B"}], "stop", {}, OK, "B"),
        (["B", " it is"], "stop", {}, OK, "B it is"),
        ([{"type": "refusal", "refusal": "no"}], "stop", {}, REFUSAL, "no"),
        ([{"type": "image", "url": "x"}, 3, {"type": "text", "text": 4}], "stop", {}, OK, ""),
        ([], "stop", {}, OK, ""),
    ],
)
def test_status_and_text(content, finish, message, status, text):
    found = completion(content, finish, **message)
    assert isinstance(found, Answer)
    assert (found.status, found.text) == (status, text)


@pytest.mark.parametrize(
    "message",
    [
        {"content": "B", "reasoning_content": "first A, then B"},
        {"content": "B", "reasoning": "first A, then B"},
        {"content": "B", "reasoning_content": None, "reasoning": "first A, then B"},
        {"content": [{"type": "thinking", "thinking": "first A, then B"}, {"type": "text", "text": "B"}]},
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "first A, then B"}]},
                {"type": "text", "text": "B"},
            ]
        },
    ],
)
def test_reasoning_is_kept_apart_from_the_answer(message):
    found = read({"choices": [{"message": message, "finish_reason": "stop"}]})
    assert (found.text, found.reasoning) == ("B", "first A, then B")


def test_thinking_that_ate_the_budget_says_what_to_raise():
    for found in (
        completion("", "length", reasoning_content="Let me see"),
        completion(None, "length", usage={"completion_tokens_details": {"reasoning_tokens": 64}}),
    ):
        assert found.status is TRUNCATED
        assert found.notes == (f"thinking used up the budget before the answer began; {RAISE_BUDGET}",)
    assert completion("The ans", "length").notes == (f"the reply was cut; {RAISE_BUDGET}",)


def test_reasoning_without_an_answer_is_no_answer_and_says_why():
    found = completion("", "stop", reasoning_content="The answer is B")
    assert (found.text, found.reasoning, found.notes) == ("", "The answer is B", (ONLY_REASONING,))


def test_silence_is_noted():
    assert completion("", "stop").notes == ("the model said nothing (finish_reason stop)",)
    assert completion(None, "tool_calls").notes == ("the model said nothing (finish_reason tool_calls)",)


def test_a_spent_budget_without_a_reason_is_a_cut_reply():
    body = {"choices": [{"message": {"content": "The ans"}}], "usage": {"completion_tokens": 100}}
    assert read(body, max_tokens=100).status is TRUNCATED
    assert read(body, max_tokens=101).status is OK
    body["choices"][0]["finish_reason"] = "stop"
    assert read(body, max_tokens=100).status is OK


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, Usage()),
        ([], Usage()),
        ({"prompt_tokens": 5, "completion_tokens": 7}, Usage(input_tokens=5, output_tokens=7)),
        ({"prompt_tokens": "5", "completion_tokens": -7}, Usage()),
        ({"prompt_tokens": True, "completion_tokens": 7.0}, Usage()),
        (
            {
                "prompt_tokens": 5,
                "completion_tokens": 7,
                "total_tokens": 12,
                "completion_tokens_details": {"reasoning_tokens": 4},
            },
            Usage(input_tokens=5, output_tokens=7, reasoning_tokens=4),
        ),
        (
            {
                "prompt_tokens": 5,
                "completion_tokens": 7,
                "total_tokens": 16,
                "completion_tokens_details": {"reasoning_tokens": 4},
            },
            Usage(input_tokens=5, output_tokens=11, reasoning_tokens=4),
        ),
        (
            {
                "prompt_tokens": 5,
                "completion_tokens": 7,
                "total_tokens": 12,
                "completion_tokens_details": {"reasoning_tokens": 0},
            },
            Usage(input_tokens=5, output_tokens=7, reasoning_tokens=0),
        ),
        ({"completion_tokens_details": "x"}, Usage()),
    ],
)
def test_usage(usage, expected):
    assert completion("B", usage=usage).usage == expected


@pytest.mark.parametrize(
    ("body", "reason", "retryable"),
    [
        (b"<!DOCTYPE html><html><title>Log in</title>", "web page", False),
        (b"  <?xml version='1.0'?>", "web page", False),
        (b"", "empty", True),
        (b" \n", "empty", True),
        (b'{"choices": [{"mess', "not valid JSON", True),
        (b"\xff\xfe\x00", "not valid JSON", True),
        (b"Internal error", "not valid JSON", True),
        (b"[" * 100_000, "nested too deeply", False),
        (b"null", "JSON NoneType", False),
        (b"[]", "JSON list", False),
        (b'"B"', "JSON str", False),
        (b"{}", "no choices", False),
        ({"choices": []}, "no choices", False),
        ({"choices": None}, "no choices", False),
        ({"choices": {"0": {}}}, "no choices", False),
        ({"choices": [None]}, "no message", False),
        ({"choices": [{"text": "B"}]}, "no message", False),
        ({"choices": [{"message": "B"}]}, "no message", False),
        ({"choices": [{"message": {"content": 3}}]}, "content is int", False),
        ({"choices": [{"message": {"content": {"text": "B"}}}]}, "content is dict", False),
    ],
)
def test_garbage_is_malformed(body, reason, retryable):
    found = read(body)
    assert isinstance(found, Malformed)
    assert reason in found.reason
    assert found.retryable is retryable


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"error": {"message": "upstream is down", "code": 502}}, 502),
        ({"error": {"message": "slow down", "code": "429"}}, 429),
        ({"error": {"message": "no", "code": "bad"}}, 400),
        ({"error": "upstream is down"}, 400),
        ({"choices": [{"error": {"message": "overloaded", "code": 529}, "message": {"content": "The"}}]}, 529),
        ({"choices": [{"finish_reason": "error", "message": {"content": "The"}}]}, 502),
    ],
)
def test_an_error_dressed_as_success_is_an_error(body, status):
    found = read(body)
    assert isinstance(found, ServerError)
    assert found.status == status
    assert found.message


def test_a_null_error_field_is_no_error():
    assert read({"error": None, "choices": [{"message": {"content": "B"}, "finish_reason": "stop"}]}).text == "B"


def test_the_model_that_answered_is_reported():
    body = {"model": "m-2030", "choices": [{"message": {"content": "B"}}]}
    assert read(body).model_reported == "m-2030"
    assert read(body | {"model": 3}).model_reported is None


@pytest.mark.parametrize("text", ["x" * 70_000, "http://a.b/c", "=1+1", "nul \x00 end", "👩‍👩‍👧 é", "null", "<think>A"])
def test_any_text_comes_through_as_it_is(text):
    assert completion(text).text == text


def test_half_characters_are_replaced_and_whole_ones_joined():
    body = b'{"choices": [{"message": {"content": "cut \\ud83d"}, "finish_reason": "stop"}]}'
    found = read(body)
    assert found.text == "cut \ufffd"
    assert found.notes == (HALF_CHARACTERS,)
    assert read(body.replace(b"\\ud83d", b"\\ud83d\\ude00")).text == "cut 😀"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "message",
                    "content",
                    "finish_reason",
                    "usage",
                    "error",
                    "type",
                    "text",
                    "refusal",
                    "reasoning",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON_VALUES)
def test_no_json_makes_the_reader_raise(value):
    assert isinstance(read({"choices": [{"message": value}], "usage": value}), Answer | Malformed | ServerError)
    assert isinstance(read(value), Answer | Malformed | ServerError)


@given(st.binary(max_size=60))
def test_no_bytes_make_the_reader_raise(data):
    assert isinstance(read(data), Answer | Malformed | ServerError)


@pytest.mark.parametrize(
    ("logprobs", "told"),
    [
        ({"content": [{"token": "B", "logprob": -0.25}]}, -0.25),
        ({"content": [{"token": "ob", "logprob": -0.5}, {"token": "ject", "logprob": -1}]}, -1.5),
        ({"content": [{"token": "B", "logprob": 0}]}, 0.0),
        ({"content": [{"token": "B", "logprob": 0.0001}]}, 0.0),
        ({"content": [{"token": "B", "logprob": -9999.0}]}, -9999.0),
        ({"content": [{"token": "B", "logprob": 0.5}]}, None),
        ({"content": [{"token": "B", "logprob": True}]}, None),
        ({"content": [{"token": "B", "logprob": "-0.25"}]}, None),
        ({"content": [{"token": "B", "logprob": None}, {"token": "B", "logprob": -1.0}]}, None),
        ({"content": [{"token": "B", "logprob": -(10**400)}]}, None),
        ({"content": [{"token": "B"}]}, None),
        ({"content": ["B", -0.25]}, None),
        ({"content": []}, None),
        ({"content": None}, None),
        ({"tokens": ["B"], "token_logprobs": [-0.25]}, None),
        ([-0.25], None),
        ("yes", None),
        (None, None),
    ],
)
def test_how_likely_the_reply_was(logprobs: object, told: float | None) -> None:
    found = read({"choices": [{"message": {"content": "B"}, "finish_reason": "stop", "logprobs": logprobs}]})
    assert isinstance(found, Answer)
    assert (found.text, found.logprob) == ("B", told)


def test_a_logarithm_that_is_no_number_is_none() -> None:
    for bad in (b"NaN", b"Infinity", b"-Infinity", b"-1e999"):
        body = b'{"choices": [{"message": {"content": "B"}, "logprobs": {"content": [{"logprob": %s}]}}]}' % bad
        found = read(body)
        assert isinstance(found, Answer)
        assert found.logprob is None
