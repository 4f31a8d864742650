"""The whole training: rooms, tokenizer, the stages, two checkpoints. It goes on where it was left."""

from __future__ import annotations

import multiprocessing
import os
import queue
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from pydantic import TypeAdapter

from ...bench_data.degrade.seeds import derived_rng
from ...bench_data.memory import tune_glibc_malloc
from ...bench_data.scenes.procedural import make_room
from ...bench_data.whole_file import whole_file
from ..errors import DiagnosticsError
from .alike import alike_head
from .beginnings import begin_by_likeness, begin_by_names, symbol_embedding
from .begun import begun_folder, begun_network, begun_tokenizer, check_begun, keep_begun
from .choices import choice_head
from .comparisons import comparison_head
from .corpus import Corpus
from .dense import symbol_head
from .lessons import GRAPH_KIND
from .mentions import mention_head
from .network import WIDTH, build_network, save_network
from .packing import Speller
from .plans import FurtherPlan, Plan, TrainingPlan
from .record import read_record, write_card, write_record
from .rooms import make_shard, read_shard, shard_file
from .stage import Stage, StageSettings, finished, load_modules, read_curve, run_stage
from .stages import Parts, alignment_stage, decoder_stage, joint_stage, tower_stage
from .tokenizer import build_tokenizer, graph_lines_of, phrases_of

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerFast

__all__ = ["NAMES", "train"]

NAMES: Final = ("nano", "nano-sft")
"""The model that saw clean pictures only, and the one that saw degraded ones too, in the same number of steps."""

_PHRASES_FROM = 40
_SPARSE: Final = 0.05
_Said = tuple[str, int, int, float]
_LISTEN_S = 0.5
OnStep = Callable[[str, int, int, float], None]
"""Called with what is being done, how much of it is done, how much there is, and the loss (NaN where there is none)."""


def train(
    out: Path, plan: Plan, *, begun: Path | None = None, jobs: int | None = None, on_step: OnStep | None = None
) -> list[Path]:
    """Trains both models.

    Args:
        out: a folder for all that is made on the way; the same plan goes on in it.
        plan: what to do.
        begun: the folder that holds both models from which a `FurtherPlan` goes on.
        jobs: processes that make rooms; None for one a core.
        on_step: told how it goes.

    Returns:
        The folders of the checkpoints.

    Raises:
        DiagnosticsError: the folder belongs to another plan, something in it is damaged, or ``begun`` holds what no
            training can go on from.
    """
    tune_glibc_malloc()
    if isinstance(plan, FurtherPlan):
        check_begun(out, begun, plan)
    elif begun is not None:
        raise DiagnosticsError(f"this plan begins from nothing, and not from {begun}; leave that out")
    _claim(out, plan)
    if isinstance(plan, FurtherPlan):
        keep_begun(out, begun, tuple(plan.begun))
    rooms = range(plan.held_out + plan.rooms)
    _make_rooms(out, plan, rooms, jobs or os.cpu_count() or 1, on_step)
    # Before stages that run side by side would both make it.
    _tokenizer(out, plan)
    apart = (jobs or os.cpu_count() or 1) > 1
    for groups in _groups(plan):
        _run_all(groups, out, plan, apart, on_step)
    return [_checkpoint(out, plan, name) for name in NAMES]


def _groups(plan: Plan) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """What is done one after the other; and of each, what may be done side by side."""
    joint = tuple((f"joint-{name}",) for name in NAMES)
    if isinstance(plan, FurtherPlan):
        return tuple((f"tower-{name}",) for name in NAMES), joint
    return (("tower",), ("decoder",)), (("alignment",),), joint


class _Work:
    """One stage of a training, with the network and all that is finished of it, and the rooms."""

    def __init__(self, out: Path, plan: Plan, name: str) -> None:
        import torch

        self._out, self._plan, self._name = out, plan, name
        torch.manual_seed(plan.seed)
        tokenizer = _tokenizer(out, plan)
        if isinstance(plan, FurtherPlan):
            network = begun_network(out, name.partition("-")[2])
            symbols = symbol_embedding(network, tokenizer)
        else:
            network = build_network(tokenizer)
            begin_by_likeness(network, tokenizer)
            symbols = symbol_embedding(network, tokenizer)
            begin_by_names(network, tokenizer)
        readers = {
            "mentions": mention_head(WIDTH),
            "comparisons": comparison_head(WIDTH),
            "choices": choice_head(WIDTH),
            "alike": alike_head(WIDTH),
        }
        self.parts = Parts(network, symbol_head(WIDTH), symbols, torch.nn.ModuleDict(readers), tokenizer, plan.examined)
        self._speller = Speller(tokenizer)

    def stage(self) -> Stage:
        """The stage, begun from what came before it."""
        plan, parts, kind = self._plan, self.parts, self._name.partition("-")[0]
        held_out, corpus, batch = self._corpus(learned=False), self._corpus(learned=True), self._settings.batch
        further = isinstance(plan, FurtherPlan)
        if kind == "tower":
            return tower_stage(parts, corpus, held_out, batch=batch, name=self._name, head_first=further)
        if isinstance(plan, TrainingPlan) and kind == "decoder":
            return decoder_stage(parts, corpus, held_out, batch=batch, room_tokens=plan.room_tokens)
        self._take(f"tower-{self._name.partition('-')[2]}" if further else "tower")
        if not further:
            self._take("decoder")
        if kind == "alignment":
            return alignment_stage(parts, corpus, held_out, batch=batch)
        if not further:
            self._take("alignment")
        tokens = plan.joint_room_tokens
        return joint_stage(
            parts, corpus, held_out, batch=batch, room_tokens=tokens, name=self._name, readers_first=further
        )

    @property
    def _settings(self) -> StageSettings:
        return self._plan.settings(self._name)

    def _corpus(self, *, learned: bool) -> Corpus:
        plan, folder = self._plan, self._out / "rooms"
        if not learned:
            return Corpus(folder, range(plan.held_out), self._speller)
        degraded = self._name.endswith(f"-{NAMES[1]}")
        joint = self._name.startswith("joint")
        return Corpus(
            folder,
            range(plan.held_out, plan.held_out + plan.rooms),
            self._speller,
            degraded_share=plan.degraded_share if degraded else 0.0,
            repaired_share=plan.repaired_share if joint or isinstance(plan, FurtherPlan) else 0.0,
            faded_share=plan.faded_share if joint else 0.0,
        )

    def _take(self, name: str) -> None:
        parts = self.parts
        modules: dict[str, dict[str, torch.nn.Module]] = {
            "tower": {"tower": parts.tower, "head": parts.head},
            "decoder": {"decoder": parts.decoder, "symbols": parts.symbols, "readers": parts.readers},
            "alignment": {"projector": parts.projector},
        }
        load_modules(modules[name.partition("-")[0]], self._out / f"{name}.pt")


def _run_all(groups: Sequence[Sequence[str]], out: Path, plan: Plan, apart: bool, on_step: OnStep | None) -> None:
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


def _run_apart(out: Path, plan: Plan, names: Sequence[str], cores: int, said: queue.Queue[_Said]) -> None:
    _run(out, plan, names, cores, lambda *what: said.put(what))


def _run(out: Path, plan: Plan, names: Sequence[str], cores: int | None, on_step: OnStep | None) -> None:
    import torch

    tune_glibc_malloc()
    if cores is not None:
        torch.set_num_threads(cores)
    for name in names:
        settings = plan.settings(name)
        if finished(out / f"{name}.pt", settings):
            continue
        run_stage(_Work(out, plan, name).stage(), settings, out, seed=plan.seed, on_step=on_step)


def _pass_on(said: queue.Queue[_Said], on_step: OnStep | None) -> None:
    """Passes on what is said until nothing has been said for a while."""
    while True:
        try:
            what = said.get(timeout=_LISTEN_S)
        except queue.Empty:
            return
        if on_step is not None:
            on_step(*what)


def _checkpoint(out: Path, plan: Plan, name: str) -> Path:
    """Writes a finished model with its record and card."""
    tokenizer = _tokenizer(out, plan)
    network = build_network(tokenizer)
    load_modules({"network": network}, out / f"joint-{name}.pt")
    folder = out / name
    folder.mkdir(exist_ok=True)
    save_network(network, tokenizer, folder)
    done = [stage for groups in _groups(plan) for stages in groups for stage in stages]
    mine = [stage for stage in done if stage.partition("-")[2] in ("", name)]
    before = read_record(begun_folder(out, name)) if isinstance(plan, FurtherPlan) else None
    write_record(folder, plan, {stage: read_curve(out, stage) for stage in mine}, before=before)
    write_card(folder, name)
    return folder


def _claim(out: Path, plan: Plan) -> None:
    """Writes the plan down, or compares it with the one that is there."""
    file = out / "plan.json"
    if file.is_file():
        try:
            before: Plan = TypeAdapter(Plan).validate_json(file.read_bytes())
        except ValueError as error:
            raise DiagnosticsError(f"{file} is no plan of a training: {error}; name another folder") from error
        if before != plan:
            raise DiagnosticsError(
                f"{out} holds a training with another plan ({_difference(before, plan)}); "
                "name another folder or repeat its plan"
            )
        return
    if out.exists() and any(out.iterdir()):
        raise DiagnosticsError(f"{out} is not empty and holds no training; name a new folder")
    with whole_file(file) as part:
        part.write_text(plan.model_dump_json(indent=1) + "\n", encoding="utf-8")


def _difference(before: Plan, plan: Plan) -> str:
    if type(before) is not type(plan):
        return "from finished models" if isinstance(before, FurtherPlan) else "from nothing"
    return ", ".join(sorted(name for name, value in before if value != getattr(plan, name)))


def _make_rooms(out: Path, plan: Plan, rooms: Sequence[int], jobs: int, on_step: OnStep | None) -> None:
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


def _label_shares(plan: Plan) -> dict[str, float]:
    """Category -> share of rooms that hold it, from rooms like those to come."""
    holding: Counter[str] = Counter()
    rng = derived_rng("nano label shares", plan.seed)
    for _ in range(plan.counted):
        objects = int(rng.integers(8, 19))
        room = make_room(int(rng.integers(2**53)), objects=objects, views=1, density=_SPARSE)
        holding.update({one.label for one in room.objects})
    return {label: count / plan.counted for label, count in sorted(holding.items())}


def _tokenizer(out: Path, plan: Plan) -> PreTrainedTokenizerFast:
    """That of the models gone on from; else made once, from what is said in rooms."""
    from transformers import PreTrainedTokenizerFast

    if isinstance(plan, FurtherPlan):
        return begun_tokenizer(out, NAMES[0])
    folder = out / "tokenizer"
    if folder.is_dir():
        return cast("PreTrainedTokenizerFast", PreTrainedTokenizerFast.from_pretrained(folder))
    lessons = [
        one
        for room in range(plan.held_out + plan.rooms)[:_PHRASES_FROM]
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
