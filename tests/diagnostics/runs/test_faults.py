"""A real server that misbehaves: what becomes of the item, of the run, and of the other calls."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from seeworthy.bench_data.suites import read_suite
from seeworthy.diagnostics.runs import (
    CallRecord,
    EngineSettings,
    RunFolder,
    RunOutcome,
    StopReason,
    read_records,
    run_results,
)
from seeworthy.diagnostics.runs.results import ALL_KINDS, ResultGroup
from seeworthy.tools.models.retry import RetryPolicy
from tests.tools.models.fault_server import FaultServer, Step, answer, cut, error, hang, raw

from .small_runs import QUICK, Arm, planned, run_in, served, small_suite

Json = dict[str, object]


def number_of(body: Json) -> int:
    """Of the question that a request asks."""
    found = re.search(r"Question (\d+) of", json.dumps(body))
    assert found is not None
    return int(found[1])


def right(body: Json) -> Step:
    return answer("B" if "A. the lamp" in json.dumps(body) else "3")


class Scripted:
    """Answers rightly, but for some questions, whose steps come in turn and the last of them for ever."""

    def __init__(self, steps: dict[int, list[Step]]) -> None:
        self.calls: Counter[int] = Counter()
        self._steps = steps

    def __call__(self, body: Json) -> Step:
        number = number_of(body)
        self.calls[number] += 1
        steps = self._steps.get(number)
        return right(body) if steps is None else steps[min(self.calls[number], len(steps)) - 1]


async def run_against(
    tmp_path: Path,
    script: Callable[[Json], Step],
    *,
    questions: int = 6,
    settings: EngineSettings | None = None,
    **options: object,
) -> RunOutcome:
    suite = small_suite(tmp_path / "suite", questions=questions)
    with FaultServer(script) as server:
        arm = Arm(served(server.base_url, **options))
        return await run_in(tmp_path / "run", planned(suite, [arm]), [arm], settings=settings)


def records(tmp_path: Path) -> dict[int, CallRecord]:
    found = {int(one.item[1 : one.item.index("@")]): one for one in read_records(tmp_path / "run/records.jsonl")}
    return dict(sorted(found.items()))


def whole_run(tmp_path: Path) -> ResultGroup:
    [group] = [one for one in run_results(RunFolder(tmp_path / "run")).groups if one.kind == ALL_KINDS]
    return group


REFUSED = error(400, "The response was filtered", code="content_filter")


@pytest.mark.parametrize(
    ("steps", "status", "fault", "calls"),
    [
        ([error(500), error(500), answer("3")], "ok", None, 3),
        ([error(500)], "error", "server", 3),
        ([error(503), answer("3")], "ok", None, 2),
        ([error(429), error(429), answer("3")], "ok", None, 3),
        ([cut(), answer("3")], "ok", None, 2),
        ([Step(drop=True), answer("3")], "ok", None, 2),
        ([raw(b"<html>Welcome</html>")], "error", "malformed", 1),
        ([raw(b'{"choices": [', content_type="application/json")], "error", "malformed", 1),
        ([answer("", finish_reason="content_filter")], "refusal", None, 1),
        ([answer(None, message={"refusal": "I can't help"})], "refusal", None, 1),
        ([REFUSED], "refusal", None, 1),
        ([answer("", finish_reason="length")], "truncated", None, 1),
        ([error(413, "Request Entity Too Large")], "error", "too_large", 1),
        ([error(400, "bad parameter")], "error", "bad_request", 1),
    ],
)
async def test_what_becomes_of_one_item_while_the_run_goes_on(
    tmp_path: Path, steps: list[Step], status: str, fault: str | None, calls: int
) -> None:
    script = Scripted({3: steps})
    outcome = await run_against(tmp_path, script, oversize_policy="refuse")
    assert outcome.stop is StopReason.FINISHED
    found = records(tmp_path)
    assert [one.reply.status.value for number, one in found.items() if number != 3] == ["ok"] * 5
    assert found[3].reply.status.value == status
    assert (found[3].reply.fault and found[3].reply.fault.kind.value) == fault
    assert script.calls == {**dict.fromkeys(range(6), 1), 3: calls}
    assert found[3].reply.attempts == calls
    assert outcome.failed == (status == "error")


async def test_a_failed_item_is_out_of_the_denominator_and_shown_and_asked_alone_at_the_next_start(
    tmp_path: Path,
) -> None:
    suite = small_suite(tmp_path / "suite", questions=20)
    script = Scripted({3: [error(500)] * 3 + [answer("3")]})
    with FaultServer(script) as server:
        arm = Arm(served(server.base_url))
        plan = planned(suite, [arm])
        await run_in(tmp_path / "run", plan, [arm])
        group = whole_run(tmp_path)
        assert (group.n, group.scored, group.errors) == (20, 19, 1)
        assert group.score is not None and group.score.estimate == 1.0
        first = Counter(script.calls)
        outcome = await run_in(tmp_path / "run", plan, [arm])
    assert script.calls - first == {3: 1}
    assert (outcome.asked, outcome.failed, outcome.left) == (1, 0, 0)
    assert whole_run(tmp_path).errors == 0


@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_nobody_calls_before_the_time_that_a_busy_server_names(tmp_path: Path, form: str) -> None:
    arrivals: list[float] = []
    refused_at: list[float] = []

    def busy_once(body: Json) -> Step:
        arrivals.append(time.monotonic())
        if refused_at:
            return right(body)
        refused_at.append(time.monotonic())
        # An HTTP date has whole seconds, so a date two seconds ahead is between one and two away.
        date = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
        return error(429, headers={"Retry-After": "1" if form == "seconds" else date})

    settings = EngineSettings(retry=QUICK, slots=2)
    outcome = await run_against(tmp_path, busy_once, questions=8, settings=settings)
    assert (outcome.failed, outcome.left) == (0, 0)
    # Calls that were on their way before the refusal was read could come earlier: two of the other slot, at most three.
    early = [one for one in arrivals if refused_at[0] < one < refused_at[0] + 0.95]
    assert len(early) <= 3
    assert len(arrivals) == 9


@pytest.mark.parametrize(
    ("step", "word"),
    [
        (error(401, "Incorrect API key provided"), "authentication"),
        (error(403, "You may not use this model"), "authentication"),
        (error(429, "You exceeded your current quota", code="insufficient_quota"), "quota"),
        (error(402, "Payment required"), "quota"),
        (error(429, headers={"Retry-After": "86400"}), "beyond the deadline"),
    ],
)
async def test_a_server_that_takes_no_call_ends_the_run_at_once(tmp_path: Path, step: Step, word: str) -> None:
    calls: list[int] = []

    def refuse(body: Json) -> Step:
        calls.append(number_of(body))
        return step

    settings = EngineSettings(retry=QUICK, slots=2)
    outcome = await run_against(tmp_path, refuse, questions=40, settings=settings)
    assert outcome.stop is StopReason.REFUSED
    assert word in outcome.detail
    assert len(calls) <= 3
    assert outcome.left == 40


async def test_a_hanging_call_ends_by_its_time_and_is_made_again(tmp_path: Path) -> None:
    script = Scripted({2: [hang(), answer("B")]})
    outcome = await run_against(tmp_path, script, read_timeout_s=0.3)
    assert (outcome.failed, script.calls[2]) == (0, 2)
    assert "failed attempts: timeout" in " ".join(records(tmp_path)[2].reply.notes)


async def test_a_server_that_is_gone_ends_the_run_with_the_reason(tmp_path: Path) -> None:
    settings = EngineSettings(retry=RetryPolicy(max_attempts=1), patience=5, slots=1)
    outcome = await run_against(tmp_path, lambda body: error(500, "out of order"), questions=30, settings=settings)
    assert outcome.stop is StopReason.SILENT
    assert "5 calls in a row failed" in outcome.detail and "out of order" in outcome.detail
    assert (outcome.asked, outcome.left) == (5, 30)


async def test_a_broken_picture_is_an_error_of_its_item_and_never_sent(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", questions=8, pictures=4)
    whole = (tmp_path / "suite/images/clean-1.png").read_bytes()
    (tmp_path / "suite/images/clean-1.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "suite/images/clean-2.png").unlink()
    (tmp_path / "suite/images/clean-3.png").write_bytes(b"no picture at all")
    assert len(list(read_suite(suite))) == 8
    script = Scripted({})
    with FaultServer(script) as server:
        arm = Arm(served(server.base_url))
        settings = EngineSettings(retry=QUICK, patience=2)
        outcome = await run_in(tmp_path / "run", planned(suite, [arm]), [arm], settings=settings)
    assert outcome.stop is StopReason.FINISHED
    assert script.calls == {0: 1, 4: 1}
    found = records(tmp_path)
    assert {number for number, one in found.items() if not one.is_done} == {1, 2, 3, 5, 6, 7}
    fault = found[2].reply.fault
    assert fault is not None and "q2@clean" in fault.message and "no such file" in fault.message


async def test_a_busy_server_gets_fewer_calls_at_once(tmp_path: Path) -> None:
    """It takes four at once and turns the fifth away; a run with sixteen slots settles there and loses nothing."""
    under_way = 0
    refused = 0
    lock = threading.Lock()

    def four_at_once(body: Json) -> Step:
        nonlocal under_way, refused
        with lock:
            if under_way == 4:
                refused += 1
                return error(429, "too many")
            under_way += 1
        time.sleep(0.02)
        with lock:
            under_way -= 1
        return right(body)

    policy = RetryPolicy(max_attempts=30, backoff_base_s=0.02, backoff_cap_s=0.1, deadline_s=60.0)
    settings = EngineSettings(retry=policy, slots=16)
    outcome = await run_against(tmp_path, four_at_once, questions=120, settings=settings)
    assert (outcome.failed, outcome.left) == (0, 0)
    assert 0 < refused < 120
