"""Many questions about one picture in one sequence, none of which sees another."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .choices import LAYERS_TO_CHOOSE, choices
from .comparisons import LAYERS_TO_COMPARE
from .mentions import LAYERS_TO_FIND, Mentions
from .network import IMAGE_TOKENS
from .tokenizer import ASSISTANT, END, USER, token_id

if TYPE_CHECKING:
    import torch
    from transformers import LlavaForConditionalGeneration, PreTrainedTokenizerFast

    from .lessons import Lesson

__all__ = ["Answered", "Packed", "Speller", "Spoken", "answer", "pack"]

IGNORED: Final = -100
_HEAD: Final = 1 + IMAGE_TOKENS
"""The user's token and the picture's."""
_OPTIONS: Final = "\n\nA. "
_LEAST_ROOM: Final = 14
"""When less is left in a sequence, no further lesson is tried."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A lesson in tokens.

    Attributes:
        kind: of the lesson.
        ids: (T,) of prompt, assistant's turn and answer.
        answer: where the answer begins.
        mentions: (T,) see `Mentions.codes`.
        chosen: (T,) see `choices`.
    """

    kind: str
    ids: NDArray[np.int16]
    answer: int
    mentions: NDArray[np.int16]
    chosen: NDArray[np.int16]


@dataclass(frozen=True)
class Packed:
    """A batch of sequences, each with questions about one picture. All arrays are (B, T).

    Attributes:
        ids: tokens, without those of picture and user.
        positions: of the tokens, as if each question stood alone behind the picture.
        segments: the running number of the question, -1 for padding.
        targets: tokens to be said at each place, `IGNORED` elsewhere.
        mentions: what words name, see `Mentions.codes`; 0 where the picture is not seen.
        chosen: which options are right, see `choices`; 0 where the picture is not seen.
        blind: whether the question is asked without the picture.
        kinds: names of the questions of each sequence.
    """

    ids: torch.Tensor
    positions: torch.Tensor
    segments: torch.Tensor
    targets: torch.Tensor
    mentions: torch.Tensor
    chosen: torch.Tensor
    blind: torch.Tensor
    kinds: tuple[tuple[str, ...], ...]


class Answered(NamedTuple):
    """What the decoder makes of a batch.

    Attributes:
        logits: (M, vocabulary) where an answer is due.
        right: (M,) the tokens that should be said there.
        due: (B, T) where that is.
        found: (B, T, WIDTH) the words after the layers in which they find what they name.
        compared: the same after those in which what they name is compared.
        weighed: the same after those in which options are told right from wrong.
    """

    logits: torch.Tensor
    right: torch.Tensor
    due: torch.Tensor
    found: torch.Tensor
    compared: torch.Tensor
    weighed: torch.Tensor


class Speller:
    """Turns lessons into tokens, each once: rooms ask much the same, and what is the same is kept once.

    Args:
        tokenizer: of fewer than 32,768 tokens.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast) -> None:
        self._tokenizer = tokenizer
        self._known: dict[bytes, Spoken] = {}
        self._mentions = Mentions(tokenizer)
        self._assistant, self._end = token_id(tokenizer, ASSISTANT), token_id(tokenizer, END)

    def spoken(self, lesson: Lesson) -> Spoken:
        """The lesson in tokens."""
        # The words themselves would be as large as what is made of them; of a digest none meets another.
        said = "\0".join((lesson.kind, lesson.prompt, lesson.answer))
        key = hashlib.blake2b(said.encode(), digest_size=16).digest()
        if key not in self._known:
            prompt, answer = self._ids(lesson.prompt), self._ids(lesson.answer)
            ids = np.array([*prompt, self._assistant, *answer, self._end], dtype=np.int64)
            mentions, begin = self._mentions.codes(ids), len(prompt) + 1
            options = len(self._ids(lesson.prompt.partition(_OPTIONS)[0]))
            chosen = choices(mentions, options, begin)
            self._known[key] = Spoken(sys.intern(lesson.kind), _small(ids), begin, _small(mentions), _small(chosen))
        return self._known[key]

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids


def pack(
    rows: Sequence[Sequence[Spoken]],
    rng: np.random.Generator,
    *,
    weight: Callable[[str], float],
    room: int,
    blind_share: float,
) -> Packed:
    """Draws lessons for each sequence, without repetition and by weight, until it is full.

    Args:
        rows: the lessons of each picture.
        rng: draws.
        weight: of a kind.
        room: tokens of a sequence.
        blind_share: of the lessons that are asked without the picture, so that the model also knows that case.
    """
    import torch

    drawn = [_drawn(row, rng, weight, room) for row in rows]
    longest = max(sum(len(one.ids) for one in row) for row in drawn)
    columns = {
        "ids": np.zeros((len(rows), longest), dtype=np.int64),
        "positions": np.zeros((len(rows), longest), dtype=np.int64),
        "segments": np.full((len(rows), longest), -1, dtype=np.int64),
        "targets": np.full((len(rows), longest), IGNORED, dtype=np.int64),
        "mentions": np.zeros((len(rows), longest), dtype=np.int64),
        "chosen": np.zeros((len(rows), longest), dtype=np.int64),
        "blind": np.zeros((len(rows), longest), dtype=np.bool_),
    }
    for place, row in enumerate(drawn):
        at = 0
        for number, one in enumerate(row):
            span = slice(at, at + len(one.ids))
            blind = bool(rng.random() < blind_share)
            columns["ids"][place, span] = one.ids
            columns["positions"][place, span] = np.arange(len(one.ids)) + (1 if blind else _HEAD)
            columns["segments"][place, span] = number
            # What stands at a place is said by the token before it.
            columns["targets"][place, at + one.answer - 1 : span.stop - 1] = one.ids[one.answer :]
            columns["mentions"][place, span] = 0 if blind else one.mentions
            columns["chosen"][place, span] = 0 if blind else one.chosen
            columns["blind"][place, span] = blind
            at = span.stop
    tensors = {name: torch.from_numpy(column) for name, column in columns.items()}
    return Packed(**tensors, kinds=tuple(tuple(one.kind for one in row) for row in drawn))


def answer(
    network: LlavaForConditionalGeneration, picture: torch.Tensor, packed: Packed, tokens: Mapping[str, int]
) -> Answered:
    """Runs the decoder over pictures and questions.

    Args:
        network: its decoder is used.
        picture: (B, IMAGE_TOKENS, WIDTH) what stands for the picture.
        packed: the questions.
        tokens: `USER` -> its number.
    """
    import torch

    decoder, embed = network.model.language_model, network.get_input_embeddings()
    size = packed.ids.shape[0]
    user = embed(torch.full((size, 1), tokens[USER]))
    inputs = torch.cat([user, picture.to(user.dtype), embed(packed.ids)], dim=1)
    positions = torch.cat([torch.arange(_HEAD).expand(size, -1), packed.positions], dim=1)
    told = decoder(
        inputs_embeds=inputs,
        attention_mask=_mask(packed),
        position_ids=positions,
        use_cache=False,
        output_hidden_states=True,
    )
    due = packed.targets != IGNORED
    logits = network.lm_head(told.last_hidden_state[:, _HEAD:][due])
    depths = (LAYERS_TO_FIND, LAYERS_TO_COMPARE, LAYERS_TO_CHOOSE)
    found, compared, weighed = (told.hidden_states[layers][:, _HEAD:] for layers in depths)
    return Answered(logits, packed.targets[due], due, found, compared, weighed)


def _drawn(row: Sequence[Spoken], rng: np.random.Generator, weight: Callable[[str], float], room: int) -> list[Spoken]:
    weighed = [(one, weight(one.kind)) for one in row]
    wanted = [(one, share) for one, share in weighed if share > 0]
    # The smallest of exponential draws, each divided by its weight: a weighted order without repetition.
    order = np.argsort(rng.exponential(size=len(wanted)) / np.array([share for _, share in wanted]))
    left, chosen = room, list[Spoken]()
    for place in order.tolist():
        one = wanted[place][0]
        if len(one.ids) <= left:
            chosen.append(one)
            left -= len(one.ids)
        if left < _LEAST_ROOM:
            break
    return chosen


def _small(codes: NDArray[np.int64]) -> NDArray[np.int16]:
    """A vocabulary of some thousand words, and what they name, in a quarter of the room: lessons are millions."""
    return codes.astype(np.int16)


def _mask(packed: Packed) -> torch.Tensor:
    """(B, 1, T', T') what may look at what: the picture at itself, a question at the picture and at its own past."""
    import torch

    size, length = packed.segments.shape
    mask = torch.zeros(size, 1, _HEAD + length, _HEAD + length, dtype=torch.bool)
    mask[:, 0, :_HEAD, :_HEAD] = torch.ones(_HEAD, _HEAD, dtype=torch.bool).tril()
    mask[:, 0, _HEAD:, :_HEAD] = ~packed.blind[:, :, None]
    mask[:, 0, _HEAD:, 0] = True
    same = packed.segments[:, :, None] == packed.segments[:, None, :]
    mask[:, 0, _HEAD:, _HEAD:] = same & torch.ones(length, length, dtype=torch.bool).tril()
    return mask
