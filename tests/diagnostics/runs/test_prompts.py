"""What the prompts say, in which turns, and of which items they cannot be asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from seeworthy.bench_data.questions import AnswerFormat, AnswerType
from seeworthy.bench_data.suites import SuiteItem
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.runs import (
    PROMPTS,
    EngineSettings,
    PictureRef,
    RunFolder,
    RunItem,
    StopReason,
    estimate_run,
    read_records,
)
from seeworthy.diagnostics.runs.items import with_pictures
from seeworthy.diagnostics.runs.prompts import MODEL_TURN, turns_of
from seeworthy.tools.models import CoordinateSpace, Fault, FaultKind, Reply, ReplyStatus, Request
from tests.tools.models.fault_server import FaultServer, answer, error

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
    written,
)

SPACE = CoordinateSpace.PERMILLE


def items_with(tmp_path: Path, **changes: object) -> list[RunItem]:
    items = small_items(tmp_path, questions=2)
    return with_pictures([replace(item, **changes) for item in items])  # type: ignore[arg-type]


def words(item: RunItem, prompt: str) -> str:
    return "\n".join(part for part in PROMPTS.get(prompt).parts(item, SPACE) if isinstance(part, str))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"condition": "clean"}, "The picture is not degraded."),
        ({"condition": "haze"}, "The picture is degraded: haze (fog or smog that grows with distance)."),
        (
            {"condition": "haze-3"},
            "The picture is degraded: haze (fog or smog that grows with distance), severity 3 of 5 "
            "(optical_thickness 1.2 to 1.5).",
        ),
        (
            {"condition": "low_res@bench"},
            "The picture is degraded: low res (few pixels, brought back to size), the published strength "
            "(scale 0.02 to 0.05).",
        ),
        (
            {"condition": "as_found", "tags": {"stress": "L__global_underexposure,G__occlusion"}},
            "The picture is hard to read because of: global underexposure (lighting), occlusion (geometry).",
        ),
    ],
)
def test_a_hint_says_what_was_done(tmp_path: Path, changes: dict[str, object], expected: str) -> None:
    item = items_with(tmp_path, **changes)[0]
    parts = PROMPTS.get("hint").parts(item, SPACE)
    assert isinstance(parts[0], PictureRef)
    assert parts[1] == expected
    assert parts[2] == PROMPTS.get("plain").parts(item, SPACE)[-1]


def test_a_wrong_hint_has_the_words_of_a_true_one_about_another_thing(tmp_path: Path) -> None:
    item = items_with(tmp_path, condition="haze-3")[0]
    assert "severity 3 of 5" in words(item, "wrong-hint")
    assert "haze" not in words(item, "wrong-hint")
    clean = items_with(tmp_path, condition="clean")[0]
    assert "is degraded" in words(clean, "wrong-hint")


def test_a_mixture_is_told_of_in_all_its_parts(tmp_path: Path) -> None:
    said = words(items_with(tmp_path, condition="night_capture")[0], "hint")
    for name in ("low light", "motion blur", "low res"):
        assert name in said
    assert "severity 1 to 2 of 5" in said


def test_a_chain_asks_in_two_turns_and_shows_the_picture_once(tmp_path: Path) -> None:
    item = items_with(tmp_path, condition="haze-3")[0]
    for name in ("diagnose", "describe"):
        first, second = turns_of(PROMPTS.get(name).parts(item, SPACE))
        assert [type(part) for part in first] == [PictureRef, str]
        assert second == (PROMPTS.get("plain").parts(item, SPACE)[-1],)
        assert item.text not in str(first[-1])
    assert "- haze: fog or smog" in words(item, "diagnose")
    assert "- none" in words(item, "diagnose")


def test_the_list_to_choose_from_depends_on_the_suite_and_not_on_the_truth(tmp_path: Path) -> None:
    some = items_with(tmp_path, condition="as_found", tags={"stress": "G__occlusion"})[0]
    none = items_with(tmp_path, condition="as_found", tags={"stress": ""})[0]
    assert words(some, "diagnose") == words(none, "diagnose")
    assert words(some, "diagnose").count("\n- ") == 17


def test_a_graph_task_is_asked_in_its_own_words(tmp_path: Path) -> None:
    graph = AnswerFormat(answer_type=AnswerType.GRAPH)
    item = items_with(tmp_path, answer_format=graph, truth="{}", text="Draw the graph.")[0]
    assert words(item, "plain") == "Draw the graph."
    assert turns_of(PROMPTS.get("describe").parts(item, SPACE))[1] == ("Draw the graph.",)


def unknown_and_known(tmp_path: Path) -> list[SuiteItem]:
    items = small_items(tmp_path, questions=4)
    return [replace(item, condition="as_found") if place < 3 else item for place, item in enumerate(items)]


def test_what_nobody_knows_is_told_to_nobody_and_that_is_said(tmp_path: Path) -> None:
    suite = written(tmp_path, unknown_and_known(tmp_path))
    plan = planned(suite, [CountedModel().arm], prompts=["plain", "hint"])
    asked = [(call.prompt, call.item.condition) for call in plan.calls]
    assert asked.count(("plain", "as_found")) == 3
    assert [one for one in asked if one[0] == "hint"] == [("hint", "clean")]
    assert plan.left_out == "3 left out of hint: nobody knows what is wrong with their pictures"
    only = written(tmp_path, unknown_and_known(tmp_path)[:3])
    with pytest.raises(DiagnosticsError, match="nothing to ask: 3 left out of hint"):
        planned(only, [CountedModel().arm], prompts=["hint"])


def test_every_prompt_and_what_it_says_is_in_the_key(tmp_path: Path) -> None:
    suite = small_suite(tmp_path, questions=1, conditions=("haze-3",))
    keys: set[str] = set()
    prompts = ("plain", "blind", "hint", "wrong-hint", "diagnose", "describe")
    for name in prompts:
        keys |= {call.key for call in planned(suite, [CountedModel().arm], prompts=[name]).calls}
    assert len(keys) == len(prompts)
    other = {call.key for call in planned(suite, [CountedModel().arm], prompts=["wrong-hint"], seed=1).calls}
    assert not other & keys


def two_turns(request: Request) -> str:
    return right_answer(request) if len(request.messages) > 1 else "It is foggy."


async def test_a_chain_sends_what_was_said_and_keeps_it_in_the_record(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", questions=2)
    seen: list[Request] = []

    def note(request: Request) -> str:
        seen.append(request)
        return two_turns(request)

    model = CountedModel(note)
    outcome = await run_in(tmp_path / "run", planned(suite, [model.arm], prompts=["describe"]), [model.arm])
    assert (outcome.asked, outcome.failed, len(seen)) == (2, 0, 4)
    second = [request for request in seen if len(request.messages) == 3]
    assert [[message.role for message in request.messages] for request in second] == [["user", "assistant", "user"]] * 2
    assert all(request.messages[1].text == "It is foggy." for request in second)
    assert all(len(request.messages[0].pictures) == 1 and not request.messages[2].pictures for request in second)
    for record in read_records(tmp_path / "run/records.jsonl"):
        assert [kind for kind, _ in record.sent] == ["image", "text", "reply", "text"]
        assert record.sent[2] == ("reply", "It is foggy.")
        assert record.spent.calls == 2
    assert "1.000" in table_in(tmp_path / "run")


async def test_a_chain_that_fails_in_its_second_turn_does_not_pay_for_the_first_again(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", questions=3)
    down = Reply(status=ReplyStatus.ERROR, fault=Fault(kind=FaultKind.BAD_REQUEST, message="no", retryable=False))
    firsts: list[str] = []

    def half(request: Request) -> Reply | str:
        if len(request.messages) > 1:
            return down
        firsts.append(request.messages[0].text)
        return "It is foggy."

    model = CountedModel(half)
    plan = planned(suite, [model.arm], prompts=["diagnose"])
    outcome = await run_in(tmp_path / "run", plan, [model.arm])
    assert (outcome.failed, len(firsts)) == (3, 3)
    whole = CountedModel(two_turns)
    outcome = await run_in(tmp_path / "run", plan, [whole.arm])
    assert (outcome.asked, outcome.failed, outcome.left) == (3, 0, 0)
    assert len(whole.asked) == 3  # only second turns
    done = [record for record in read_records(tmp_path / "run/records.jsonl") if record.is_done]
    assert all(record.spent.calls == 2 for record in done)
    assert not list((tmp_path / "run/solver/turns").rglob("*.json"))


async def test_a_chain_whose_first_turn_fails_asks_no_second_one(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", questions=2)
    with FaultServer([error(400, "no such thing"), answer("It is foggy."), answer("B")]) as server:
        arm = Arm(served(server.base_url))
        plan = planned(suite, [arm], prompts=["describe"])
        settings = EngineSettings(retry=QUICK, slots=1)
        outcome = await run_in(tmp_path / "run", plan, [arm], settings=settings)
        assert outcome.failed == 1
        assert len(server.chats) == 3
    failed = [record for record in read_records(tmp_path / "run/records.jsonl") if not record.is_done]
    assert [kind for kind, _ in failed[0].sent] == ["image", "text"]


async def test_a_model_that_says_nothing_first_is_asked_all_the_same(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", questions=1)
    model = CountedModel(lambda request: "B" if len(request.messages) > 1 else "")
    await run_in(tmp_path / "run", planned(suite, [model.arm], prompts=["describe"]), [model.arm])
    (record,) = read_records(tmp_path / "run/records.jsonl")
    assert record.sent[2] == ("reply", "(no answer)")
    assert record.reply.text == "B"


def test_a_damaged_first_reply_is_named(tmp_path: Path) -> None:
    from seeworthy.diagnostics.runs.turns import FirstReplies

    (tmp_path / "ab").mkdir()
    (tmp_path / "ab" / "abcd.json").write_text("{")
    with pytest.raises(DiagnosticsError, match=r"abcd\.json cannot be read .*delete it"):
        FirstReplies(tmp_path).get("abcd")
    assert FirstReplies(None).get("abcd") is None


def test_the_estimate_counts_the_calls_of_a_chain(tmp_path: Path) -> None:
    suite = small_suite(tmp_path, questions=3)
    arm = CountedModel().arm
    plain = estimate_run(planned(suite, [arm]), prices={"counted": None}, slots=1)
    chain = estimate_run(planned(suite, [arm], prompts=["describe"]), prices={"counted": None}, slots=1)
    assert plain.server_calls == (3, 3)
    assert chain.server_calls == (6, 6)
    assert chain.per_arm == {"counted": (2, 2)}
    assert chain.input_tokens > 2 * plain.input_tokens
    assert "asks    6 calls to servers (counted 2 a question)" in chain.lines()
    assert not any(line.startswith("asks") for line in plain.lines())


def test_a_turn_ends_where_the_model_speaks() -> None:
    assert turns_of(("a", MODEL_TURN, "b", MODEL_TURN, "c")) == (("a",), ("b",), ("c",))
    assert turns_of(()) == ((),)


async def test_plans_with_chains_and_hints_resume(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", questions=3, conditions=("clean", "haze-3"))
    model = CountedModel(two_turns)
    plan = planned(suite, [model.arm], prompts=["hint", "describe"])
    first = await run_in(tmp_path / "run", plan, [model.arm])
    again = await run_in(tmp_path / "run", planned(suite, [model.arm], prompts=["hint", "describe"]), [model.arm])
    assert (first.asked, first.stop, again.asked) == (12, StopReason.FINISHED, 0)
    assert len(RunFolder(tmp_path / "run").items()) == 6
