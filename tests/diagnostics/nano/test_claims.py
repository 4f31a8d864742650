"""The kinds that the embedded models claim exist, and are about one picture."""

from __future__ import annotations

from seeworthy.bench_data.questions import QUESTION_SUITES
from seeworthy.diagnostics.nano.claims import CLAIMED_KINDS, is_claimed


def test_every_claimed_kind_is_one_of_its_suite() -> None:
    for name in CLAIMED_KINDS:
        suite, _, kind = name.partition("/")
        assert kind in QUESTION_SUITES.get(suite).kinds, name
        assert is_claimed(suite, kind)


def test_a_kind_is_claimed_for_its_own_suite_only() -> None:
    assert not is_claimed("spacedg", "is_left_of")
    assert not is_claimed("crisp", "")
