"""The same command goes on; whatever decides a reply misses what is stored, and nothing else does."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from seeworthy.bench_data.images import Picture
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.runs import EngineSettings, RunFolder, StopReason, read_records
from seeworthy.tools.models import (
    Capabilities,
    CoordinateSpace,
    Fault,
    FaultKind,
    GenerationSettings,
    Reply,
    ReplyStatus,
    Request,
)
from seeworthy.tools.models.openai_chat import OpenAIChatOptions
from seeworthy.tools.models.providers.python_callable import CallableModel

from .small_runs import (
    QUICK,
    Arm,
    CountedModel,
    planned,
    right_answer,
    run_in,
    served,
    small_items,
    small_suite,
    table_in,
    words_of,
    written,
)


async def test_two_models_in_one_run_never_get_each_others_replies(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite")
    always_a, always_b = CountedModel(lambda r: "A", "m1"), CountedModel(lambda r: "B", "m2")
    arms = [always_a.arm, always_b.arm]
    await run_in(tmp_path / "run", planned(suite, arms), arms)
    said = {(one.arm, one.reply.text) for one in read_records(tmp_path / "run/records.jsonl")}
    assert said == {("m1", "A"), ("m2", "B")}
    assert len(always_a.asked) == len(always_b.asked) == 6


async def test_the_same_again_asks_nothing_and_says_the_same(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite")
    model = CountedModel()
    plan = planned(suite, [model.arm])
    first = await run_in(tmp_path / "run", plan, [model.arm])
    table = table_in(tmp_path / "run")
    again = await run_in(tmp_path / "run", planned(suite, [model.arm]), [model.arm])
    assert (first.asked, again.asked, len(model.asked)) == (6, 0, 6)
    assert again.stop is StopReason.FINISHED
    assert table_in(tmp_path / "run") == table


async def test_neither_the_order_of_the_data_nor_its_growth_asks_anything_twice(tmp_path: Path) -> None:
    items = small_items(tmp_path / "suite", questions=11)
    model = CountedModel()
    suite = written(tmp_path / "suite", items[:6])
    await run_in(tmp_path / "run", planned(suite, [model.arm]), [model.arm])
    table = table_in(tmp_path / "run")
    written(tmp_path / "suite", items[5::-1])
    assert (await run_in(tmp_path / "run", planned(suite, [model.arm]), [model.arm])).asked == 0
    assert table_in(tmp_path / "run") == table
    written(tmp_path / "suite", items)
    assert (await run_in(tmp_path / "run", planned(suite, [model.arm]), [model.arm])).asked == 5
    assert len(set(model.asked)) == len(model.asked) == 11


async def test_a_picture_of_the_same_name_with_other_bytes_is_asked_about_again(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", pictures=2)
    model = CountedModel()
    await run_in(tmp_path / "run", planned(suite, [model.arm]), [model.arm])
    pixels = np.zeros((24, 32, 3), np.uint8)
    (tmp_path / "suite/images/clean-1.png").write_bytes(Picture(pixels).png())
    outcome = await run_in(tmp_path / "run", planned(suite, [model.arm]), [model.arm])
    assert outcome.asked == 3
    assert "3 records belong to items that are gone" in table_in(tmp_path / "run")


async def test_a_picture_that_changes_while_the_run_goes_on_is_an_error_of_its_item(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", pictures=2)
    model = CountedModel()
    plan = planned(suite, [model.arm])
    (tmp_path / "suite/images/clean-1.png").write_bytes(b"something else")
    outcome = await run_in(tmp_path / "run", plan, [model.arm])
    assert (outcome.asked, outcome.failed, len(model.asked)) == (6, 3, 3)


def keys(suite: Path, arm: Arm, **how: object) -> set[str]:
    return {call.key for call in planned(suite, [arm], **how).calls}


def test_each_single_change_of_what_decides_a_reply_misses_every_stored_one(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite")
    url = "http://127.0.0.1:9/v1"
    base = keys(suite, Arm(served(url)))
    others = [
        keys(suite, Arm(served(url, "other-model"))),
        keys(suite, Arm(served("http://127.0.0.1:10/v1"))),
        keys(suite, Arm(served(url, max_image_side_px=16))),
        keys(suite, Arm(served(url, extra_body={"min_p": 0.1}))),
        keys(suite, Arm(served(url)), generation=GenerationSettings(temperature=0.5)),
        keys(suite, Arm(served(url)), generation=GenerationSettings(max_tokens=7)),
        keys(suite, Arm(served(url)), seed=1),
        keys(suite, Arm(served(url)), prompts=["blind"]),
    ]
    for other in others:
        assert not base & other
    repeated = keys(suite, Arm(served(url)), repeats=2)
    assert base < repeated and len(repeated) == 2 * len(base)


def test_how_replies_are_fetched_decides_none(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite")
    url = "http://127.0.0.1:9/v1"
    base = keys(suite, Arm(served(url)))
    changed = {"timeout_s": 5, "read_timeout_s": 4, "connect_timeout_s": 3, "deadline_s": 50, "backoff_base_s": 1}
    changed |= {"backoff_cap_s": 2, "max_attempts": 4, "max_concurrency": 2, "prices": {"m": {"input": 1, "output": 1}}}
    assert keys(suite, Arm(served(url, **changed))) == base
    assert OpenAIChatOptions.undeciding == {*changed, "api_key_env"}


async def test_what_a_model_learns_of_its_server_does_not_make_it_another(tmp_path: Path) -> None:
    """A server that refuses a field changes the capabilities while the run goes on."""
    from tests.tools.models.fault_server import FaultServer, Step, answer, error

    def no_seed(body: dict[str, object]) -> Step:
        if "seed" in body:
            return error(400, "Unrecognized request argument supplied: seed", param="seed")
        return answer("B")

    suite = small_suite(tmp_path / "suite")
    with FaultServer(no_seed) as server:
        arm = Arm(served(server.base_url))
        await run_in(tmp_path / "run", planned(suite, [arm]), [arm])
        assert arm.leaf.capabilities.honours_seed is False
        again = await run_in(tmp_path / "run", planned(suite, [arm]), [arm])
    assert again.asked == 0


def with_two_tools(version: str) -> Arm:
    class Wrapped:
        name = "wrapped"
        capabilities = Capabilities(coordinate_space=CoordinateSpace.PERMILLE)
        versions = {"zoom": version}  # noqa: RUF012 - a test double

        async def reply(self, request: Request) -> Reply:
            return Reply(text="B", status=ReplyStatus.OK)

    return Arm(Wrapped())


def test_a_tool_of_another_version_is_another_model(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite")
    assert not keys(suite, with_two_tools("1")) & keys(suite, with_two_tools("2"))


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"seed": 5}, r"settings\.seed: 0 -> 5"),
        ({"prompts": ["blind"]}, r'settings\.prompts\.0\.name: "plain" -> "blind"'),
        ({"repeats": 2}, r"settings\.repeats: 1 -> 2"),
        ({"conditions": ["clean"]}, r'settings\.conditions\.0: nothing -> "clean"'),
        (
            {"generation": GenerationSettings(temperature=0.7)},
            r"settings\.generation\.temperature: 0\.0 -> 0\.7",
        ),
    ],
)
async def test_other_settings_in_the_same_folder_are_refused_by_name(
    tmp_path: Path, changed: dict[str, object], named: str
) -> None:
    suite = small_suite(tmp_path / "suite")
    model = CountedModel()
    await run_in(tmp_path / "run", planned(suite, [model.arm]), [model.arm])
    before = (tmp_path / "run/plan.json").read_bytes()
    with pytest.raises(DiagnosticsError, match=named):
        await run_in(tmp_path / "run", planned(suite, [model.arm], **changed), [model.arm])
    assert (tmp_path / "run/plan.json").read_bytes() == before


async def test_a_larger_limit_goes_on_from_a_smaller_one(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", questions=10, conditions=("clean", "haze-3"))
    model = CountedModel()
    for limit, asked in ((4, 4), (12, 8), (None, 8)):
        outcome = await run_in(tmp_path / "run", planned(suite, [model.arm], limit=limit), [model.arm])
        assert outcome.asked == asked
    assert len(set(model.asked)) == 20


async def test_items_that_ask_the_same_are_asked_once_and_all_scored(tmp_path: Path) -> None:
    items = small_items(tmp_path / "suite", questions=4)
    twins = [replace(one, id=f"twin of {one.id}", question_id=f"twin of {one.question_id}") for one in items]
    suite = written(tmp_path / "suite", [*items, *twins])
    model = CountedModel()
    await run_in(tmp_path / "run", planned(suite, [model.arm]), [model.arm])
    assert len(model.asked) == 4
    assert "all       8       8  1.000" in table_in(tmp_path / "run")


async def test_errors_are_made_again_and_nothing_else(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite")
    down = True

    def answer(request: Request) -> Reply | str:
        if "Question 3" in words_of(request) and down:
            return Reply(
                status=ReplyStatus.ERROR, fault=Fault(kind=FaultKind.MALFORMED, message="half a page", retryable=True)
            )
        if "Question 4" in words_of(request):
            return Reply(status=ReplyStatus.FILTERED)
        return right_answer(request)

    model = CountedModel(answer)
    first = await run_in(tmp_path / "run", planned(suite, [model.arm]), [model.arm])
    assert (first.failed, first.left) == (1, 1)
    assert "1 calls have no reply yet" in table_in(tmp_path / "run")
    down = False
    model.asked.clear()
    again = await run_in(tmp_path / "run", planned(suite, [model.arm]), [model.arm])
    assert model.asked == ["Question 3 of clean"]
    assert (again.failed, again.left) == (0, 0)


async def test_a_second_writer_is_refused_with_the_owner(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite")
    model = CountedModel()
    plan = planned(suite, [model.arm])
    with RunFolder(tmp_path / "run").begun(plan):
        script = "import sys; from seeworthy.bench_data.file_lock import held_alone\n"
        script += "with held_alone(__import__('pathlib').Path(sys.argv[1]), RuntimeError): pass"
        other = await asyncio.to_thread(
            subprocess.run, [sys.executable, "-c", script, str(tmp_path / "run/lock")], capture_output=True, text=True
        )
        assert f"process {os.getpid()} on " in other.stderr
        assert " since 20" in other.stderr
        with pytest.raises(DiagnosticsError, match=f"in use by process {os.getpid()} on .* since "):
            await run_in(tmp_path / "run", plan, [model.arm])
    await run_in(tmp_path / "run", plan, [model.arm])


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError, match="is .* the folder of a run"):
        RunFolder(tmp_path).plan()
    (tmp_path / "plan.json").write_text('{"format": "something else"}')
    with pytest.raises(DiagnosticsError, match="no plan of a run"):
        RunFolder(tmp_path).plan()
    (tmp_path / "plan.json").unlink()
    (tmp_path / "records.jsonl").write_text("")
    model = CountedModel()
    plan = planned(small_suite(tmp_path / "suite"), [model.arm])
    with pytest.raises(DiagnosticsError, match=r"holds records and no plan\.json"), RunFolder(tmp_path).begun(plan):
        pass


async def test_the_pictures_lie_beside_the_records_by_their_content(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", pictures=2)
    model = CountedModel()
    await run_in(tmp_path / "run", planned(suite, [model.arm]), [model.arm])
    folder = RunFolder(tmp_path / "run")
    sent = {content for one in read_records(folder.records) for kind, content in one.sent if kind == "image"}
    kept = {path.name: path.read_bytes() for path in (tmp_path / "run/images").rglob("*") if path.is_file()}
    assert kept.keys() == sent and len(sent) == 2
    assert set(kept.values()) == {path.read_bytes() for path in (tmp_path / "suite/images").iterdir()}
    none = EngineSettings(retry=QUICK, keep_pictures=False)
    await run_in(tmp_path / "other", planned(suite, [model.arm]), [model.arm], settings=none)
    assert not (tmp_path / "other/images").exists()


async def test_every_repeat_has_a_seed_of_its_own(tmp_path: Path) -> None:
    seeds: list[int | None] = []

    async def note(request: Request) -> str:
        seeds.append(request.seed)
        return "B"

    arm = Arm(CallableModel(note, name="seeds"))
    suite = small_suite(tmp_path / "suite", questions=1)
    await run_in(tmp_path / "run", planned(suite, [arm], repeats=3, seed=7), [arm])
    assert sorted(seed or 0 for seed in seeds) == [7, 8, 9]


async def test_a_model_that_the_plan_asks_must_be_given(tmp_path: Path) -> None:
    model, other = CountedModel(), CountedModel(name="other")
    plan = planned(small_suite(tmp_path / "suite"), [model.arm])
    with pytest.raises(DiagnosticsError, match="asks 'counted', which is not among"):
        await run_in(tmp_path / "run", plan, [other.arm])
