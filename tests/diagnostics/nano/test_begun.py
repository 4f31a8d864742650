"""The models that a training goes on from: kept, recognised, and refused when they are not what the plan says."""

from __future__ import annotations

from pathlib import Path

import pytest

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.nano.begun import begun_folder, begun_network, digests_of, keep_begun

NAMES = ("nano", "nano-sft")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    for name in NAMES:
        (folder / name).mkdir(parents=True)
        (folder / name / "model.safetensors").write_bytes(name.encode())
        (folder / name / "training.json").write_text("{}")
    return folder


def test_they_are_kept_whole_and_the_source_is_not_needed_again(tmp_path: Path, source: Path) -> None:
    digests, out = digests_of(source, NAMES), tmp_path / "out"
    keep_begun(out, source, digests)
    assert digests_of(out / "begun", NAMES) == digests
    assert (begun_folder(out, "nano") / "training.json").is_file()
    keep_begun(out, None, digests)


def test_other_weights_than_the_plans_are_refused(tmp_path: Path, source: Path) -> None:
    digests, out = digests_of(source, NAMES), tmp_path / "out"
    (source / "nano-sft" / "model.safetensors").write_bytes(b"other")
    with pytest.raises(DiagnosticsError, match="nano-sft holds other weights"):
        keep_begun(out, source, digests)
    (begun_folder(out, "nano") / "model.safetensors").write_bytes(b"other")
    with pytest.raises(DiagnosticsError, match="nano holds other weights"):
        keep_begun(out, source, digests)


def test_a_missing_source_is_told(tmp_path: Path, source: Path) -> None:
    with pytest.raises(DiagnosticsError, match="say from which folder"):
        keep_begun(tmp_path / "out", None, digests_of(source, NAMES))
    with pytest.raises(DiagnosticsError, match="a folder that holds both models"):
        digests_of(tmp_path, NAMES)


def test_what_is_no_model_is_told(tmp_path: Path, source: Path) -> None:
    keep_begun(tmp_path / "out", source, digests_of(source, NAMES))
    with pytest.raises(DiagnosticsError, match="no model to go on from"):
        begun_network(tmp_path / "out", "nano")
