"""The key reaches the server and nothing else; addresses that would leak or cannot work are refused."""

import logging
import pickle
import traceback

import pytest

from seeworthy.tools.errors import ModelError
from seeworthy.tools.models.openai_chat.keys import ApiKey, check_base_url, is_local, read_api_key
from seeworthy.tools.models.registry import resolve_model
from tests.tools.models.fault_server import FaultServer, Step, answer, cut, error
from tests.tools.models.openai_subjects import ask, build

KEY = "sk-very-secret-0123456789"
REMOTE = "https://api.example.org/v1"


async def test_the_key_goes_out_in_the_header():
    with FaultServer([answer()]) as server:
        async with build(server.base_url, environ={"OPENAI_API_KEY": KEY}) as model:
            await model.reply(ask())
        async with build(server.base_url, environ={"MY_KEY": f" {KEY}\n"}, api_key_env="MY_KEY") as model:
            await model.reply(ask())
    assert [chat.headers["authorization"] for chat in server.chats] == [f"Bearer {KEY}"] * 2


@pytest.mark.parametrize(
    "step",
    [
        error(401, f"Incorrect API key provided: {KEY}"),
        error(400, f"header was Bearer {KEY}"),
        error(500, f"Bearer {KEY}"),
        error(400, f"blocked, key {KEY}", code="content_filter"),
        Step(status=502, body=f"<html><title>{KEY}</title></html>".encode()),
        cut(),
        Step(drop=True),
    ],
)
async def test_no_message_repr_or_log_holds_the_key(step, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    with FaultServer([step]) as server:
        async with build(server.base_url, environ={"OPENAI_API_KEY": KEY}, max_attempts=2) as model:
            reply = await model.reply(ask())
            shown = f"{reply!r} {reply.model_dump_json()} {model!r} {model} {model.options!r} {model.capabilities!r}"
    printed = capfd.readouterr()
    for text in (shown, caplog.text, printed.out, printed.err):
        assert KEY not in text
    assert KEY in server.chats[0].headers["authorization"]


async def test_a_wrong_key_says_where_it_came_from():
    with FaultServer([error(401, "bad key")]) as server:
        async with build(server.base_url, environ={"MY_KEY": KEY}, api_key_env="MY_KEY") as model:
            fault = (await model.reply(ask())).fault
            assert fault is not None
            assert "MY_KEY" in fault.message
        async with build(server.base_url) as model:
            fault = (await model.reply(ask())).fault
            assert fault is not None
            assert "put one into OPENAI_API_KEY" in fault.message


def test_a_remote_server_needs_a_key():
    with pytest.raises(ModelError, match=r"set OPENAI_API_KEY, or name another variable with option api_key_env"):
        read_api_key(None, REMOTE, {})
    with pytest.raises(ModelError, match="set MY_KEY"):
        read_api_key("MY_KEY", REMOTE, {"OPENAI_API_KEY": KEY, "MY_KEY": "  "})


def test_a_local_server_does_unless_a_variable_was_named():
    assert repr(read_api_key(None, "http://localhost:8000/v1", {})) == "ApiKey(none)"
    with pytest.raises(ModelError, match="set MY_KEY"):
        read_api_key("MY_KEY", "http://localhost:8000/v1", {})


@pytest.mark.parametrize("bad", [f"{KEY}\nX-Evil: 1", f"{KEY} {KEY}", f"{KEY}é", f"{KEY}\x00"])
def test_a_key_that_cannot_stand_in_a_header_is_refused_without_showing_it(bad):
    with pytest.raises(ModelError, match="the key in K holds") as caught:
        read_api_key("K", REMOTE, {"K": bad})
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_key_does_not_print_and_is_not_written():
    key = ApiKey(KEY, "K")
    assert KEY not in f"{key} {key!r}"
    assert not hasattr(key, "__dict__")
    with pytest.raises(TypeError):
        pickle.dumps(key)


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:8000/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://0.0.0.0:8000/v1", True),
        ("http://192.168.1.4:8000/v1", True),
        ("http://10.0.0.7/v1", True),
        ("http://vllm:8000/v1", True),
        ("http://box.local/v1", True),
        ("http://8.8.8.8/v1", False),
        (REMOTE, False),
        ("https://localhost.example.org/v1", False),
    ],
)
def test_what_counts_as_local(url, local):
    assert is_local(url) is local


@pytest.mark.parametrize(
    ("url", "says"),
    [
        (f"https://user:{KEY}@host/v1", "user name or password"),
        ("http://host:99999/v1", "cannot be used"),
        ("http://host:x/v1", "cannot be used"),
        ("http:///v1", "no host"),
        ("http://host/v1/chat/completions", "names the endpoint"),
        ("http://host/v1/chat/completions/", "names the endpoint"),
    ],
)
def test_addresses_that_cannot_work_are_refused(url, says):
    with pytest.raises(ModelError, match=says) as caught:
        resolve_model(f"openai/m@{url}")
    assert KEY not in str(caught.value)


def test_a_slash_at_the_end_makes_no_difference():
    assert check_base_url("http://host/v1/") == check_base_url("http://host/v1") == "http://host/v1"
