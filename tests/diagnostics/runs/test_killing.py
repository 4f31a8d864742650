"""A run that is killed anywhere goes on: nothing acknowledged is paid again, and the table comes out the same."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np
import pytest

from seeworthy.diagnostics.report import report_summary
from seeworthy.diagnostics.report.writers import report_json, report_markdown
from seeworthy.diagnostics.runs import read_records
from tests.tools.models.fault_server import FaultServer, RecordedRequest, Step, answer

from .small_runs import small_suite, table_in

ASKED = r"Question (\d+) of (\S+?)\?"
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system with fork and signals")


def paid(requests: Sequence[RecordedRequest]) -> list[str]:
    """What requests ask, as the suite names its items; those left out that a kill cut off on the way."""
    texts = [json.dumps(one.body) for one in requests if one.body]
    return [f"q{number}@{condition}" for text in texts for number, condition in re.findall(ASKED, text)]


def some_right(body: dict[str, object]) -> Step:
    """Wrong for every seventh question, so that a table that lost or doubled an item would show it."""
    text = json.dumps(body)
    number = int(text[text.index("Question ") :].split()[1])
    right = "B" if "A. the lamp" in text else "3"
    return answer(right if number % 7 else "A", delay_s=0.01)


class Starter:
    """The process that forks; see `killable`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.diagnostics.runs.killable"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).resolve().parents[3],
        )

    def start(self, suite: Path, run: Path, server: FaultServer) -> int:
        """The id of a process that has begun a start of the run."""
        print(suite, run, server.base_url, file=_open(self._process.stdin), flush=True)
        return int(_open(self._process.stdout).readline())

    def ended(self) -> int:
        """Waits for the end of the start; its exit code, negative for a signal."""
        return int(_open(self._process.stdout).readline())

    def close(self) -> None:
        _open(self._process.stdin).close()
        self._process.wait()
        _open(self._process.stdout).close()


def _open(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


@pytest.fixture(scope="module")
def starter() -> Iterator[Starter]:
    process = Starter()
    yield process
    process.close()


def report_in(run: Path) -> str:
    """All of it, but for when the calls were made and how long they took."""
    summary = report_summary([run]).without_times()
    assert len(summary.examples) > 0 and summary.runs[0].calls_left == 0
    return report_json(summary) + report_markdown(summary)


def acknowledged(run: Path) -> set[str]:
    """Items with a whole record on the disk; whatever was acknowledged is among them."""
    return {record.item for record in read_records(run / "records.jsonl")}


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_kills_at_random_moments_lose_nothing_pay_nothing_twice_and_change_no_byte(
    tmp_path: Path, starter: Starter, kills: int
) -> None:
    rng = np.random.default_rng(kills)
    suite = small_suite(tmp_path / "suite", questions=12 * kills, conditions=("clean", "haze-3"))
    run, whole = tmp_path / "killed/run", tmp_path / "whole/run"
    with FaultServer(some_right) as server:
        starter.start(suite, whole, server)
        assert starter.ended() == 0
        survived = []
        for _ in range(kills):
            on_disk, asked_before = acknowledged(run), len(server.requests)
            process = starter.start(suite, run, server)
            server.wait_for_requests(asked_before + int(rng.integers(1, 7)), timeout_s=60.0)
            time.sleep(float(rng.uniform(0, 0.01)))
            os.kill(process, signal.SIGKILL)
            assert starter.ended() == -signal.SIGKILL
            assert not set(paid(server.requests[asked_before:])) & on_disk
            survived.append(len(acknowledged(run)))
        on_disk, asked_before = acknowledged(run), len(server.requests)
        starter.start(suite, run, server)
        assert starter.ended() == 0
        last = paid(server.requests[asked_before:])
    assert survived == sorted(survived) and survived[-1] > 0
    assert len(last) == len(set(last)) and set(last) == acknowledged(run) - on_disk
    assert len(acknowledged(run)) == 24 * kills
    assert table_in(run) == table_in(whole)
    assert report_in(run) == report_in(whole)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_polite_signal_ends_the_run_soon_and_keeps_what_was_under_way(
    tmp_path: Path, starter: Starter, number: signal.Signals
) -> None:
    suite = small_suite(tmp_path / "suite", questions=80)
    run = tmp_path / "run"
    with FaultServer(some_right) as server:
        process = starter.start(suite, run, server)
        server.wait_for_requests(10, timeout_s=60.0)
        os.kill(process, number)
        assert starter.ended() == 130
        # Calls that the server answered while the run was ending are paid, so they are kept.
        assert set(paid(server.requests)) == acknowledged(run)
        assert len(server.requests) < 80
        starter.start(suite, run, server)
        assert starter.ended() == 0
        assert len(server.requests) == 80
