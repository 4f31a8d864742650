"""The stages: the tower on dense labels, the decoder on symbols, the projector between them, and all together.

Answers alone teach a small network nothing for hours: on which of a hundred patches a number stands, and what a place
is, must be found before the first comparison pays. So the renderer's labels teach the tower to see, and symbols teach
the decoder to reason, neither needing the other; and the projector learns to put what is seen into the words of what is
reasoned about. Only then are answers to pictures trained.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import numpy as np

from .alike import alike_loss, alike_of, alike_scores
from .choices import choice_loss, choice_scores
from .comparisons import comparison_loss, comparison_scores
from .corpus import Corpus, Seen
from .curriculum import CHOOSING_FROM, NAMING_UNTIL, early_weight, picture_weight
from .dense import dense_loss, dense_scores
from .mentions import Things, mention_loss, mention_scores, things_of
from .packing import Answered, Packed, answer
from .stage import Stage
from .symbols import GROUPS
from .tokenizer import END, USER, token_id

if TYPE_CHECKING:
    import torch
    from transformers import LlavaForConditionalGeneration, PreTrainedTokenizerFast

__all__ = ["Parts", "alignment_stage", "decoder_stage", "joint_stage", "tower_stage"]

_BLIND_SHARE: Final = 0.04
_NOISE: Final = 0.1
"""Of the spread of the symbols' embeddings: the decoder shall not rely on exact ones."""
_DENSE_SHARE: Final = 0.25
_LENGTH_POWER, _END_SHARE = 0.75, 0.2
"""Of the weight of a token: by the length of its answer, and for ends, which are easy."""
_EXAM_TOKENS: Final = 600
_HEAD_ONLY, _READING_ONLY = 0.2, 0.1
"""Shares of the stages of tower and all, in which new readers of a finished network only read."""
_ALIGN_ON_MARK: Final = 3.0
_MENTION_SHARE, _COMPARISON_SHARE, _ALIKE_SHARE, _CHOICE_SHARE = 0.5, 1.0, 0.5, 2.0
_ON_NAMES: Final = 4.0
"""In the last stage names in answers count so many times: one wrong number of an object spoils a whole graph."""


class _Read(NamedTuple):
    """What the readers say, of names and, ``weighed``, of options."""

    named: torch.Tensor
    compared: torch.Tensor
    weighed: torch.Tensor
    alike: torch.Tensor


class Parts:
    """The network and what is needed beside it in training.

    Args:
        network: tower, projector and decoder.
        head: reads symbols off the tower.
        symbols: embeds symbols for the decoder.
        readers: "mentions", "comparisons", "choices" and "alike" read these off words.
        tokenizer: of the decoder.
        examined: held-out pictures at every checkpoint.
    """

    def __init__(
        self,
        network: LlavaForConditionalGeneration,
        head: torch.nn.Module,
        symbols: torch.nn.Module,
        readers: torch.nn.ModuleDict,
        tokenizer: PreTrainedTokenizerFast,
        examined: int,
    ) -> None:
        self.network, self.examined = network, examined
        self.head, self.symbols, self.readers = head, symbols, readers
        self.tokens = {token: token_id(tokenizer, token) for token in (USER, END)}

    @property
    def tower(self) -> torch.nn.Module:
        return _module(self.network.model.vision_tower)

    @property
    def projector(self) -> torch.nn.Module:
        return _module(self.network.model.multi_modal_projector)

    @property
    def decoder(self) -> torch.nn.Module:
        return _module(self.network.model.language_model)

    def look(self, pixels: torch.Tensor) -> torch.Tensor:
        """(B, patches, WIDTH) what the tower makes of pictures."""
        patches: torch.Tensor = self.tower(pixel_values=pixels, output_hidden_states=True).hidden_states[-1]
        return patches

    def answered(self, picture: torch.Tensor, packed: Packed) -> Answered:
        """See `answer`."""
        return answer(self.network, picture, packed, self.tokens)

    def losses(
        self,
        picture: torch.Tensor,
        packed: Packed,
        symbols: torch.Tensor,
        *,
        choosing: bool = True,
        on_names: float = 1.0,
        only_reading: bool = False,
    ) -> dict[str, torch.Tensor]:
        """Of the answers, of what words name, how these things compare, how many there are, and which option is right.

        Args:
            picture: (B, patches, WIDTH) what stands for the picture.
            packed: the questions.
            symbols: (B, patches, SYMBOLS) what it shows.
            choosing: whether options count.
            on_names: how many times words of answers that name things count.
            only_reading: what is read off words teaches the readers, and not the words.
        """
        with _half():
            told = self.answered(picture, packed)
            read = self._read(_as_it_is(told) if only_reading else told, packed)
        things, questions, alike = _things(packed, symbols)
        losses = {
            "answers": self._answer_loss(told, packed, on_names),
            "mentions": _MENTION_SHARE * mention_loss(read.named.float(), things),
            "comparisons": _COMPARISON_SHARE * comparison_loss(read.compared.float(), things, questions),
            "alike": _ALIKE_SHARE * alike_loss(read.alike.float(), alike),
        }
        if choosing:
            losses["choices"] = _CHOICE_SHARE * choice_loss(read.weighed.float(), packed.chosen[packed.chosen > 0])
        return losses

    def scores(self, picture: torch.Tensor, packed: Packed, symbols: torch.Tensor) -> dict[str, float]:
        """What is right of the answers, of named things and of comparisons; the arguments are those of `losses`."""
        told = self.answered(picture, packed)
        read = self._read(told, packed)
        things, questions, alike = _things(packed, symbols)
        shares = mention_scores(read.named, things) | comparison_scores(read.compared, things, questions)
        shares |= choice_scores(read.weighed, packed.chosen[packed.chosen > 0]) | alike_scores(read.alike, alike)
        return _right_by_kind(told, packed) | shares

    def _read(self, told: Answered, packed: Packed) -> _Read:
        """What the reading heads make of the words that name things, and of those in options."""
        named, offered, readers = packed.mentions > 0, packed.chosen > 0, self.readers
        return _Read(
            readers["mentions"](told.found[named]),
            readers["comparisons"](told.compared[named]),
            readers["choices"](told.weighed[offered]),
            readers["alike"](told.compared[named]),
        )

    def _answer_loss(self, told: Answered, packed: Packed, on_names: float) -> torch.Tensor:
        """Cross-entropy in which a question counts little more for a long answer; else graphs would drown the rest."""
        import torch
        from torch.nn import functional

        row = torch.arange(len(packed.segments))[:, None] * (int(packed.segments.max()) + 1)
        _, question, lengths = torch.unique((row + packed.segments)[told.due], return_inverse=True, return_counts=True)
        weight = (lengths[question] - 0.5) ** -_LENGTH_POWER
        weight = torch.where(told.right == self.tokens[END], _END_SHARE * weight, weight)
        # A word is told one place before it stands.
        names = functional.pad(packed.mentions[:, 1:] > 0, (0, 1))[told.due]
        weight = torch.where(names, on_names * weight, weight)
        each = functional.cross_entropy(told.logits.float(), told.right, reduction="none")
        loss: torch.Tensor = (each * weight).sum() / weight.sum()
        return loss


def tower_stage(
    parts: Parts, corpus: Corpus, held_out: Corpus, *, batch: int, name: str = "tower", head_first: bool = False
) -> Stage:
    """Teaches the tower what every patch shows.

    Args:
        parts, corpus, held_out, batch, name: what is trained, on what.
        head_first: the tower can see already, and waits until a new head has learned to read it.
    """

    def loss(rng: np.random.Generator, done: float) -> Mapping[str, torch.Tensor]:
        seen = corpus.pictures(rng, batch)
        with _half():
            patches = parts.look(seen.pixels)
            told = parts.head(patches.detach() if head_first and done < _HEAD_ONLY else patches)
        return {"dense": dense_loss(told.float(), seen.symbols)}

    def examine() -> Mapping[str, float]:
        import torch

        with torch.inference_mode():
            seen, _ = _exam(held_out, parts.examined)
            return dense_scores(parts.head(parts.look(seen.pixels)), seen.symbols)

    return Stage(name, {"tower": parts.tower, "head": parts.head}, ("tower", "head"), loss, examine)


def decoder_stage(parts: Parts, corpus: Corpus, held_out: Corpus, *, batch: int, room_tokens: int) -> Stage:
    """Teaches the decoder to answer from symbols in place of pictures."""

    def loss(rng: np.random.Generator, done: float) -> Mapping[str, torch.Tensor]:
        import torch

        naming = done < NAMING_UNTIL
        seen, packed = corpus.questions(
            rng,
            # Names are short: more pictures take the same time.
            2 * batch if naming else batch,
            room_tokens=room_tokens,
            weight=lambda kind: early_weight(kind, done),
            blind_share=0.0 if naming else _BLIND_SHARE,
            numbered_only=naming,
        )
        picture = parts.symbols(seen.symbols)
        noise = torch.from_numpy(rng.standard_normal(picture.shape, dtype=np.float32))
        picture = picture + _NOISE * picture.detach().std() * noise
        return parts.losses(picture, packed, seen.symbols, choosing=done >= CHOOSING_FROM)

    def examine() -> Mapping[str, float]:
        import torch

        with torch.inference_mode():
            seen, packed = _exam(held_out, parts.examined)
            return parts.scores(parts.symbols(seen.symbols), packed, seen.symbols)

    modules = {"decoder": parts.decoder, "symbols": parts.symbols, "readers": parts.readers}
    return Stage("decoder", modules, tuple(modules), loss, examine)


def alignment_stage(parts: Parts, corpus: Corpus, held_out: Corpus, *, batch: int, name: str = "alignment") -> Stage:
    """Teaches the projector to put what the tower sees where the decoder expects the symbols of it."""

    def error(seen: Seen) -> torch.Tensor:
        import torch

        with torch.no_grad():
            patches, wanted = parts.look(seen.pixels), parts.symbols(seen.symbols)
        marked = seen.symbols[..., GROUPS["mark"].start] < 0.5
        squared = (parts.projector(patches) - wanted).square().mean(-1)
        error: torch.Tensor = (squared * torch.where(marked, 1 + _ALIGN_ON_MARK, 1.0)).mean() / wanted.var()
        return error

    def loss(rng: np.random.Generator, done: float) -> Mapping[str, torch.Tensor]:
        return {"error": error(corpus.pictures(rng, batch))}

    def examine() -> Mapping[str, float]:
        import torch

        with torch.inference_mode():
            seen, packed = _exam(held_out, parts.examined)
            return parts.scores(parts.projector(parts.look(seen.pixels)), packed, seen.symbols)

    return Stage(name, {"projector": parts.projector}, ("projector",), loss, examine)


def joint_stage(
    parts: Parts,
    corpus: Corpus,
    held_out: Corpus,
    *,
    batch: int,
    room_tokens: int,
    name: str = "joint",
    readers_first: bool = False,
) -> Stage:
    """Teaches everything to answer questions about pictures; dense labels go on beside them.

    Args:
        parts, corpus, held_out, batch, room_tokens, name: what is trained, on what.
        readers_first: the decoder knows its words already, and new readers of them learn without changing it at first.
    """

    def loss(rng: np.random.Generator, done: float) -> Mapping[str, torch.Tensor]:
        seen, packed = corpus.questions(
            rng, batch, room_tokens=room_tokens, weight=picture_weight, blind_share=_BLIND_SHARE, wearing=True
        )
        with _half():
            patches = parts.look(seen.pixels)
            told, picture = parts.head(patches), parts.projector(patches)
        dense = _DENSE_SHARE * dense_loss(told.float(), seen.symbols)
        only_reading = readers_first and done < _READING_ONLY
        losses = parts.losses(picture, packed, seen.symbols, on_names=_ON_NAMES, only_reading=only_reading)
        return losses | {"dense": dense}

    def examine() -> Mapping[str, float]:
        import torch

        with torch.inference_mode():
            seen, packed = _exam(held_out, parts.examined)
            return parts.scores(parts.projector(parts.look(seen.pixels)), packed, seen.symbols)

    modules = {"network": parts.network, "head": parts.head, "readers": parts.readers}
    return Stage(name, modules, tuple(modules), loss, examine)


def _exam(held_out: Corpus, pictures: int) -> tuple[Seen, Packed]:
    """The same pictures and questions every time."""
    return held_out.questions(
        np.random.default_rng(5),
        pictures,
        room_tokens=_EXAM_TOKENS,
        weight=lambda kind: 1.0,
        blind_share=_BLIND_SHARE,
        varied=False,
    )


def _things(packed: Packed, symbols: torch.Tensor) -> tuple[Things, torch.Tensor, torch.Tensor]:
    """What the words name that name something, (M,) in which question each stands, and (M,) see `alike_of`."""
    rows, places = packed.mentions.nonzero(as_tuple=True)
    questions = rows * (int(packed.segments.max()) + 1) + packed.segments[rows, places]
    codes = packed.mentions[rows, places]
    return things_of(codes, rows, symbols), questions, alike_of(codes, rows, symbols)


def _right_by_kind(answered: Answered, packed: Packed) -> dict[str, float]:
    """Shares of the answers of which every word is right; "blind" holds those without a picture."""
    import torch

    told = torch.ones_like(answered.due)
    told[answered.due] = answered.logits.argmax(-1) == answered.right
    scores: dict[str, list[bool]] = {}
    for row, kinds in enumerate(packed.kinds):
        for number, kind in enumerate(kinds):
            mine = packed.segments[row] == number
            name = "blind" if bool(packed.blind[row][mine].any()) else kind
            scores.setdefault(name, []).append(bool(told[row][mine].all()))
    return {kind: sum(one) / len(one) for kind, one in sorted(scores.items())}


def _as_it_is(told: Answered) -> Answered:
    """The same words, which no gradient reaches."""
    return told._replace(found=told.found.detach(), compared=told.compared.detach(), weighed=told.weighed.detach())


def _module(part: object) -> torch.nn.Module:
    return cast("torch.nn.Module", part)


def _half() -> torch.autocast:
    """Sixteen-bit products where the processor has them (elsewhere they take three times as long); sums stay in 32."""
    import torch

    able = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=able)
