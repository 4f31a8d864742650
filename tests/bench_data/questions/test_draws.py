"""Numbers drawn many at a time are those drawn one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.bench_data.degrade.seeds import derived_rng
from seeworthy.bench_data.questions.draws import Draws, derived_draws
from seeworthy.bench_data.questions.options import below, drawn, shuffled


@given(seed=st.integers(0, 2**64), count=st.integers(0, 300))
def test_the_numbers_are_those_of_the_generator(seed: int, count: int) -> None:
    numbers, generator = Draws(np.random.default_rng(seed)), np.random.default_rng(seed)
    assert [numbers.random() for _ in range(count)] == [generator.random() for _ in range(count)]


@pytest.mark.parametrize("parts", [("a", 1), ("a", "1"), ("b", 1)])
def test_names_lead_to_the_same_draws(parts: tuple[str | int, ...]) -> None:
    numbers, generator = derived_draws(*parts), derived_rng(*parts)
    for _ in range(50):
        assert shuffled(numbers, range(9)) == shuffled(generator, range(9))
        assert drawn(numbers, "abcdefgh", 3) == drawn(generator, "abcdefgh", 3)
        assert below(numbers, 7) == below(generator, 7)
