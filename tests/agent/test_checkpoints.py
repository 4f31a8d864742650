"""The database keeps one small row of a question that is done, and all that a killed one needs."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from seeworthy.agent import RobustVLM
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


def rows(folder: Path, table: str) -> int:
    with sqlite3.connect(folder / "checkpoints.sqlite") as database:
        return int(database.execute(f"select count(*) from {table}").fetchone()[0])


async def solve(folder: Path, picture: Picture, model: ScriptedModel, question: str = "Where?") -> object:
    return (await RobustVLM(model, run_folder=folder).solve(question, [picture], options=OPTIONS)).summary()


async def test_a_question_that_is_done_leaves_one_row(dark: Picture, only_tool: AddTool, tmp_path: Path) -> None:
    only_tool(good)
    model = ScriptedModel(lambda r: "B")
    for number in range(12):
        await solve(tmp_path, dark, model, f"Where is object {number}?")
    assert (rows(tmp_path, "finished"), rows(tmp_path, "checkpoints"), rows(tmp_path, "writes")) == (12, 0, 0)
    # A question's checkpoints alone take more than 50 kB.
    assert (tmp_path / "checkpoints.sqlite").stat().st_size < 100_000 + 12 * 8192


async def test_a_stopped_question_keeps_its_checkpoints_until_it_is_done(
    dark: Picture, only_tool: AddTool, tmp_path: Path
) -> None:
    only_tool(good)
    with pytest.raises(ModelUnavailableError):
        await solve(tmp_path, dark, ScriptedModel(lambda r: DOWN))
    assert rows(tmp_path, "finished") == 0
    assert rows(tmp_path, "checkpoints") > 0
    await solve(tmp_path, dark, ScriptedModel(lambda r: "B"))
    assert (rows(tmp_path, "finished"), rows(tmp_path, "checkpoints")) == (1, 0)


async def test_a_question_that_was_stopped_while_it_was_written_down_begins_anew(
    dark: Picture, only_tool: AddTool, tmp_path: Path
) -> None:
    only_tool(good)
    with pytest.raises(ModelUnavailableError):
        await solve(tmp_path / "cut", dark, ScriptedModel(lambda r: DOWN))
    with sqlite3.connect(tmp_path / "cut" / "checkpoints.sqlite") as database:
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


async def test_a_damaged_row_is_named(dark: Picture, only_tool: AddTool, tmp_path: Path) -> None:
    only_tool(good)
    await solve(tmp_path, dark, ScriptedModel(lambda r: "B"))
    with sqlite3.connect(tmp_path / "checkpoints.sqlite") as database:
        database.execute("update finished set state = x'00ff'")
    with pytest.raises(SolverError, match=r"checkpoints.sqlite is damaged.*delete"):
        await solve(tmp_path, dark, ScriptedModel(lambda r: "B"))


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
