"""A run folder keeps one small file of a question that is done, and all that a killed one needs."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from pathlib import Path

import aiosqlite
import numpy as np
import pytest

from seeworthy.agent import RobustVLM
from seeworthy.agent.checkpoints import Checkpoints
from seeworthy.agent.errors import ModelUnavailableError, SolverError
from seeworthy.agent.run_folder import RunFolder
from seeworthy.bench_data.images import Picture
from seeworthy.tools.models import Fault, FaultKind, Reply, ReplyStatus

from .conftest import AddTool, ScriptedModel
from .test_graph import good

OPTIONS = {"A": "left", "B": "right"}
DOWN = Reply(
    status=ReplyStatus.ERROR, fault=Fault(kind=FaultKind.SERVER, message="down", retryable=True, http_status=503)
)

pytestmark = pytest.mark.usefixtures("always_dark")


@pytest.fixture
def small(dark: Picture) -> Picture:
    """A part of the dark photograph, on which the tools take no time."""
    return Picture(np.ascontiguousarray(dark.image_srgb_u8[100:164, 100:164]), source="small")


def unfinished(folder: Path) -> Path:
    """The database of the one question that is not done."""
    (path,) = (folder / "unfinished").glob("*.sqlite")
    return path


def kept(folder: Path) -> tuple[int, int]:
    """Questions that are done, and files of others."""
    return len(list((folder / "finished").rglob("*.json.zlib"))), len(list((folder / "unfinished").iterdir()))


async def solve(folder: Path, picture: Picture, model: ScriptedModel, question: str = "Where?") -> object:
    return (await RobustVLM(model, run_folder=folder).solve(question, [picture], options=OPTIONS)).summary()


async def test_a_question_that_is_done_leaves_one_small_file(dark: Picture, only_tool: AddTool, tmp_path: Path) -> None:
    only_tool(good)
    model = ScriptedModel(lambda r: "B")
    for number in range(12):
        await solve(tmp_path, dark, model, f"Where is object {number}?")
    assert kept(tmp_path) == (12, 0)
    # A question's checkpoints alone take more than 50 kB.
    assert max(path.stat().st_size for path in (tmp_path / "finished").rglob("*.zlib")) < 8192


async def test_a_stopped_question_keeps_its_checkpoints_until_it_is_done(
    dark: Picture, only_tool: AddTool, tmp_path: Path
) -> None:
    only_tool(good)
    with pytest.raises(ModelUnavailableError):
        await solve(tmp_path, dark, ScriptedModel(lambda r: DOWN))
    assert kept(tmp_path)[0] == 0
    with sqlite3.connect(unfinished(tmp_path)) as database:
        assert database.execute("select count(*) from checkpoints").fetchone()[0] > 0
    await solve(tmp_path, dark, ScriptedModel(lambda r: "B"))
    assert kept(tmp_path) == (1, 0)


@pytest.fixture
def release(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """The first database with two commits waits for this event with its third: its transaction stays open so long."""
    commit, commits, slow = aiosqlite.Connection.commit, Counter[int](), []
    event = asyncio.Event()

    async def slow_commit(self: aiosqlite.Connection) -> None:
        commits[id(self)] += 1
        if commits[id(self)] > 2 and not slow:
            slow.append(self)
        if self in slow:
            await event.wait()
        await commit(self)

    monkeypatch.setattr(aiosqlite.Connection, "commit", slow_commit)
    return event


@pytest.mark.parametrize("lines", [20, 60, 140])
async def test_many_questions_that_are_cancelled_at_once_let_go_at_once(
    lines: int, small: Picture, only_tool: AddTool, tmp_path: Path, release: asyncio.Event
) -> None:
    """None waits for the transaction that one of them has open; in one database for all, each would."""
    only_tool(good)
    progress: list[str] = []
    robust = RobustVLM(ScriptedModel(lambda r: "B"), run_folder=tmp_path, report=progress.append)
    questions = [f"Where is object {number}?" for number in range(30)]
    tasks = [asyncio.create_task(robust.solve(question, [small], options=OPTIONS)) for question in questions]
    while len(progress) < lines:
        await asyncio.sleep(0.005)
    for task in tasks:
        task.cancel()
    try:
        async with asyncio.timeout(15):
            while sum(task.done() for task in tasks) < 29:
                await asyncio.sleep(0.005)
    finally:
        release.set()
    await asyncio.wait(tasks)
    assert all(task.cancelled() or task.exception() is None for task in tasks)
    for number in (0, 15, 29):
        assert (await robust.solve(questions[number], [small], options=OPTIONS)).value == "B"


async def test_a_question_that_was_stopped_while_it_was_written_down_begins_anew(
    dark: Picture, only_tool: AddTool, tmp_path: Path
) -> None:
    only_tool(good)
    with pytest.raises(ModelUnavailableError):
        await solve(tmp_path / "cut", dark, ScriptedModel(lambda r: DOWN))
    with sqlite3.connect(unfinished(tmp_path / "cut")) as database:
        [(first,)] = database.execute("select min(checkpoint_id) from checkpoints").fetchall()
        for table in ("checkpoints", "writes"):
            database.execute(f"delete from {table} where checkpoint_id != ?", (first,))
    results = [
        await RobustVLM(ScriptedModel(lambda r: "B"), run_folder=tmp_path / name).solve(
            "Where?", [dark], options=OPTIONS
        )
        for name in ("cut", "whole")
    ]
    assert [result.value for result in results] == ["B", "B"]
    stories = [[event.stage for event in result.events] for result in results]
    assert stories[0] == stories[1]


async def test_what_is_kept_is_the_whole_story(dark: Picture, only_tool: AddTool, tmp_path: Path) -> None:
    only_tool(good)
    first = await RobustVLM(ScriptedModel(lambda r: "B"), run_folder=tmp_path).solve("Where?", [dark], options=OPTIONS)
    silent = ScriptedModel(lambda r: "A")
    again = await RobustVLM(silent, run_folder=tmp_path).solve("Where?", [dark], options=OPTIONS)
    assert silent.asked == []
    assert (again.events, again.work, again.answers) == (first.events, first.work, first.answers)
    first.write_trace(tmp_path / "first.html")
    again.write_trace(tmp_path / "again.html")
    assert (tmp_path / "first.html").read_bytes() == (tmp_path / "again.html").read_bytes()


async def test_a_damaged_file_is_named(dark: Picture, only_tool: AddTool, tmp_path: Path) -> None:
    only_tool(good)
    await solve(tmp_path, dark, ScriptedModel(lambda r: "B"))
    (path,) = (tmp_path / "finished").rglob("*.zlib")
    path.write_bytes(b"\x00\xff")
    with pytest.raises(SolverError, match=r"json.zlib is damaged.*delete"):
        await solve(tmp_path, dark, ScriptedModel(lambda r: "B"))


@pytest.mark.parametrize("column", ["checkpoint", "metadata"])
async def test_a_damaged_checkpoint_is_named(column: str, small: Picture, only_tool: AddTool, tmp_path: Path) -> None:
    only_tool(good)
    with pytest.raises(ModelUnavailableError):
        await solve(tmp_path, small, ScriptedModel(lambda r: DOWN))
    with sqlite3.connect(unfinished(tmp_path)) as database:
        database.execute(f"update checkpoints set {column} = x'c1ff00'")
    with pytest.raises(SolverError, match=r"sqlite is damaged.*delete it.*calls"):
        await solve(tmp_path, small, ScriptedModel(lambda r: "B"))


async def test_a_database_that_cannot_be_opened_is_not_called_damaged(
    small: Picture, only_tool: AddTool, tmp_path: Path
) -> None:
    only_tool(good)
    with pytest.raises(ModelUnavailableError):
        await solve(tmp_path, small, ScriptedModel(lambda r: DOWN))
    path = unfinished(tmp_path)
    path.unlink()
    path.mkdir()
    with pytest.raises(SolverError, match=r"cannot work with .*sqlite \(unable to open"):
        await solve(tmp_path, small, ScriptedModel(lambda r: "B"))


async def test_what_a_kill_in_the_middle_of_finishing_leaves_behind_goes_with_the_next_call(
    small: Picture, only_tool: AddTool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_tool(good)
    with monkeypatch.context() as killed:
        killed.setattr(Checkpoints, "_forget", lambda *_: None)
        await solve(tmp_path, small, ScriptedModel(lambda r: "B"))
    assert kept(tmp_path) == (1, 1)
    silent = ScriptedModel(lambda r: "A")
    await solve(tmp_path, small, silent)
    assert (kept(tmp_path), silent.asked) == ((1, 0), [])


async def test_solvers_that_are_kept_apart_share_tools_and_no_replies(
    dark: Picture, only_tool: AddTool, tmp_path: Path
) -> None:
    runs = []

    def counted(*how: object) -> object:
        runs.append(1)
        return good(*how)  # type: ignore[arg-type]

    only_tool(counted)
    one, other = ScriptedModel(lambda r: "B"), ScriptedModel(lambda r: "A")
    for name, model in (("one", one), ("other", other)):
        # Another name of the profile makes it another solver, with the same requests.
        profile = RobustVLM(model).profile.model_copy(update={"name": name})
        robust = RobustVLM(model, profile=profile, run_folder=RunFolder(tmp_path, apart=name))
        result = await robust.solve("Where?", [dark], options=OPTIONS)
        assert result.value == ("B" if name == "one" else "A")
    assert len(one.asked) == len(other.asked) == 3
    assert len(runs) == 1
