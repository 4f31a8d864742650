"""The whole training, with so few steps that it learns nothing: what it writes, and that it goes on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from seeworthy.bench_data.images import Picture
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.nano import NAMES, FurtherPlan, StageSettings, TrainingPlan, digests_of, train
from seeworthy.diagnostics.nano.rooms import RoomSettings
from seeworthy.tools.models import ImagePart, Message, ReplyStatus, Request, TextPart
from seeworthy.tools.models.registry import resolve_model


def _stage(steps: int, batch: int) -> StageSettings:
    return StageSettings(steps=steps, batch=batch, learning_rate=1e-3)


PLAN = TrainingPlan(
    rooms=1,
    held_out=1,
    counted=1,
    examined=2,
    room=RoomSettings(views=2, density=0.1, numberings=1),
    tower=_stage(2, 2),
    decoder=_stage(2, 2),
    alignment=_stage(2, 2),
    joint=_stage(2, 2),
    room_tokens=100,
)


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """Two tests at once on two cores: threads would wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("nano")
    assert [folder.name for folder in train(out, PLAN, jobs=1)] == list(NAMES)
    return out


@pytest.mark.slow
def test_both_models_load_like_any_other_and_speak(trained: Path) -> None:
    picture = Picture(np.full((144, 192, 3), 120, dtype=np.uint8))
    for name in NAMES:
        model = resolve_model(f"hf/{trained / name}")
        request = Request(
            messages=(Message(parts=(ImagePart(picture=picture), TextPart(text="Is object 1 above object 2?"))),)
        )
        assert asyncio.run(model.reply(request)).status in (ReplyStatus.OK, ReplyStatus.TRUNCATED)


@pytest.mark.slow
def test_the_record_holds_plan_versions_and_curves(trained: Path) -> None:
    record = json.loads((trained / "nano-sft" / "training.json").read_text(encoding="utf-8"))
    assert TrainingPlan.model_validate(record["plan"]) == PLAN
    assert set(record["curves"]) == {"tower", "decoder", "alignment", "joint-nano-sft"}
    assert record["curves"]["tower"][-1]["step"] == 2
    assert "torch" in record["versions"]
    assert "degraded" in (trained / "nano-sft" / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_same_plan_goes_on_where_it_was_left(trained: Path) -> None:
    before = {name: (trained / name / "model.safetensors").read_bytes() for name in NAMES}
    (trained / "joint-nano-sft.pt").unlink()
    said: list[str] = []
    train(trained, PLAN, jobs=1, on_step=lambda what, done, total, loss: said.append(what))
    assert set(said) == {"joint-nano-sft"}
    assert {name: (trained / name / "model.safetensors").read_bytes() for name in NAMES} == before


@pytest.mark.slow
def test_a_folder_of_another_plan_is_refused(trained: Path) -> None:
    with pytest.raises(DiagnosticsError, match=r"another plan \(seed\)"):
        train(trained, PLAN.model_copy(update={"seed": 2}), jobs=1)


@pytest.mark.slow
def test_a_training_goes_on_from_finished_models_and_tells_of_the_one_before(trained: Path, tmp_path: Path) -> None:
    plan = FurtherPlan(
        **PLAN.model_dump(include={"rooms", "held_out", "counted", "examined", "joint", "tower"}),
        room=PLAN.room.model_copy(update={"seed": 8}),
        begun=digests_of(trained, NAMES),
    )
    out, said = tmp_path / "further", list[str]()
    train(out, plan, begun=trained, jobs=1, on_step=lambda what, *_: said.append(what))
    assert set(said) == {"rooms", "tower-nano", "tower-nano-sft", "joint-nano", "joint-nano-sft"}
    record = json.loads((out / "nano" / "training.json").read_text(encoding="utf-8"))
    assert FurtherPlan.model_validate(record["plan"]) == plan
    assert set(record["curves"]) == {"tower-nano", "joint-nano"}
    assert TrainingPlan.model_validate(record["before"]["plan"]) == PLAN
    before, after = ((folder / "nano" / "tokenizer.json").read_bytes() for folder in (trained, out))
    assert before == after
    assert digests_of(out, NAMES) != digests_of(trained, NAMES)
    with pytest.raises(DiagnosticsError, match=r"another plan \(from finished models\)"):
        train(out, PLAN, jobs=1)
    (out / "joint-nano.pt").unlink()
    said.clear()
    train(out, plan, jobs=1, on_step=lambda what, *_: said.append(what))
    assert set(said) == {"joint-nano"}


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("private")
    with pytest.raises(DiagnosticsError, match="holds no training"):
        train(tmp_path, PLAN)
    (tmp_path / "plan.json").write_text("{}x")
    with pytest.raises(DiagnosticsError, match="no plan of a training"):
        train(tmp_path, PLAN)
