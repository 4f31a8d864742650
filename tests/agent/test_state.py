"""The state holds plain values only, and says precisely what it refuses."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from seeworthy.agent.errors import SolverError
from seeworthy.agent.state import add_numbers, checked_update, merge_by_key, storable


@dataclass
class _Thing:
    x: int = 1


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (np.float32(0.3), "numpy.float32"),
        (np.zeros(3), "numpy.ndarray"),
        ((1, 2), "builtins.tuple"),
        (Image.new("RGB", (2, 2)), "PIL.Image.Image"),
        (_Thing(), "_Thing"),
        (ValueError("no"), "builtins.ValueError"),
        (lambda: 0, "builtins.function"),
        (b"bytes", "builtins.bytes"),
        (2**63, "beyond 64 bits"),
        (float("nan"), "is nan"),
        (float("inf"), "is inf"),
        ({1: "a"}, "keys must be text"),
    ],
)
def test_what_no_checkpointer_keeps_is_refused_by_name(value: object, named: str) -> None:
    with pytest.raises(SolverError) as caught:
        checked_update("my_node", {"work": [{"scores": {"quality": value}}]})
    text = str(caught.value)
    assert named in text
    assert "my_node" in text
    assert "work[0].scores.quality" in text


def test_a_mistyped_key_is_refused_with_the_nearest_known_one() -> None:
    with pytest.raises(SolverError, match=r"'typist'.*'anwsers'.*did you mean 'answers'"):
        checked_update("typist", {"anwsers": []})


def test_an_update_must_be_a_mapping() -> None:
    with pytest.raises(SolverError, match="returned list"):
        checked_update("node", [])


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(plain)
def test_every_plain_value_passes_unchanged(value: object) -> None:
    assert checked_update("node", {"events": [value]}) == {"events": [value]}


@given(st.lists(st.tuples(st.text(max_size=3), st.integers()), unique_by=lambda pair: pair[0], max_size=6))
def test_parallel_detections_merge_alike_in_any_order(pairs: list[tuple[str, int]]) -> None:
    forward: dict[str, object] = {}
    backward: dict[str, object] = {}
    for key, value in pairs:
        forward = merge_by_key(forward, {key: value})
    for key, value in reversed(pairs):
        backward = merge_by_key(backward, {key: value})
    assert list(forward.items()) == list(backward.items())


def test_spending_adds_up_by_kind() -> None:
    assert add_numbers({"calls": 1}, {"calls": 2, "seconds": 0.5}) == {"calls": 3, "seconds": 0.5}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a\ud800b", "a?b"),
        ("a\x00b", "a\ufffdb"),
        ("\x1b[31mred", "\ufffd[31mred"),
        ("ü 🦉\n\tend", "ü 🦉\n\tend"),
        ("\x9b", "\ufffd"),
    ],
)
def test_hostile_text_is_made_harmless(text: str, kept: str) -> None:
    assert storable(text) == kept
