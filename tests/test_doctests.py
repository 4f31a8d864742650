"""Every example in a docstring is run."""

import doctest
import importlib
import pkgutil

import pytest

OPTIONAL = ("inspect_ai",)
"""Packages of extras that the tests' own set-up leaves out."""
PACKAGES = ("seeworthy.bench_data", "seeworthy.tools", "seeworthy.diagnostics", "seeworthy.agent")


def all_modules() -> list[str]:
    names = list(PACKAGES)
    for package in PACKAGES:
        root = importlib.import_module(package)
        names += [module.name for module in pkgutil.walk_packages(root.__path__, prefix=f"{package}.")]
    return [name for name in names if not name.endswith("__main__")]


@pytest.mark.parametrize("name", all_modules())
def test_examples_in_docstrings_hold(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in OPTIONAL:
            raise
        pytest.skip(f"{name} needs {error.name}")
    failed, _ = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0
