"""Rows of the published formats are read right, and what is wrong with published data is named."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.questions import AnswerType, Unit
from seeworthy.bench_data.suites import AS_FOUND, read_suite, validate_suite, write_suite

from .making import picture

GOLDEN = Path(__file__).resolve().parents[2] / "golden"


def golden(name: str) -> dict[str, object]:
    loaded = json.loads((GOLDEN / name).read_text())
    assert isinstance(loaded, dict)
    return loaded


def spacedg_table(folder: Path, rows: list[dict[str, object]]) -> Path:
    columns = golden("spacedg/example_rows.json")["tsv_columns"]
    assert isinstance(columns, list)
    lines = ["\t".join(columns)] + ["\t".join(json_free(row[name]) for name in columns) for row in rows]
    path = folder / "bench.tsv"
    path.write_text("\n".join(lines) + "\n")
    for row in rows:
        for name in str(row["image_path"]).strip("[]").replace("'", "").split(", "):
            if not name.startswith(("/", "..")):
                picture(folder / name, size=(32, 24))
    return path


def json_free(value: object) -> str:
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if "\n" in text else text


def row(question: str, answer: str, question_type: str, sub_type: str, **more: object) -> dict[str, object]:
    return {
        "index": 0,
        "question": question,
        "answer": answer,
        "image_path": "['ori/s1/a.jpg']",
        "question_type": question_type,
        "sub_question_type": sub_type,
        "task_group": "g",
        "degradation_type": "ori",
        **more,
    }


# SpaceDG --------------------------------------------------------------------------------------------------------------


def test_spacedg_golden_rows(tmp_path: Path) -> None:
    rows = golden("spacedg/example_rows.json")["rows"]
    assert isinstance(rows, list)
    path = spacedg_table(tmp_path, rows)
    found = list(read_suite(path))
    assert [(item.answer_type.value, item.truth, item.condition) for item in found] == [
        ("choice", "C", "clean"),
        ("choice", "C", "defocus"),
        ("number", 2.4, "haze"),
        ("list", (0.41, 0.60, 1.22), "low_res"),
    ]
    assert [image.path for image in found[0].images] == ["ori/s1/a.jpg", "ori/s1/b.jpg"]
    assert found[0].question_id == found[1].question_id, "the same question under two conditions"
    assert len({item.question_id for item in found}) == 3
    assert [item.scene for item in found] == ["s1", "s1", "s1", "s2"]
    assert found[2].answer_format.unit is Unit.METRE
    assert found[0].kind == "camera_translation.main_dir"
    result = validate_suite(path)
    assert result.errors == ()
    assert {finding.code for finding in result.warnings} == {"no_options", "no_clean_twin"}


def test_spacedg_comes_back_word_for_word(tmp_path: Path) -> None:
    rows = golden("spacedg/example_rows.json")["rows"]
    assert isinstance(rows, list)
    (tmp_path / "a").mkdir()
    path = spacedg_table(tmp_path / "a", rows)
    write_suite(read_suite(path), tmp_path / "b" / "native.jsonl", "native")
    write_suite(read_suite(tmp_path / "b" / "native.jsonl"), tmp_path / "c" / "bench.tsv", "spacedg")
    assert (tmp_path / "c" / "bench.tsv").read_text() == path.read_text()
    assert (tmp_path / "c/ori/s1/a.jpg").read_bytes() == (tmp_path / "a/ori/s1/a.jpg").read_bytes()


@pytest.mark.parametrize(
    ("record", "answer_type", "truth", "options"),
    [
        (row("Which?\nA. left\nB. right", "b", "t", "main_dir"), "choice", "B", {"A": "left", "B": "right"}),
        (row("Which? A. left B. right of it", "A", "t", "main_dir"), "choice", "A", {"A": "left", "B": "right of it"}),
        (row("Which?\n(A) left\n(B) right", "B. (right)", "t", "x"), "choice", "B", {"A": "left", "B": "right"}),
        (row("Farther than 1.20 m?", "yes", "t", "distance_threshold"), "yes_no", True, {}),
        (row("How far?", "3", "inter_object_distance", "inter_object_distance"), "number", 3.0, {}),
        (row("How far?", "2.40 meters", "camera_object_distance_estimation", ""), "number", 2.4, {}),
        (row("How many?", "3", "object_counting", ""), "number", 3, {}),
        (row("Is there?\nA. Yes\nB. No", "B", "object_existence", ""), "yes_no", False, {"A": "Yes", "B": "No"}),
    ],
)
def test_spacedg_answer_kinds(
    tmp_path: Path, record: dict[str, object], answer_type: str, truth: object, options: dict[str, str]
) -> None:
    (item,) = read_suite(spacedg_table(tmp_path, [record]))
    assert (item.answer_type.value, item.truth, dict(item.options)) == (answer_type, truth, options)
    assert validate_suite(tmp_path / "bench.tsv").findings == ()


def test_spacedg_existence_trap_is_named(tmp_path: Path) -> None:
    path = spacedg_table(tmp_path, [row("Is there a lamp?", "yes", "object_existence_estimation", "")])
    (item,) = read_suite(path)
    assert (item.answer_type, item.truth) == (AnswerType.YES_NO, True)
    assert [finding.code for finding in validate_suite(path).findings] == ["existence_trap"]


@pytest.mark.parametrize(
    ("record", "code", "field"),
    [
        (row("Which?\nA. left\nB. right", "C", "t", "x"), "truth_not_an_option", "truth"),
        (row("Which?\nA. left\nB. right", "left", "t", "x"), "letter_expected", None),
        (row("Which?\nA. left\nB. right", "A. right", "t", "x"), "letter_text_mismatch", None),
        (row("Which?\nA. left\nB. left", "A", "t", "x"), "repeated_option", "options"),
        (row("Which?\nA. left\nA. right", "A", "t", "x"), "repeated_letter", "question"),
        (row("How far?", "far", "d", "distance_exact"), "number_unparsable", None),
        (row("How far?", "240 cm", "d", "distance_exact"), "wrong_unit", None),
        (row("How far?", "1e999 m", "d", "distance_exact"), "number_unparsable", None),
        (row("Farther?", "maybe", "d", "distance_threshold"), "yes_no_unparsable", None),
        (row("How many?", "2.5", "object_counting", ""), "number_unparsable", None),
        (row("Size?", "[1, 2]", "object_size", ""), "wrong_truth", "answer"),
        (row("Size?", "[1, 2, x]", "object_size", ""), "list_unparsable", None),
        (row("What?", "A", "something", ""), "unknown_type", "question_type"),
        (row("", "A", "t", "x"), "empty_question", "text"),
        (row("Q\nA. a\nB. b", "A", "t", "x", image_path="['../x.png']"), "unsafe_path", "image_path"),
        (row("Q\nA. a\nB. b", "A", "t", "x", image_path="['/etc/passwd']"), "unsafe_path", "image_path"),
        (row("Q\nA. a\nB. b", "A", "t", "x", image_path="[__import__('os')]"), "list_unparsable", "image_path"),
        (row("Q\nA. a\nB. b", "A", "t", "x", image_path="[]"), "no_images", "images"),
    ],
)
def test_spacedg_faults(tmp_path: Path, record: dict[str, object], code: str, field: str | None) -> None:
    path = tmp_path / "bench.tsv"
    if "import" in str(record["image_path"]) or record["image_path"] == "[]":
        path = spacedg_table(tmp_path, [{**record, "image_path": "x.png"}])
        path.write_text(path.read_text().replace("\tx.png\t", f"\t{record['image_path']}\t"))
    else:
        path = spacedg_table(tmp_path, [record])
    errors = validate_suite(path).errors
    assert [(finding.code, finding.field) for finding in errors] == [(code, field)]
    assert errors[0].line == 2
    with pytest.raises(BenchDataError, match=rf"bench.tsv line 2.*\[{code}\]"):
        list(read_suite(path))
    assert list(read_suite(path, on_bad="skip")) == []


def test_spacedg_pictures_below_images_are_found(tmp_path: Path) -> None:
    path = spacedg_table(tmp_path, [row("Q\nA. a\nB. b", "A", "t", "x", image_path="['images/ori/s/a.jpg']")])
    path.write_text(path.read_text().replace("images/ori", "ori"))
    (item,) = read_suite(path)
    assert item.images[0].path == "images/ori/s/a.jpg"
    assert item.images[0].load().size == (32, 24)


# CRISP ----------------------------------------------------------------------------------------------------------------


def crisp_lines(folder: Path, *records: dict[str, object]) -> Path:
    picture(folder / "data/m/k1.jpg", size=(32, 24))
    path = folder / "qa.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def crisp(asked: str, answer: str, kind: str = "MCQ", category: str = "size", **more: object) -> dict[str, object]:
    conversations = [{"from": "human", "value": asked}, {"from": "gpt", "value": answer}]
    meta = {"category": category, "difficulty": "medium", "type": kind, "dataset": "nuscenes"}
    return {"id": "k1_0", "image": "data/m/k1.jpg", "conversations": conversations, "meta": meta, **more}


def test_crisp_records(tmp_path: Path) -> None:
    graph = '{"objects": [{"id": 2, "dist_to_cam": 8.1, "size": {"w": 0.6, "l": 0.7, "h": 1.8}}], "edges": []}'
    task = crisp("List the objects.", graph)
    del task["id"]
    task["meta"] = {"dataset": "nuscenes"}
    records = [
        crisp("Which is larger?\nOptions:\nA: object 2\nB: object 5", "B"),
        crisp("Is 2 behind 5?\nOptions:\nA: yes\nB: no", "A", category="direction", id="k1_1"),
        crisp("How far is 2?", "9.53", "NAQ", "distance", id="k1_2"),
        task,
    ]
    path = crisp_lines(tmp_path, *records)
    found = list(read_suite(path))
    assert [(item.answer_type.value, item.truth) for item in found] == [
        ("choice", "B"),
        ("yes_no", True),
        ("number", 9.53),
        ("graph", graph),
    ]
    assert found[0].text == "Which is larger?"
    assert found[0].tags == {"ability": "size", "difficulty": "medium", "dataset": "nuscenes"}
    assert validate_suite(path).findings == ()
    (tmp_path / "again").mkdir()
    write_suite(found, tmp_path / "again/qa.jsonl", "crisp")
    assert [json.loads(line) for line in (tmp_path / "again/qa.jsonl").read_text().splitlines()] == records


@pytest.mark.parametrize(
    ("record", "code"),
    [
        (crisp("Which?\nOptions:\nB: no one\nA: object 2", "A"), "letters_out_of_order"),
        (crisp("Which?", "A"), "no_options"),
        (crisp("How far?", "near", "NAQ"), "number_unparsable"),
        (crisp("How far?", "9 kg", "NAQ"), "number_unparsable"),
        (crisp("How far?", "9 deg", "NAQ"), "wrong_unit"),
        (crisp("What?", "9", "ESSAY"), "unknown_type"),
        (crisp("<image>\n<image>\nHow far?", "9", "NAQ"), "image_count_mismatch"),
        (crisp("Now <image> how far?", "9", "NAQ"), "image_count_mismatch"),
        (crisp("How far?", "9", "NAQ", image="data/m/none.jpg"), "missing_image"),
        (crisp("How far?", "9", "NAQ", image=["a", 3]), "wrong_type"),
        (crisp("How far?", "9", "NAQ", image="http://x/y.png"), "unsafe_path"),
        (crisp("How far?", "9", "NAQ", conversations=[]), "bad_conversation"),
        (crisp("How far?", "9", "NAQ", conversations=[{"from": "system", "value": "x"}]), "bad_conversation"),
        (crisp("How far?", "9", "NAQ", meta=[]), "wrong_type"),
        (crisp("", "9", "NAQ"), "empty_question"),
        (crisp("How far?", "", "NAQ"), "no_answer"),
    ],
)
def test_crisp_faults(tmp_path: Path, record: dict[str, object], code: str) -> None:
    path = crisp_lines(tmp_path, record)
    assert [finding.code for finding in validate_suite(path, format="crisp").findings] == [code]


def test_crisp_duplicate_ids_and_broken_pictures(tmp_path: Path) -> None:
    path = crisp_lines(tmp_path, *[crisp("How far?", "9", "NAQ")] * 2)
    whole = (tmp_path / "data/m/k1.jpg").read_bytes()
    (tmp_path / "data/m/k1.jpg").write_bytes(whole[: len(whole) // 2])
    findings = validate_suite(path).findings
    assert [(finding.code, finding.line) for finding in findings] == [
        ("unreadable_image", 1),
        ("duplicate_id", 2),
        ("unreadable_image", 2),
    ]
    assert {finding.code for finding in validate_suite(path, pictures="exists").findings} == {"duplicate_id"}


# Open3DVQA ------------------------------------------------------------------------------------------------------------


def open3dvqa(name: str, answer: str, asked: str = "<own question> ", **more: object) -> dict[str, object]:
    record = golden("open3dvqa/example_record.json")["v1_qa_record"]
    assert isinstance(record, dict)
    conversation = [{"from": "human", "value": f"<image>\n{asked}"}, {"from": "gpt", "value": answer}]
    info = {"type": "quantitative", "question_name": name, "is_embodied": False}
    return {**record, "conversation": conversation, "query_question": asked, "qa_info": info, **more}


def open3dvqa_file(folder: Path, content: object) -> Path:
    picture(folder / "7/rgb/RGBVis_0.png", size=(32, 24))
    picture(folder / "rgb/frame_0001.jpg", size=(32, 24))
    path = folder / "vqa_dataset.json"
    path.write_text(json.dumps(content, indent=1))
    return path


def test_open3dvqa_first_version(tmp_path: Path) -> None:
    record = golden("open3dvqa/example_record.json")["v1_qa_record"]
    path = open3dvqa_file(tmp_path, [record])
    (item,) = read_suite(path)
    assert (item.truth, item.answer_format.unit, item.kind, item.scene) == (12.0, Unit.METRE, "distance_data", "7")
    assert item.text == "<own question text>"
    assert validate_suite(path).findings == ()
    (tmp_path / "again").mkdir()
    write_suite([item], tmp_path / "again/x.json", "open3dvqa")
    assert json.loads((tmp_path / "again/x.json").read_text()) == [record]


def test_open3dvqa_second_version(tmp_path: Path) -> None:
    record = golden("open3dvqa/example_record.json")["v2_qa_record"]
    content = {"EmbodiedCity": {"Wuhan": [record, record]}, "RealworldUAV": {"Lab": [record]}}
    path = open3dvqa_file(tmp_path, content)
    found = list(read_suite(path))
    assert [item.id for item in found] == [
        "EmbodiedCity/Wuhan/frame_0001.jpg_distance_data",
        "EmbodiedCity/Wuhan/frame_0001.jpg_distance_data#2",
        "RealworldUAV/Lab/frame_0001.jpg_distance_data",
    ]
    assert [item.scene for item in found] == ["Wuhan", "Wuhan", "Lab"]
    assert [finding.code for finding in validate_suite(path).findings] == ["published_duplicate_id"]


@pytest.mark.parametrize(
    ("name", "answer", "asked", "kind", "truth"),
    [
        ("left_predicate", "Yes, the kiosk is to the left.", "Q?", "yes_no", True),
        ("left_relationship2agent", "No, it is not.", "Q?", "yes_no", False),
        ("left_choice", "The red kiosk.", "Q?", "text", "The red kiosk."),
        ("volume_data", "The volume is 8.0 cubic meter.", "Q?", "number", 8.0),
        ("distance2agent", "It is 1.2 kilometers away.", "Q?", "number", 1.2),
        ("direction_data", "At 12 o'clock.", "Q?", "clock", 12),
        ("left_multichoice", "B", "Which?\nA. kiosk\nB. tree\nC. same\nD. unknown", "choice", "B"),
        ("", "A", "Left?\nA. yes\nB. no", "yes_no", True),
    ],
)
def test_open3dvqa_answer_kinds(tmp_path: Path, name: str, answer: str, asked: str, kind: str, truth: object) -> None:
    path = open3dvqa_file(tmp_path, [open3dvqa(name, answer, asked)])
    (item,) = read_suite(path)
    assert (item.answer_type.value, item.truth) == (kind, truth)
    assert validate_suite(path).findings == ()


@pytest.mark.parametrize(
    ("name", "answer", "code"),
    [
        ("left_predicate", "The kiosk is not behind the tree.", "reference_only"),
        ("volume_data", "0.0004 cubic decimeter", "volume_unit_fault"),
        ("volume_data", "8.0 meters", "wrong_unit"),
        ("distance_data", "8.0 cubic meters", "wrong_unit"),
        ("distance_data", "8.0", "wrong_unit"),
        ("distance_data", "far", "number_unparsable"),
        ("distance_data", "3 meters or 4 meters", "number_unparsable"),
        ("direction_data", "at 2 or 3 o'clock", "number_unparsable"),
        ("left_choice", "", "no_answer"),
    ],
)
def test_open3dvqa_faults(tmp_path: Path, name: str, answer: str, code: str) -> None:
    path = open3dvqa_file(tmp_path, [open3dvqa(name, answer)])
    assert [finding.code for finding in validate_suite(path).findings] == [code]


# RoboStressBench ------------------------------------------------------------------------------------------------------


def robostress_folder(folder: Path) -> Path:
    """The golden rows with their records, pictures and a mask."""
    example = golden("robostress/example_records.json")
    rows, base = example["manifest_rows"], example["record_mcq"]
    truths = [None, example["record_box_gt"], example["record_mask_gt"]]
    assert isinstance(rows, list)
    for line, truth in zip(rows, truths, strict=True):
        record = json.loads(json.dumps(base))
        record["sample_id"] = record["annotation"]["sample_id"] = line["sample_id"]
        record["annotation"] |= {"task": line["task"], "rgb": line["rgb_relpath"]}
        if truth is not None:
            record["annotation"]["gt"] = truth
        target = folder / line["record_relpath"]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(record))
        picture(folder / line["rgb_relpath"], size=(32, 24))
    mask = np.zeros((24, 32), np.uint8)
    mask[4:20, 8:24] = 255
    (folder / "03/02/media/gt_mask").mkdir(parents=True)
    Image.fromarray(mask).save(folder / "03/02/media/gt_mask/000003_mask.jpg", quality=75)
    (folder / "manifest.jsonl").write_text("".join(json.dumps(line) + "\n" for line in rows))
    return folder


def test_robostress_golden_records(tmp_path: Path) -> None:
    folder = robostress_folder(tmp_path / "bench")
    found = list(read_suite(folder))
    assert [(item.answer_type.value, item.truth) for item in found] == [
        ("choice", "A"),
        ("box", (100.0, 200.0, 600.0, 800.0)),
        ("point", None),
    ]
    assert all(item.coordinates == "permille" and item.condition == AS_FOUND for item in found)
    assert found[1].tags["stress"] == "G__occlusion,M__transparent"
    assert found[2].mask is not None
    assert {finding.code for finding in validate_suite(folder).findings} == {"soft_mask"}
    write_suite(found, tmp_path / "again", "robostress")
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        again = tmp_path / "again" / file.relative_to(folder)
        if file.suffix in (".json", ".jsonl"):
            assert json_lines(again) == json_lines(file)
        else:
            assert again.read_bytes() == file.read_bytes()
    assert list(read_suite(tmp_path / "again")) == found


def json_lines(file: Path) -> list[object]:
    text = file.read_text()
    return [json.loads(line) for line in text.splitlines()] if file.suffix == ".jsonl" else [json.loads(text)]


def changed(folder: Path, name: str, old: str, new: str) -> None:
    file = folder / name
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("file", "old", "new", "code"),
    [
        ("01/01/records/000001.json", '"answer_index": 0', '"answer_index": 2', "truth_not_an_option"),
        ("01/01/records/000001.json", '"answer_index": 0', '"answer_index": -1', "truth_not_an_option"),
        ("01/01/records/000001.json", '"answer_index": 0', '"answer_index": true', "wrong_type"),
        ("01/01/records/000001.json", '"<own question>"', '" "', "empty_question"),
        ("01/01/records/000001.json", '"left of the tray"', "3", "wrong_type"),
        ("01/01/records/000001.json", "{", "[", "bad_json"),
        ("02/01/records/000002.json", "[100, 200, 600, 800]", "[600, 200, 100, 800]", "wrong_truth"),
        ("02/01/records/000002.json", "[100, 200, 600, 800]", "[100, 200, 1600, 800]", "outside_image"),
        ("02/01/records/000002.json", "[100, 200, 600, 800]", "[100, 200, 600]", "number_unparsable"),
        ("02/01/records/000002.json", "[100, 200, 600, 800]", "[0.1, 0.2, 0.6, 0.8]", "looks_like_fractions"),
        ("02/01/records/000002.json", '"permille"', '"pixels"', "wrong_unit"),
        ("manifest.jsonl", '"01/01/records/000001.json"', '"../x.json"', "unsafe_path"),
        ("manifest.jsonl", '"01/01/records/000001.json"', '"01/none.json"', "missing_record"),
        ("manifest.jsonl", '"V__truncated_out_of_frame"', '"V__blurry"', "unknown_stress_tag"),
        ("manifest.jsonl", '"gt_type": "mcq"', '"gt_type": "bbox"', "type_mismatch"),
    ],
)
def test_robostress_faults(tmp_path: Path, file: str, old: str, new: str, code: str) -> None:
    folder = robostress_folder(tmp_path / "bench")
    changed(folder, file, old, new)
    codes = [finding.code for finding in validate_suite(folder).findings if finding.code != "soft_mask"]
    assert codes == [code]


def test_robostress_masks_must_fit(tmp_path: Path) -> None:
    folder = robostress_folder(tmp_path / "bench")
    mask = folder / "03/02/media/gt_mask/000003_mask.jpg"
    Image.new("L", (16, 12), 255).save(mask)
    assert [finding.code for finding in validate_suite(folder).findings] == ["mask_size_mismatch"]
    Image.new("L", (32, 24), 0).save(mask)
    assert [finding.code for finding in validate_suite(folder).findings] == ["empty_mask"]
    mask.unlink()
    assert [finding.code for finding in validate_suite(folder).findings] == ["missing_image"]
