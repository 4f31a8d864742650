"""Folders for fine-tuning: the split by scenes, what is left out, and the manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.suites import SuiteItem, read_suite, validate_suite, write_suite
from seeworthy.bench_data.suites.training import TrainingManifest, held_out_scenes, write_training_data
from tests.bench_data.suites.making import items, picture, questions

CONDITIONS = ("clean", "haze-5")
names = st.sets(st.text(min_size=1, max_size=8), min_size=3, max_size=12)


def scene_items(root: Path, scenes: int = 4, conditions: Sequence[str] = CONDITIONS) -> list[SuiteItem]:
    """Questions about several scenes, each with pictures of its own."""
    found = []
    for number in range(scenes):
        for item in items(root, questions(seed=number, most=5, suites=("crisp",)), conditions):
            images = tuple(replace(one, path=f"scene-{number}/{one.path}") for one in item.images)
            for one in images:
                picture(root / one.path, seed=number)
            made = replace(item, id=f"{number}/{item.id}", question_id=f"{number}/{item.question_id}")
            found.append(replace(made, scene=f"scene-{number}", images=images))
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[SuiteItem]:
    return scene_items(tmp_path_factory.mktemp("source"))


def write(folder: Path, made: Sequence[SuiteItem], **more: object) -> TrainingManifest:
    options: dict[str, object] = {"holdout": 1, "source": "made", **more}
    return write_training_data(lambda: iter(made), folder, **options)  # type: ignore[arg-type]


def records(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "train.jsonl").read_text(encoding="utf-8").splitlines()]


def test_no_scene_and_no_picture_is_on_both_sides(made: list[SuiteItem], tmp_path: Path) -> None:
    manifest = write(tmp_path / "sft", made)
    train, held_out = records(tmp_path / "sft"), list(read_suite(tmp_path / "sft/held-out"))
    assert {item.scene for item in held_out}.isdisjoint(record["scene"] for record in train)
    assert len(train) + len(held_out) == len(made)
    assert [item.id for item in held_out] == [item.id for item in made if item.scene in manifest.held_out.scenes]
    shown = [path for record in train for path in record["image"]]  # type: ignore[attr-defined]
    assert all((tmp_path / "sft" / path).is_file() for path in shown)
    assert {path.split("/")[0] for path in shown} == set(manifest.train.scenes)
    assert validate_suite(tmp_path / "sft/held-out").errors == ()


def test_the_manifest_is_true(made: list[SuiteItem], tmp_path: Path) -> None:
    folder = tmp_path / "sft"
    manifest = write(folder, made, licence="CC BY 4.0", seed=3)
    assert TrainingManifest.model_validate_json((folder / "manifest.json").read_bytes()) == manifest
    for part in (manifest.train, manifest.held_out):
        assert part.sha256 == hashlib.sha256((folder / part.file).read_bytes()).hexdigest()
        assert part.questions == sum(part.kinds.values()) == sum(part.conditions.values())
    assert manifest.train.questions == len(records(folder))
    assert (manifest.licence, manifest.seed, manifest.source) == ("CC BY 4.0", 3, "made")
    assert write(tmp_path / "other", made).licence == "not stated; that of the source holds"


def test_the_same_bytes_again(made: list[SuiteItem], tmp_path: Path) -> None:
    one, other = (write(tmp_path / name, made) for name in ("one", "other"))
    assert one == other
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert files == sorted(p.relative_to(tmp_path / "other") for p in (tmp_path / "other").rglob("*") if p.is_file())
    assert all((tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes() for name in files)


def test_training_on_one_condition_keeps_all_for_the_held_out_scenes(made: list[SuiteItem], tmp_path: Path) -> None:
    manifest = write(tmp_path / "sft", made, conditions=["haze-5"])
    assert {record["condition"] for record in records(tmp_path / "sft")} == {"haze-5"}
    assert manifest.train.left_out == {"of other conditions": manifest.train.questions}
    assert set(manifest.held_out.conditions) == set(CONDITIONS)


def test_nobody_is_taught_to_guess(made: list[SuiteItem], tmp_path: Path) -> None:
    blind = [
        replace(item, tags={**item.tags, "unanswerable": "lost"}) if item.condition != "clean" else item
        for item in made
    ]
    manifest = write(tmp_path / "sft", blind)
    assert set(manifest.train.conditions) == {"clean"}
    reason = "questions that no one could answer from these pictures"
    assert manifest.train.left_out == {reason: manifest.train.questions}
    assert manifest.held_out.conditions["haze-5"] == manifest.held_out.conditions["clean"]
    with pytest.raises(BenchDataError, match="no one could answer"):
        write_suite(blind, tmp_path / "all.jsonl", "sharegpt")


@pytest.mark.parametrize(
    ("change", "more", "message"),
    [
        (lambda one: replace(one, scene=""), {}, "names no scene"),
        (lambda one: one, {"holdout": 4}, "4 of 4 scenes cannot be held out"),
        (lambda one: one, {"holdout": 0}, "0 of 4 scenes"),
        (lambda one: one, {"holdout": ["scene-9"]}, "no scene 'scene-9'; there are: scene-0, scene-1"),
        (lambda one: one, {"conditions": ["rain"]}, "no question has the condition 'rain'; there are: clean, haze-5"),
        (lambda one: replace(one, truth=None), {}, "nothing is left to train on"),
        (lambda one: replace(one, images=one.images[:0]), {}, "without a picture"),
        (lambda one: replace(one, text="<image> ?"), {}, "texts that hold <image>"),
    ],
)
def test_what_cannot_be_split_is_refused(
    made: list[SuiteItem],
    tmp_path: Path,
    change: Callable[[SuiteItem], SuiteItem],
    more: dict[str, object],
    message: str,
) -> None:
    with pytest.raises(BenchDataError, match=message):
        write(tmp_path / "sft", [change(item) for item in made], **more)
    assert not (tmp_path / "sft/manifest.json").exists()
    assert not (tmp_path / "sft/train.jsonl").exists()


def test_scenes_that_share_a_picture_are_refused(made: list[SuiteItem], tmp_path: Path) -> None:
    shared = [replace(item, images=made[0].images[:1] * len(item.images)) for item in made]
    with pytest.raises(BenchDataError, match=r"of the held-out scene .* is trained on"):
        write(tmp_path / "sft", shared)
    assert not (tmp_path / "sft/manifest.json").exists()


def test_a_folder_with_something_in_it_is_left_alone(made: list[SuiteItem], tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BenchDataError, match="exists already"):
        write(tmp_path, made)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@given(scenes=names, seed=st.integers(0, 5), data=st.data())
def test_more_scenes_hold_fewer(scenes: set[str], seed: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, len(scenes) - 2))
    few, more = (set(held_out_scenes(scenes, number, seed=seed)) for number in (count, count + 1))
    assert len(few) == count
    assert few < more < scenes
    assert held_out_scenes(sorted(scenes, reverse=True), tuple(few)) == tuple(sorted(few))


def test_another_seed_holds_other_scenes() -> None:
    scenes = [f"room-{number:03d}" for number in range(40)]
    assert len({held_out_scenes(scenes, 4, seed=seed) for seed in range(8)}) == 8
