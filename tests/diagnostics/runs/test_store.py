"""The store: what was acknowledged survives, a torn end is redone, damage is named, any text comes back equal."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.runs import CallRecord, read_records, read_stored
from seeworthy.diagnostics.runs.record import Spent, record_line
from seeworthy.diagnostics.runs.store import RecordWriter, mend_end
from seeworthy.tools.models import Fault, FaultKind, Reply, ReplyStatus


def record(number: int, text: str = "B", status: ReplyStatus = ReplyStatus.OK) -> CallRecord:
    fault = Fault(kind=FaultKind.SERVER, message="down", retryable=True) if status is ReplyStatus.ERROR else None
    return CallRecord(
        key=f"{number:064x}",
        item=f"q{number}",
        condition="clean",
        arm="m",
        prompt="plain",
        repeat=0,
        seed=0,
        sent=(("text", "Which?"),),
        reply=Reply(text=text, status=status, fault=fault),
        spent=Spent(calls=1, input_tokens=10, output_tokens=number),
        at="2026-01-01T00:00:00+00:00",
    )


async def append_all(path: Path, records: list[CallRecord]) -> None:
    async with RecordWriter(path) as writer:
        await asyncio.gather(*(writer.append(one) for one in records))


async def test_records_come_back_as_they_were_and_are_flushed_in_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushes = []
    flush = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: flushes.append(handle) or flush(handle))
    wanted = [record(number) for number in range(200)]
    await append_all(tmp_path / "r.jsonl", wanted)
    assert list(read_records(tmp_path / "r.jsonl")) == wanted
    assert 1 <= len(flushes) <= 10


async def test_a_record_is_on_the_disk_before_it_is_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r.jsonl"
    flushed_bytes = 0
    flush = os.fsync

    def note(handle: int) -> None:
        nonlocal flushed_bytes
        flush(handle)
        flushed_bytes = path.stat().st_size if path.exists() else 0

    monkeypatch.setattr(os, "fsync", note)
    async with RecordWriter(path) as writer:
        for number in range(5):
            await writer.append(record(number))
            assert flushed_bytes == sum(len(record_line(record(one))) for one in range(number + 1))


@pytest.mark.parametrize(
    "text",
    [
        "x" * 70_000,
        "http://example.org/answer",
        "=1+1",
        "a\x00b",
        "🚀 and half: \ud83d",
        "null",
        "line\nbreak\r\n\u2028",
        "",
    ],
)
async def test_any_text_comes_back_equal(tmp_path: Path, text: str) -> None:
    await append_all(tmp_path / "r.jsonl", [record(1, text)])
    [back] = read_records(tmp_path / "r.jsonl")
    assert back.reply.text == text
    assert len((tmp_path / "r.jsonl").read_bytes().splitlines()) == 1


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(cut=st.integers(0, 10_000))
def test_a_cut_anywhere_loses_the_last_line_at_most(tmp_path: Path, cut: int) -> None:
    lines = [record_line(record(number)) for number in range(4)]
    whole = b"".join(lines)
    cut %= len(whole) + 1
    path = tmp_path / "r.jsonl"
    path.write_bytes(whole[:cut])
    kept = [record(number) for number in range(4) if cut >= sum(map(len, lines[: number + 1])) - 1]
    assert list(read_records(path)) == kept
    mend_end(path)
    assert path.read_bytes() == b"".join(record_line(one) for one in kept)
    assert not mend_end(path)


def test_zeros_at_the_end_after_a_power_cut_are_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(record_line(record(1)) + b"\x00" * 300)
    assert mend_end(path)
    assert list(read_records(path)) == [record(1)]


@pytest.mark.parametrize("bad", [b"{broken\n", b"\n", b"[1]\n", b'{"key": "k"}\n', b"\xff\xfe\n", b"[" * 9000 + b"\n"])
def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path, bad: bytes) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(record_line(record(1)) + bad + record_line(record(2)))
    for read in (lambda: list(read_records(path)), lambda: read_stored(path)):
        with pytest.raises(DiagnosticsError, match=r"r\.jsonl, line 2: .*remove the line"):
            read()


def test_a_record_of_another_form_is_named(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    line = json.loads(record_line(record(1)))
    line["reply"]["colour"] = "blue"
    path.write_bytes(record_line(record(0)) + json.dumps(line).encode() + b"\n")
    with pytest.raises(DiagnosticsError, match="line 2: no record of a call"):
        list(read_records(path))


async def test_what_a_store_holds(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    error, filtered = ReplyStatus.ERROR, ReplyStatus.FILTERED
    await append_all(path, [record(1, status=error), record(2, status=error), record(1), record(3, status=filtered)])
    stored = read_stored(path)
    assert stored.done == {f"{1:064x}", f"{3:064x}"}
    assert stored.failed == {f"{2:064x}"}
    assert (stored.records, stored.spent.output_tokens) == (4, 1 + 2 + 1 + 3)
    assert read_stored(tmp_path / "none.jsonl").records == 0


async def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.jsonl"
    await append_all(path, [record(1)])

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    async with RecordWriter(path) as writer:
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(DiagnosticsError, match="No space left on device"):
            await writer.append(record(2))
        monkeypatch.undo()
        await writer.append(record(3))
    assert list(read_records(path)) == [record(1), record(3)]


async def test_a_broken_disk_is_told_to_everybody_who_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.jsonl"

    def broken(*_: object) -> None:
        raise OSError(5, "Input/output error")

    async with RecordWriter(path) as writer, asyncio.timeout(30):
        await writer.append(record(1))
        monkeypatch.setattr(os, "fsync", broken)
        monkeypatch.setattr(writer._file, "truncate", broken)
        outcomes = await asyncio.gather(*(writer.append(record(n)) for n in (2, 3)), return_exceptions=True)
        assert [str(one) for one in outcomes if "Input/output error" in str(one)] == [str(one) for one in outcomes]
        monkeypatch.undo()
        # What could not be taken back may end in the middle of a line, so nothing is put behind it.
        with pytest.raises(DiagnosticsError, match="not open for writing"):
            await writer.append(record(4))
    assert record(4) not in list(read_records(path))
