"""Labels of paths: all different, no longer than needed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.path_labels import path_labels

NAMES = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(tuple)


def test_as_many_parents_are_told_as_it_takes() -> None:
    assert path_labels([Path("/a/x/run"), Path("/a/y/run"), Path("/a/z")], what="folder") == ("x/run", "y/run", "a/z")
    assert path_labels([Path("/run"), Path("/a/run")], what="folder") == ("/run", "a/run")
    assert path_labels([], what="folder") == ()


@given(st.lists(NAMES, min_size=1, max_size=6, unique=True))
def test_labels_differ_and_one_parent_less_would_not_do(names: list[tuple[str, ...]]) -> None:
    paths = [Path("/", *parts) for parts in names]
    labels = path_labels(paths, what="file")
    assert len(set(labels)) == len(paths)
    assert all(str(path).endswith(label) for path, label in zip(paths, labels, strict=True))
    depth = max(len(Path(label).parts) for label in labels)
    if depth > 1:
        assert len({path.parts[-(depth - 1) :] for path in paths}) < len(paths)


def test_a_path_that_is_given_twice_is_refused() -> None:
    with pytest.raises(DiagnosticsError, match="a file is given twice; give each once"):
        path_labels([Path("/a/x"), Path("/a/x")], what="file")
