"""The fault server is a tool of other tests, so it is tested itself, with the plainest client there is."""

import http.client
import json

import pytest

from tests.tools.models.fault_server import FaultServer, Step, answer, cut, error, hang, raw, unused_port


def post(server: FaultServer, body: object, path: str = "/v1/chat/completions", timeout_s: float = 5.0):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout_s)
    try:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, dict(response.headers), response.read()
    finally:
        connection.close()


def text_of(data: bytes) -> object:
    return json.loads(data)["choices"][0]["message"]["content"]


def test_steps_are_played_in_order_and_the_last_repeats():
    with FaultServer([error(503, headers={"Retry-After": "7"}), answer("A"), answer("B")]) as server:
        status, headers, _ = post(server, {})
        assert status == 503
        assert headers["Retry-After"] == "7"
        assert [text_of(post(server, {})[2]) for _ in range(3)] == ["A", "B", "B"]


def test_requests_are_recorded():
    with FaultServer() as server:
        post(server, {"model": "m", "seed": 3})
        post(server, [1])
        assert [request.body for request in server.chats] == [{"model": "m", "seed": 3}, {}]
        assert server.requests[0].headers["content-type"] == "application/json"
        assert server.requests[0].size_bytes == len(json.dumps({"model": "m", "seed": 3}))


def test_a_function_may_be_a_step_or_the_whole_script():
    with FaultServer(lambda body: f"seed {body['seed']}") as server:
        assert text_of(post(server, {"seed": 1})[2]) == "seed 1"
        assert text_of(post(server, {"seed": 2})[2]) == "seed 2"
    with FaultServer([answer("first"), lambda body: error(418)]) as server:
        assert [post(server, {})[0] for _ in range(2)] == [200, 418]


def test_models_are_listed_and_other_paths_are_unknown():
    with FaultServer(models=("a", "b")) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
        connection.request("GET", "/v1/models")
        listed = json.loads(connection.getresponse().read())
        assert [model["id"] for model in listed["data"]] == ["a", "b"]
        connection.close()
        assert post(server, {}, path="/elsewhere")[0] == 404


def test_a_body_limit_uses_up_no_step():
    with FaultServer([answer("A")], body_limit_bytes=100) as server:
        assert post(server, {"x": "y" * 200})[0] == 413
        assert text_of(post(server, {})[2]) == "A"
    with FaultServer(body_limit_bytes=100, over_limit=error(404)) as server:
        assert post(server, {"x": "y" * 200})[0] == 404


def test_raw_bytes_go_out_as_they_are():
    with FaultServer([raw(b"<html>", status=502)]) as server:
        status, headers, data = post(server, {})
        assert (status, headers["Content-Type"], data) == (502, "text/html", b"<html>")


def test_a_cut_answer_promises_more_than_it_sends():
    with FaultServer([cut(10)]) as server, pytest.raises(http.client.IncompleteRead) as caught:
        post(server, {})
    assert len(caught.value.partial) == 10


def test_a_dropped_request_gets_no_answer():
    with FaultServer([Step(drop=True)]) as server, pytest.raises(http.client.RemoteDisconnected):
        post(server, {})


def test_a_hanging_server_still_closes():
    with FaultServer([hang()]) as server, pytest.raises(TimeoutError):
        post(server, {}, timeout_s=0.1)


def test_waiting_for_requests_has_an_end():
    with FaultServer() as server:
        post(server, {})
        server.wait_for_requests(1)
        with pytest.raises(TimeoutError, match="1 of 2"):
            server.wait_for_requests(2, timeout_s=0.05)


def test_nothing_listens_on_an_unused_port():
    with pytest.raises(ConnectionRefusedError):
        http.client.HTTPConnection("127.0.0.1", unused_port(), timeout=1).request("GET", "/")
