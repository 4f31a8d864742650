"""The whole training: rooms, tokenizer, four stages, two checkpoints. It goes on where it was left."""

from __future__ import annotations

import multiprocessing
import os
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from pydantic import BaseModel, ConfigDict, Field

from ...bench_data.degrade.seeds import derived_rng
from ...bench_data.memory import tune_glibc_malloc
from ...bench_data.scenes.procedural import make_room
from ...bench_data.whole_file import whole_file
from ..errors import DiagnosticsError
from .beginnings import begin_by_likeness, symbol_embedding
from .corpus import Corpus
from .dense import symbol_head
from .lessons import GRAPH_KIND
from .network import WIDTH, build_network, save_network
from .packing import Speller
from .record import write_card, write_record
from .rooms import RoomSettings, make_shard, read_shard, shard_file
from .stage import Stage, StageSettings, run_stage
from .stages import Parts, alignment_stage, decoder_stage, joint_stage, tower_stage
from .tokenizer import build_tokenizer, graph_lines_of, phrases_of

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

__all__ = ["NAMES", "TrainingPlan", "train"]

NAMES: Final = ("nano", "nano-sft")
"""The model that saw clean pictures only, and the one that saw degraded ones too, in the same number of steps."""

_SHARES_FROM, _PHRASES_FROM = 100, 40
_SPARSE: Final = 0.05
OnStep = Callable[[str, int, int, float], None]
"""Called with what is being done, how much of it is done, how much there is, and the loss (NaN where there is none)."""


class TrainingPlan(BaseModel):
    """Everything that decides the weights.

    Args:
        seed: of weights and draws.
        rooms: how many to learn from.
        held_out: further rooms, for the curve alone.
        room: how they are made.
        tower, decoder, alignment, joint: the stages.
        room_tokens: of questions about one picture.
        degraded_share: of the pictures that nano-sft sees degraded in the last stage.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int = 1
    rooms: int = Field(default=600, ge=1)
    held_out: int = Field(default=8, ge=1)
    room: RoomSettings = RoomSettings()
    tower: StageSettings = StageSettings(steps=12_000, batch=24, learning_rate=1e-3, weight_decay=0.05)
    decoder: StageSettings = StageSettings(steps=12_000, batch=5, learning_rate=2e-3, weight_decay=0.02)
    alignment: StageSettings = StageSettings(steps=600, batch=24, learning_rate=2e-3)
    joint: StageSettings = StageSettings(steps=6_000, batch=8, learning_rate=5e-4)
    room_tokens: int = Field(default=360, ge=64)
    degraded_share: float = Field(default=0.5, gt=0, le=1)


def train(out: Path, plan: TrainingPlan, *, jobs: int | None = None, on_step: OnStep | None = None) -> list[Path]:
    """Trains both models.

    Args:
        out: a folder for all that is made on the way; the same plan goes on in it.
        plan: what to do.
        jobs: processes that make rooms; None for one a core.
        on_step: told how it goes.

    Returns:
        The folders of the checkpoints.

    Raises:
        DiagnosticsError: the folder belongs to another plan, or something in it is damaged.
    """
    import torch

    tune_glibc_malloc()
    _claim(out, plan)
    rooms = [*range(plan.held_out), *range(plan.held_out, plan.held_out + plan.rooms)]
    _make_rooms(out, plan, rooms, jobs or os.cpu_count() or 1, on_step)
    tokenizer = _tokenizer(out, rooms)
    torch.manual_seed(plan.seed)
    network = build_network(tokenizer)
    begin_by_likeness(network)
    parts = Parts(network, symbol_head(WIDTH), symbol_embedding(network, tokenizer), tokenizer)
    speller = Speller(tokenizer)
    held_out = Corpus(out / "rooms", rooms[: plan.held_out], speller)
    clean = Corpus(out / "rooms", rooms[plan.held_out :], speller)
    curves = {}

    def run(stage: Stage, settings: StageSettings) -> None:
        curves[stage.name] = run_stage(stage, settings, out, seed=plan.seed, on_step=on_step)

    run(tower_stage(parts, clean, held_out, batch=plan.tower.batch), plan.tower)
    run(
        decoder_stage(parts, clean, held_out, batch=plan.decoder.batch, room_tokens=plan.room_tokens),
        plan.decoder,
    )
    run(alignment_stage(parts, clean, held_out, batch=plan.alignment.batch), plan.alignment)
    shared = {name: value.clone() for name, value in parts.network.state_dict().items()}
    shared_head = {name: value.clone() for name, value in parts.head.state_dict().items()}
    folders = []
    for name in NAMES:
        parts.network.load_state_dict(shared)
        parts.head.load_state_dict(shared_head)
        corpus = clean
        if name != NAMES[0]:
            corpus = Corpus(out / "rooms", rooms[plan.held_out :], speller, degraded_share=plan.degraded_share)
        run(
            joint_stage(
                parts, corpus, held_out, batch=plan.joint.batch, room_tokens=plan.room_tokens, name=f"joint-{name}"
            ),
            plan.joint,
        )
        folder = out / name
        folder.mkdir(exist_ok=True)
        network = build_network(tokenizer)
        network.load_state_dict(parts.network.state_dict())
        save_network(network, tokenizer, folder)
        write_record(
            folder,
            plan,
            {stage: curve for stage, curve in curves.items() if "joint" not in stage or stage == f"joint-{name}"},
        )
        write_card(folder, name)
        folders.append(folder)
    return folders


def _claim(out: Path, plan: TrainingPlan) -> None:
    """Writes the plan down, or compares it with the one that is there."""
    file = out / "plan.json"
    if file.is_file():
        try:
            before = TrainingPlan.model_validate_json(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise DiagnosticsError(f"{file} is no plan of a training: {error}; name another folder") from error
        if before != plan:
            other = sorted(name for name in TrainingPlan.model_fields if getattr(before, name) != getattr(plan, name))
            raise DiagnosticsError(
                f"{out} holds a training with another plan ({', '.join(other)}); name another folder or repeat its plan"
            )
        return
    if out.exists() and any(out.iterdir()):
        raise DiagnosticsError(f"{out} is not empty and holds no training; name a new folder")
    with whole_file(file) as part:
        part.write_text(plan.model_dump_json(indent=1) + "\n", encoding="utf-8")


def _make_rooms(out: Path, plan: TrainingPlan, rooms: Sequence[int], jobs: int, on_step: OnStep | None) -> None:
    folder = out / "rooms"
    missing = [room for room in rooms if not shard_file(folder, room).is_file()]
    if not missing:
        return
    shares = _label_shares(plan)
    # Rendering starts threads, which a forked child would inherit half-alive.
    with ProcessPoolExecutor(min(jobs, len(missing)), mp_context=multiprocessing.get_context("spawn")) as pool:
        made = [pool.submit(make_shard, shard_file(folder, room), room, plan.room, shares) for room in missing]
        for done, one in enumerate(made, len(rooms) - len(missing) + 1):
            one.result()
            if on_step is not None:
                on_step("rooms", done, len(rooms), float("nan"))


def _label_shares(plan: TrainingPlan) -> dict[str, float]:
    """Category -> share of rooms that hold it, from rooms like those to come."""
    holding: Counter[str] = Counter()
    rng = derived_rng("nano label shares", plan.seed)
    for _ in range(_SHARES_FROM):
        objects = int(rng.integers(8, 19))
        room = make_room(int(rng.integers(2**53)), objects=objects, views=1, density=_SPARSE)
        holding.update({one.label for one in room.objects})
    return {label: count / _SHARES_FROM for label, count in sorted(holding.items())}


def _tokenizer(out: Path, rooms: Sequence[int]) -> PreTrainedTokenizerFast:
    from transformers import PreTrainedTokenizerFast

    folder = out / "tokenizer"
    if folder.is_dir():
        return cast("PreTrainedTokenizerFast", PreTrainedTokenizerFast.from_pretrained(folder))
    lessons = [
        one
        for room in rooms[:_PHRASES_FROM]
        for row in read_shard(shard_file(out / "rooms", room)).lessons
        for one in row
    ]
    graphs = [one.prompt for one in lessons if one.kind == GRAPH_KIND]
    asked = [one for one in lessons if one.kind != GRAPH_KIND]
    texts = [one.prompt for one in asked]
    names = {name for one in asked for name in one.names}
    words = sorted({*names, *texts, *graphs, *(one.answer for one in asked)})
    tokenizer = build_tokenizer(phrases_of(texts, names), graph_lines_of(graphs), words)
    tokenizer.save_pretrained(folder)
    return tokenizer
