"""Hostile records are named and never raise; nothing is executed, unpickled or filled without bound."""

from __future__ import annotations

import base64
import contextlib
import json
import pickle
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.images import ImageLimits
from seeworthy.bench_data.suites import (
    SUITE_FORMATS,
    SuiteLimits,
    locate_suite,
    read_crisp_graphs,
    read_suite,
    validate_suite,
    write_suite,
)

from .making import items, picture, questions

READ = [name for name, spec in SUITE_FORMATS.specs() if spec.read]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def real_lines(folder: Path, name: str) -> tuple[Path, list[str]]:
    """A small sound suite and its lines."""
    path = folder / f"suite{SUITE_FORMATS.get(name).suffix}"
    write_suite(items(folder / "source", questions(most=12)), path, name, on_refused="skip")
    return path, path.read_text(encoding="utf-8").splitlines(keepends=True)


def mutated(draw: st.DataObject, record: object) -> object:
    """The record with one value, at any depth, replaced or removed."""
    if isinstance(record, dict) and record:
        key = draw.draw(st.sampled_from(sorted(record)))
        how = draw.draw(st.sampled_from(["deeper", "replace", "remove"]))
        if how == "remove":
            return {name: value for name, value in record.items() if name != key}
        value = mutated(draw, record[key]) if how == "deeper" else draw.draw(VALUES)
        return {**record, key: value}
    if isinstance(record, list) and record:
        return [mutated(draw, record[0]), *record[1:]]
    return draw.draw(VALUES)


@pytest.mark.parametrize("name", ["native", "crisp"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_change_to_a_json_record_is_survived(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp() / f"hostile-{name}"
    sound = folder / f"suite{SUITE_FORMATS.get(name).suffix}"
    if not sound.exists():
        real_lines(folder, name)
    lines = sound.read_text(encoding="utf-8").splitlines()
    at = data.draw(st.integers(1, len(lines) - 2))
    lines[at] = json.dumps(mutated(data, json.loads(lines[at])))
    hostile = folder / "hostile.jsonl"
    hostile.write_text("\n".join(lines) + "\n")
    result = validate_suite(hostile, format=name, pictures="exists")
    assert {finding.line for finding in result.errors} <= {at + 1, None}
    if not result.errors:
        assert len(list(read_suite(hostile, format=name))) >= len(lines) - 3


@pytest.mark.parametrize("name", ["open3dvqa", "robostress", "robostress record", "spatialbench", "crisp graphs"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_change_to_other_records_is_survived(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp() / f"hostile-{name.replace(' ', '-')}"
    made = folder / "made"
    if not made.exists():
        other_suite(made, name)
    file = folder / "made" / OTHER_FILES[name]
    sound = folder / "sound"
    if not sound.exists():
        sound.write_bytes(file.read_bytes())
    text = sound.read_text()
    if name == "robostress":
        first, _, rest = text.partition("\n")
        file.write_text(json.dumps(mutated(data, json.loads(first))) + "\n" + rest)
    else:
        file.write_text(json.dumps(mutated(data, json.loads(text))))
    if name == "crisp graphs":
        with contextlib.suppress(BenchDataError):
            list(read_crisp_graphs(file))
        return
    suite = file if name == "open3dvqa" else made
    result = validate_suite(suite, format=name.split()[0], pictures="decode" if name == "spatialbench" else "exists")
    assert all(finding.code and finding.message for finding in result.findings)


OTHER_FILES = {
    "open3dvqa": "suite.json",
    "robostress": "manifest.jsonl",
    "robostress record": "01/01/records/000001.json",
    "spatialbench": "index.json",
    "crisp graphs": "graphs.json",
}


def other_suite(folder: Path, name: str) -> None:
    made = items(folder.parent / "source", questions(most=6))
    golden = Path(__file__).resolve().parents[2] / "golden"
    match name:
        case "open3dvqa":
            write_suite(made, folder / "suite.json", name, on_refused="skip")
        case "spatialbench":
            shutil.copytree(golden / "spatialbench/tiny_bench", folder)
            record = json.loads((folder / "index.json").read_text())[0]
            (folder / "index.json").write_text(json.dumps([record]))
        case "crisp graphs":
            folder.mkdir(parents=True)
            scene = json.loads((golden / "crisp/gt_graphs.json").read_text())["scenes"][0]
            (folder / "graphs.json").write_text(json.dumps([scene["injected_graph"]]))
        case _:
            write_suite(made, folder, "robostress", on_refused="skip")


@pytest.mark.parametrize("name", ["spacedg", "vlmeval"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_change_to_a_cell_is_survived(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp() / f"hostile-{name}"
    sound = folder / f"suite{SUITE_FORMATS.get(name).suffix}"
    if not sound.exists():
        real_lines(folder, name)
    lines = sound.read_text(encoding="utf-8").split("\n")
    at = data.draw(st.integers(1, 4))
    cells = lines[at].split("\t")
    cells[data.draw(st.integers(0, len(cells) - 1))] = data.draw(
        st.text(max_size=20) | st.sampled_from(['"', "[", "[]", "['", "[1, {}]", "999999", "1e999", "-1", "A" * 80])
    )
    lines[at] = "\t".join(cells)
    hostile = folder / "hostile.tsv"
    hostile.write_text("\n".join(lines), encoding="utf-8", errors="surrogateescape")
    result = validate_suite(hostile, format=name, pictures="exists")
    assert all(finding.code and finding.message for finding in result.findings)
    list(read_suite(hostile, format=name, on_bad="skip"))


@pytest.mark.parametrize("name", READ)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_survived(tmp_path: Path, name: str, content: bytes) -> None:
    spec = SUITE_FORMATS.get(name)
    inner = {
        "data_set": "manifest.json",
        "parquet": "data/test-00000-of-00001.parquet",
        "robostress": "manifest.jsonl",
        "spatialbench": "index.json",
    }
    file = tmp_path / (inner[name] if spec.layout == "folder" else "x")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    result = validate_suite(tmp_path if spec.layout == "folder" else file, format=name)
    assert result.records == 0 or result.findings


def test_pickles_are_not_opened(tmp_path: Path) -> None:
    marker = tmp_path / "executed"

    class Bomb:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (Path.touch, (marker,))  # type: ignore[return-value]

    path = tmp_path / "suite.tsv"
    path.write_bytes(pickle.dumps(Bomb()))
    for name in READ:
        if SUITE_FORMATS.get(name).layout == "file":
            assert validate_suite(path, format=name).errors
    assert not marker.exists()


# Pictures in tables ---------------------------------------------------------------------------------------------------


def table(folder: Path, *rows: tuple[str, ...]) -> Path:
    path = folder / "t.tsv"
    path.write_text("\n".join("\t".join(cells) for cells in [("index", "question", "answer", "image"), *rows]) + "\n")
    return path


def encoded(folder: Path, size: tuple[int, int] = (32, 24)) -> str:
    picture(folder / "x.png", size=size)
    return base64.b64encode((folder / "x.png").read_bytes()).decode()


def test_pointers_to_pictures_backwards_and_forwards(tmp_path: Path) -> None:
    image = encoded(tmp_path)
    path = table(tmp_path, ("7", "Q?", "yes", "8"), ("8", "Q?", "no", image), ("9", "Q?", "no", "8"))
    found = list(read_suite(path))
    assert len({item.images[0].read() for item in found}) == 1
    assert [image.path for item in found for image in item.images] == ["7.png", "8.png", "9.png"]
    assert validate_suite(path).findings == ()


def test_published_columns_come_back(tmp_path: Path) -> None:
    first, second = encoded(tmp_path), encoded(tmp_path, size=(40, 30))
    lines = ["index\tquestion\tA\tB\thint\tmine\tanswer\tcategory\timage"]
    lines += [f"7\tQ?\tNone \ty\tlook\tkept\tA\tsize\t{first}", "3\tR?\tx\ty\t\t\tB\t\t7"]
    lines += [f"9\tS?\tx\ty\t\t\tB\t\t{second}"]
    (tmp_path / "t.tsv").write_text("\n".join(lines) + "\n")
    before = list(read_suite(tmp_path / "t.tsv"))
    assert before[0].options == {"A": "None", "B": "y"}
    write_suite(before, tmp_path / "out/t.tsv", "vlmeval")
    header, *rows = [line.split("\t") for line in (tmp_path / "out/t.tsv").read_text().splitlines()]
    assert header == [*lines[0].split("\t"), "image_names"]
    assert [row[:8] for row in rows] == [line.split("\t")[:8] for line in lines[1:]]
    after = list(read_suite(tmp_path / "out/t.tsv"))
    assert after == before
    assert [one.images[0].read() for one in after] == [one.images[0].read() for one in before]


@pytest.mark.parametrize(
    ("image", "code"),
    [
        ("8", "missing_image"),
        ("none", "missing_image"),
        ("!" * 100, "bad_base64"),
        (base64.b64encode(b"x" * 100).decode(), "unreadable_image"),
        ("", "no_images"),
        ("['a', ", "list_unparsable"),
        ("[__import__('os').system('true')]" + "#" * 60, "list_unparsable"),
    ],
)
def test_bad_pictures_in_tables(tmp_path: Path, image: str, code: str) -> None:
    path = table(tmp_path, ("7", "Q?", "yes", image), ("8", "Q?", "no", "7"))
    assert validate_suite(path).errors[0].code == code


def test_bombs_are_refused_before_they_are_decoded(tmp_path: Path) -> None:
    limits = SuiteLimits(row_bytes=20_000, image=ImageLimits(max_pixels=10_000, max_file_bytes=5_000))
    path = table(tmp_path, ("1", "Q?", "yes", "A" * 15_000), ("2", "Q?", "yes", "A" * 50_000))
    assert [finding.code for finding in validate_suite(path, limits=limits).errors] == ["too_large", "bad_row"]
    big = encoded(tmp_path, size=(400, 400))
    path = table(tmp_path, ("1", "Q?", "yes", big))
    errors = validate_suite(path, limits=limits).errors
    assert [finding.code for finding in errors] == ["unreadable_image"]
    assert "limit" in errors[0].message


def test_names_in_a_table_cannot_leave_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(f"index\tquestion\tanswer\timage\timage_path\n1\tQ?\tyes\t{encoded(tmp_path)}\t../x.png\n")
    assert [finding.code for finding in validate_suite(path).errors] == ["unsafe_path"]


# Suites as a whole ----------------------------------------------------------------------------------------------------


def test_what_only_the_whole_shows(tmp_path: Path) -> None:
    picture(tmp_path / "a.png", size=(32, 24))
    lines = ["index\tquestion\tA\tB\tC\tanswer\timage_path\tcondition"]
    lines += [f"{n}\tQ{n}?\tx\ty\tz\tA\ta.png\thaze-3" for n in range(120)]
    (tmp_path / "t.tsv").write_text("\n".join(lines) + "\n")
    result = validate_suite(tmp_path / "t.tsv")
    assert result.errors == ()
    assert [finding.code for finding in result.warnings] == [
        "no_clean_twin",
        "letter_never_right",
        "letter_never_right",
        "one_letter",
    ]
    assert (result.records, result.pictures) == (120, 1)


def test_unknown_conditions_are_named(tmp_path: Path) -> None:
    picture(tmp_path / "a.png", size=(32, 24))
    known = ["clean", "haze", "haze-3", "haze@5", "low_light-bench", "night_capture", "as_found", "occlusion"]
    unknown = ["fog", "haze-9", "haze-", "-3", "clean-3"]
    lines = ["index\tquestion\tanswer\timage_path\tcondition"]
    lines += [f"{n}\tQ?\tyes\ta.png\t{condition}" for n, condition in enumerate([*known, *unknown])]
    (tmp_path / "t.tsv").write_text("\n".join(lines) + "\n")
    found = [one for one in validate_suite(tmp_path / "t.tsv").findings if one.code == "condition_unknown"]
    assert [one.line for one in found] == [2 + len(known) + n for n in range(len(unknown))]


def test_suites_are_told_apart_by_content(tmp_path: Path) -> None:
    made = items(tmp_path / "source", questions(most=12))
    for name, spec in SUITE_FORMATS.specs():
        if spec.read and spec.write:
            path = tmp_path / name / (f"suite{spec.suffix}" if spec.layout == "file" else "suite")
            write_suite(made, path, name, on_refused="skip")
            assert locate_suite(path).format.name == name
    assert locate_suite(tmp_path / "native").path == tmp_path / "native/suite.jsonl"
    (tmp_path / "two").mkdir()
    for name in ("native", "crisp"):
        (tmp_path / f"two/{name}.jsonl").write_bytes((tmp_path / name / "suite.jsonl").read_bytes())
    with pytest.raises(BenchDataError, match=r"several suites are here: .*crisp.*native"):
        locate_suite(tmp_path / "two")
    assert locate_suite(tmp_path / "two", "crisp").path.name == "crisp.jsonl"
    for place, message in ((tmp_path / "source", "no known suite format"), (tmp_path / "none", "no such file")):
        with pytest.raises(BenchDataError, match=message):
            locate_suite(place)
    with pytest.raises(BenchDataError, match="can be written, not read"):
        list(read_suite(tmp_path / "native/suite.jsonl", format="sharegpt"))


def test_an_empty_suite_is_an_error(tmp_path: Path) -> None:
    write_suite([], tmp_path / "suite.jsonl", "native")
    assert [finding.code for finding in validate_suite(tmp_path / "suite.jsonl").errors] == ["empty_suite"]


def test_animated_and_odd_pictures_are_what_the_loader_says(tmp_path: Path) -> None:
    frames = [Image.new("L", (8, 6), shade) for shade in (0, 99)]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    (tmp_path / "b.png").write_text("no picture")
    (tmp_path / "c.png").write_bytes(b"")
    lines = ["index\tquestion\tanswer\timage_path"] + [f"{n}\tQ?\tyes\t{n}" for n in ("a.gif", "b.png", "c.png", "d")]
    (tmp_path / "t.tsv").write_text("\n".join(lines) + "\n")
    errors = validate_suite(tmp_path / "t.tsv").errors
    assert [(finding.line, finding.code) for finding in errors] == [
        (3, "unreadable_image"),
        (4, "unreadable_image"),
        (5, "missing_image"),
    ]
