"""Imports go down only: agent > diagnostics > tools > bench_data; and inside the packages they are relative."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("bench_data", "tools", "diagnostics", "agent")
SOURCES = sorted(path for layer in LAYERS for path in (ROOT / layer).rglob("*.py"))


def absolute(node: ast.AST) -> bool:
    """Whether a node imports our own packages by their installed name."""
    if isinstance(node, ast.ImportFrom):
        return node.level == 0 and (node.module or "").startswith("seeworthy")
    return isinstance(node, ast.Import) and any(alias.name.startswith("seeworthy") for alias in node.names)


def imported_layers(path: Path) -> list[tuple[int, str]]:
    """(line, layer) of every import in a file that reaches another of the four packages."""
    depth = len(path.relative_to(ROOT).parts) - 1
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level > depth and node.module:
            found.append((node.lineno, node.module.split(".")[0]))
        elif absolute(node):
            found.append((node.lineno, "absolute"))
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_down_and_are_relative(path: Path) -> None:
    own = LAYERS.index(path.relative_to(ROOT).parts[0])
    wrong = [
        f"line {line} imports {layer}"
        for line, layer in imported_layers(path)
        if layer not in LAYERS or LAYERS.index(layer) > own
    ]
    assert wrong == []


def test_the_check_sees_an_upward_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_layers.ROOT", tmp_path)
    bad = tmp_path / "tools" / "sub" / "bad.py"
    bad.parent.mkdir(parents=True)
    bad.write_text("from ...agent.robust import RobustVLM\nimport seeworthy.agent\nfrom . import sibling\n")
    assert imported_layers(bad) == [(1, "agent"), (2, "absolute")]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 500
