"""Decoding by table is decoding by formula, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from seeworthy.bench_data.images import linear_from_srgb, linear_from_u8, srgb_from_u8


@pytest.mark.parametrize("shape", [(256,), (1, 1, 3), (37, 41, 3), (3, 1000, 3)])
def test_the_table_gives_the_same_bits(shape: tuple[int, ...]) -> None:
    values = np.resize(np.arange(256, dtype=np.uint8)[::-1], shape)
    found = linear_from_u8(values)
    assert found.dtype == np.float32
    assert found.shape == shape
    assert found.tobytes() == linear_from_srgb(srgb_from_u8(values)).tobytes()


def test_the_table_is_the_standard_in_double_precision() -> None:
    encoded = np.arange(256) / 255
    exact = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    assert linear_from_u8(np.arange(256, dtype=np.uint8)) == pytest.approx(exact, rel=1e-6)


def test_a_result_can_be_written_without_harm_to_the_next() -> None:
    first = linear_from_u8(np.array([255], dtype=np.uint8))
    first[0] = 7
    assert linear_from_u8(np.array([255], dtype=np.uint8)) == pytest.approx([1.0])
