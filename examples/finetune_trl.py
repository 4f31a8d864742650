"""Fine-tunes a vision-language model on the data of `seeworthy data sft`: low-rank adapters by PEFT, training by TRL.

    pip install "seeworthy[torch,sft]"
    python examples/finetune_trl.py sft/train.jsonl -o tuned --model Qwen/Qwen3-VL-2B-Instruct

The same command goes on from the last checkpoint. ``tuned/merged`` is then an ordinary model; see docs/finetune.md.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import os
import shutil
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from datasets import Dataset, Image, List
from huggingface_hub import snapshot_download
from peft import LoraConfig, PeftModel
from trl import SFTConfig, SFTTrainer

from seeworthy.bench_data.errors import BenchDataError, SeeworthyError
from seeworthy.bench_data.suites.conversations import IMAGE_MARK
from seeworthy.tools.models.local import load

LAYERS = {
    "language": r".*(language_model|text_model)\..*\.(q_proj|k_proj|v_proj|o_proj|gate_proj|up_proj|down_proj)",
    "all": "all-linear",
}
"""What gets adapters: attention and feed-forward layers of the decoder, or also the vision tower and the projector."""
PROCESSOR_FILES = ("*.json", "*.jinja", "*.txt", "*.model")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Everything that decides the weights, apart from the data and the versions of the libraries."""

    model: str
    revision: str | None
    layers: str
    rank: int
    learning_rate: float
    epochs: float
    steps: int
    batch: int
    accumulate: int
    dtype: str
    gradient_checkpointing: bool
    seed: int


def read_conversations(file: Path) -> Dataset:
    """Conversations as TRL's prompts and completions: the loss is then on the answer and its end mark alone.

    Pictures are opened when their turn comes, and TRL puts them before the text, where `seeworthy bench` has them, too.

    Raises:
        BenchDataError: a record is no question with its pictures and one answer, or a picture is missing.
    """
    columns: dict[str, list[object]] = {"prompt": [], "completion": [], "images": []}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            record = json.loads(line)
            images = [file.parent / path for path in record["image"]]
            asked, answer = (turn["value"] for turn in record["conversations"])
        except (ValueError, KeyError, TypeError) as error:
            raise BenchDataError(f"{file}, line {number}: not one question and one answer ({error!r})") from error
        marks = f"{IMAGE_MARK}\n" * len(images)
        if not images or not asked.startswith(marks) or asked.count(IMAGE_MARK) != len(images):
            raise BenchDataError(f"{file}, line {number}: one {IMAGE_MARK} a picture must stand before the question")
        missing = next((path for path in images if not path.is_file()), None)
        if missing is not None:
            raise BenchDataError(
                f"{file}, line {number}: {missing} is missing; copy the whole folder, pictures included"
            )
        columns["prompt"].append([{"role": "user", "content": asked.removeprefix(marks)}])
        columns["completion"].append([{"role": "assistant", "content": answer}])
        columns["images"].append([str(path) for path in images])
    if not columns["prompt"]:
        raise BenchDataError(f"{file} holds no conversation")
    return Dataset.from_dict(columns).cast_column("images", List(Image()))


def make_trainer(recipe: Recipe, data: Dataset, out: Path, *, save_every: int = 100) -> SFTTrainer:
    """The trainer, with fresh adapters on the model; a checkpoint every so many steps."""
    # On the CPU first: the trainer then moves it to the device of its own process, of which there may be several.
    base = load(recipe.model, device="cpu", dtype=recipe.dtype, revision=recipe.revision)
    config = SFTConfig(
        output_dir=str(out),
        max_length=None,  # a cut would tear a picture's tokens apart
        completion_only_loss=True,
        num_train_epochs=recipe.epochs,
        max_steps=recipe.steps,
        per_device_train_batch_size=recipe.batch,
        gradient_accumulation_steps=recipe.accumulate,
        gradient_checkpointing=recipe.gradient_checkpointing,
        learning_rate=recipe.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=0.03,  # below 1: a share of all steps
        bf16=recipe.dtype == "bfloat16",
        logging_steps=1 if 0 < recipe.steps <= 100 else 10,
        save_steps=save_every,
        save_total_limit=2,
        report_to="none",
        seed=recipe.seed,
    )
    targets = LAYERS[recipe.layers]
    adapters = LoraConfig(
        r=recipe.rank, lora_alpha=2 * recipe.rank, lora_dropout=0.05, target_modules=targets, task_type="CAUSAL_LM"
    )
    return SFTTrainer(
        model=base.model, args=config, train_dataset=data, processing_class=base.processor, peft_config=adapters
    )


def merge(recipe: Recipe, adapters: Path, target: Path) -> None:
    """Writes the model with the adapters added to its weights, beside the files of its processor as they were."""
    part = target.with_name(f"{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    base = load(recipe.model, device="cpu", dtype=recipe.dtype, revision=recipe.revision)
    PeftModel.from_pretrained(base.model, str(adapters)).merge_and_unload().save_pretrained(part)
    source = Path(recipe.model)
    if not source.is_dir():
        source = Path(snapshot_download(recipe.model, revision=recipe.revision, allow_patterns=[*PROCESSOR_FILES]))
    for file in sorted(file for pattern in PROCESSOR_FILES for file in source.glob(pattern)):
        if file.name != "config.json" and not file.name.endswith(".index.json"):
            shutil.copyfile(file, part / file.name)
    part.rename(target)


def hold_to(recipe: Recipe, train: Path, out: Path) -> None:
    """Keeps what the weights depend on; raises BenchDataError when the folder was begun with something else."""
    versions = {name: importlib.metadata.version(name) for name in ("torch", "transformers", "trl", "peft")}
    data = hashlib.sha256(train.read_bytes()).hexdigest()
    text = json.dumps({"recipe": asdict(recipe), "train_sha256": data, "versions": versions}, indent=1) + "\n"
    file = out / "recipe.json"
    if file.exists() and file.read_text(encoding="utf-8") != text:
        raise BenchDataError(f"{out} was begun with other settings, data or versions, see {file}; name another folder")
    out.mkdir(parents=True, exist_ok=True)
    # Whole at once: the other processes of a run on several GPUs read it at the same time.
    part = out / f"recipe.{os.getpid()}.part"
    part.write_text(text, encoding="utf-8")
    part.replace(file)


def run(recipe: Recipe, train: Path, out: Path, *, save_every: int = 100) -> Path:
    """Trains, or goes on training, and merges; returns the merged model's folder."""
    merged = out / "merged"
    if merged.exists():
        raise BenchDataError(f"{merged} exists already; name another folder with -o")
    hold_to(recipe, train, out)
    trainer = make_trainer(recipe, read_conversations(train), out, save_every=save_every)
    # The state is written last: a checkpoint without one was cut off.
    whole = [state.parent for state in out.glob("checkpoint-*/trainer_state.json")]
    last = max(whole, key=lambda folder: int(folder.name.rpartition("-")[2]), default=None)
    trainer.train(resume_from_checkpoint=None if last is None else str(last))
    trainer.save_model(str(out / "adapters"))
    trainer.save_state()
    first_process = trainer.is_world_process_zero()
    del trainer
    if first_process:
        merge(recipe, out / "adapters", merged)
    return merged


def main(arguments: list[str]) -> Path:
    """The command line; returns the merged model's folder."""
    bfloat16 = torch.cuda.is_available() and torch.cuda.is_bf16_supported()
    parser = argparse.ArgumentParser(description="Fine-tunes a vision-language model with low-rank adapters.")
    parser.add_argument("train", type=Path, help="train.jsonl of `seeworthy data sft`")
    parser.add_argument("-o", "--out", type=Path, required=True, help="folder for checkpoints and the merged model")
    parser.add_argument("--model", default="Qwen/Qwen3-VL-2B-Instruct", help="hub id or folder")
    parser.add_argument("--revision", help="branch, tag or commit on the hub")
    parser.add_argument("--layers", choices=sorted(LAYERS), default="language", help="what gets adapters")
    parser.add_argument("--rank", type=int, default=16, help="of the adapters")
    parser.add_argument("--learning-rate", type=float, default=1e-4)
    parser.add_argument("--epochs", type=float, default=1.0)
    parser.add_argument("--steps", type=int, default=-1, help="optimiser steps, instead of epochs")
    parser.add_argument("--batch", type=int, default=4, help="conversations at once")
    parser.add_argument("--accumulate", type=int, default=4, help="batches a step")
    parser.add_argument("--dtype", choices=("bfloat16", "float32"), default="bfloat16" if bfloat16 else "float32")
    parser.add_argument("--gradient-checkpointing", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save-every", type=int, default=100, help="steps between checkpoints")
    values = vars(parser.parse_args(arguments))
    train, out, save_every = (values.pop(name) for name in ("train", "out", "save_every"))
    return run(Recipe(**values), train, out, save_every=save_every)


if __name__ == "__main__":
    try:
        print(f"wrote {main(sys.argv[1:])}")
    except SeeworthyError as error:
        sys.exit(f"error: {error}")
