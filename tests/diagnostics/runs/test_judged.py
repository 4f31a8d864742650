"""A run as columns: which reply counts, what shared calls share, sums that no order changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.runs import STATUSES, CallRecord, JudgedRun, RunFolder, Spent, judged_run, read_records
from seeworthy.diagnostics.runs.record import record_line
from seeworthy.tools.models import Reply, ReplyStatus, SentImage
from tests.diagnostics.report.made_runs import FAILED, item, write_run


def judged(folder: RunFolder) -> JudgedRun:
    return judged_run(RunFolder(folder.root))


def again(folder: RunFolder, *changed: CallRecord) -> None:
    with folder.records.open("ab") as file:
        file.writelines(map(record_line, changed))


def told(run: JudgedRun) -> dict[str, tuple[str, float]]:
    """Item -> (status, score), of a run with one subject."""
    return {
        run.items[place].id: (STATUSES[status], score)
        for place, status, score in zip(run.item.tolist(), run.status.tolist(), run.score.tolist(), strict=True)
    }


def test_columns_stand_in_the_order_of_the_items_ids(tmp_path: Path) -> None:
    items = [item(number) for number in (2, 0, 1)]
    folder = write_run(
        tmp_path / "run", items, lambda call: "B", arms=("b", "a"), prompts=["plain", "blind"], repeats=2
    )
    run = judged(folder)
    assert [one.id for one in run.items] == ["q0000@clean", "q0001@clean", "q0002@clean"]
    assert run.item.tolist() == sorted(run.item.tolist()) and len(run.item) == 3 * 2 * 2 * 2
    assert {(int(a), int(p), int(r)) for a, p, r in zip(run.arm, run.prompt, run.repeat, strict=True)} == {
        (a, p, r) for a in (0, 1) for p in (0, 1) for r in (0, 1)
    }
    for place in range(len(run.item)):
        record = run.record(place)
        assert record is not None and record.item == run.items[run.item[place]].id
        assert record.arm == run.plan.settings.arms[run.arm[place]].name


def test_the_first_reply_counts_and_a_failure_only_where_nothing_else_came(tmp_path: Path) -> None:
    items = [item(number) for number in range(4)]
    replies = {"q0000": "B", "q0001": FAILED, "q0002": FAILED}
    folder = write_run(tmp_path / "run", items, lambda call: replies.get(call.item.question_id))
    first, failed, failing = read_records(folder.records)
    later = "2027-01-01T00:00:00.000+00:00"
    again(
        folder,
        first.model_copy(update={"at": later, "reply": Reply(text="A", status=ReplyStatus.OK)}),
        first.model_copy(update={"at": later, "reply": FAILED}),
        failed.model_copy(update={"at": later, "reply": Reply(text="A", status=ReplyStatus.OK)}),
        failing.model_copy(update={"at": later}),
    )
    run = judged(folder)
    found = told(run)
    assert found["q0000@clean"] == ("ok", 1.0)
    assert found["q0001@clean"] == ("ok", 0.0)
    assert found["q0002@clean"][0] == "error" and np.isnan(found["q0002@clean"][1])
    assert found["q0003@clean"][0] == "missing"
    assert run.left == 2
    assert run.last_at == later
    assert run.spent.calls == run.spending.calls.sum() == 7


def test_what_shares_a_call_is_judged_by_its_own_truth_and_paid_once(tmp_path: Path) -> None:
    pictures = [{"path": "same.png", "sha256": "0" * 64}]
    items = [
        item(0, text="Which?", pictures=pictures, truth="A"),
        item(1, text="Which?", pictures=pictures, truth="B"),
        item(2, text="Which?", pictures=pictures, truth=None),
    ]
    run = judged(write_run(tmp_path / "run", items, lambda call: "B"))
    assert run.score.tolist()[:2] == [0.0, 1.0] and np.isnan(run.score[2])
    assert len(set(run.unique.tolist())) == 1 and run.spent.calls == 1
    assert [STATUSES[status] for status in run.status] == ["ok"] * 3


def test_sums_do_not_depend_on_the_order(tmp_path: Path) -> None:
    items = [item(number) for number in range(30)]

    usd = iter(np.random.default_rng(0).random(1000).tolist())
    amounts: dict[str, float] = {}
    folders = [
        write_run(
            tmp_path / str(seed),
            items,
            lambda call: "B",
            shuffled=seed,
            spent=lambda call: Spent(calls=1, usd=amounts.setdefault(call.key, next(usd))),
        )
        for seed in range(4)
    ]
    runs = [judged(folder) for folder in folders]
    assert len({run.spent.usd for run in runs}) == 1
    assert runs[0].spent.usd == pytest.approx(sum(amounts.values()))
    assert all(np.array_equal(run.spending.usd, runs[0].spending.usd) for run in runs)


def test_what_the_server_said_of_itself_and_how_pictures_were_sent(tmp_path: Path) -> None:
    sent = SentImage(sha256="0" * 64, original_size=(9, 8), sent_size=(4, 3), media_type="image/jpeg", jpeg_quality=90)
    reply = Reply(text="B", status=ReplyStatus.OK, model_reported="m-2", sent_images=(sent, sent))
    run = judged(write_run(tmp_path / "run", [item(0), item(1)], lambda call: reply))
    assert run.reported == {"m": {"m-2": 2}}
    assert run.sent == {"m": {((9, 8), (4, 3), "image/jpeg", 90): 4}}


def test_records_of_items_that_are_gone_are_counted_and_nothing_else(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", [item(0), item(1)], lambda call: "B")
    kept = list(read_records(folder.records))
    write_run(tmp_path / "run", [item(1)], lambda call: None)
    folder.records.write_bytes(b"".join(map(record_line, kept)))
    run = judged(folder)
    assert run.stray == 1 and run.left == 0 and run.spent.calls == 2
    assert told(run) == {"q0001@clean": ("ok", 1.0)}


def test_half_characters_and_torn_ends_are_read_as_ever(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", [item(0), item(1)], lambda call: "B \ud83d")
    data = folder.records.read_bytes()
    folder.records.write_bytes(data[:-20])
    run = judged(folder)
    assert sorted(STATUSES[status] for status in run.status) == ["missing", "ok"]
    record = next(found for found in map(run.record, range(2)) if found is not None)
    assert record.reply.text == "B \ud83d"
    folder.records.write_bytes(b"{]\n" + data)
    with pytest.raises(DiagnosticsError, match="line 1"):
        judged(folder)


def test_a_store_that_changes_while_it_is_read_is_no_reply(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", [item(0), item(1)], lambda call: "B")
    run = judged(folder)
    folder.records.write_bytes(b"")
    with pytest.raises(DiagnosticsError, match="changed while it was read"):
        run.record(0)
