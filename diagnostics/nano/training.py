"""The whole training: rooms, tokenizer, four stages, two checkpoints. It goes on where it was left."""

from __future__ import annotations

import multiprocessing
import os
import queue
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
from .beginnings import begin_by_likeness, begin_by_names, symbol_embedding
from .choices import choice_head
from .comparisons import comparison_head
from .corpus import Corpus
from .dense import symbol_head
from .lessons import GRAPH_KIND
from .mentions import mention_head
from .network import WIDTH, build_network, save_network
from .packing import Speller
from .record import write_card, write_record
from .rooms import RoomSettings, make_shard, read_shard, shard_file
from .stage import Stage, StageSettings, finished, load_modules, read_curve, run_stage
from .stages import Parts, alignment_stage, decoder_stage, joint_stage, tower_stage
from .tokenizer import build_tokenizer, graph_lines_of, phrases_of

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

__all__ = ["NAMES", "TrainingPlan", "train"]

NAMES: Final = ("nano", "nano-sft")
"""The model that saw clean pictures only, and the one that saw degraded ones too, in the same number of steps."""

_PHRASES_FROM = 40
_SPARSE: Final = 0.05
_Said = tuple[str, int, int, float]
_LISTEN_S = 0.5
OnStep = Callable[[str, int, int, float], None]
"""Called with what is being done, how much of it is done, how much there is, and the loss (NaN where there is none)."""


class TrainingPlan(BaseModel):
    """Everything that decides the weights.

    Args:
        seed: of weights and draws.
        rooms: how many to learn from.
        held_out: further rooms, for the curve alone.
        room: how they are made.
        examined: held-out pictures at every checkpoint.
        counted: further rooms, in which it is only counted how often each category occurs.
        tower, decoder, alignment, joint: the stages.
        room_tokens: of questions about one picture, for the decoder alone.
        joint_room_tokens: the same in the last stage, where pictures cost more.
        degraded_share: of the pictures that nano-sft sees degraded in the last stage.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int = 1
    rooms: int = Field(default=360, ge=1)
    held_out: int = Field(default=8, ge=1)
    room: RoomSettings = RoomSettings()
    examined: int = Field(default=48, ge=1)
    counted: int = Field(default=100, ge=1)
    tower: StageSettings = StageSettings(steps=3_600, batch=16, learning_rate=1.5e-3, weight_decay=0.05)
    decoder: StageSettings = StageSettings(steps=5_400, batch=5, learning_rate=2e-3, weight_decay=0.02)
    alignment: StageSettings = StageSettings(steps=400, batch=24, learning_rate=2e-3)
    joint: StageSettings = StageSettings(steps=1_300, batch=10, learning_rate=7e-4)
    room_tokens: int = Field(default=360, ge=64)
    joint_room_tokens: int = Field(default=240, ge=64)
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
    tune_glibc_malloc()
    _claim(out, plan)
    rooms = range(plan.held_out + plan.rooms)
    _make_rooms(out, plan, rooms, jobs or os.cpu_count() or 1, on_step)
    tokenizer = _tokenizer(out, rooms)
    apart = (jobs or os.cpu_count() or 1) > 1
    _run_all((("tower",), ("decoder",)), out, plan, apart, on_step)
    _run_all((("alignment",),), out, plan, apart, on_step)
    _run_all(tuple((f"joint-{name}",) for name in NAMES), out, plan, apart, on_step)
    return [_checkpoint(out, plan, name, tokenizer) for name in NAMES]


class _Work:
    """What the stages of a training share: the network with all that is finished of it, and the rooms."""

    def __init__(self, out: Path, plan: TrainingPlan) -> None:
        import torch

        self._out, self._plan = out, plan
        tokenizer = _tokenizer(out, range(plan.held_out + plan.rooms))
        torch.manual_seed(plan.seed)
        network = build_network(tokenizer)
        begin_by_likeness(network, tokenizer)
        symbols = symbol_embedding(network, tokenizer)
        begin_by_names(network, tokenizer)
        readers = {
            "mentions": mention_head(WIDTH),
            "comparisons": comparison_head(WIDTH),
            "choices": choice_head(WIDTH),
        }
        self.parts = Parts(network, symbol_head(WIDTH), symbols, torch.nn.ModuleDict(readers), tokenizer, plan.examined)
        self._speller = Speller(tokenizer)

    def stage(self, name: str) -> tuple[Stage, StageSettings]:
        """A stage by its name, begun from what came before it."""
        plan, folder = self._plan, self._out / "rooms"
        learned = range(plan.held_out, plan.held_out + plan.rooms)
        held_out = Corpus(folder, range(plan.held_out), self._speller)
        share = plan.degraded_share if name == f"joint-{NAMES[1]}" else 0.0
        corpus = Corpus(folder, learned, self._speller, degraded_share=share)
        batch = self._settings(name).batch
        if name == "tower":
            stage = tower_stage(self.parts, corpus, held_out, batch=batch)
        elif name == "decoder":
            stage = decoder_stage(self.parts, corpus, held_out, batch=batch, room_tokens=plan.room_tokens)
        elif name == "alignment":
            self._take("tower", "decoder")
            stage = alignment_stage(self.parts, corpus, held_out, batch=batch)
        else:
            self._take("tower", "decoder", "alignment")
            stage = joint_stage(
                self.parts, corpus, held_out, batch=batch, room_tokens=plan.joint_room_tokens, name=name
            )
        return stage, self._settings(name)

    def _settings(self, name: str) -> StageSettings:
        settings: StageSettings = getattr(self._plan, name.partition("-")[0])
        return settings

    def _take(self, *names: str) -> None:
        parts = self.parts
        modules = {
            "tower": {"tower": parts.tower, "head": parts.head},
            "decoder": {"decoder": parts.decoder, "symbols": parts.symbols, "readers": parts.readers},
            "alignment": {"projector": parts.projector},
        }
        for name in names:
            load_modules(modules[name], self._out / f"{name}.pt")


def _run_all(
    groups: Sequence[Sequence[str]], out: Path, plan: TrainingPlan, apart: bool, on_step: OnStep | None
) -> None:
    """Runs stages that do not need each other, each in a process with a share of the cores if there are several."""
    if not apart:
        for names in groups:
            _run(out, plan, names, None, on_step)
        return
    cores = max(1, (os.cpu_count() or 1) // len(groups))
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, ProcessPoolExecutor(len(groups), mp_context=context) as pool:
        said = manager.Queue()
        running = [pool.submit(_run_apart, out, plan, names, cores, said) for names in groups]
        while not all(one.done() for one in running):
            _pass_on(said, on_step)
        for one in running:
            one.result()
        _pass_on(said, on_step)


def _run_apart(out: Path, plan: TrainingPlan, names: Sequence[str], cores: int, said: queue.Queue[_Said]) -> None:
    _run(out, plan, names, cores, lambda *what: said.put(what))


def _run(out: Path, plan: TrainingPlan, names: Sequence[str], cores: int | None, on_step: OnStep | None) -> None:
    import torch

    tune_glibc_malloc()
    if cores is not None:
        torch.set_num_threads(cores)
    for name in names:
        if finished(out / f"{name}.pt", getattr(plan, name.partition("-")[0])):
            continue
        stage, settings = _Work(out, plan).stage(name)
        run_stage(stage, settings, out, seed=plan.seed, on_step=on_step)


def _pass_on(said: queue.Queue[_Said], on_step: OnStep | None) -> None:
    """Passes on what is said until nothing has been said for a while."""
    while True:
        try:
            what = said.get(timeout=_LISTEN_S)
        except queue.Empty:
            return
        if on_step is not None:
            on_step(*what)


def _checkpoint(out: Path, plan: TrainingPlan, name: str, tokenizer: PreTrainedTokenizerFast) -> Path:
    """Writes a finished model with its record and card."""
    network = build_network(tokenizer)
    load_modules({"network": network}, out / f"joint-{name}.pt")
    folder = out / name
    folder.mkdir(exist_ok=True)
    save_network(network, tokenizer, folder)
    stages = ("tower", "decoder", "alignment", f"joint-{name}")
    write_record(folder, plan, {stage: read_curve(out, stage) for stage in stages})
    write_card(folder, name)
    return folder


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

    def made(done: int) -> None:
        if on_step is not None:
            on_step("rooms", len(rooms) - len(missing) + done, len(rooms), float("nan"))

    if jobs == 1:
        for done, room in enumerate(missing, 1):
            make_shard(shard_file(folder, room), room, plan.room, shares)
            made(done)
        return
    # Rendering starts threads, which a forked child would inherit half-alive.
    with ProcessPoolExecutor(min(jobs, len(missing)), mp_context=multiprocessing.get_context("spawn")) as pool:
        waiting = [pool.submit(make_shard, shard_file(folder, room), room, plan.room, shares) for room in missing]
        for done, one in enumerate(waiting, 1):
            one.result()
            made(done)


def _label_shares(plan: TrainingPlan) -> dict[str, float]:
    """Category -> share of rooms that hold it, from rooms like those to come."""
    holding: Counter[str] = Counter()
    rng = derived_rng("nano label shares", plan.seed)
    for _ in range(plan.counted):
        objects = int(rng.integers(8, 19))
        room = make_room(int(rng.integers(2**53)), objects=objects, views=1, density=_SPARSE)
        holding.update({one.label for one in room.objects})
    return {label: count / plan.counted for label, count in sorted(holding.items())}


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
    # The folder appears whole or not at all.
    part = out / f".tokenizer-{os.getpid()}"
    tokenizer.save_pretrained(part)
    part.rename(folder)
    return tokenizer
