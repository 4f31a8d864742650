"""Careless and hostile requests: each gets the right status in OpenAI's form, and none reaches the model."""

from __future__ import annotations

import base64
import io
import json
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import openai
import pytest
from PIL import Image

from seeworthy.agent.server import ServeLimits

from ..conftest import ScriptedModel
from .conftest import NAME, Json, Running, Serve, chat, data_uri, image_part, png, running, user

LIMITS = ServeLimits(
    max_body_bytes=600_000,
    max_image_bytes=60_000,
    max_image_pixels=10_000,
    max_total_pixels=15_000,
    max_images=3,
    max_messages=20,
    max_text_characters=50_000,
    max_choices=4,
)


def bomb(width: int, height: int) -> bytes:
    """A tiny PNG whose header claims a huge picture, with a body that would unpack to it."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * 1_000_000, 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def cut_jpeg() -> bytes:
    buffer = io.BytesIO()
    Image.effect_noise((64, 64), 90).convert("RGB").save(buffer, format="JPEG")
    return buffer.getvalue()[: len(buffer.getvalue()) // 2]


def nested(depth: int) -> Json:
    part: Json = {"type": "text", "text": "deep"}
    for _ in range(depth):
        part = {"type": "text", "text": [part]}
    return {"role": "user", "content": [part]}


def picture(url: object) -> Json:
    return chat({"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]})


PNG = data_uri(png(20, 20))

# By name: the body, and the status, code and field that come back.
WRONG: dict[str, tuple[Json, int, str, str | None]] = {
    "no messages": ({"model": NAME}, 400, "invalid_value", "messages"),
    "empty messages": ({"model": NAME, "messages": []}, 400, "invalid_value", "messages"),
    "messages of text": ({"model": NAME, "messages": "hello"}, 400, "invalid_value", "messages"),
    "message of text": ({"model": NAME, "messages": ["hello"]}, 400, "invalid_value", "messages[0]"),
    "nobody asks": (chat({"role": "system", "content": "Be brief."}), 400, "invalid_value", "messages"),
    "no model": ({"messages": [user("?")]}, 400, "invalid_value", "model"),
    "model as a number": ({**chat(), "model": 3}, 400, "invalid_value", "model"),
    "another model": ({**chat(), "model": "gpt-9"}, 404, "model_not_found", "model"),
    "unknown role": (chat({"role": "root", "content": "?"}), 400, "invalid_value", "messages[0].role"),
    "role as a list": (chat({"role": ["user"], "content": "?"}), 400, "invalid_value", "messages[0].role"),
    "a tool's message": (chat({"role": "tool", "content": "?"}), 400, "unsupported_value", "messages[0].role"),
    "a tool call": (chat({"role": "assistant", "tool_calls": [{}]}), 400, "unsupported_value", "messages[0]"),
    "content as a number": (chat({"role": "user", "content": 3}), 400, "invalid_value", "messages[0].content"),
    "content as an object": (chat({"role": "user", "content": {}}), 400, "invalid_value", "messages[0].content"),
    "no content": (chat({"role": "user"}), 400, "invalid_value", "messages[0].content"),
    "empty content": (chat({"role": "user", "content": []}), 400, "invalid_value", "messages[0].content"),
    "part as text": (chat({"role": "user", "content": ["?"]}), 400, "invalid_value", "messages[0].content[0]"),
    "nested parts": (chat(nested(50)), 400, "invalid_value", "messages[0].content[0].text"),
    "sound": (
        chat({"role": "user", "content": [{"type": "input_audio"}]}),
        400,
        "unsupported_value",
        "messages[0].content[0].type",
    ),
    "part type as a list": (
        chat({"role": "user", "content": [{"type": ["text"], "text": "?"}]}),
        400,
        "unsupported_value",
        "messages[0].content[0].type",
    ),
    "image as text": (
        chat({"role": "user", "content": [{"type": "image_url", "image_url": PNG}]}),
        400,
        "invalid_value",
        "messages[0].content[0].image_url",
    ),
    "image url as a number": (picture(7), 400, "invalid_value", "messages[0].content[0].image_url"),
    "picture of the system": (
        chat({"role": "system", "content": [image_part(PNG)]}, user("?")),
        400,
        "invalid_value",
        "messages[0].content",
    ),
    "hot": (chat(temperature=2.5), 400, "invalid_value", "temperature"),
    "temperature as text": (chat(temperature="0"), 400, "invalid_value", "temperature"),
    "temperature as yes": (chat(temperature=True), 400, "invalid_value", "temperature"),
    "huge temperature": (chat(temperature=10**400), 400, "invalid_value", "temperature"),
    "top_p of 0": (chat(top_p=0), 400, "invalid_value", "top_p"),
    "no tokens": (chat(max_tokens=0), 400, "invalid_value", "max_tokens"),
    "half a token": (chat(max_completion_tokens=0.5), 400, "invalid_value", "max_completion_tokens"),
    "many choices": (chat(n=5), 400, "invalid_value", "n"),
    "no choices": (chat(n=0), 400, "invalid_value", "n"),
    "huge seed": (chat(seed=2**64), 400, "invalid_value", "seed"),
    "five stops": (chat(stop=["a", "b", "c", "d", "e"]), 400, "invalid_value", "stop"),
    "empty stop": (chat(stop=""), 400, "invalid_value", "stop"),
    "stop as an object": (chat(stop={}), 400, "invalid_value", "stop"),
    "stream as text": (chat(stream="yes"), 400, "invalid_value", "stream"),
    "options without stream": (chat(stream_options={"include_usage": True}), 400, "invalid_value", "stream_options"),
    "tools": (chat(tools=[{"type": "function"}]), 400, "unsupported_parameter", "tools"),
    "json answers": (
        chat(response_format={"type": "json_object"}),
        400,
        "unsupported_parameter",
        "response_format",
    ),
    "log-probabilities": (chat(logprobs=True), 400, "unsupported_parameter", "logprobs"),
    "many messages": (chat(*[user("?")] * 21), 400, "invalid_value", "messages"),
    "many pictures": (chat(user("?", *[PNG] * 4)), 400, "invalid_value", "messages"),
    "a novel": (chat(user("a" * 50_001)), 413, "request_too_large", "messages"),
}

PLACE = "messages[0].content[0].image_url.url"
BAD_PICTURES: dict[str, tuple[object, int, str]] = {
    "huge base64": (data_uri(b"\x89PNG" + b"0" * 60_001), 413, "image_too_large"),
    "decompression bomb": (data_uri(bomb(60_000, 60_000)), 413, "image_too_large"),
    "bomb within the side limit": (data_uri(bomb(101, 100)), 413, "image_too_large"),
    "rows that are missing": (data_uri(png(20, 20)[:60]), 400, "invalid_image"),
    "half a jpeg": (data_uri(cut_jpeg(), "image/jpeg"), 400, "invalid_image"),
    "empty": ("data:image/png;base64,", 400, "invalid_image"),
    "text as a picture": (data_uri(b"hello, I am a picture"), 400, "invalid_image"),
    "a program as a picture": (data_uri(b"<svg onload='x()'/>", "image/svg+xml"), 400, "invalid_image"),
    "a zip": (data_uri(b"PK\x03\x04" + b"\0" * 100), 400, "invalid_image"),
    "not base64": ("data:image/png;base64,!!!!", 400, "invalid_image_url"),
    "characters that are no ascii": ("data:image/png;base64,äöü", 400, "invalid_image_url"),
    "bad padding": ("data:image/png;base64,AAA", 400, "invalid_image_url"),
    "percent encoding": ("data:image/svg+xml,%3Csvg%3E", 400, "invalid_image_url"),
    "no picture by its own words": (
        "data:text/html;base64," + base64.b64encode(png(2, 2)).decode(),
        400,
        "invalid_image_url",
    ),
    "no comma": ("data:image/png;base64", 400, "invalid_image_url"),
    "empty url": ("", 400, "invalid_image_url"),
    "a file": ("file:///etc/passwd", 400, "invalid_image_url"),
    "a path": ("/etc/passwd", 400, "invalid_image_url"),
    "a script": ("javascript:alert(1)", 400, "invalid_image_url"),
    "a remote picture": ("https://images.example.org/a.png", 400, "image_host_not_allowed"),
    "metadata of the cloud": ("http://169.254.169.254/latest/meta-data/", 400, "image_host_not_allowed"),
}


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(lambda r: "B")


@dataclass(frozen=True)
class Strict:
    """A server with small limits, and what its model was asked."""

    server: Running
    model: ScriptedModel


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Strict]:
    model = ScriptedModel(lambda r: "B")
    with running(model, tmp_path_factory.mktemp("traces"), limits=LIMITS) as server:
        yield Strict(server, model)
        assert server.inside == 0
        assert server.post(chat()).status_code == 200, "it still answers after all that"


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_request_is_told_which_field_is_to_blame(strict: Strict, case: str) -> None:
    body, status, code, param = WRONG[case]
    answer = strict.server.post(content=json.dumps(body), headers={"content-type": "application/json"})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["param"]) == (status, code, param), error
    assert error["type"] == "invalid_request_error"
    assert 10 < len(error["message"]) < 300
    assert strict.model.asked == []


@pytest.mark.parametrize("case", BAD_PICTURES)
def test_a_bad_picture_is_refused_before_the_model_is_asked(strict: Strict, case: str) -> None:
    url, status, code = BAD_PICTURES[case]
    answer = strict.server.post(picture(url))
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["param"]) == (status, code, PLACE), error
    assert "ImageLimits" not in error["message"], "advice for programmers is no use to a client"
    assert strict.model.asked == []


def test_pixels_are_counted_over_all_pictures_of_a_request(serve: Serve, model: ScriptedModel) -> None:
    server = serve(model, limits=LIMITS)
    one = data_uri(png(100, 75))
    assert server.post(chat(user("?", one, one))).status_code == 200
    answer = server.post(chat(user("?", one, one, data_uri(png(1, 1)))))
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "image_too_large")
    assert answer.json()["error"]["param"] == "messages[0].content[2].image_url.url"


BAD_BODIES: dict[str, tuple[bytes, int, str]] = {
    "nothing": (b"", 400, "invalid_json"),
    "half": (b'{"model": ', 400, "invalid_json"),
    "a list": (b"[1, 2]", 400, "invalid_json"),
    "null": (b"null", 400, "invalid_json"),
    "not a number": (b'{"temperature": NaN}', 400, "invalid_json"),
    "no UTF-8": (b'{"model": "\xff\xfe"}', 400, "invalid_json"),
    "deep": (b"[" * 100_000, 400, "invalid_json"),
    "many digits": (b'{"seed": ' + b"9" * 5000 + b"}", 400, "invalid_json"),
    "empty lists without end": (b"[" + b"[]," * 160_000, 413, "request_too_large"),
    "long": (b'{"a": "' + b"x" * 600_000 + b'"}', 413, "request_too_large"),
    "a form": (b"model=tiny&messages=", 400, "invalid_json"),
}


@pytest.mark.parametrize("case", BAD_BODIES)
def test_a_bad_body_is_refused(strict: Strict, case: str) -> None:
    content, status, code = BAD_BODIES[case]
    answer = strict.server.post(content=content, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert len(answer.content) < 600, "the body is not sent back"


def test_a_page_of_a_stranger_cannot_ask_through_a_browser(serve: Serve, model: ScriptedModel) -> None:
    server = serve(model)
    content = json.dumps(chat())
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = server.post(content=content, headers={"content-type": kind})
        assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media_type")
    assert server.post(content=content, headers={"content-type": "application/json; charset=utf-8"}).is_success
    assert len(model.asked) == 1


def test_the_official_client_hears_of_a_body_that_is_far_too_long(serve: Serve, model: ScriptedModel) -> None:
    client = serve(model, limits=LIMITS).client()
    with pytest.raises(openai.APIStatusError, match="raise --max-body-mb") as caught:
        client.chat.completions.create(model=NAME, messages=[{"role": "user", "content": "x" * 900_000}])
    assert caught.value.status_code == 413


def test_control_characters_never_reach_the_model(serve: Serve, model: ScriptedModel) -> None:
    content = json.dumps(chat({"role": "user", "content": "a\x00b\x1b[31m \ud83d ok\n"}))
    answer = serve(model).post(content=content, headers={"content-type": "application/json"})
    assert answer.status_code == 200
    assert model.asked[0].messages[0].text == "a\ufffdb\ufffd[31m ? ok\n"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/chat/completions", 405),
        ("DELETE", "/v1/models", 405),
        ("POST", "/v1/completions", 404),
        ("GET", "/", 404),
        ("GET", "/docs", 404),
        ("GET", "/openapi.json", 404),
        ("GET", "/v1/traces/..%2f..%2fetc%2fpasswd", 404),
        ("GET", "/v1/traces/" + "0" * 32, 404),
        ("GET", "/v1/models/" + "x" * 3000, 404),
    ],
)
def test_unknown_addresses_answer_in_the_same_form(strict: Strict, method: str, path: str, status: int) -> None:
    answer = httpx.request(method, strict.server.url + path)
    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"message", "type", "param", "code"}
    assert len(answer.content) < 800
