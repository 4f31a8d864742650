"""Paths that stay inside, list cells that are never evaluated, and tables that survive stray quotes."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.suites.files.json_lines import json_line_rows
from seeworthy.bench_data.suites.files.json_tree import json_tree_rows
from seeworthy.bench_data.suites.files.rows import BadRow, RawRow
from seeworthy.bench_data.suites.files.tables import table_line, table_rows
from seeworthy.bench_data.suites.limits import SuiteLimits
from seeworthy.bench_data.suites.literals import list_cell, parse_list_cell
from seeworthy.bench_data.suites.paths import PathError, inside, relative_path

UGLY_PATHS = (
    "",
    " ",
    ".",
    "./",
    "/etc/passwd",
    "//server/share",
    "../x.png",
    "a/../../x.png",
    "a/..",
    "..\\x.png",
    "a\\b.png",
    "C:/x.png",
    "c:x.png",
    "file:///x.png",
    "https://example.org/x.png",
    "data:image/png;base64,AAAA",
    "~/x.png",
    "~root/x.png",
    "a\x00b.png",
    "a\nb.png",
    "x" * 2000,
)


@pytest.mark.parametrize("text", UGLY_PATHS)
def test_paths_that_lead_elsewhere_are_refused(text: str) -> None:
    with pytest.raises(PathError):
        relative_path(text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [("a/b.png", "a/b.png"), ("./a//b.png", "a/b.png"), ("a b/ü.png", "a b/ü.png"), ("a/..b.png", "a/..b.png")],
)
def test_plain_paths_are_kept(text: str, plain: str) -> None:
    assert relative_path(text) == plain


@settings(deadline=None)
@given(st.text(alphabet="ab./\\:~ \x00%", max_size=24))
def test_what_is_let_through_stays_inside(text: str) -> None:
    try:
        plain = relative_path(text)
    except PathError:
        return
    root = Path("/suite")
    assert (root / plain).resolve().is_relative_to(root)
    assert relative_path(plain) == plain


def test_links_that_lead_out_are_refused(tmp_path: Path) -> None:
    root = tmp_path / "suite"
    root.mkdir()
    (tmp_path / "secret.png").write_bytes(b"x")
    (root / "out").symlink_to(tmp_path)
    (root / "loop").symlink_to(root / "loop")
    (root / "in").mkdir()
    (root / "fine").symlink_to(root / "in")
    for path in ("out/secret.png", "loop/x"):
        with pytest.raises(PathError):
            inside(root, path)
    assert inside(root, "fine/a.png") == root / "fine" / "a.png"


# List cells -----------------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.text(max_size=12) | st.floats(allow_nan=False, allow_infinity=False) | st.integers(), max_size=6))
def test_lists_come_back_as_python_and_as_json_write_them(items: list[str | float | int]) -> None:
    for cell in (repr(items), json.dumps(items)):
        assert parse_list_cell(cell) == items


def test_lists_are_written_so_that_they_come_back() -> None:
    paths = ["it's/a.jpg", 'say "b".jpg', "c,d.jpg"]
    assert parse_list_cell(list_cell(paths)) == paths


@pytest.mark.parametrize(
    "cell",
    [
        "__import__('os').system('touch x')",
        "[__import__('os')]",
        "['a' 'b']",
        "['a' + 'b']",
        "[1, 2",
        "['a]",
        "[[1], [2]]",
        "{'a': 1}",
        "[1 2]",
        "[,]",
        "[" * 50_000 + "]" * 50_000,
        "['\\U00ffffff']",
    ],
)
def test_other_cells_are_no_lists(cell: str) -> None:
    with pytest.raises(ValueError, match="list|chr"):
        parse_list_cell(cell)


# Tables ---------------------------------------------------------------------------------------------------------------

CELLS = st.text(alphabet=st.characters(exclude_categories=("Cs",), exclude_characters="\r\x00"), max_size=12)


def rows_of(path: Path, text: str | bytes, **limits: int) -> list[RawRow | BadRow]:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(table_rows(path, required=("a",), limits=SuiteLimits(**limits)))


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(CELLS, CELLS.filter(bool), CELLS), max_size=6))
def test_tables_come_back_and_pandas_reads_them_alike(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]]
) -> None:
    text = "".join(table_line(row) for row in [("a", "b", "c"), *rows])
    found = rows_of(tmp_path_factory.getbasetemp() / "table.tsv", text)
    assert [tuple(row.fields.values()) for row in found if isinstance(row, RawRow)] == rows
    frame = pd.read_csv(io.StringIO(text), sep="\t", keep_default_na=False, dtype=str, skip_blank_lines=False)
    assert [tuple(row) for row in frame.itertuples(index=False)] == rows


def test_a_stray_quote_costs_its_own_row_only(tmp_path: Path) -> None:
    text = 'a\tb\n1\t"open\n2\tx\n3\ty\n'
    found = rows_of(tmp_path / "t.tsv", text)
    assert [(type(row).__name__, row.line) for row in found] == [("BadRow", 2), ("RawRow", 3), ("RawRow", 4)]


def test_a_stray_quote_that_is_closed_later_costs_its_rows_only(tmp_path: Path) -> None:
    text = 'a\tb\n1\t"open\n2\tx"y\n3\tz\n'
    found = rows_of(tmp_path / "t.tsv", text)
    assert [row.line for row in found if isinstance(row, BadRow)] == [2]
    # Outside of quotes, in the middle of a cell, a quote is a letter, as for pandas.
    assert [dict(row.fields) for row in found if isinstance(row, RawRow)] == [
        {"a": "2", "b": 'x"y'},
        {"a": "3", "b": "z"},
    ]


@pytest.mark.parametrize(
    ("text", "bad", "good"),
    [
        ("", [1], 0),
        ("b\tc\n1\t2\n", [1], 0),
        ("a\ta\n1\t2\n", [1], 0),
        ("a\tb\n1\n1\t2\t3\n4\t5\n", [2, 3], 1),
        (b"a\tb\n\xff\xfe\t1\n1\t2\n", [2], 1),
        (b"\xef\xbb\xbfa\tb\r\n1\t2\r\n\r\n3\t4", [], 2),
        ('a\tb\n1\t"x"y\n2\tz\n', [2], 1),
    ],
)
def test_ugly_tables(tmp_path: Path, text: str | bytes, bad: list[int], good: int) -> None:
    found = rows_of(tmp_path / "t.tsv", text)
    assert [row.line for row in found if isinstance(row, BadRow)] == bad
    assert sum(isinstance(row, RawRow) for row in found) == good


def test_rows_over_the_limit_are_passed_over(tmp_path: Path) -> None:
    found = rows_of(tmp_path / "t.tsv", "a\tb\n1\t" + "x" * 5000 + "\n2\ty\n", row_bytes=1000)
    assert [row.line for row in found if isinstance(row, BadRow)] == [2]
    assert [row.line for row in found if isinstance(row, RawRow)] == [3]


def test_offsets_lead_back_to_their_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    found = rows_of(path, 'a\tb\n1\t"x\ny"\n2\tz\n')
    for row in found:
        assert isinstance(row, RawRow)
        again = next(iter(table_rows(path, required=("a",), limits=SuiteLimits(), start=row.offset)))
        assert isinstance(again, RawRow)
        assert again.fields == row.fields


# JSON -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "good"),
    [
        ('{"a": 1}', True),
        ('{"a": NaN}', False),
        ('{"a": Infinity}', False),
        ("[1]", False),
        ("3", False),
        ('"text"', False),
        ("{", False),
        ("[" * 200_000, False),
        ('{"a": ' + "9" * 5000 + "}", False),
    ],
)
def test_lines_of_json(tmp_path: Path, line: str, good: bool) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(line + '\n\n{"b": 2}\n')
    first, second = json_line_rows(path, limits=SuiteLimits())
    assert isinstance(first, RawRow) is good
    assert isinstance(second, RawRow)
    assert second.line == 3


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
RECORDS = st.lists(st.dictionaries(st.text(max_size=4), VALUES, max_size=4), max_size=4)
TREES = st.recursive(RECORDS, lambda inner: st.dictionaries(st.text(max_size=4), inner, max_size=3), max_leaves=5)


def leaves(tree: object, keys: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], object]]:
    if isinstance(tree, dict):
        return [leaf for key, inner in tree.items() for leaf in leaves(inner, (*keys, key))]
    assert isinstance(tree, list)
    return [(keys, record) for record in tree]


@settings(max_examples=60, deadline=None)
@given(tree=TREES, indent=st.sampled_from([None, 1]))
def test_trees_are_read_as_a_whole_parser_reads_them(
    tmp_path_factory: pytest.TempPathFactory, tree: object, indent: int | None
) -> None:
    path = tmp_path_factory.getbasetemp() / "tree.json"
    path.write_text(json.dumps(tree, indent=indent), encoding="utf-8")
    found = list(json_tree_rows(path, limits=SuiteLimits()))
    assert [(row.keys, dict(row.fields)) for row in found if isinstance(row, RawRow)] == leaves(tree)
    assert len(found) == len(leaves(tree))


def test_a_large_tree_is_read_through_a_small_window(tmp_path: Path) -> None:
    records = [{"n": n, "text": "x" * (n % 7) * 5000} for n in range(300)]
    path = tmp_path / "tree.json"
    path.write_text(json.dumps({"a": {"b": records}}, indent=1))
    found = list(json_tree_rows(path, limits=SuiteLimits()))
    assert [row.fields["n"] for row in found if isinstance(row, RawRow)] == list(range(300))
    lines = path.read_text().split("\n")
    assert all(lines[row.line - 1].strip() == "{" for row in found)


@pytest.mark.parametrize(
    ("text", "good", "line"),
    [
        ("", 0, 1),
        ("3", 0, 1),
        ('{"a": 3}', 0, 1),
        ('[{"a": 1},\n{"b": }]', 1, 2),
        ('[{"a": 1}', 1, 1),
        ('[{"a": 1}] tail', 1, 1),
        ('[{"a": 1} {"b": 2}]', 1, 1),
        ("{" * 3, 0, 1),
        ('{"a":' * 1000, 0, 1),
        ("[" + "[" * 200_000, 0, 1),
    ],
)
def test_broken_trees_give_what_came_before_and_the_place(tmp_path: Path, text: str, good: int, line: int) -> None:
    path = tmp_path / "tree.json"
    path.write_text(text)
    *before, last = json_tree_rows(path, limits=SuiteLimits())
    assert isinstance(last, BadRow)
    assert last.last
    assert last.line == line
    assert len(before) == good
