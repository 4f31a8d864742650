"""Every metric states its range and direction and shows an example; nothing that scores draws a random number."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

from seeworthy.diagnostics import metrics
from seeworthy.diagnostics.metrics import geometry, statistics

# Tools around the metrics: they compute no score of a model.
NOT_METRICS = {
    "fit_similarity",
    "points_seen_by",
    "relative_to_first",
    "voxel_average",
    *(name for name in statistics.__all__ if name not in ("mcnemar_exact", "paired_difference", "point_biserial")),
}
FUNCTIONS = {
    name: function
    for module in (metrics, geometry)
    for name in module.__all__
    if inspect.isfunction(function := getattr(module, name))
}
MODULES = [
    module.name for module in pkgutil.walk_packages(metrics.__path__, prefix=f"{metrics.__name__}.") if not module.ispkg
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_shows_an_example(name: str) -> None:
    examples = doctest.DocTestFinder(recurse=False).find(FUNCTIONS[name], name)
    assert sum(len(found.examples) for found in examples) > 0


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - NOT_METRICS))
def test_every_metric_states_range_and_direction(name: str) -> None:
    documentation = inspect.getdoc(FUNCTIONS[name]) or ""
    stated = re.search(r"^Range: .*?(?:\n\n|\Z)", documentation, flags=re.MULTILINE | re.DOTALL)
    assert stated is not None
    assert re.search(r"better|no direction|stronger|more strongly|\[0, 180\]", stated.group())


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith(".bootstrap")])
def test_nothing_but_the_bootstrap_draws_random_numbers(name: str) -> None:
    tree = ast.parse(Path(importlib.import_module(name).__file__ or "").read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert not imported & {"random", "secrets", "numpy.random"}
    assert not [name for name in called if "random" in name]
