"""Every example in a docstring is run."""

import doctest
import importlib
import pkgutil

import pytest

PACKAGES = ("seeworthy.bench_data", "seeworthy.tools", "seeworthy.diagnostics", "seeworthy.agent")


def all_modules() -> list[str]:
    names = list(PACKAGES)
    for package in PACKAGES:
        root = importlib.import_module(package)
        names += [module.name for module in pkgutil.walk_packages(root.__path__, prefix=f"{package}.")]
    return [name for name in names if not name.endswith("__main__")]


@pytest.mark.parametrize("name", all_modules())
def test_examples_in_docstrings_hold(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0
