"""Numbers that cannot be are not believed: neither from a model nor from a store that somebody changed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.runs import RunFolder, read_records, run_results
from seeworthy.diagnostics.runs.plausible import plausible_reply
from seeworthy.tools.models import Reply, ReplyStatus, Usage

from .small_runs import CountedModel, planned, run_in, small_suite, words_of


def reply(**more: object) -> Reply:
    return Reply.model_validate({"text": "B", "status": ReplyStatus.OK, **more})


@pytest.mark.parametrize(
    ("odd", "name"),
    [
        ({"cost_usd": math.nan}, "cost_usd"),
        ({"cost_usd": math.inf}, "cost_usd"),
        ({"cost_usd": -0.01}, "cost_usd"),
        ({"latency_s": math.nan}, "latency_s"),
        ({"latency_s": -1.0}, "latency_s"),
        ({"usage": {"input_tokens": 10**30}}, "input_tokens"),
        ({"usage": {"output_tokens": -1}}, "output_tokens"),
    ],
)
def test_what_cannot_be_is_taken_out_and_named(odd: dict[str, object], name: str) -> None:
    cleaned = plausible_reply(reply(**odd))
    assert cleaned == reply(notes=(f"not believed: {name}",))


def test_what_can_be_is_left_alone() -> None:
    honest = reply(cost_usd=0.25, latency_s=90.0, usage=Usage(input_tokens=0, output_tokens=100_000))
    assert plausible_reply(honest) is honest
    half = plausible_reply(reply(usage=Usage(input_tokens=7, output_tokens=-7)))
    assert half.usage == Usage(input_tokens=7)


async def test_a_model_with_impossible_costs_neither_stops_a_run_nor_spoils_its_sums(tmp_path: Path) -> None:
    odd = {"0": math.nan, "1": math.inf, "2": -5.0}

    def answer(request: object) -> Reply:
        number = words_of(request).split()[1]  # type: ignore[arg-type]
        usage = Usage(input_tokens=10**30 if number == "3" else 5)
        return reply(cost_usd=odd.get(number, 0.5), usage=usage)

    model = CountedModel(answer)
    plan = planned(small_suite(tmp_path / "suite"), [model.arm])
    outcome = await run_in(tmp_path / "run", plan, [model.arm])
    assert outcome.failed == 0 and outcome.spent.usd == pytest.approx(1.5)
    assert outcome.spent.unpriced == 3 and outcome.spent.input_tokens == 25
    assert len(list(read_records(tmp_path / "run/records.jsonl"))) == 6


@pytest.mark.parametrize("odd", [{"usd": math.nan}, {"usd": 1e300}, {"usd": -1.0}, {"input_tokens": 10**30}])
async def test_a_record_with_an_impossible_cost_is_named(tmp_path: Path, odd: dict[str, object]) -> None:
    model = CountedModel()
    await run_in(tmp_path / "run", planned(small_suite(tmp_path / "suite"), [model.arm]), [model.arm])
    store = tmp_path / "run/records.jsonl"
    lines = store.read_text().splitlines()
    changed = json.loads(lines[1])
    changed["spent"].update(odd)
    lines[1] = json.dumps(changed)
    store.write_text("\n".join(lines) + "\n")
    with pytest.raises(DiagnosticsError, match=r"line 2: no record of a call \(.*what was spent cannot be"):
        run_results(RunFolder(tmp_path / "run"))


@pytest.mark.parametrize(
    "damage",
    [lambda lines: [], lambda lines: lines[:-1], lambda lines: lines * 2, lambda lines: [*lines[:-1], lines[0]]],
    ids=["empty", "cut", "doubled", "one twice"],
)
async def test_items_that_are_not_the_plans_are_refused_and_the_same_command_mends_them(
    tmp_path: Path, damage: Callable[[list[bytes]], list[bytes]]
) -> None:
    model = CountedModel()
    plan = planned(small_suite(tmp_path / "suite"), [model.arm])
    await run_in(tmp_path / "run", plan, [model.arm])
    items = tmp_path / "run/items.jsonl"
    items.write_bytes(b"".join(damage(items.read_bytes().splitlines(keepends=True))))
    with pytest.raises(DiagnosticsError, match="the plan speaks of 6; give the command of the run again"):
        run_results(RunFolder(tmp_path / "run"))
    await run_in(tmp_path / "run", plan, [model.arm])
    assert len(model.asked) == 6
    assert run_results(RunFolder(tmp_path / "run")).groups


def test_nested_and_misleading_items_are_refused(tmp_path: Path) -> None:
    model = CountedModel()
    folder = RunFolder(tmp_path / "run")
    with folder.begun(planned(small_suite(tmp_path / "suite"), [model.arm])):
        pass
    items = tmp_path / "run/items.jsonl"
    first = json.loads(items.read_bytes().splitlines()[0])
    first["pictures"][0]["sha256"] = "../../../somewhere/else.png"
    for line in (json.dumps(first).encode(), b"[" * 100_000):
        items.write_bytes(line + b"\n")
        with pytest.raises(DiagnosticsError, match="line 1: not an item of a run"):
            folder.items()


def test_a_folder_with_pictures_of_something_else_is_left_alone(tmp_path: Path) -> None:
    model = CountedModel()
    suite = small_suite(tmp_path / "suite")
    with (
        pytest.raises(DiagnosticsError, match="holds the pictures of something else"),
        RunFolder(tmp_path / "suite").begun(planned(suite, [model.arm])),
    ):
        pass
    assert not (tmp_path / "suite/plan.json").exists()
