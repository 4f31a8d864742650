import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.tools.errors import ModelError
from seeworthy.tools.models import Usage
from seeworthy.tools.models.prices import Price, read_prices

TABLE = {"m": {"input": 2.5, "output": 10}}


def test_a_table_may_be_a_mapping_text_or_a_file(tmp_path):
    path = tmp_path / "prices ü.json"
    path.write_text(json.dumps(TABLE), encoding="utf-8")
    expected = {"m": Price(input=2.5, output=10)}
    assert (
        read_prices(TABLE) == read_prices(json.dumps(TABLE)) == read_prices(path) == read_prices(str(path)) == expected
    )


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ({"m": {"input": -1, "output": 1}}, "m.input"),
        ({"m": {"input": float("nan"), "output": 1}}, "m.input"),
        ({"m": {"input": 1}}, "m.output"),
        ({"m": {"input": 1, "output": 1, "cached": 1}}, "m.cached"),
        ({"m": 3}, "m"),
        ("{not json", "the form is"),
        (3, "the form is"),
        ("/nowhere/prices.json", "cannot be read"),
    ],
)
def test_another_form_is_an_error_that_says_where(source, says):
    with pytest.raises(ModelError, match=says):
        read_prices(source)


def test_cost_is_unknown_unless_both_counts_are_known():
    price = Price(input=1, output=1)
    assert price.cost_usd(Usage()) is None
    assert price.cost_usd(Usage(input_tokens=5)) is None
    assert price.cost_usd(Usage(input_tokens=0, output_tokens=0)) == 0.0


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_cost_is_linear_in_tokens(given_tokens, written_tokens):
    price = Price(input=2.5, output=10.0)
    cost = price.cost_usd(Usage(input_tokens=given_tokens, output_tokens=written_tokens))
    assert cost == pytest.approx(given_tokens * 2.5e-6 + written_tokens * 10e-6)
