"""The fine-tuning recipe, from training data to a model that answers, on a tiny random Qwen3-VL.

Opt-in by installation: pip install trl peft datasets.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.suites import SuiteItem
from seeworthy.bench_data.suites.training import write_training_data
from seeworthy.diagnostics.runs.items import with_pictures
from seeworthy.diagnostics.runs.prompts import PROMPTS
from seeworthy.tools.models import GenerationSettings, ImagePart, Message, ReplyStatus, Request, TextPart
from seeworthy.tools.models.registry import resolve_model
from tests.bench_data.suites.making import items, picture, questions

for _name in ("trl", "peft", "datasets"):
    pytest.importorskip(_name, reason=f"the recipe needs {_name}: pip install trl peft datasets")

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("finetune")]

IGNORED = -100
SIZE = (96, 72)


@pytest.fixture(scope="module")
def recipe() -> ModuleType:
    """The example as a module; it is no part of a package."""
    path = Path(__file__).resolve().parents[2] / "examples" / "finetune_trl.py"
    spec = importlib.util.spec_from_file_location("finetune_trl", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["finetune_trl"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from seeworthy.tools.models.tiny import build_tiny_qwen3_vl

    return build_tiny_qwen3_vl(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[SuiteItem]:
    """Questions about one and two pictures, of two scenes with pictures of their own."""
    root = tmp_path_factory.mktemp("source")
    found = [one for seed in (1, 2) for one in items(root, questions(seed=seed, most=6))]
    for number, path in enumerate(sorted({image.path for one in found for image in one.images})):
        picture(root / path, seed=number, size=SIZE)
    assert {len(one.images) for one in found} == {1, 2}
    return found


@pytest.fixture(scope="module")
def train(made: list[SuiteItem], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "sft"
    write_training_data(lambda: iter(made), folder, source="made", holdout=["made-room-2"])
    return folder / "train.jsonl"


def settings(recipe: ModuleType, model: Path, **more: object) -> Any:
    values: dict[str, object] = {
        "model": str(model),
        "revision": None,
        "layers": "language",
        "rank": 4,
        "learning_rate": 1e-2,
        "epochs": 1.0,
        "steps": 3,
        "batch": 2,
        "accumulate": 1,
        "dtype": "float32",
        "gradient_checkpointing": True,
        "seed": 0,
    }
    return recipe.Recipe(**{**values, **more})


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


@pytest.fixture(scope="module")
def tuned(recipe: ModuleType, model: Path, train: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run of three steps."""
    out = tmp_path_factory.mktemp("tuned") / "run"
    assert recipe.run(settings(recipe, model), train, out) == out / "merged"
    return out


def test_the_loss_is_on_the_answer_and_its_end_alone(
    recipe: ModuleType, model: Path, train: Path, tmp_path: Path
) -> None:
    data = recipe.read_conversations(train)
    trainer = recipe.make_trainer(settings(recipe, model), data, tmp_path)
    tokenizer = trainer.processing_class.tokenizer
    picture_id = trainer.model.config.image_token_id
    records = [json.loads(line) for line in train.read_text(encoding="utf-8").splitlines()]
    one, two = (next(at for at, record in enumerate(records) if len(record["image"]) == n) for n in (1, 2))
    batch = trainer.data_collator([data[one], data[two]])
    for row, record in enumerate((records[one], records[two])):
        labels, ids = batch["labels"][row], batch["input_ids"][row]
        taught = labels != IGNORED
        assert labels[taught].tolist() == ids[taught].tolist()
        assert tokenizer.decode(labels[taught]) == record["conversations"][1]["value"] + tokenizer.eos_token
        assert (ids == picture_id).sum() >= 4 * len(record["image"])
        assert not taught[ids == picture_id].any()
        assert not taught[batch["attention_mask"][row] == 0].any()


def test_what_is_trained_on_is_what_a_run_sends(
    recipe: ModuleType, model: Path, train: Path, made: list[SuiteItem], tmp_path: Path
) -> None:
    """Token for token, so that nothing but the weights differs between training and asking."""
    from seeworthy.tools.models.local.conversation import conversation

    data = recipe.read_conversations(train)
    trainer = recipe.make_trainer(settings(recipe, model), data, tmp_path)
    asked = {one.id: one for one in with_pictures(made)}
    for number, line in enumerate(train.read_text(encoding="utf-8").splitlines()):
        item = asked[json.loads(line)["id"]]
        sent = trainer.processing_class.apply_chat_template(
            [conversation([message_of(item)])],
            tokenize=True,
            add_generation_prompt=True,
            return_dict=True,
            return_tensors="pt",
        )
        batch = trainer.data_collator([data[number]])
        prompt = batch["input_ids"][0][batch["labels"][0] == IGNORED]
        assert prompt.tolist() == sent["input_ids"][0].tolist()
        assert bool((batch["pixel_values"] == sent["pixel_values"]).all())


def message_of(item: Any) -> Message:
    from seeworthy.tools.models import CoordinateSpace

    *shown, text = PROMPTS.get("plain").parts(item, CoordinateSpace.PERMILLE)
    return Message(parts=(*(ImagePart(picture=one.image.load()) for one in shown), TextPart(text=text)))


def test_three_steps_change_the_decoder_and_nothing_else(tuned: Path, model: Path) -> None:
    import torch

    state = json.loads((tuned / "trainer_state.json").read_text())
    losses = [entry["loss"] for entry in state["log_history"] if "loss" in entry]
    assert len(losses) == 3
    assert all(0 < float(loss) < 20 for loss in losses)
    before, after = weights(model), weights(tuned / "merged")
    assert before.keys() == after.keys()
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert changed
    assert all("language_model" in name and "_proj" in name for name in changed)
    assert all(bool(torch.isfinite(value).all()) for value in after.values())
    for name in ("tokenizer.json", "preprocessor_config.json", "chat_template.jinja"):
        assert (tuned / "merged" / name).read_bytes() == (model / name).read_bytes()


async def test_the_merged_model_answers_held_out_questions(tuned: Path, made: list[SuiteItem]) -> None:
    tuned_model = resolve_model(f"hf/{tuned / 'merged'}", {"device": "cpu"})
    held_out = [one for one in with_pictures(made) if one.scene == "made-room-2"]
    request = Request(messages=(message_of(held_out[0]),), settings=GenerationSettings(max_tokens=32))
    reply = await tuned_model.reply(request)
    assert reply.status in (ReplyStatus.OK, ReplyStatus.TRUNCATED), reply.fault
    assert reply.text.strip()


def test_a_stopped_run_goes_on_to_the_same_weights(
    recipe: ModuleType, model: Path, train: Path, tmp_path: Path
) -> None:
    import torch

    chosen = settings(recipe, model, steps=4)
    whole = recipe.run(chosen, train, tmp_path / "whole", save_every=2)
    stopped = tmp_path / "stopped"
    shutil.copytree(tmp_path / "whole" / "checkpoint-2", stopped / "checkpoint-2")
    shutil.copy(tmp_path / "whole" / "recipe.json", stopped)
    shutil.copytree(tmp_path / "whole" / "checkpoint-4", stopped / "checkpoint-4")
    (stopped / "checkpoint-4" / "trainer_state.json").unlink()  # killed while it was written
    saved = (stopped / "checkpoint-2" / "optimizer.pt").stat().st_mtime_ns
    resumed = recipe.run(chosen, train, stopped, save_every=2)
    assert (stopped / "checkpoint-2" / "optimizer.pt").stat().st_mtime_ns == saved, "it began anew"
    one, other = weights(whole), weights(resumed)
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_other_settings_or_data_are_refused(
    recipe: ModuleType, tuned: Path, model: Path, train: Path, tmp_path: Path
) -> None:
    with pytest.raises(BenchDataError, match="merged exists already"):
        recipe.run(settings(recipe, model), train, tuned)
    shutil.copy(tuned / "recipe.json", tmp_path)
    with pytest.raises(BenchDataError, match="begun with other settings"):
        recipe.run(settings(recipe, model, seed=1), train, tmp_path)
    shorter = tmp_path / "train.jsonl"
    shorter.write_bytes(train.read_bytes().split(b"\n")[0] + b"\n")
    with pytest.raises(BenchDataError, match="begun with other settings, data"):
        recipe.run(settings(recipe, model), shorter, tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"image": ["gone.png"]}, "line 1: .*gone.png is missing"),
        ({"image": []}, "one <image> a picture"),
        ({"image": None}, "line 1: not one question and one answer"),
        ({"conversations": [{"from": "human", "value": "?"}]}, "line 1: not one question and one answer"),
        ({"conversations": [{"from": "human", "value": "?"}, {"from": "gpt", "value": "A"}]}, "one <image> a picture"),
    ],
)
def test_bad_records_are_named(
    recipe: ModuleType, train: Path, tmp_path: Path, change: dict[str, object], message: str
) -> None:
    record = json.loads(train.read_text(encoding="utf-8").splitlines()[0])
    record["image"], record["conversations"][0]["value"] = ["a.png"], "<image>\n?"
    (tmp_path / "train.jsonl").write_text(json.dumps({**record, **change}) + "\n")
    with pytest.raises(BenchDataError, match=message):
        recipe.read_conversations(tmp_path / "train.jsonl")


def test_adapters_on_all_layers_reach_the_vision_tower(
    recipe: ModuleType, model: Path, train: Path, tmp_path: Path
) -> None:
    chosen = replace(settings(recipe, model), layers="all", gradient_checkpointing=False)
    trainer = recipe.make_trainer(chosen, recipe.read_conversations(train), tmp_path)
    trained = {name for name, parameter in trainer.model.named_parameters() if parameter.requires_grad}
    assert any("visual" in name for name in trained)
    assert any("language_model" in name for name in trained)
    assert not any("lm_head" in name for name in trained)
