"""The examples in the docstrings hold, and every public function shows one."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

from seeworthy.diagnostics import replies

MODULES = [module.name for module in pkgutil.walk_packages(replies.__path__, prefix=f"{replies.__name__}.")]
NO_EXAMPLE = {"check_corpus", "check_lines", "format_report", "format_side_by_side", "graph_problem", "picture_frame"}


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


@pytest.mark.parametrize("name", [name for name in replies.__all__ if inspect.isfunction(getattr(replies, name))])
def test_every_public_function_shows_an_example(name: str) -> None:
    function = getattr(replies, name)
    assert inspect.getdoc(function)
    if name not in NO_EXAMPLE:
        examples = doctest.DocTestFinder(recurse=False).find(function, name)
        assert sum(len(found.examples) for found in examples) > 0
