"""What a small piece of a picture shows, in symbols: the dense labels that a renderer gives for free.

A picture of a scene is cut into 12 x 12 patches. Of each one we know which object it belongs to, and of that object its
category, its colours, where it is and how large it is; which number is drawn there; and how far away the surface is.
Each such fact is one group of a vector: a one-hot word, or a number spread over the two nearest bins, so that a patch
is a multi-hot vector of `SYMBOLS` entries. The vision tower learns to tell these vectors from pixels, and the decoder
learns to answer questions from them before it ever sees a picture.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...bench_data.marks import Mark
from ...bench_data.questions.scene_truth import SceneTruth
from ...bench_data.scene_graphs.placed import frame_axes
from ...bench_data.scenes.procedural import ROOM_CATEGORIES

__all__ = [
    "BINS",
    "COLOURS",
    "GRID",
    "GROUPS",
    "MOST_MARKS",
    "SYMBOLS",
    "Placement",
    "mirrored",
    "patch_symbols",
    "placements",
]

Array = NDArray[np.float64]
T = TypeVar("T", bound=np.generic)

GRID: Final = 12
"""Patches along each side of a picture."""
MOST_MARKS: Final = 12
"""Numbers that a mark can carry: 1 to this."""

_STRUCTURE: Final = ("none", "floor", "ceiling", "wall", "door", "window", "other")
COLOURS: Final = (
    *("black", "white", "grey", "red", "orange", "brown", "yellow"),
    *("green", "turquoise", "blue", "purple", "pink", "beige"),
)
_CATEGORY: Final = {label: place for place, label in enumerate(ROOM_CATEGORIES)}
_SEEN_PX: Final = 8
"""So many pixels of an object make it present in a patch."""
_COVERED: Final = 0.25
"""A mark lies in a patch when it covers this share of it."""

BINS: Final[Mapping[str, Array]] = {
    "right": np.linspace(-4.0, 4.0, 25),
    "forward": np.linspace(0.0, 8.0, 25),
    "up": np.linspace(-1.8, 1.6, 18),
    "distance": np.linspace(0.0, 8.0, 25),
    "length": np.linspace(np.log(0.04), np.log(3.2), 14),
    "width": np.linspace(np.log(0.02), np.log(2.4), 14),
    "height": np.linspace(np.log(0.02), np.log(2.6), 14),
    "depth": np.linspace(0.0, 8.0, 25),
}
"""Middles of the bins: metres from the camera in its level frame, and logarithms of sizes in metres."""

_SIZES: Final = {
    "owner": len(_CATEGORY) + len(_STRUCTURE),
    "present": len(_CATEGORY),
    "colour": len(COLOURS),
    "mark": MOST_MARKS + 1,
    "owned": MOST_MARKS + 1,
    **{name: len(bins) for name, bins in BINS.items()},
    "row": GRID,
    "column": GRID,
}


def _slices(sizes: Mapping[str, int]) -> dict[str, slice]:
    ends = np.cumsum(list(sizes.values())).tolist()
    return {name: slice(end - size, end) for (name, size), end in zip(sizes.items(), ends, strict=True)}


GROUPS: Final[Mapping[str, slice]] = _slices(_SIZES)
"""Where each group stands in the vector.

``owner`` is the category of what the patch belongs to, ``present`` holds all categories in it, ``mark`` the number
drawn there (0 for none), ``owned`` the number of its owner wherever that is drawn; ``right`` to ``height`` tell of the
owner, ``depth`` of the surface.
"""
SYMBOLS: Final = sum(_SIZES.values())
"""Length of the vector."""


@dataclass(frozen=True)
class Placement:
    """An object as a camera has it: metres in the camera's level frame, logarithms of its sides."""

    category: int
    colours: tuple[int, ...]
    numbers: Mapping[str, float]
    """Group -> value, for every group of `BINS` but ``depth``."""


def placements(truth: SceneTruth, view: int) -> dict[int, Placement]:
    """Where the objects of a scene are, seen from one of its views.

    Raises:
        BenchDataError: the camera looks straight up or down.
    """
    camera = truth.views[view].camera
    axes = frame_axes(camera, "level")
    found = {}
    for number, one in truth.objects.items():
        offset = np.asarray(one.box.centre_m) - camera.centre_m
        right, up, forward = (axes @ offset).tolist()
        upright = int(np.argmax(np.abs(one.box.world_from_box[2])))
        width, length = sorted(float(one.box.size_m[side]) for side in range(3) if side != upright)
        words = one.attributes.get("colour") or one.attributes.get("colour_may_be") or ""
        found[number] = Placement(
            category=_CATEGORY[one.label],
            colours=tuple(COLOURS.index(word) for word in words.split() if word in COLOURS),
            numbers={
                "right": right,
                "forward": forward,
                "up": up,
                "distance": float(np.linalg.norm(offset)),
                "length": float(np.log(length)),
                "width": float(np.log(width)),
                "height": float(np.log(one.box.size_m[upright])),
            },
        )
    return found


def patch_symbols(
    instance_ids: NDArray[np.integer],
    depth_m: NDArray[np.floating],
    objects: Mapping[int, Placement],
    structure: Mapping[int, str],
    marks: tuple[Mark, ...] = (),
) -> NDArray[np.float16]:
    """The symbols of a picture.

    Args:
        instance_ids: (H, W) the object in each pixel, -1 for none; both sides are multiples of `GRID`.
        depth_m: (H, W); not finite where nothing is.
        objects: see `placements`.
        structure: number -> label of walls and the like.
        marks: drawn on the picture.

    Returns:
        (GRID * GRID, SYMBOLS), row by row.
    """
    pixels = _patches(instance_ids)
    symbols = np.zeros((GRID * GRID, SYMBOLS), dtype=np.float32)
    owners = np.empty(GRID * GRID, dtype=np.int64)
    for patch, inside in enumerate(pixels):
        ids, counts = np.unique(inside, return_counts=True)
        owners[patch] = ids[np.argmax(counts)]
        for one, count in zip(ids.tolist(), counts.tolist(), strict=True):
            if one in objects and count >= _SEEN_PX:
                symbols[patch, GROUPS["present"].start + objects[one].category] = 1
    numbers = np.zeros(GRID * GRID, dtype=np.int64)
    for mark in marks:
        under = _under(mark, (instance_ids.shape[0], instance_ids.shape[1]))
        numbers[under], owners[under] = min(mark.number, MOST_MARKS), mark.object
    _hot(symbols, "mark", numbers)
    drawn = {mark.object: min(mark.number, MOST_MARKS) for mark in marks}
    _hot(symbols, "owned", np.array([drawn.get(int(one), 0) for one in owners]))
    for one in np.unique(owners).tolist():
        where = owners == one
        if one in objects:
            _tell(symbols, where, objects[one])
        else:
            label = structure.get(one, "none")
            place = _STRUCTURE.index(label if label in _STRUCTURE else "other")
            symbols[where, GROUPS["owner"].start + len(_CATEGORY) + place] = 1
    symbols[:, GROUPS["depth"]] = _spread(_middle_depth(_patches(depth_m)), BINS["depth"])
    places = np.arange(GRID * GRID)
    _hot(symbols, "row", places // GRID)
    _hot(symbols, "column", places % GRID)
    return symbols.astype(np.float16)


def mirrored(symbols: NDArray[T]) -> NDArray[T]:
    """The symbols (GRID * GRID, SYMBOLS) of the same picture seen in a mirror that swaps left and right."""
    flipped = symbols.reshape(GRID, GRID, SYMBOLS)[:, ::-1].reshape(symbols.shape).copy()
    for group in ("right", "column"):
        flipped[:, GROUPS[group]] = flipped[:, GROUPS[group]][:, ::-1]
    return flipped


def _tell(symbols: NDArray[np.float32], where: NDArray[np.bool_], one: Placement) -> None:
    symbols[where, GROUPS["owner"].start + one.category] = 1
    for colour in one.colours:
        symbols[where, GROUPS["colour"].start + colour] = 1
    for group, value in one.numbers.items():
        symbols[where, GROUPS[group]] = _spread(np.array([value]), BINS[group])


def _patches(picture: NDArray[np.generic]) -> NDArray[np.generic]:
    """(H, W) as (GRID * GRID, pixels of a patch)."""
    height, width = picture.shape
    cut = picture.reshape(GRID, height // GRID, GRID, width // GRID).transpose(0, 2, 1, 3)
    return cut.reshape(GRID * GRID, -1)


def _under(mark: Mark, size: tuple[int, int]) -> NDArray[np.bool_]:
    """(GRID * GRID,) the patches that a mark covers, at least the one with its middle."""
    height, width = size
    y, x = np.mgrid[0:height, 0:width] + 0.5
    disc = (x - mark.centre_px[0]) ** 2 + (y - mark.centre_px[1]) ** 2 <= mark.radius_px**2
    under: NDArray[np.bool_] = np.asarray(_patches(disc), dtype=np.float64).mean(axis=1) >= _COVERED
    row = min(max(int(mark.centre_px[1] * GRID / height), 0), GRID - 1)
    column = min(max(int(mark.centre_px[0] * GRID / width), 0), GRID - 1)
    under[row * GRID + column] = True
    return under


def _middle_depth(depth_m: NDArray[np.generic]) -> Array:
    known = np.asarray(depth_m, dtype=np.float64)
    known = np.where(np.isfinite(known) & (known > 0), known, np.nan)
    none = np.isnan(known).all(axis=1)
    known[none] = BINS["depth"][-1]
    return np.asarray(np.nanmedian(known, axis=1))


def _hot(symbols: NDArray[np.float32], group: str, places: NDArray[np.int64]) -> None:
    symbols[np.arange(len(places)), GROUPS[group].start + places] = 1


def _spread(values: Array, bins: Array) -> NDArray[np.float32]:
    """(N,) values as (N, B) weights of the two bins around each; what lies beyond an end is moved to it."""
    place = np.clip((values - bins[0]) / (bins[1] - bins[0]), 0, len(bins) - 1)
    low = np.minimum(place.astype(np.int64), len(bins) - 2)
    weights = np.zeros((len(values), len(bins)), dtype=np.float32)
    rows = np.arange(len(values))
    weights[rows, low] = low + 1 - place
    weights[rows, low + 1] = place - low
    return weights
