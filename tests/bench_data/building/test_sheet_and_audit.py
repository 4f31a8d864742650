"""Contact sheets and audits of a data set."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from seeworthy.bench_data.building import DataSet
from seeworthy.bench_data.building.auditing import audit_data_set, audit_question_files
from seeworthy.bench_data.building.sheet import SheetChoice, contact_sheet
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.images import load_image

pytestmark = pytest.mark.xdist_group("building")


class TestSheet:
    def test_pictures_stand_where_they_belong(self, built: DataSet) -> None:
        sheet = np.asarray(contact_sheet(built, SheetChoice(conditions=("clean", "haze-3"), views=1, questions=0)))
        assert sheet.shape[1] == 2 * 330 + 10
        record = built.record("haze-3", "room-000", "view-00")
        name = record.marked.get("crisp", record.picture)
        from PIL import Image

        shown = Image.fromarray(load_image(built.root / name).image_srgb_u8).resize(
            (320, 240), Image.Resampling.LANCZOS
        )
        head = next(y for y in range(sheet.shape[0]) if (sheet[y, 350] != 255).any())
        found = [y for y in range(head + 1) if np.array_equal(sheet[y : y + 240, 340:660], np.asarray(shown))]
        assert len(found) == 1

    def test_texts_make_it_longer_and_fit_its_width(self, built: DataSet) -> None:
        bare = contact_sheet(built, SheetChoice(views=2, questions=0))
        asked = contact_sheet(built, SheetChoice(views=2, questions=3))
        assert asked.width == bare.width
        assert asked.height > bare.height
        assert (np.asarray(asked)[:, -8:] == 255).all()

    def test_the_same_each_time(self, built: DataSet) -> None:
        choice = SheetChoice(scene="street-001", suite="spacedg", conditions=("distortion-3",))
        assert contact_sheet(built, choice).tobytes() == contact_sheet(built, choice).tobytes()

    @pytest.mark.parametrize(
        ("choice", "says"),
        [
            (SheetChoice(scene="cellar"), "no scene 'cellar'; it has room-000, street-001"),
            (SheetChoice(conditions=("fog",)), "no condition 'fog'"),
            (SheetChoice(suite="quiz"), "no suite 'quiz'"),
        ],
    )
    def test_what_is_not_there(self, built: DataSet, choice: SheetChoice, says: str) -> None:
        with pytest.raises(BenchDataError, match=says):
            contact_sheet(built, choice)


@pytest.fixture
def copied(built: DataSet, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built.root, tmp_path / "copy"))


class TestAudit:
    def test_nothing_is_wrong_with_what_was_built(self, built: DataSet) -> None:
        audit = audit_data_set(built.root)
        assert audit.ok
        assert audit.files == len(built.manifest.files)
        assert audit.keys is not None
        assert {suite: report.questions for suite, report in audit.keys.items()} == built.manifest.questions
        assert audit.whole.questions == sum(built.manifest.questions.values())
        assert audit.whole.too_few

    def test_a_leak_of_the_whole_fails_the_audit(self, built: DataSet) -> None:
        audit = audit_data_set(built.root)
        found = replace(audit.whole, guesses=(replace(audit.whole.guesses[0], leaks=True),))
        assert not replace(audit, whole=found).ok

    def test_changed_and_missing_files_are_named(self, copied: Path) -> None:
        (copied / "images/clean/room-000/view-00.png").write_bytes(b"other")
        (copied / "poses/room-000/transforms.json").unlink()
        audit = audit_data_set(copied)
        assert not audit.ok
        assert set(audit.changed) == {"images/clean/room-000/view-00.png", "poses/room-000/transforms.json"}
        assert audit_data_set(copied, check_files=False).ok

    def test_a_wrong_key_is_found(self, copied: Path) -> None:
        path = copied / "questions/spacedg.jsonl"
        lines = path.read_text().splitlines()
        place = next(at for at, line in enumerate(lines) if isinstance(json.loads(line)["truth"], bool))
        record = json.loads(lines[place])
        record["truth"] = not record["truth"]
        path.write_text("\n".join([*lines[:place], json.dumps(record), *lines[place + 1 :]]) + "\n")
        audit = audit_question_files([path], copied / "truth")
        assert audit.keys is not None
        assert {fault.question for fault in audit.keys["spacedg"].faults} == {record["id"]}
        assert audit_question_files([path]).keys is None

    def test_what_cannot_be_audited(self, built: DataSet, tmp_path: Path) -> None:
        with pytest.raises(BenchDataError, match="holds no truths"):
            audit_question_files([built.root / "questions/crisp.jsonl"], tmp_path)
        (tmp_path / "bad.jsonl").write_text('{"id": 3}\n')
        with pytest.raises(BenchDataError, match=r"bad\.jsonl, line 1: not a question"):
            audit_question_files([tmp_path / "bad.jsonl"])
        with pytest.raises(BenchDataError, match="cannot read"):
            audit_question_files([tmp_path / "none.jsonl"])
