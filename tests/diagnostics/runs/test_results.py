"""Scores of a run against plain arithmetic: every form of answer, every status, paired conditions, bytes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

from seeworthy.bench_data.questions import AnswerFormat, AnswerType, Truth, Unit
from seeworthy.bench_data.suites import SuiteImage, SuiteItem
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.runs import (
    RunFolder,
    export_parquet,
    plan_differences,
    read_records,
    results_table,
    run_results,
)
from seeworthy.diagnostics.runs.items import RunItem, item_line, read_item_lines, with_pictures
from seeworthy.diagnostics.runs.record import record_line
from seeworthy.diagnostics.runs.scoring import judge_reply
from seeworthy.tools.models import CoordinateSpace, Fault, FaultKind, Reply, ReplyStatus, SentImage

from .small_runs import CHOICE, CountedModel, planned, run_in, small_items, small_suite, table_in, words_of, written

SENT = SentImage(sha256="0" * 64, original_size=(200, 100), sent_size=(100, 50), media_type="image/png")
PERMILLE = CoordinateSpace.PERMILLE


def form(kind: str, unit: Unit | None = None, length: int | None = None) -> AnswerFormat:
    options = {"A": "lamp", "B": "sofa"} if kind == "choice" else None
    return AnswerFormat(answer_type=AnswerType(kind), unit=unit, length=length, options=options)


def item(answer_format: AnswerFormat, truth: Truth | None, **more: object) -> RunItem:
    fields = {"id": "q", "question_id": "q", "suite": "s", "kind": "k", "scene": "", "condition": "clean", "text": "?"}
    return RunItem.model_validate({**fields, "answer_format": answer_format, "truth": truth, **more})


def judged(one: RunItem, text: str, space: CoordinateSpace = PERMILLE) -> tuple[str, float | None]:
    reply = Reply(text=text, status=ReplyStatus.OK, sent_images=(SENT,))
    mask = np.zeros((100, 200), np.uint8)
    mask[50:, 100:] = 255
    found = judge_reply(one, reply, space=space, load_mask=lambda picture: mask)
    return found.status, found.score


@pytest.mark.parametrize(
    ("answer_format", "truth", "text", "wanted"),
    [
        (form("choice"), "B", "**B**", ("ok", 1.0)),
        (form("choice"), "B", "A", ("ok", 0.0)),
        (form("choice"), "B", "C", ("invalid", 0.0)),
        (form("choice"), "B", "???", ("no_answer", 0.0)),
        (form("choice"), None, "B", ("ok", None)),
        (form("yes_no"), False, "Not really.", ("ok", 1.0)),
        (form("number", Unit.COUNT), 3, "three", ("ok", 1.0)),
        (form("number", Unit.COUNT), 3, "4", ("ok", 0.0)),
        (form("number", Unit.METRE), 2.5, "about 250 cm", ("ok", 1.0)),
        (form("number", Unit.METRE), 1.0, "1.5 m", ("ok", 0.1)),
        (form("number", Unit.METRE), 1.0, "45 degrees", ("invalid", 0.0)),
        (form("number", Unit.METRE), 1.0, "at least 2 m", ("invalid", 0.0)),
        (form("list", Unit.METRE, 2), (1.0, 2.0), "1, 2", ("ok", 1.0)),
        (form("clock"), 12, "12 o'clock", ("ok", 1.0)),
        (form("clock"), 3, "9 o'clock", ("ok", 0.0)),
        (form("box"), (20.0, 20.0, 60.0, 40.0), "[100, 200, 300, 400]", ("ok", 1.0)),
        (form("box"), (20.0, 20.0, 60.0, 40.0), "[100, 200, 1200, 400]", ("invalid", 0.0)),
        (form("text"), "a lamp", "A lamp.", ("ok", 1.0)),
        (form("text"), "It is the lamp that stands behind the sofa.", "a lamp", ("ok", None)),
    ],
)
def test_every_form_of_answer(
    answer_format: AnswerFormat, truth: Truth | None, text: str, wanted: tuple[str, float | None]
) -> None:
    status, score = judged(item(answer_format, truth), text)
    assert (status, score) == (wanted[0], pytest.approx(wanted[1]) if wanted[1] is not None else None)


def test_places_in_the_coordinates_of_the_truth_and_of_the_model() -> None:
    permille = item(form("box"), (100.0, 200.0, 300.0, 400.0), coordinates="permille")
    assert judged(permille, "[100, 200, 300, 400]") == ("ok", pytest.approx(1.0))
    assert judged(permille, "[10, 10, 30, 20]", CoordinateSpace.SENT_PIXELS) == ("ok", pytest.approx(1.0))
    point = item(form("point"), None, mask={"path": "m.png", "sha256": "0" * 64})
    assert judged(point, "[750, 750]") == ("ok", 1.0)
    assert judged(point, "[250, 750]") == ("ok", 0.0)


def test_a_reply_without_a_known_picture_size_has_no_place() -> None:
    box = item(form("box"), (0.0, 0.0, 1.0, 1.0))
    reply = Reply(text="[100, 200, 300, 400]", status=ReplyStatus.OK)
    found = judge_reply(box, reply, space=PERMILLE, load_mask=lambda picture: np.zeros((1, 1), np.uint8))
    assert (found.status, found.score) == ("invalid", 0.0)


def test_a_truth_that_cannot_be_scored_is_no_fault_of_the_model() -> None:
    with pytest.raises(DiagnosticsError, match="truth"):
        judged(item(form("number", Unit.METRE), "tall"), "2 m")


STATUSES = {
    0: Reply(text="B", status=ReplyStatus.OK),
    1: Reply(text="???", status=ReplyStatus.OK),
    2: Reply(status=ReplyStatus.FILTERED),
    3: Reply(status=ReplyStatus.TRUNCATED, text="Well, "),
    4: Reply(status=ReplyStatus.ERROR, fault=Fault(kind=FaultKind.MALFORMED, message="x", retryable=True)),
    5: Reply(text="I do not have access to the image.", status=ReplyStatus.OK),
}


async def test_every_status_is_counted_on_its_own_and_scores_nothing(tmp_path: Path) -> None:
    items = [one for one in small_items(tmp_path / "suite", questions=24) if one.kind == "closer"][:12]
    suite = written(tmp_path / "suite", items)
    model = CountedModel(lambda r: STATUSES[int(words_of(r).split()[1]) // 2 % 6])
    await run_in(tmp_path / "run", planned(suite, [model.arm]), [model.arm])
    [group] = [one for one in run_results(RunFolder(tmp_path / "run")).groups if one.kind == "all"]
    assert (group.n, group.scored, group.errors, group.missing) == (12, 10, 2, 0)
    assert group.score is not None and group.score.estimate == pytest.approx(2 / 10)
    assert (group.parse_failure, group.refusal, group.truncation) == (0.2, 0.4, 0.2)
    assert group.chance == 0.5


async def test_the_table_is_the_same_whatever_the_order_of_the_records(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", questions=30, conditions=("clean", "haze-3"))
    model = CountedModel(lambda r: STATUSES[int(words_of(r).split()[1]) % 4])
    await run_in(tmp_path / "run", planned(suite, [model.arm], prompts=["plain", "blind"]), [model.arm])
    table = table_in(tmp_path / "run")
    path = tmp_path / "run/records.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    for seed in range(3):
        shuffled = np.random.default_rng(seed).permutation(len(lines))
        path.write_bytes(b"".join(lines[one] for one in shuffled))
        assert table_in(tmp_path / "run") == table
    # A reply that was stored twice counts once.
    path.write_bytes(b"".join(lines) + lines[0])
    assert table_in(tmp_path / "run") == table
    assert "counted, prompt blind" in table and "haze-3" in table


async def test_an_error_after_a_reply_does_not_take_it_back(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", questions=2)
    model = CountedModel()
    await run_in(tmp_path / "run", planned(suite, [model.arm]), [model.arm])
    path = tmp_path / "run/records.jsonl"
    table = table_in(tmp_path / "run")
    first = next(iter(read_records(path)))
    failed = first.model_copy(update={"reply": STATUSES[4], "spent": first.spent.model_copy(update={"calls": 0})})
    path.write_bytes(path.read_bytes() + record_line(failed))
    assert table_in(tmp_path / "run") == table


async def test_another_parser_scores_the_stored_replies_without_a_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = small_suite(tmp_path / "suite")
    model = CountedModel(lambda r: "beta")
    await run_in(tmp_path / "run", planned(suite, [model.arm]), [model.arm])
    before = run_results(RunFolder(tmp_path / "run"))
    from seeworthy.diagnostics.runs import scoring

    parse = scoring.parse_reply
    monkeypatch.setattr(
        scoring,
        "parse_reply",
        lambda form, reply, **how: parse(
            form, reply.model_copy(update={"text": reply.text.replace("beta", "B")}), **how
        ),
    )
    after = run_results(RunFolder(tmp_path / "run"))
    assert [g.score.estimate for g in before.groups if g.score and g.kind == "closer"] == [0.0]
    assert [g.score.estimate for g in after.groups if g.score and g.kind == "closer"] == [1.0]
    assert len(model.asked) == 6


async def test_results_need_neither_the_suite_nor_a_model(tmp_path: Path) -> None:
    root = tmp_path / "suite"
    suite = small_suite(root)
    mask = root / "mask.png"
    Image.fromarray(np.full((24, 32), 255, np.uint8)).save(mask)
    image = SuiteImage("images/clean-0.png", root=root)
    point = SuiteItem(
        id="p",
        text="Where?",
        images=(image,),
        answer_format=form("point"),
        truth=None,
        kind="point",
        mask=SuiteImage("mask.png", root=root),
    )
    items = [*small_items(root), point]
    plan_of = with_pictures(items)
    from seeworthy.diagnostics.runs import RunSettings, Source, plan_items

    model = CountedModel(lambda r: "[500, 500]" if "Where?" in words_of(r) else "B")
    plan = plan_items(RunSettings.of([Source.at(suite)], [model.arm]), plan_of)
    await run_in(tmp_path / "run", plan, [model.arm])
    for path in sorted(root.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    scores = {g.kind: g.score.estimate for g in run_results(RunFolder(tmp_path / "run")).groups if g.score}
    assert scores == {"closer": 1.0, "how many": 0.0, "point": 1.0, "all": pytest.approx(4 / 7)}


def test_items_come_back_from_their_lines(tmp_path: Path) -> None:
    several = [
        item(form("list", Unit.METRE, 2), (1.0, 2.5)),
        item(form("number", Unit.COUNT), 3),
        item(form("number", Unit.METRE), 3.0),
        item(form("yes_no"), True),
        item(CHOICE, "B", tags={"a": "b\ud83d"}, pictures=[{"path": "x", "sha256": "ab" * 32, "size": (3, 4)}]),
        item(form("text"), None),
    ]
    path = tmp_path / "items.jsonl"
    path.write_bytes(b"".join(map(item_line, several)))
    back = read_item_lines(path)
    assert back == several
    assert [type(one.truth) for one in back] == [type(one.truth) for one in several]
    path.write_bytes(path.read_bytes() + b"{}\n")
    with pytest.raises(DiagnosticsError, match="line 7"):
        read_item_lines(path)


async def test_the_parquet_file_holds_every_record(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite")
    model = CountedModel(lambda r: "=1+1 \x00 🚀 \ud83d")
    await run_in(tmp_path / "run", planned(suite, [model.arm]), [model.arm])
    folder = RunFolder(tmp_path / "run")
    assert export_parquet(folder, tmp_path / "r.parquet") == 6
    table = pq.read_table(tmp_path / "r.parquet").to_pylist()
    records = {one.key: one for one in read_records(folder.records)}
    assert {row["key"] for row in table} == records.keys()
    assert {row["text"] for row in table} == {"=1+1 \x00 🚀 \ufffd"}
    for row in table:
        assert (row["item"], json.loads(row["sent"])) == (
            records[row["key"]].item,
            [list(part) for part in records[row["key"]].sent],
        )
        assert row["cost_usd"] is None and row["status"] == "ok"
    with pytest.raises(DiagnosticsError, match="cannot write"):
        export_parquet(folder, tmp_path / "no/such/folder/r.parquet")


async def test_a_diff_names_every_setting(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite")
    one, other = CountedModel(), CountedModel(name="other")
    left = planned(suite, [one.arm]).plan
    right = planned(suite, [other.arm], seed=3, repeats=2, limit=4).plan
    named = {difference.name for difference in plan_differences(left, right)}
    assert {"settings.arms.0.name", "settings.seed", "settings.repeats", "limit", "data.sha256", "calls"} <= named
    assert not plan_differences(left, planned(suite, [one.arm]).plan)


def test_an_empty_run_has_a_table(tmp_path: Path) -> None:
    model = CountedModel()
    plan = planned(small_suite(tmp_path / "suite"), [model.arm])
    folder = RunFolder(tmp_path / "run")
    with folder.begun(plan):
        results = run_results(folder)
    assert results.left == 6
    assert all(group.score is None and group.missing == group.n for group in results.groups)
    assert "6 calls have no reply yet" in results_table(results)


async def test_blind_shows_no_picture(tmp_path: Path) -> None:
    shown: list[int] = []
    model = CountedModel(lambda r: shown.append(len(r.pictures)) or "B")  # type: ignore[func-returns-value]
    await run_in(
        tmp_path / "run", planned(small_suite(tmp_path / "suite"), [model.arm], prompts=["blind"]), [model.arm]
    )
    assert shown == [0] * 6
