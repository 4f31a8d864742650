"""Random numbers for questions: those of a seeded generator, in its order, but drawn many at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Protocol

import numpy as np

from ..degrade.seeds import derived_rng

__all__ = ["Draws", "Uniform", "derived_draws"]

_AT_ONCE = 64


class Uniform(Protocol):
    """A source of random numbers: `Draws`, or a `numpy.random.Generator`."""

    def random(self) -> float:
        """The next number, uniform in [0, 1)."""


class Draws:
    """The numbers that ``generator.random()`` gives, call by call, at a tenth of its cost.

    Questions take a dozen small decisions each, and one call of a generator costs as much as a hundred numbers of a
    larger one. Whoever else draws from the same generator draws behind the numbers that are kept here.

    >>> numbers, alone = Draws(np.random.default_rng(0)), np.random.default_rng(0)
    >>> all(numbers.random() == alone.random() for _ in range(1000))
    True
    """

    __slots__ = ("random",)

    random: Callable[[], float]
    """The next number, uniform in [0, 1)."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.random = chain.from_iterable(_blocks(generator)).__next__


def _blocks(generator: np.random.Generator) -> Iterator[list[float]]:
    while True:
        yield generator.random(_AT_ONCE).tolist()


def derived_draws(*parts: str | int) -> Draws:
    """The numbers of `derived_rng` of these parts."""
    return Draws(derived_rng(*parts))
