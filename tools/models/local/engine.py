"""From requests to replies on a loaded model: prepare, generate, decode."""

from __future__ import annotations

import copy
import gc
import inspect
import math
import secrets
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import cast

import torch
from transformers import (
    LogitsProcessor,
    LogitsProcessorList,
    StoppingCriteriaList,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from ....bench_data.images import Picture
from ..batching import Job, run_halving
from ..protocol import Fault, FaultKind, GenerationSettings, Reply, ReplyStatus, Request, SentImage, Usage
from .conversation import conversation, fold_system_messages, template_takes_system
from .decoding import RowLimits, RowLogprobs, RowSampler, RowStopper
from .library import GenerationDefaults, Inputs, Model, Processor
from .loading import Loaded
from .sharing import generation_inputs

__all__ = ["Engine", "GenerationJob", "is_out_of_memory"]

GenerationJob = Job[Request, Reply]

# What torch's CPU allocator says; it has no exception class of its own.
_CPU_MEMORY_WORDS = ("not enough memory", "can't allocate memory", "cannot allocate memory")
_MAX_SEED = 2**63 - 1
# Logits divided by less overflow float32; the largest one would no longer be told from the others.
_GREEDY_BELOW_TEMPERATURE = 1e-5


class PromptError(Exception):
    """The request cannot be turned into a prompt for this model; ``kind`` says why."""

    def __init__(self, message: str, kind: FaultKind = FaultKind.BAD_REQUEST) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class _Row:
    """One request of a batch with everything decided about it."""

    job: GenerationJob
    pictures: tuple[Picture, ...]
    seed: int | None
    prompt_tokens: int
    max_tokens: int
    notes: list[str] = field(default_factory=list)


class Engine:
    """Runs batches on one loaded model. Not thread-safe: one thread calls ``run``.

    Args:
        loaded: model and processor.
        allow_control_tokens: let special tokens in a request's text act as such. Off, they are plain text, so a
            question that quotes ``<image>`` or an end mark cannot break the prompt.
    """

    def __init__(self, loaded: Loaded, *, allow_control_tokens: bool = False) -> None:
        self._model = cast("Model", loaded.model)
        self._processor = cast("Processor", loaded.processor)
        # Generated text follows the prompt, so a batch is padded on the left.
        self._processor.tokenizer.padding_side = "left"
        if self._processor.tokenizer.pad_token is None:
            self._processor.tokenizer.pad_token = self._processor.tokenizer.eos_token
        parameters = inspect.signature(self._processor.apply_chat_template).parameters
        # Older releases of transformers take the padding directly, and cannot neutralise control tokens.
        self._template_options: dict[str, object] = (
            {"processor_kwargs": {"padding": True}} if "processor_kwargs" in parameters else {"padding": True}
        )
        if "sanitize_control_tokens" in parameters and not allow_control_tokens:
            self._template_options["sanitize_control_tokens"] = True
        self.takes_system = template_takes_system(self._processor)
        text_config = self._model.config.get_text_config()
        self._context_tokens: int | None = getattr(text_config, "max_position_embeddings", None)

    @staticmethod
    def batch_key(request: Request) -> Hashable:
        """Requests may share a batch when they decode alike and bring the same number of pictures."""
        return request.settings, len(request.pictures)

    def run(self, jobs: Sequence[GenerationJob]) -> list[Reply]:
        """One reply a job. A batch that fails is halved, so that one bad request cannot spoil the others."""
        return run_halving(self._run_batch, jobs, single_failure=_failed, before_retry=_release_memory)

    def _run_batch(self, jobs: Sequence[GenerationJob]) -> list[Reply]:
        settings = jobs[0].item.settings
        inputs = self._prompt(jobs)
        rows = self._rows(jobs, inputs)
        inputs = inputs.to(self._model.device, self._model.dtype)
        width = int(inputs["input_ids"].shape[1])
        stopper = RowStopper(
            [RowLimits(row.max_tokens, settings.stop, row.job.abandoned) for row in rows], width, self._decode
        )
        watching = [RowLogprobs()] if settings.logprobs else []
        with torch.inference_mode():
            output = self._model.generate(
                **generation_inputs(self._model, inputs, [one.sha256 for row in rows for one in row.pictures]),
                generation_config=self._generation_config(max(row.max_tokens for row in rows)),
                logits_processor=LogitsProcessorList([*watching, *self._samplers(settings, rows)]),
                stopping_criteria=StoppingCriteriaList([stopper]),
            )
        new_ids: list[list[int]] = output[:, width:].tolist()
        likely: list[list[float]] = watching[0].finish(output).tolist() if watching else [[] for _ in rows]
        sent = self._sent_images(rows, inputs)
        return [
            self._reply(row, ids[: stopper.length(index, len(ids))], settings, sent[index], likely[index])
            for index, (row, ids) in enumerate(zip(rows, new_ids, strict=True))
        ]

    def _prompt(self, jobs: Sequence[GenerationJob]) -> Inputs:
        try:
            prompt = self._processor.apply_chat_template(
                [
                    conversation(job.item.messages if self.takes_system else fold_system_messages(job.item))
                    for job in jobs
                ],
                tokenize=True,
                add_generation_prompt=True,
                return_dict=True,
                return_tensors="pt",
                **self._template_options,
            )
            return cast("Inputs", prompt)
        except Exception as error:
            if is_out_of_memory(error):
                raise
            raise PromptError(
                f"the request cannot be written as a prompt for this model: {type(error).__name__}: {error}"
            ) from error

    def _rows(self, jobs: Sequence[GenerationJob], inputs: Inputs) -> list[_Row]:
        rows = []
        for job, prompt_tokens in zip(jobs, inputs["attention_mask"].sum(dim=1).tolist(), strict=True):
            max_tokens, notes = job.item.settings.max_tokens, []
            if self._context_tokens is not None:
                room = self._context_tokens - prompt_tokens
                if room < 1:
                    raise PromptError(
                        f"the prompt has {prompt_tokens} tokens and the model's context {self._context_tokens}; "
                        "send fewer or smaller pictures, or less text",
                        FaultKind.TOO_LARGE,
                    )
                if room < max_tokens:
                    notes.append(f"only {room} of {max_tokens} tokens fit into the context of {self._context_tokens}")
                    max_tokens = room
            if not self.takes_system and any(message.role == "system" for message in job.item.messages):
                notes.append("the chat template has no system turn; its text was put in front of the first user turn")
            seed = self._seed(job.item, notes)
            rows.append(_Row(job, job.item.pictures, seed, prompt_tokens, max_tokens, notes))
        return rows

    @staticmethod
    def _seed(request: Request, notes: list[str]) -> int | None:
        if request.settings.temperature < _GREEDY_BELOW_TEMPERATURE:
            return None
        if request.seed is not None:
            return request.seed % _MAX_SEED
        drawn = secrets.randbits(32)
        notes.append(f"no seed was given; {drawn} was drawn")
        return drawn

    def _samplers(self, settings: GenerationSettings, rows: Sequence[_Row]) -> list[LogitsProcessor]:
        seeds = [row.seed for row in rows if row.seed is not None]
        if not seeds:
            return []
        defaults = self._model.generation_config
        top_p = settings.top_p if settings.top_p is not None else defaults.top_p
        samplers: list[LogitsProcessor] = [TemperatureLogitsWarper(settings.temperature)]
        if defaults.top_k:
            samplers.append(TopKLogitsWarper(defaults.top_k))
        if top_p is not None and top_p < 1:
            samplers.append(TopPLogitsWarper(top_p))
        return [*samplers, RowSampler(seeds)]

    def _generation_config(self, max_tokens: int) -> GenerationDefaults:
        """The checkpoint's own configuration (end marks, suppressed tokens, penalties) without its sampling."""
        config = copy.deepcopy(self._model.generation_config)
        config.update(
            do_sample=False,
            temperature=None,
            top_p=None,
            top_k=None,
            num_beams=1,
            num_return_sequences=1,
            max_length=None,
            max_new_tokens=max_tokens,
            return_dict_in_generate=False,
            pad_token_id=self._processor.tokenizer.pad_token_id,
        )
        return config

    def _reply(
        self,
        row: _Row,
        ids: list[int],
        settings: GenerationSettings,
        sent: tuple[SentImage, ...],
        likely: list[float],
    ) -> Reply:
        ends = self._model.generation_config.eos_token_id
        end_ids = {ends} if isinstance(ends, int) else set(ends or ())
        end = next((index for index, token in enumerate(ids) if token in end_ids), None)
        output_tokens = len(ids) if end is None else end + 1
        text = self._decode(ids[:output_tokens])
        cut = min((at for stop in settings.stop if (at := text.find(stop)) >= 0), default=None)
        complete = end is not None or cut is not None
        text = text[:cut]
        if complete and not text.strip():
            row.notes.append("the model said nothing")
        return Reply(
            text=text,
            status=ReplyStatus.OK if complete else ReplyStatus.TRUNCATED,
            finish_reason="stop" if complete else "length",
            usage=Usage(input_tokens=row.prompt_tokens, output_tokens=output_tokens),
            sent_images=sent,
            notes=tuple(row.notes),
            logprob=_sum(likely[:output_tokens]),
        )

    def _decode(self, ids: list[int]) -> str:
        return self._processor.decode(ids, skip_special_tokens=True)

    def _sent_images(self, rows: Sequence[_Row], inputs: Inputs) -> list[tuple[SentImage, ...]]:
        sizes = iter(self._sent_sizes([picture for row in rows for picture in row.pictures], inputs))
        return [
            tuple(
                SentImage(
                    sha256=picture.sha256,
                    original_size=picture.size,
                    sent_size=next(sizes),
                    media_type="image/raw",
                    note=self._crop_note(picture),
                )
                for picture in row.pictures
            )
            for row in rows
        ]

    def _sent_sizes(self, pictures: Sequence[Picture], inputs: Inputs) -> list[tuple[int, int]]:
        """What the vision tower really sees, where the processor says so; it is what pixel coordinates refer to."""
        grids = inputs.get("image_grid_thw")
        if grids is not None:
            patch_px = int(getattr(self._processor.image_processor, "patch_size", 1))
            return [(int(width) * patch_px, int(height) * patch_px) for _, height, width in grids.tolist()]
        pixels = inputs.get("pixel_values")
        if isinstance(pixels, torch.Tensor) and pixels.ndim == 4 and len(pixels) == len(pictures):
            return [(int(pixels.shape[3]), int(pixels.shape[2]))] * len(pictures)
        return [picture.size for picture in pictures]

    def _crop_note(self, picture: Picture) -> str | None:
        processor = self._processor.image_processor
        if getattr(processor, "do_center_crop", False) and picture.width != picture.height:
            return "the model's processor cuts pictures to a square: what lies at the two far edges is not seen"
        return None


def _sum(likely: list[float]) -> float | None:
    """The logarithm for the whole reply; None where nothing was watched, or a token had no chance at all."""
    total = sum(likely)
    return min(total, 0.0) if likely and math.isfinite(total) else None


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an exception, or what caused it, means that memory ran out on the accelerator or the CPU."""
    link: BaseException | None = error
    while link is not None:
        if isinstance(link, MemoryError | torch.cuda.OutOfMemoryError):
            return True
        if isinstance(link, RuntimeError) and any(words in str(link).lower() for words in _CPU_MEMORY_WORDS):
            return True
        link = link.__cause__
    return False


def _failed(job: GenerationJob, error: Exception) -> Reply:
    request = job.item
    if isinstance(error, PromptError):
        fault = Fault(kind=error.kind, message=str(error), retryable=False)
    elif is_out_of_memory(error):
        fault = Fault(
            kind=FaultKind.OUT_OF_MEMORY,
            message=f"out of memory with this request alone ({len(request.pictures)} pictures, "
            f"max_tokens {request.settings.max_tokens}); send smaller pictures or use a smaller model or dtype",
            retryable=False,
        )
    else:
        fault = Fault(kind=FaultKind.CRASHED, message=f"{type(error).__name__}: {error}", retryable=False)
    return Reply(status=ReplyStatus.ERROR, fault=fault)


def _release_memory(error: Exception) -> None:
    if not is_out_of_memory(error):
        return
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
