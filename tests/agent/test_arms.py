"""The arms of a benchmark, against a real server: what each shows, says and costs, told apart by what was sent."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from seeworthy.agent.arms import ARMS, split_arm
from seeworthy.agent.cli.bench_arms import bench_arms
from seeworthy.agent.cli.common import UsageError
from seeworthy.agent.profiles import PROFILES
from seeworthy.bench_data.images import Picture, picture_from_bytes
from seeworthy.bench_data.suites import SuiteImage, SuiteItem
from seeworthy.diagnostics.runs import Arm, RunFolder, estimate_run, plan_differences, read_records
from tests.diagnostics.runs.small_runs import CHOICE, planned, run_in, served, table_in, written
from tests.tools.models.fault_server import FaultServer, answer

from .conftest import AddTool
from .test_graph import good

Sent = list[tuple[str, tuple[str, ...]]]
"""(words, hashes of pictures), a call."""


@pytest.fixture
def suite(tmp_path: Path, dark: Picture, photograph: Picture) -> Path:
    """One question, about a dark picture and about the clean one."""
    root = tmp_path / "suite"
    root.mkdir()
    items = []
    for condition, picture in (("low_light-3", dark), ("clean", photograph)):
        (root / f"{condition}.png").write_bytes(picture.png())
        image = SuiteImage(f"{condition}.png", root=root)
        items.append(
            SuiteItem(
                id=f"q@{condition}",
                text="Which is closer?",
                images=(image,),
                answer_format=CHOICE,
                truth="B",
                question_id="q",
                kind="closer",
                scene="s",
                condition=condition,
            )
        )
    return written(root, items)


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(lambda body: answer("B")) as server:
        yield server


def arms_at(server: FaultServer, *names: str) -> dict[str, Arm]:
    leaf = served(server.base_url)
    arms = [ARMS[name].around(leaf, PROFILES["fidelity"]) if name else Arm(leaf) for name in names]
    return {arm.name: arm for arm in arms}


def sent_to(server: FaultServer, before: int = 0) -> Sent:
    found: Sent = []
    for chat in server.chats[before:]:
        content = chat.body["messages"][0]["content"]  # type: ignore[index]
        words = " ".join(part["text"] for part in content if part["type"] == "text")
        urls = [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
        pictures = [picture_from_bytes(base64.b64decode(url.split(",")[1]), source="sent") for url in urls]
        found.append((words, tuple(picture.sha256 for picture in pictures)))
    return found


async def asked(server: FaultServer, suite: Path, run: Path, arm: str, condition: str) -> tuple[Sent, int]:
    """What an arm sends about the item of a condition, and the calls that its record counts."""
    arms = arms_at(server, arm)
    before = len(server.chats)
    plan = planned(suite, list(arms.values()), conditions=[condition])
    outcome = await run_in(run, plan, list(arms.values()))
    assert (outcome.asked, outcome.failed) == (1, 0)
    (record,) = read_records(run / "records.jsonl")
    return sent_to(server, before), record.spent.calls


@pytest.mark.usefixtures("always_dark")
async def test_what_each_arm_sends_about_a_dark_picture(
    suite: Path, server: FaultServer, dark: Picture, only_tool: AddTool, tmp_path: Path
) -> None:
    only_tool(good)
    sent = {}
    for arm in ("", *ARMS):
        sent[arm], calls = await asked(server, suite, tmp_path / f"run-{arm}", arm, "low_light-3")
        assert calls == len(sent[arm])
    original = dark.sha256
    ((question, pictures),) = sent[""]
    assert pictures == (original,)

    both = next(pictures for _, pictures in sent["robust"] if len(pictures) == 2)
    repaired = both[0]
    assert repaired != original
    assert sorted(pictures for _, pictures in sent["robust"]) == sorted([(original,), (repaired,), both])

    # Against the model alone only the pixels differ.
    assert sent["rectified-only"] == [(question, (repaired,))]

    # Against the solver only the pixels differ: the same words, as many pictures.
    twice = [(words, (original,) * len(pictures)) for words, pictures in sent["robust"]]
    assert sorted(sent["original-twice"]) == sorted(twice)

    assert sorted(sent["oracle-tag"]) == sorted(sent["robust"])
    assert sent["wrong-tag"] == [(question, (original,))]  # no tool treats what was said instead of darkness


@pytest.mark.usefixtures("always_dark")
async def test_the_oracle_leaves_a_clean_picture_alone_whatever_is_detected(
    suite: Path, server: FaultServer, photograph: Picture, only_tool: AddTool, tmp_path: Path
) -> None:
    only_tool(good)
    sent, calls = await asked(server, suite, tmp_path / "run", "oracle-tag", "clean")
    assert (len(sent), calls) == (1, 1)
    assert sent[0][1] == (photograph.sha256,)
    (record,) = read_records(tmp_path / "run/records.jsonl")
    assert "stress: none" in record.reply.notes


@pytest.mark.usefixtures("always_dark")
async def test_arms_in_one_run_pay_for_themselves_and_share_the_repair(
    suite: Path, server: FaultServer, only_tool: AddTool, tmp_path: Path
) -> None:
    repairs = []

    def counted(*how: object) -> object:
        repairs.append(1)
        return good(*how)  # type: ignore[arg-type]

    only_tool(counted)  # type: ignore[arg-type]
    arms = arms_at(server, "", "robust", "rectified-only", "original-twice", "oracle-tag")
    plan = planned(suite, list(arms.values()), conditions=["low_light-3"])
    assert plan.plan.calls == 5
    outcome = await run_in(tmp_path / "run", plan, list(arms.values()))
    assert (outcome.asked, outcome.failed) == (5, 0)
    spent = {record.arm: record.spent.calls for record in read_records(tmp_path / "run/records.jsonl")}
    assert spent == dict(zip(arms, (1, 3, 1, 3, 3), strict=True))
    assert sum(spent.values()) == len(server.chats)
    assert len(repairs) <= 4  # at most once an arm that is under way at the same time; kept ones are used again
    table = table_in(tmp_path / "run")
    for name in arms:
        assert name in table
    before = len(server.chats)
    assert (await run_in(tmp_path / "run", plan, list(arms.values()))).asked == 0
    assert len(server.chats) == before


def test_arms_are_named_in_the_plan_in_the_key_in_the_estimate_and_in_differences(
    suite: Path, server: FaultServer
) -> None:
    plans = {name: planned(suite, list(arms_at(server, name).values())) for name in ("", *ARMS)}
    keys = [{call.key for call in plan.calls} for plan in plans.values()]
    assert len(set.union(*keys)) == sum(map(len, keys)) == 12
    for name, plan in plans.items():
        (arm,) = plan.plan.settings.arms
        assert arm.name.startswith(f"{name}(") or not name
        assert arm.told == {"oracle-tag": "oracle", "wrong-tag": "wrong"}.get(name, "nothing")
    robust, oracle = plans["robust"].plan, plans["oracle-tag"].plan
    named = {difference.name for difference in plan_differences(robust, oracle)}
    assert {"settings.arms.0.name", "settings.arms.0.told"} <= named
    estimates = {
        name: estimate_run(plan, prices={plan.plan.settings.arms[0].name: None}, slots=1)
        for name, plan in plans.items()
    }
    assert {name: estimate.server_calls for name, estimate in estimates.items()} == {
        "": (2, 2),
        "robust": (2, 6),
        "rectified-only": (2, 2),
        "original-twice": (2, 6),
        "oracle-tag": (2, 6),
        "wrong-tag": (2, 6),
    }
    assert any("1 to 3 a question" in line for line in estimates["robust"].lines())


async def test_a_wrong_tag_depends_on_the_seed_and_stands_in_the_items(
    suite: Path, server: FaultServer, only_tool: AddTool, tmp_path: Path
) -> None:
    only_tool(good)
    drawn = set()
    for seed in range(8):
        arms = list(arms_at(server, "wrong-tag").values())
        plan = planned(suite, arms, conditions=["low_light-3"], seed=seed)
        with RunFolder(tmp_path / str(seed)).begun(plan):
            (item,) = RunFolder(tmp_path / str(seed)).items()
        assert item.stress is not None and item.wrong_stress is not None
        assert item.stress[0].stress.value == "low_light"
        drawn.add(item.wrong_stress[0].stress.value)
    assert len(drawn) > 2
    assert "low_light" not in drawn


def test_names_of_arms_on_the_command_line() -> None:
    assert set(ARMS) == {"robust", "rectified-only", "original-twice", "oracle-tag", "wrong-tag"}
    for name, arm in ARMS.items():
        assert split_arm(f"{name}(openai/x@http://h/v1)") == (arm, "openai/x@http://h/v1")
    for plain in ("nano", "robust", "robust(nano", "other(nano)", "(nano)", ""):
        assert split_arm(plain) == (None, plain)
    arms = bench_arms(["python/builtins:len", "robust(python/builtins:len)"], [], slots=2, profile="off")
    assert list(arms) == ["python/builtins:len", "robust(python/builtins:len)"]
    with pytest.raises(UsageError, match=r"rectified-only\(\.\.\.\) needs a profile that repairs"):
        bench_arms(["rectified-only(python/builtins:len)"], [], slots=2, profile="off")
    with pytest.raises(UsageError, match="unknown profile"):
        bench_arms(["robust(python/builtins:len)"], [], slots=2, profile="faithful")
