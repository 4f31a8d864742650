"""Samples that other tools carry: pictures as they are or upright, and facts that score like a run of ours."""

from __future__ import annotations

import base64
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from seeworthy.bench_data.questions import AnswerFormat, AnswerType
from seeworthy.bench_data.suites import SuiteImage, write_suite
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.interop.samples import carried_samples, data_uri, judge_carried
from seeworthy.diagnostics.runs import PictureRef, Source
from seeworthy.tools.models import Reply, ReplyStatus

from ..importing.making import items_in, suite_in


def said(text: str) -> Reply:
    return Reply(text=text, status=ReplyStatus.OK)


def picture(root: Path, name: str, image: Image.Image, **how: object) -> PictureRef:
    image.save(root / name, **how)  # type: ignore[arg-type]
    return PictureRef(path=name, sha256="0" * 64, image=SuiteImage(name, root=root))


def decoded(uri: str) -> tuple[str, bytes]:
    head, _, data = uri.partition(";base64,")
    return head.removeprefix("data:"), base64.b64decode(data)


def test_a_sample_asks_what_a_run_asks_and_carries_what_scoring_needs(tmp_path: Path) -> None:
    samples = carried_samples(Source.at(suite_in(tmp_path)))
    first = next(one for one in samples if one.id == "q0@clean")
    assert [kind for kind, _ in first.parts] == ["image", "text"]
    assert first.parts[1][1].startswith("Question 0?\n\nA. the lamp\nB. the sofa")
    assert (first.target, first.facts["chance"], first.facts["scene"]) == ("B", 0.5, "scene 0")
    # Another tool writes the facts to a file and reads them again.
    facts = {one.id: json.loads(json.dumps(one.facts)) for one in samples}
    found = {
        (name, text): judge_carried(facts[f"{name}@clean"], said(text))[1]
        for name, text in (("q0", "**B**"), ("q0", "A"), ("q0", "???"), ("q2", "three"), ("q3", "3 m"))
    }
    assert {key: (one.status, one.score) for key, one in found.items()} == {
        ("q0", "**B**"): ("ok", 1.0),
        ("q0", "A"): ("ok", 0.0),
        ("q0", "???"): ("no_answer", 0.0),
        ("q2", "three"): ("ok", 1.0),
        # An error of a half meets the one threshold of 0.5.
        ("q3", "3 m"): ("ok", pytest.approx(0.1)),
    }


def test_choice_of_samples(tmp_path: Path) -> None:
    source = Source.at(suite_in(tmp_path, conditions=("clean", "haze")))
    assert {one.facts["condition"] for one in carried_samples(source, conditions=["haze"])} == {"haze"}
    few, more = (carried_samples(source, limit=count) for count in (3, 5))
    assert [one.id for one in more[:3]] == [one.id for one in few]
    assert all(kind == "text" for one in carried_samples(source, prompt="blind") for kind, _ in one.parts)
    with pytest.raises(DiagnosticsError, match="no questions of the suite 'crisp'; it has: unnamed"):
        carried_samples(source, suite="crisp")
    with pytest.raises(DiagnosticsError, match="imported"):
        carried_samples(source, prompt="imported")
    with pytest.raises(DiagnosticsError, match="2 turns"):
        carried_samples(source, prompt="describe")
    with pytest.raises(DiagnosticsError, match="at least 1"):
        carried_samples(source, limit=0)


def test_points_are_scored_on_their_mask(tmp_path: Path) -> None:
    item = items_in(tmp_path)[0]
    mask = Image.new("L", (32, 24))
    mask.paste(255, (16, 12, 32, 24))
    mask.save(tmp_path / "mask.png")
    point = replace(
        item,
        answer_format=AnswerFormat(answer_type=AnswerType.POINT),
        truth=None,
        mask=SuiteImage("mask.png", root=tmp_path),
        coordinates="permille",
    )
    write_suite([point], tmp_path / "stress", "robostress")
    (sample,) = carried_samples(Source.at(tmp_path / "stress"))
    assert judge_carried(sample.facts, said("[750, 750]"))[1].score == 1.0
    assert judge_carried(sample.facts, said("[250, 750]"))[1].score == 0.0
    with pytest.raises(DiagnosticsError, match="cannot be read"):
        judge_carried({**sample.facts, "seeworthy_mask": str(tmp_path / "gone.png")}, said("[250, 750]"))


def test_facts_that_were_changed_are_refused(tmp_path: Path) -> None:
    (sample, *_) = carried_samples(Source.at(suite_in(tmp_path)))
    for change in ({"seeworthy_item": None}, {"seeworthy_item": {"id": 3}}, {"seeworthy_space": "miles"}):
        with pytest.raises(DiagnosticsError, match="metadata"):
            judge_carried({**sample.facts, **change}, said("B"))


def test_files_go_out_as_they_are_unless_a_model_would_see_them_askew(tmp_path: Path) -> None:
    image = Image.new("RGB", (24, 16))
    image.paste((255, 0, 0), (0, 0, 4, 16))
    for name, kind in (("a.png", "image/png"), ("a.jpg", "image/jpeg")):
        media_type, data = decoded(data_uri(picture(tmp_path, name, image)))
        assert (media_type, data) == (kind, (tmp_path / name).read_bytes())
    exif = Image.Exif()
    exif[274] = 6
    media_type, data = decoded(data_uri(picture(tmp_path, "turned.jpg", image, exif=exif)))
    shown = Image.open(io.BytesIO(data))
    assert (media_type, shown.size) == ("image/png", (16, 24))
    assert shown.getpixel((8, 1))[0] > 200  # type: ignore[index]
    media_type, data = decoded(data_uri(picture(tmp_path, "a.bmp", image)))
    assert (media_type, Image.open(io.BytesIO(data)).size) == ("image/png", (24, 16))


def test_a_picture_that_cannot_be_read_is_named_before_anything_is_asked(tmp_path: Path) -> None:
    suite = suite_in(tmp_path)
    (tmp_path / "images/clean.png").write_bytes(b"no picture")
    with pytest.raises(Exception, match=r"clean\.png"):
        carried_samples(Source.at(suite))
