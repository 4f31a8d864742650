"""What a format says it holds comes back; what it cannot hold is refused or stands among its losses."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.questions import AnswerFormat, AnswerType, Truth, Unit
from seeworthy.bench_data.suites import (
    SUITE_FORMATS,
    Held,
    SourceRecord,
    SuiteFormat,
    SuiteImage,
    SuiteItem,
    read_suite,
    validate_suite,
    write_suite,
)

from .making import items, picture, questions

READABLE = {"open3dvqa_v2": "open3dvqa", "vlmeval_paths": "vlmeval"}
"""Formats that are written under one name and read under another."""
BOTH_WAYS = [
    name for name, spec in SUITE_FORMATS.specs() if spec.write and (spec.read or name in READABLE) and spec.holds
]


def place(folder: Path, spec: SuiteFormat) -> Path:
    return folder / (f"suite{spec.suffix}" if spec.layout == "file" else "suite")


def read_back(folder: Path, name: str) -> list[SuiteItem]:
    """All items, also those of the second table that VLMEvalKit needs for open answers."""
    found = list(read_suite(place(folder, SUITE_FORMATS.get(name)), format=READABLE.get(name, name)))
    second = folder / "suite_open.tsv"
    if name.startswith("vlmeval") and second.exists():
        found += read_suite(second)
    return found


def held(item: SuiteItem, part: Held, before: SuiteItem) -> object:
    """What a format must give back of a part."""
    match part:
        case Held.IMAGES:
            return [image.read() for image in item.images]
        case Held.UNIT:
            return item.answer_format.unit, item.answer_format.length, item.answer_type
        case Held.OPTIONS:
            # A format may add Yes and No to a question that has no options; that stands among its losses.
            added = item.answer_type is AnswerType.YES_NO and not before.options
            return {} if added else dict(item.options)
        case Held.TRUTH:
            return in_permille(item) if item.answer_type is AnswerType.BOX else item.truth
    return getattr(item, part.value)


def in_permille(item: SuiteItem) -> object:
    width, height = item.images[0].load().size
    if item.coordinates == "permille" or not isinstance(item.truth, tuple):
        return pytest.approx(item.truth)
    return [1000 * value / side for value, side in zip(item.truth, (width, height) * 2, strict=True)]


def check(before: Sequence[SuiteItem], after: Sequence[SuiteItem], spec: SuiteFormat) -> None:
    if Held.ID in spec.holds:
        assert sorted(item.id for item in after) == sorted(item.id for item in before)
    by_id = {item.id: item for item in after}
    for item in before:
        for part in spec.holds:
            assert held(by_id[item.id], part, item) == held(item, part, item), (item.id, part)


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_generated_questions_come_back(tmp_path: Path, name: str) -> None:
    spec = SUITE_FORMATS.get(name)
    made = items(tmp_path / "source", questions(most=40), ("clean", "haze-3"))
    kept = [item for item in made if spec.refuses(item) is None]
    report = write_suite(made, place(tmp_path / "out", spec), name, on_refused="skip")
    assert (report.written, sum(report.refused.values())) == (len(kept), len(made) - len(kept))
    assert kept
    check(kept, read_back(tmp_path / "out", name), spec)
    assert validate_suite(place(tmp_path / "out", spec), format=READABLE.get(name, name)).findings == ()


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_every_part_that_is_not_held_stands_among_the_losses(name: str) -> None:
    spec = SUITE_FORMATS.get(name)
    words = {Held.QUESTION: "structured questions", Held.TAGS: "tags", Held.UNIT: ""}
    for part in frozenset(Held) - spec.holds:
        assert any(words[part] in loss for loss in spec.losses), part


TEXTS = st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20).filter(
    lambda text: bool(text.strip()) and "<image>" not in text
)
UGLY = st.sampled_from(['say "hi"\tthere', "A. first\nB. second", "None", "a\nb", "'quoted'", "=1+1", "nan", "ü 中 🦊"])


@st.composite
def answers(draw: st.DrawFn) -> tuple[AnswerFormat, Truth | None]:
    kind = draw(st.sampled_from(AnswerType))
    number = st.floats(-1e6, 1e6, allow_nan=False)
    match kind:
        case AnswerType.CHOICE:
            texts = draw(st.lists(TEXTS | UGLY, min_size=2, max_size=6, unique_by=lambda text: text.strip().lower()))
            options = {chr(ord("A") + at): text for at, text in enumerate(texts)}
            return AnswerFormat(answer_type=kind, options=options), draw(st.sampled_from(sorted(options)))
        case AnswerType.YES_NO:
            return AnswerFormat(answer_type=kind), draw(st.booleans())
        case AnswerType.NUMBER:
            unit = draw(st.sampled_from(Unit))
            count = unit is Unit.COUNT
            return AnswerFormat(answer_type=kind, unit=unit), draw(st.integers(0, 10**6) if count else number)
        case AnswerType.LIST:
            unit = draw(st.sampled_from([Unit.METRE, Unit.DEGREE]))
            values = draw(st.lists(number, min_size=1, max_size=4))
            return AnswerFormat(answer_type=kind, unit=unit, length=len(values)), tuple(values)
        case AnswerType.CLOCK:
            return AnswerFormat(answer_type=kind), draw(st.integers(1, 12))
        case AnswerType.BOX:
            return AnswerFormat(answer_type=kind), (1.5, 2.0, draw(st.floats(2, 32)), draw(st.floats(3, 24)))
        case AnswerType.POINT:
            return AnswerFormat(answer_type=kind), (draw(st.floats(0, 32)), draw(st.floats(0, 24)))
        case AnswerType.GRAPH:
            return AnswerFormat(answer_type=kind), '{"objects": [], "edges": []}'
        case AnswerType.TEXT:
            return AnswerFormat(answer_type=kind), draw(TEXTS | UGLY)


@st.composite
def foreign_items(draw: st.DrawFn, root: Path) -> list[SuiteItem]:
    """Items as another suite may bring them: any text, any answer, no structured question."""
    made = []
    for number in range(draw(st.integers(1, 4))):
        form, truth = draw(answers())
        shown = draw(st.integers(1, 2))
        made.append(
            SuiteItem(
                id=f"{draw(TEXTS)}-{number}",
                text=draw(TEXTS | UGLY),
                images=tuple(SuiteImage(f"p/{at}.png", root=root) for at in range(shown)),
                answer_format=form,
                truth=truth,
                question_id=f"q{number}",
                suite=draw(st.sampled_from(["mine", "spacedg", ""])) or "other",
                kind=draw(st.sampled_from(["far.distance_exact", "kind", "a.b", "counting", "size.x", "existence"])),
                scene=draw(TEXTS),
                condition=draw(st.sampled_from(["clean", "haze-3", "low_light"])),
                tags={"ability": "x"},
            )
        )
    return made


@pytest.mark.parametrize("name", BOTH_WAYS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_any_item_comes_back_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    spec = SUITE_FORMATS.get(name)
    root = tmp_path_factory.getbasetemp() / "pictures"
    for at in range(2):
        if not (root / f"p/{at}.png").exists():
            picture(root / f"p/{at}.png", seed=at, size=(32, 24))
    made = data.draw(foreign_items(root))
    kept = [item for item in made if spec.refuses(item) is None]
    folder = tmp_path_factory.mktemp("out")
    write_suite(made, place(folder, spec), name, on_refused="skip")
    check(kept, read_back(folder, name) if kept else [], spec)


WRITES_ALL = """
import sys
from pathlib import Path
from seeworthy.bench_data.suites import SUITE_FORMATS, read_suite, write_suite
source, out = sys.argv[1], Path(sys.argv[2])
for name, spec in SUITE_FORMATS.specs():
    if spec.write and name != "lmms_eval":  # its YAML file names the folder
        write_suite(read_suite(source), out / name / f"suite{spec.suffix}", name, on_refused="skip")
"""


def test_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    made = items(tmp_path / "source", questions(most=10))
    write_suite(made, tmp_path / "source" / "all.jsonl", "native")
    for folder in ("one", "two"):
        arguments = [str(tmp_path / "source/all.jsonl"), str(tmp_path / folder)]
        subprocess.run([sys.executable, "-c", WRITES_ALL, *arguments], check=True)
    first = {
        file.relative_to(tmp_path / "one"): file.read_bytes()
        for file in (tmp_path / "one").rglob("*.*")
        if file.is_file()
    }
    assert len(first) > len(BOTH_WAYS)
    assert first == {
        file.relative_to(tmp_path / "two"): file.read_bytes()
        for file in (tmp_path / "two").rglob("*.*")
        if file.is_file()
    }


def test_the_native_format_keeps_everything(tmp_path: Path) -> None:
    made = items(tmp_path / "source", questions(most=60, suites=("crisp", "spacedg", "grounding")))
    write_suite(made, tmp_path / "out/suite.jsonl", "native")
    found = list(read_suite(tmp_path / "out/suite.jsonl"))
    assert found == made
    again = tmp_path / "again/suite.jsonl"
    write_suite(found, again, "native")
    assert again.read_bytes() == (tmp_path / "out/suite.jsonl").read_bytes()


def test_native_files_that_were_cut_off_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "suite.jsonl"
    write_suite(items(tmp_path / "source", questions(most=4)), path, "native")
    lines = path.read_text().splitlines(keepends=True)
    for kept, code in ((lines[:-1], "cut_off"), (lines[:-2] + lines[-1:], "wrong_count")):
        path.write_text("".join(kept))
        assert [finding.code for finding in validate_suite(path).findings] == [code]
    path.write_text("".join(lines[:-1]) + lines[-2][:40])
    assert [finding.code for finding in validate_suite(path).findings] == ["bad_json", "cut_off"]
    path.write_text(lines[0].replace(": 1", ": 99"))
    assert [finding.code for finding in validate_suite(path).errors] == ["newer_version"]


# Writing --------------------------------------------------------------------------------------------------------------


def test_refusals_stop_or_are_counted(tmp_path: Path) -> None:
    made = items(tmp_path / "source", questions(most=40))
    with pytest.raises(BenchDataError, match=r"crisp cannot hold"):
        write_suite(made, tmp_path / "a/suite.jsonl", "crisp")
    assert not (tmp_path / "a/suite.jsonl").exists()
    assert not list((tmp_path / "a").glob("*.part"))
    report = write_suite(made, tmp_path / "b/suite.jsonl", "crisp", on_refused="skip")
    assert report.refused["questions about 2 pictures"] == sum(len(item.images) == 2 for item in made)


def test_nothing_is_replaced_unasked(tmp_path: Path) -> None:
    made = items(tmp_path / "source", questions(most=4))
    for name, spec in SUITE_FORMATS.specs():
        if spec.write is None:
            continue
        path = place(tmp_path / name, spec)
        write_suite(made, path, name, on_refused="skip")
        with pytest.raises(BenchDataError, match="exists already"):
            write_suite(made, path, name, on_refused="skip")
        write_suite(made, path, name, on_refused="skip", overwrite=True)


def test_ids_must_differ_and_pictures_must_be_there(tmp_path: Path) -> None:
    item = items(tmp_path / "source", questions(most=4))[0]
    with pytest.raises(BenchDataError, match="another item has this id"):
        write_suite([item, item], tmp_path / "a/x.jsonl", "native")
    (tmp_path / "source" / item.images[0].path).unlink()
    with pytest.raises(BenchDataError, match="no such file"):
        write_suite([item], tmp_path / "b/x.jsonl", "native")


def test_two_pictures_of_one_name_are_both_kept(tmp_path: Path) -> None:
    item = items(tmp_path / "source", questions(most=4))[0]
    picture(tmp_path / "other" / item.images[0].path, seed=9)
    moved = tuple(replace(image, root=tmp_path / "other") for image in item.images[:1]) + item.images[1:]
    twin = replace(item, id="twin", images=moved)
    write_suite([item, twin], tmp_path / "out/x.jsonl", "native")
    for before, after in zip((item, twin), read_suite(tmp_path / "out/x.jsonl"), strict=True):
        assert [image.read() for image in after.images] == [image.read() for image in before.images]


def test_pictures_of_others_are_left_alone(tmp_path: Path) -> None:
    item = items(tmp_path / "source", questions(most=4))[0]
    theirs = tmp_path / "out" / item.images[0].path
    picture(theirs, seed=77)
    before = theirs.read_bytes()
    for again in (False, True):
        write_suite([item], tmp_path / "out/x.jsonl", "native", overwrite=again)
        (found,) = read_suite(tmp_path / "out/x.jsonl")
        assert [image.read() for image in found.images] == [image.read() for image in item.images]
    assert theirs.read_bytes() == before
    assert len(list(theirs.parent.iterdir())) == 1 + len(item.images)


@pytest.mark.parametrize("name", [name for name in BOTH_WAYS if name != "parquet"])
def test_a_source_record_that_says_something_else_is_not_written(tmp_path: Path, name: str) -> None:
    spec = SUITE_FORMATS.get(name)
    made = items(tmp_path / "source", questions(most=40, suites=("crisp",)))
    item = next(item for item in made if spec.refuses(item) is None)
    for fields in ({}, {"index": "1"}, {"manifest": {}, "record": {}}, {"id": item.id, "question": "Another one?"}):
        lying = replace(item, source=SourceRecord(name, fields))
        write_suite([lying], place(tmp_path / "out", spec), name, overwrite=True)
        check([item], read_back(tmp_path / "out", name), spec)


def test_a_changed_item_is_written_as_it_is_now(tmp_path: Path) -> None:
    for name in ("spacedg", "crisp", "open3dvqa", "vlmeval"):
        spec = SUITE_FORMATS.get(name)
        made = items(tmp_path / "source", questions(most=40, suites=("crisp",)))
        kept = [item for item in made if spec.refuses(item) is None]
        write_suite(kept, place(tmp_path / f"{name}-a", spec), name)
        edited = [
            replace(item, text="Now another question.", condition="haze-3")
            for item in read_suite(place(tmp_path / f"{name}-a", spec))
        ]
        write_suite(edited, place(tmp_path / f"{name}-b", spec), name)
        for item in read_suite(place(tmp_path / f"{name}-b", spec)):
            assert (item.text, item.condition) == ("Now another question.", "haze-3")


def test_masks_travel_with_their_questions(tmp_path: Path) -> None:
    picture(tmp_path / "source/m.png", size=(32, 24))
    mask = SuiteImage("m.png", root=tmp_path / "source")
    form = AnswerFormat(answer_type=AnswerType.POINT)
    item = SuiteItem(id="p", text="Where?", images=(mask,), answer_format=form, truth=None, mask=mask)
    for name in ("native", "robostress"):
        path = place(tmp_path / name, SUITE_FORMATS.get(name))
        write_suite([item], path, name)
        (found,) = read_suite(path)
        assert found.mask is not None
        assert found.mask.read() == mask.read()
        assert validate_suite(path).errors == ()


def test_a_link_in_the_new_folder_is_not_followed(tmp_path: Path) -> None:
    item = items(tmp_path / "source", questions(most=4))[0]
    (tmp_path / "out").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out/clean").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BenchDataError, match="link that leads out"):
        write_suite([item], tmp_path / "out/x.jsonl", "native")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_training_conversations(tmp_path: Path) -> None:
    made = items(tmp_path / "source", questions(most=40))
    write_suite(made, tmp_path / "out/train.jsonl", "sharegpt")
    records = [json.loads(line) for line in (tmp_path / "out/train.jsonl").read_text().splitlines()]
    for item, record in zip(made, records, strict=True):
        asked, answer = (turn["value"] for turn in record["conversations"])
        assert asked.startswith("<image>\n" * len(item.images) + item.text)
        assert asked.count("<image>") == len(record["image"]) == len(item.images)
        assert all((tmp_path / "out" / path).is_file() for path in record["image"])
        assert all(f"{letter}. {text}" in asked for letter, text in item.options.items())
        assert answer == item.truth if item.options else answer
    words = {answer for record in records for answer in [record["conversations"][1]["value"]]}
    assert any(word.endswith(" m") for word in words)
