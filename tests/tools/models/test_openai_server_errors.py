"""Error bodies as many servers write them, and what each calls for."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.tools.models import FaultKind, GenerationSettings, Request, user_message
from seeworthy.tools.models.openai_chat.quirks import Quirks
from seeworthy.tools.models.openai_chat.server_errors import Remedy, ServerError, judge, read_error
from seeworthy.tools.models.openai_chat.settings import OpenAIChatOptions

MEGABYTE = 1024 * 1024


def parsed(status: int, body: object) -> ServerError:
    return read_error(status, body if isinstance(body, bytes) else json.dumps(body).encode())


def said(status: int, message: str = "", code: str | None = None, param: str | None = None) -> ServerError:
    return parsed(status, {"error": {"message": message, "code": code, "param": param}})


@pytest.mark.parametrize(
    ("body", "message", "codes", "parameter"),
    [
        (
            {"error": {"message": "no", "type": "invalid_request_error", "param": "seed", "code": "X"}},
            "no",
            {"invalid_request_error", "x"},
            "seed",
        ),
        ({"error": "model 'm' not found"}, "model 'm' not found", set(), None),
        ({"error": "too long", "error_type": "validation"}, "too long", {"validation"}, None),
        (
            {"object": "error", "message": "bad", "type": "BadRequestError", "code": 400},
            "bad",
            {"badrequesterror"},
            None,
        ),
        ({"detail": "Not Found"}, "Not Found", set(), None),
        (
            {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]},
            "seed: Extra inputs are not permitted",
            set(),
            "seed",
        ),
        (
            [{"error": {"code": 400, "message": "bad key", "status": "INVALID_ARGUMENT"}}],
            "bad key",
            {"invalid_argument"},
            None,
        ),
        (
            {
                "error": {
                    "code": "content_filter",
                    "innererror": {"code": "ResponsibleAIPolicyViolation"},
                    "message": "m",
                }
            },
            "m",
            {"content_filter", "responsibleaipolicyviolation"},
            None,
        ),
        (
            b"<html><head><title>502 Bad\n Gateway</title></head><body>nginx</body></html>",
            "502 Bad Gateway",
            set(),
            None,
        ),
        (b"<p>upstream <b>timed</b> out</p>", "upstream timed out", set(), None),
        (b"plain words", "plain words", set(), None),
        (b"", "", set(), None),
        (b"\xff\xfe", "\ufffd\ufffd", set(), None),
        (b"[1, 2]", "[1, 2]", set(), None),
        (b"3", "3", set(), None),
    ],
)
def test_error_bodies_of_many_servers(body, message, codes, parameter):
    found = parsed(400, body)
    assert (found.message, found.codes, found.parameter) == (message, frozenset(codes), parameter)


@given(st.binary(max_size=80))
def test_no_bytes_make_the_reader_raise(data):
    assert read_error(500, data).status == 500


def test_long_messages_are_shown_short():
    found = parsed(500, b"x" * 10_000)
    assert len(found.excerpt) == 300
    assert found.excerpt.endswith("…")


@pytest.mark.parametrize(
    ("error", "image_bytes", "kind", "remedy"),
    [
        (said(401), 0, FaultKind.AUTHENTICATION, Remedy.NONE),
        (said(403), 0, FaultKind.AUTHENTICATION, Remedy.NONE),
        (said(402), 0, FaultKind.QUOTA, Remedy.NONE),
        (said(429), 0, FaultKind.RATE_LIMIT, Remedy.RETRY),
        (said(429, "You exceeded your current quota", "rate_limit_exceeded"), 0, FaultKind.RATE_LIMIT, Remedy.RETRY),
        (said(429, "You exceeded your current quota", "insufficient_quota"), 0, FaultKind.QUOTA, Remedy.NONE),
        (said(408), 0, FaultKind.TIMEOUT, Remedy.RETRY),
        (said(409), 0, FaultKind.SERVER, Remedy.RETRY),
        (said(425), 0, FaultKind.SERVER, Remedy.RETRY),
        (said(500), 0, FaultKind.SERVER, Remedy.RETRY),
        (said(503), 0, FaultKind.SERVER, Remedy.RETRY),
        (said(529), 0, FaultKind.SERVER, Remedy.RETRY),
        (said(400, "no"), 0, FaultKind.BAD_REQUEST, Remedy.NONE),
        (said(422, "no"), 0, FaultKind.BAD_REQUEST, Remedy.NONE),
        (said(418), 0, FaultKind.BAD_REQUEST, Remedy.NONE),
        (said(304), 0, FaultKind.BAD_REQUEST, Remedy.NONE),
        (said(400, "blocked", "content_filter"), 0, FaultKind.BAD_REQUEST, Remedy.REFUSAL),
        (said(400, "blocked", "data_inspection_failed"), 0, FaultKind.BAD_REQUEST, Remedy.REFUSAL),
        (
            parsed(403, {"error": {"message": "flagged", "metadata": {"flagged_input": "..."}}}),
            0,
            FaultKind.BAD_REQUEST,
            Remedy.REFUSAL,
        ),
        (said(413), 500, FaultKind.TOO_LARGE, Remedy.SHRINK),
        (said(413), 0, FaultKind.TOO_LARGE, Remedy.NONE),
        (said(404, "Not Found"), 500, FaultKind.BAD_REQUEST, Remedy.NONE),
        (said(404, "Not Found"), 2 * MEGABYTE, FaultKind.BAD_REQUEST, Remedy.SHRINK),
        (said(404, "The model `m` does not exist"), 2 * MEGABYTE, FaultKind.BAD_REQUEST, Remedy.NONE),
        (said(404, "m", "model_not_found"), 2 * MEGABYTE, FaultKind.BAD_REQUEST, Remedy.NONE),
    ],
)
def test_what_each_status_calls_for(error, image_bytes, kind, remedy):
    found_kind, found_remedy, advice = judge(error, image_bytes=image_bytes)
    assert (found_kind, found_remedy) == (kind, remedy)
    assert advice or remedy is Remedy.REFUSAL


@pytest.mark.parametrize(
    "message",
    [
        "image too large",
        "messages.0.content.1.image: image exceeds 5 MB maximum: 6293000 bytes > 5242880 bytes",
        "At least one of the image dimensions exceed max allowed size: 8000 pixels",
        "Total image size exceeds the limit",
        "The picture is larger than 20 megapixels",
        "Request body is too large",
        "Request payload size exceeds the limit: 20971520 bytes",
        "Invalid data URL: base64 string too long",
        "maximum size of files is 10 MB",
    ],
)
def test_a_400_about_size_calls_for_smaller_pictures(message):
    assert judge(said(400, message), image_bytes=500)[:2] == (FaultKind.TOO_LARGE, Remedy.SHRINK)
    assert judge(said(400, message), image_bytes=0)[0] is FaultKind.BAD_REQUEST


@pytest.mark.parametrize(
    "message",
    [
        "At most 1 image(s) may be provided in one request.",
        "The number of images exceeds the limit of 4",
        "Too many images in the request: 5 exceeds 4",
        "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
        "Invalid image: cannot decode",
        "temperature must not exceed 2",
        "unsupported image format",
    ],
)
def test_a_400_about_something_else_does_not(message):
    assert judge(said(400, message), image_bytes=500)[:2] == (FaultKind.BAD_REQUEST, Remedy.NONE)


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "the request exceeds the available context size, try increasing it",
    ],
)
def test_a_full_context_is_too_large_and_not_tried_again(message):
    assert judge(said(400, message), image_bytes=500)[:2] == (FaultKind.TOO_LARGE, Remedy.NONE)


SENT = {"max_tokens": 5, "temperature": 0.0, "seed": 1, "stop": ["x"]}


@pytest.mark.parametrize(
    ("error", "field"),
    [
        (
            said(
                400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'"
            ),
            "max_tokens",
        ),
        (said(400, "no", "unsupported_parameter", "max_tokens"), "max_tokens"),
        (
            said(400, "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1)"),
            "temperature",
        ),
        (said(400, "Only the default (1) value is supported", "unsupported_value", "temperature"), "temperature"),
        (said(400, "temperature is deprecated for this model"), "temperature"),
        (said(422, "`temperature` must be strictly positive"), "temperature"),
        (parsed(422, {"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}), "seed"),
        (said(400, "Unrecognized request argument supplied: seed"), "seed"),
        (said(400, "unknown field 'stop'"), "stop"),
        # About something else, or about a field that was not sent.
        (said(400, "Unsupported parameter: 'top_p'"), None),
        (said(400, "Unsupported parameter: 'logprobs'"), None),
        (said(400, "max_tokens is too large: 100000"), None),
        (said(400, "temperature must be at most 2"), None),
        (said(400, "stop using an unsupported image"), None),
        (said(400, "seeds are unknown here"), None),
        (said(500, "Unsupported parameter: 'seed'"), None),
        (said(400, "no"), None),
    ],
)
def test_lessons(error, field):
    assert Quirks().lesson(error, SENT) == field


def test_the_budget_goes_by_its_other_name_and_back():
    renamed = Quirks().without("max_tokens")
    assert renamed.budget_field == "max_completion_tokens"
    assert renamed.without("max_tokens") == renamed
    assert renamed.without("max_completion_tokens") == Quirks()


def test_what_is_stated_is_not_sent_and_noted_where_it_matters():
    quirks = Quirks.stated(OpenAIChatOptions(honours_temperature=False, honours_seed=False))
    assert quirks.dropped == {"temperature", "seed"}
    request = Request(messages=(user_message("?"),))
    assert quirks.notes(request) == ("temperature was not sent: the server does not take it",)
    with_seed = Request(messages=(user_message("?"),), settings=GenerationSettings(), seed=1)
    assert len(quirks.notes(with_seed)) == 2
