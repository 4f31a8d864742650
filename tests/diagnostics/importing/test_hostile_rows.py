"""Files with faults: each bad row is named with its line, and the good ones are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.importing import BadPlace, ImportLimits, OldRow
from seeworthy.diagnostics.importing.registry import RUN_FORMATS

LIMITS = ImportLimits()


def read(path: Path, tool: str, limits: ImportLimits = LIMITS) -> tuple[list[OldRow], list[BadPlace]]:
    rows = list(RUN_FORMATS.get(tool).read(path, limits))
    return [row for row in rows if isinstance(row, OldRow)], [row for row in rows if isinstance(row, BadPlace)]


def test_lines_of_lmms_eval_that_cannot_be_used(tmp_path: Path) -> None:
    lines = [
        '{"doc_id": 0, "filtered_resps": ["B"], "acc": NaN}',
        "{not json}",
        '{"doc_id": "0", "filtered_resps": ["B"]}',
        '{"doc_id": -1, "filtered_resps": ["B"]}',
        '{"doc_id": true, "filtered_resps": ["B"]}',
        '{"doc_id": 4, "filtered_resps": [[-1.5, false], [-2.5, true]]}',
        '{"doc_id": 5}',
        '["a list"]',
        '{"doc_id": 6, "filtered_resps": ["\\ud800"]}',
        '{"doc_id": 7, "filtered_resps": ' + "[" * 500 + '"B"' + "]" * 500 + "}",
    ]
    path = tmp_path / "d_samples_t.jsonl"
    path.write_text("\n".join(lines))
    good, bad = read(path, "lmms-eval")
    assert [row.place.line for row in good] == [1, 9, 10]
    assert [(one.place.line, one.reason) for one in bad] == [
        (2, "the line cannot be read (bad_json)"),
        (3, "doc_id is no row number"),
        (4, "doc_id is no row number"),
        (5, "doc_id is no row number"),
        (6, "it holds no reply in words (such as the likelihoods of given answers)"),
        (7, "it holds no reply in words (such as the likelihoods of given answers)"),
        (8, "the line cannot be read (bad_json)"),
    ]


def test_tables_of_vlmevalkit_that_cannot_be_used(tmp_path: Path) -> None:
    path = tmp_path / "m.tsv"
    path.write_text('index\tquestion\tprediction\n1\tq\tB\n2\tq\n3\t"q\n4\tq\t"a\nb\tc"\n5\tq\tC\n')
    good, bad = read(path, "vlmeval")
    assert [(row.ids, row.replies[0].text) for row in good] == [(("1",), "B"), (("4",), "a\nb\tc"), (("5",), "C")]
    assert [one.place.line for one in bad] == [3, 4]
    path.write_text("index\tanswer\n1\tB\n")
    good, (fault,) = read(path, "vlmeval")
    assert not good
    assert "prediction" in fault.detail


def test_records_of_robostressbench_that_cannot_be_used(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    good = {"sample_id": "1", "raw_response": "B", "metrics": {"mcq_correct": True}}
    records: list[object] = [
        good,
        {"sample_id": "2", "parsed_answer": {"answer": "B"}},
        {"raw_response": "B"},
        {"sample_id": "4", "raw_response": {"text": "B"}},
        "a text",
        {**good, "sample_id": 5, "metrics": "none", "parsed_answer": [1]},
    ]
    path.write_text("[\n" + ",\n".join(json.dumps(one) for one in records) + "\n, {")
    rows, bad = read(path, "robostress")
    assert [(row.ids, row.scores) for row in rows] == [(("1",), {"published": 1.0}), (("5",), {})]
    assert [one.place.line for one in bad] == [3, 4, 5, 6, 8]
    assert "submission.json holds no replies" in bad[0].reason
    assert "nothing after it was read" in bad[-1].detail


@pytest.mark.parametrize("name", ["m.pkl", "m.PKL", "m.pickle", "m.joblib"])
def test_pickles_are_never_opened(tmp_path: Path, name: str) -> None:
    marker = tmp_path / "ran"
    (tmp_path / name).write_bytes(b"cos\nsystem\n(S'touch " + str(marker).encode() + b"'\ntR.")
    with pytest.raises(DiagnosticsError, match="never read here"):
        read(tmp_path / name, "vlmeval")
    assert not marker.exists()


def test_files_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "m.parquet").write_bytes(b"PAR1")
    with pytest.raises(DiagnosticsError, match=r"end in \.csv, \.json"):
        read(tmp_path / "m.parquet", "vlmeval")
    with pytest.raises(DiagnosticsError, match="no such file"):
        read(tmp_path / "gone.tsv", "vlmeval")
    (tmp_path / "folder.tsv").mkdir()
    with pytest.raises(DiagnosticsError, match="a folder"):
        read(tmp_path / "folder.tsv", "vlmeval")


def test_rows_that_are_too_large(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"doc_id": 0, "filtered_resps": ["' + "x" * 5000 + '"]}\n{"doc_id": 1, "filtered_resps": ["B"]}\n')
    good, bad = read(path, "lmms-eval", ImportLimits(row_bytes=1000))
    assert [row.position for row in good] == [1]
    assert [one.reason for one in bad] == ["the line cannot be read (too_large)"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
LMMS = ["doc_id", "resps", "filtered_resps", "input", "target", "seeworthy_score"]
ROBOSTRESS = ["sample_id", "raw_response", "metrics", "parsed_answer", "model_name", "error"]
VLMEVAL = ["index", "item_id", "prediction", "question", "hit", "thinking", "extracted"]
NAMES = st.sampled_from([*LMMS, *ROBOSTRESS, *VLMEVAL])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(record=st.dictionaries(NAMES, JSON, max_size=8), tool=st.sampled_from(["vlmeval", "lmms-eval", "robostress"]))
def test_any_record_is_a_row_or_a_named_fault(tmp_path: Path, record: dict[str, object], tool: str) -> None:
    path = tmp_path / "any.jsonl"
    path.write_text(json.dumps(record) + "\n")
    good, bad = read(path, tool)
    assert len(good) + len(bad) == 1
    for row in good:
        assert row.replies
        assert all(0 <= score <= 1 for score in row.scores.values())
