"""The corpus: all rooms in memory, from which batches are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import DiagnosticsError
from .curriculum import OF_ALL_THINGS
from .fading import faded_and_restored
from .jitter import lit, worn
from .network import SIDE_PX
from .packing import Packed, Speller, Spoken, pack
from .repairs import repaired
from .rooms import Shard, read_shard, shard_file
from .symbols import mirrored

if TYPE_CHECKING:
    import torch

__all__ = ["Corpus", "Seen", "pixel_values"]

_NUMBERED_SHARE: Final = 0.65
"""Of the pictures about which questions are asked, those with numbers on them."""
_HARMLESS: Final = frozenset({"defocus", "distortion", "rain", "rolling_shutter", "snow"})
_MILD: Final = ("-1", "-2")
_MILD_SHARE: Final = 0.33
"""Of the degraded pictures in which as much can be seen as in clean ones, so many are shown; else their clean ones."""


@dataclass(frozen=True)
class Seen:
    """A batch of pictures.

    Attributes:
        pixels: (B, 3, SIDE_PX, SIDE_PX), as the network takes them.
        symbols: (B, patches, SYMBOLS) float32.
    """

    pixels: torch.Tensor
    symbols: torch.Tensor


@dataclass(eq=False)
class _Room:
    shard: Shard
    speller: Speller
    plain: dict[int, int]
    """View -> its picture without numbers."""

    @cached_property
    def spoken(self) -> tuple[tuple[Spoken, ...], ...]:
        """The lessons in tokens, made when they are first asked for: some stages look at pictures only."""
        spoken = tuple(tuple(self.speller.spoken(lesson) for lesson in lessons) for lessons in self.shard.lessons)
        # Nobody asks for the words again, and a corpus of them is gigabytes.
        self.shard = replace(self.shard, lessons=())
        return spoken


class Corpus:
    """Rooms to draw from.

    Args:
        folder: of the shards.
        rooms: which ones.
        speller: makes tokens.
        degraded_share: of the pictures that are drawn under a degradation, see `_MILD_SHARE`; 0 for clean ones only.
        repaired_share: of the pictures that are shown after a tool of the solver.
        faded_share: of those that are shown after `faded_and_restored`; about these `OF_ALL_THINGS` is not asked.

    Raises:
        DiagnosticsError: no rooms, a damaged one, or one without the degraded pictures that are asked for.
    """

    def __init__(
        self,
        folder: Path,
        rooms: Sequence[int],
        speller: Speller,
        *,
        degraded_share: float = 0.0,
        repaired_share: float = 0.0,
        faded_share: float = 0.0,
    ) -> None:
        if not rooms:
            raise DiagnosticsError(f"{folder}: a corpus needs at least one room")
        self._degraded_share, self._repaired_share, self._faded_share = degraded_share, repaired_share, faded_share
        self._rooms = [
            _room(read_shard(shard_file(folder, room), degraded=degraded_share > 0), speller) for room in rooms
        ]
        if degraded_share and any(room.shard.degraded is None for room in self._rooms):
            raise DiagnosticsError(f"{folder}: the rooms were made without degraded pictures; make them anew")

    def pictures(self, rng: np.random.Generator, size: int) -> Seen:
        """Any pictures; those without numbers are mirrored half of the time."""
        images, symbols = [], []
        for _ in range(size):
            room = self._rooms[int(rng.integers(len(self._rooms)))]
            place = int(rng.integers(len(room.shard.pictures)))
            image, told, _ = self._version(room, place, rng)
            if room.plain[int(room.shard.views[place])] == place and rng.random() < 0.5:
                image, told = image[:, ::-1], mirrored(told)
            images.append(image)
            symbols.append(told)
        return _seen(images, symbols, rng)

    def questions(
        self,
        rng: np.random.Generator,
        size: int,
        *,
        room_tokens: int,
        weight: Callable[[str], float],
        blind_share: float,
        varied: bool = True,
        wearing: bool = False,
        numbered_only: bool = False,
    ) -> tuple[Seen, Packed]:
        """Pictures with packed questions about them.

        Args:
            rng: draws.
            size: pictures.
            room_tokens: for the questions about each one.
            weight: of a kind of question.
            blind_share: see `pack`.
            varied: vary the light, as for training.
            wearing: and more, see `worn`.
            numbered_only: no pictures without numbers.
        """
        images, symbols, rows = list[NDArray[np.uint8]](), list[NDArray[np.uint8]](), list[list[Spoken]]()
        while len(rows) < size:
            room = self._rooms[int(rng.integers(len(self._rooms)))]
            place = _drawn_picture(room, rng, 1.0 if numbered_only else _NUMBERED_SHARE)
            row = list(room.spoken[place])
            base = room.plain[int(room.shard.views[place])]
            if base != place:
                # Things keep their names when they get numbers.
                named = room.spoken[base]
                chosen = rng.permutation(len(named))[: max(8, len(row) // 3)]
                row += [named[one] for one in chosen.tolist()]
            image, told, whole = self._version(room, place, rng)
            row = row if whole else [one for one in row if one.kind not in OF_ALL_THINGS]
            if not any(weight(one.kind) for one in row):
                continue
            images.append(image)
            symbols.append(told)
            rows.append(row)
        packed = pack(rows, rng, weight=weight, room=room_tokens, blind_share=blind_share)
        seen = _seen(images, symbols, rng if varied else None)
        return (replace(seen, pixels=worn(seen.pixels, rng)) if wearing else seen), packed

    def _version(
        self, room: _Room, place: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8], bool]:
        """A picture, degraded or not, repaired or not, what it shows, and whether it was left whole."""
        shard = room.shard
        pictures, symbols, condition = shard.pictures, shard.symbols, ""
        if (
            shard.degraded is not None
            and shard.degraded_symbols is not None
            and rng.random() < self._degraded_share * _shown(shard.conditions[place])
        ):
            pictures, symbols, condition = shard.degraded, shard.degraded_symbols, shard.conditions[place]
        image = pictures[place]
        if rng.random() < self._repaired_share:
            image = repaired(image, condition, rng)
        whole = bool(rng.random() >= self._faded_share)
        if not whole:
            numbers = (pictures[place] != pictures[room.plain[int(shard.views[place])]]).any(axis=2)
            image = faded_and_restored(image, numbers, rng)
        return image, symbols[place], whole


def _shown(condition: str) -> float:
    """The share of the pictures under a condition that are shown."""
    mild = condition.rpartition("-")[0] in _HARMLESS or condition.endswith(_MILD)
    return _MILD_SHARE if mild else 1.0


def pixel_values(images: NDArray[np.uint8]) -> torch.Tensor:
    """(B, H, W, 3) display-encoded pictures as the network takes them: resized to a square, from -1 to 1."""
    import torch
    from torch.nn import functional

    stacked = torch.from_numpy(np.ascontiguousarray(images)).permute(0, 3, 1, 2).float()
    resized = functional.interpolate(
        stacked, size=(SIDE_PX, SIDE_PX), mode="bicubic", antialias=True, align_corners=False
    )
    return resized.clamp(0, 255) / 127.5 - 1


def _room(shard: Shard, speller: Speller) -> _Room:
    plain: dict[int, int] = {}
    for place, view in enumerate(shard.views.tolist()):
        plain.setdefault(view, place)
    return _Room(shard, speller, plain)


def _drawn_picture(room: _Room, rng: np.random.Generator, numbered_share: float) -> int:
    plain, count = len(room.plain), len(room.shard.pictures)
    if count > plain and rng.random() < numbered_share:
        return int(rng.integers(plain, count))
    return int(rng.integers(plain))


def _seen(
    images: Sequence[NDArray[np.uint8]], symbols: Sequence[NDArray[np.uint8]], rng: np.random.Generator | None
) -> Seen:
    import torch

    pixels = pixel_values(np.stack(images))
    if rng is not None:
        pixels = lit(pixels, rng)
    return Seen(pixels, torch.from_numpy(np.stack(symbols).astype(np.float32) / 255))
