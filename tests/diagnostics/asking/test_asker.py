"""Nothing is asked twice, nothing said is lost, and a model that is gone stops the run."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from seeworthy.diagnostics.asking import Ask, Asked, ModelSilentError, ask_all
from seeworthy.diagnostics.asking.asker import PATIENCE
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.tools.models import (
    Capabilities,
    CoordinateSpace,
    Fault,
    FaultKind,
    Message,
    Reply,
    ReplyStatus,
    Request,
    TextPart,
    user_message,
)


class Echo:
    """Says the last text back; counts and can be told to fail."""

    def __init__(self, name: str = "echo", fail: dict[str, FaultKind] | None = None) -> None:
        self.name = name
        self.capabilities = Capabilities(coordinate_space=CoordinateSpace.PERMILLE)
        self.calls: list[str] = []
        self.at_once = self.most_at_once = 0
        self.fail = fail or {}

    async def reply(self, request: Request) -> Reply:
        text = request.messages[-1].text
        self.calls.append(text)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        if text in self.fail:
            fault = Fault(kind=self.fail[text], message="no", retryable=True)
            return Reply(status=ReplyStatus.ERROR, fault=fault)
        return Reply(text=f"{text}!", status=ReplyStatus.OK)


def ask(name: str, text: str | None = None) -> Ask:
    return Ask(name, lambda: Request(messages=(user_message(text or name),)))


def texts(done: dict[str, Asked]) -> dict[str, str]:
    return {name: asked.last.text for name, asked in done.items()}


async def test_everything_is_asked_and_comes_in_order() -> None:
    model, seen = Echo(), []
    done = await ask_all(
        model, [ask(str(n)) for n in range(20)], concurrency=4, on_asked=lambda one: seen.append(one.id)
    )
    assert texts(done) == {str(n): f"{n}!" for n in range(20)}
    assert list(done) == [str(n) for n in range(20)]
    assert sorted(seen) == sorted(done)
    assert 1 < model.most_at_once <= 4


async def test_requests_are_made_when_their_turn_comes() -> None:
    made: list[int] = []

    class Slow(Echo):
        async def reply(self, request: Request) -> Reply:
            assert len(made) <= len(self.calls) + 2
            return await super().reply(request)

    def asks() -> Iterator[Ask]:
        for n in range(9):

            def make(n: int = n) -> Request:
                made.append(n)
                return Request(messages=(user_message(str(n)),))

            yield Ask(str(n), make)

    await ask_all(Slow(), asks(), concurrency=2)
    assert made == list(range(9))


async def test_a_second_run_asks_only_what_is_missing(tmp_path: Path) -> None:
    log = tmp_path / "replies.jsonl"
    first = Echo(fail={"c": FaultKind.SERVER})
    await ask_all(first, [ask("a"), ask("b"), ask("c")], log=log)
    second = Echo()
    done = await ask_all(second, [ask("a"), ask("b"), ask("c"), ask("d")], log=log)
    assert sorted(second.calls) == ["c", "d"]  # a failed call is never done
    assert texts(done) == {"a": "a!", "b": "b!", "c": "c!", "d": "d!"}


async def test_a_torn_line_costs_one_call(tmp_path: Path) -> None:
    log = tmp_path / "replies.jsonl"
    await ask_all(Echo(), [ask("a"), ask("b")], log=log, concurrency=1)
    log.write_bytes(log.read_bytes()[:-9])
    again = Echo()
    await ask_all(again, [ask("a"), ask("b")], log=log)
    assert again.calls == ["b"]
    assert [json.loads(line) for line in log.read_text().splitlines()][-1]["reply"]["text"] == "b!"


async def test_the_same_request_is_sent_once(tmp_path: Path) -> None:
    model = Echo()
    done = await ask_all(model, [ask("one", "x"), ask("two", "x"), ask("three", "x")], log=tmp_path / "log.jsonl")
    assert model.calls == ["x"]
    assert texts(done) == {"one": "x!", "two": "x!", "three": "x!"}


async def test_a_log_of_another_model_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    await ask_all(Echo("one"), [ask("a")], log=log)
    with pytest.raises(DiagnosticsError, match="replies of one, not of two"):
        await ask_all(Echo("two"), [ask("a")], log=log)


@pytest.mark.parametrize("kind", [FaultKind.AUTHENTICATION, FaultKind.QUOTA])
async def test_a_hopeless_fault_stops_at_once_and_keeps_what_was_said(tmp_path: Path, kind: FaultKind) -> None:
    log, model = tmp_path / "log.jsonl", Echo(fail={"b": kind})
    with pytest.raises(ModelSilentError, match=kind.value):
        await ask_all(model, [ask("a"), ask("b"), *(ask(str(n)) for n in range(50))], log=log, concurrency=1)
    assert model.calls == ["a", "b"]
    again = Echo()
    await ask_all(again, [ask("a")], log=log)
    assert again.calls == []


async def test_single_failures_are_results_and_many_in_a_row_stop() -> None:
    model = Echo(fail={"b": FaultKind.BAD_REQUEST})
    done = await ask_all(model, [ask("a"), ask("b"), ask("c")], concurrency=1)
    assert [one.last.status.value for one in done.values()] == ["ok", "error", "ok"]
    gone = Echo(fail={str(n): FaultKind.CONNECTION for n in range(99)})
    with pytest.raises(ModelSilentError):
        await ask_all(gone, [ask(str(n)) for n in range(99)], concurrency=1)
    assert len(gone.calls) == PATIENCE


async def test_a_chain_sees_the_first_reply() -> None:
    def then(reply: Reply) -> Request:
        answer = Message(role="assistant", parts=(TextPart(text=reply.text),))
        return Request(messages=(user_message("first"), answer, user_message(f"after {reply.text}")))

    chain = Ask("chain", lambda: Request(messages=(user_message("first"),)), then)
    asked = (await ask_all(Echo(), [chain]))["chain"]
    assert [reply.text for reply in asked.replies] == ["first!", "after first!!"]
    broken = Ask("chain", lambda: Request(messages=(user_message("first"),)), then)
    failed = (await ask_all(Echo(fail={"first": FaultKind.SERVER}), [broken]))["chain"]
    assert len(failed.replies) == 1 and failed.last.status is ReplyStatus.ERROR


async def test_misuse_is_said() -> None:
    with pytest.raises(DiagnosticsError, match="asked twice"):
        await ask_all(Echo(), [ask("a"), ask("a")])
    with pytest.raises(DiagnosticsError, match="concurrency"):
        await ask_all(Echo(), [], concurrency=0)


async def test_a_raising_model_ends_the_run_for_all_who_wait() -> None:
    class Raising(Echo):
        async def reply(self, request: Request) -> Reply:
            await asyncio.sleep(0)
            raise RuntimeError("broken adapter")

    with pytest.raises(RuntimeError, match="broken adapter"):
        await ask_all(Raising(), [ask("one", "x"), ask("two", "x")], concurrency=2)
