"""The models that a training goes on from: kept, recognised, and refused when they are not what the plan says."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import seeworthy.tools.models.nano as package
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.nano import NAMES, FurtherPlan, TrainingPlan, train
from seeworthy.diagnostics.nano.begun import begun_folder, check_begun, digests_of, keep_begun
from seeworthy.diagnostics.nano.rooms import RoomSettings

UNSEEN = RoomSettings(seed=4711)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    for name in NAMES:
        shutil.copytree(Path(package.__path__[0]) / name, folder / name)
    return folder


def plan_from(source: Path, room: RoomSettings = UNSEEN) -> FurtherPlan:
    return FurtherPlan(begun=digests_of(source, NAMES), room=room)


def test_they_are_kept_whole_and_the_source_is_not_needed_again(tmp_path: Path, source: Path) -> None:
    plan, out = plan_from(source), tmp_path / "out"
    check_begun(out, source, plan)
    keep_begun(out, source, NAMES)
    assert (begun_folder(out, "nano") / "training.json").is_file()
    shutil.rmtree(source)
    assert digests_of(source, NAMES, out=out) == plan.begun
    check_begun(out, None, plan)
    keep_begun(out, None, NAMES)


def test_a_copy_that_was_killed_is_made_anew(tmp_path: Path, source: Path) -> None:
    out = tmp_path / "out"
    half = begun_folder(out, ".nano")
    half.mkdir(parents=True)
    (half / "model.safetensors").write_bytes(b"half")
    keep_begun(out, source, NAMES)
    assert digests_of(out / "begun", NAMES) == digests_of(source, NAMES)


def test_a_source_that_changed_under_a_training_is_told(tmp_path: Path, source: Path) -> None:
    keep_begun(tmp_path / "out", source, NAMES)
    (source / "nano-sft" / "model.safetensors").write_bytes(b"other")
    with pytest.raises(DiagnosticsError, match=r"went on from other weights than those in .*nano-sft"):
        digests_of(source, NAMES, out=tmp_path / "out")


def _other_weights(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"other")


def _no_network(folder: Path) -> None:
    (folder / "config.json").write_text("{")


def _no_tokenizer(folder: Path) -> None:
    for file in folder.glob("tokenizer*"):
        file.unlink()


def _another_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes() + b"\n")


def _no_record(folder: Path) -> None:
    (folder / "training.json").write_text("[]")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_other_weights, "other weights than those of the plan"),
        (_no_network, "is no model to go on from"),
        (_no_tokenizer, "holds no tokenizer"),
        (_another_tokenizer, "have tokenizers of their own"),
        (_no_record, "is no record of a training; remove it"),
        (shutil.rmtree, "name a folder that holds both models"),
    ],
)
def test_what_cannot_be_gone_on_from_is_told_before_anything_is_made(
    tmp_path: Path, source: Path, damage: Callable[[Path], None], message: str
) -> None:
    plan, out = plan_from(source), tmp_path / "out"
    damage(source / "nano-sft")
    with pytest.raises(DiagnosticsError, match=message):
        train(out, plan, begun=source, jobs=1)
    assert not out.exists()


def test_without_a_source_it_is_asked_for(tmp_path: Path, source: Path) -> None:
    with pytest.raises(DiagnosticsError, match="say from which folder"):
        train(tmp_path / "out", plan_from(source))


def test_rooms_that_one_was_taught_on_are_refused_however_long_ago(tmp_path: Path, source: Path) -> None:
    record_file = source / "nano" / "training.json"
    record = {"plan": {"room": {"seed": 31}}, "before": json.loads(record_file.read_text(encoding="utf-8"))}
    record_file.write_text(json.dumps(record), encoding="utf-8")
    for seed in (31, RoomSettings().seed):
        with pytest.raises(DiagnosticsError, match=f"was taught on rooms of seed {seed}"):
            check_begun(tmp_path / "out", source, plan_from(source, RoomSettings(seed=seed)))


def test_a_plan_from_nothing_begins_nowhere(tmp_path: Path, source: Path) -> None:
    with pytest.raises(DiagnosticsError, match="begins from nothing"):
        train(tmp_path / "out", TrainingPlan(), begun=source)
    assert not (tmp_path / "out").exists()
