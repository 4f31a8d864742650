"""Spreadsheets as two writers make them, and as attackers do.

The golden files hold six rows that pandas wrote through XlsxWriter 3.3 and openpyxl 3.1, the first in the way that
VLMEvalKit asks for: texts with line breaks, control characters, a link, a formula, and a reply too long for a cell.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from seeworthy.bench_data.suites.files.rows import BadRow, RawRow
from seeworthy.diagnostics.importing import ImportLimits, OldRow
from seeworthy.diagnostics.importing.files.spreadsheet import spreadsheet_rows
from seeworthy.diagnostics.importing.registry import RUN_FORMATS

GOLDEN = Path(__file__).parents[2] / "golden/importing"
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
HEAD = '<row r="1"><c r="A1" t="inlineStr"><is><t>index</t></is></c><c r="B1" t="str"><v>prediction</v></c></row>'


def book(
    path: Path, rows: str, *, strings: str | None = None, compression: int = zipfile.ZIP_DEFLATED, **parts: str
) -> Path:
    """A spreadsheet by hand; ``parts`` replace whole parts by the ends of their names."""
    content = {
        "xl/workbook.xml": f'<workbook {MAIN} {OFFICE}><sheets><sheet name="S" r:id="rId7"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": '<Rels><Relationship Id="rId7" Target="worksheets/one.xml"/></Rels>',
        "xl/worksheets/one.xml": f"<worksheet {MAIN}><sheetData>{HEAD}{rows}</sheetData></worksheet>",
    }
    if strings is not None:
        content["xl/sharedStrings.xml"] = f"<sst {MAIN}>{strings}</sst>"
    for name, text in parts.items():
        content[next(part for part in content if Path(part).name.split(".")[0] == name)] = text
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    return path


def read(path: Path, **limits: int) -> list[RawRow | BadRow]:
    return list(spreadsheet_rows(path, required=("index", "prediction"), limits=ImportLimits(**limits)))


def predictions(path: Path) -> list[str]:
    return [str(row.fields["prediction"]) for row in read(path) if isinstance(row, RawRow)]


def test_what_xlsxwriter_writes() -> None:
    assert predictions(GOLDEN / "vlmeval-xlsxwriter.xlsx") == [
        "B",
        "Based on the image, the lamp.\r\nSo A\x07 _x000D_ 灯 😀",
        "http://example.org/B",
        "x" * 32767,
        "Failed to obtain answer via API.",
        "=1+1",
    ]


def test_what_openpyxl_writes() -> None:
    # It takes the last text for a formula, which has no value until a spreadsheet program works it out.
    wanted = ["B", "http://example.org/B", "Failed to obtain answer via API.", ""]
    assert predictions(GOLDEN / "vlmeval-openpyxl.xlsx") == wanted
    first = read(GOLDEN / "vlmeval-openpyxl.xlsx")[0]
    assert isinstance(first, RawRow)
    assert (first.line, first.fields["index"], first.fields["hit"], first.fields["hint"]) == (2, "0", "1", "")


def test_a_reply_that_fills_its_cell_has_lost_its_end() -> None:
    rows = [
        row
        for row in RUN_FORMATS.get("vlmeval").read(GOLDEN / "vlmeval-xlsxwriter.xlsx", ImportLimits())
        if isinstance(row, OldRow)
    ]
    assert [row.replies[0].status.value for row in rows] == ["ok", "ok", "ok", "truncated", "error", "ok"]
    assert [row.scores.get("hit") for row in rows] == [1, 0, 0, 0, 1, 0]


def test_cells_of_every_kind(tmp_path: Path) -> None:
    rows = (
        '<row><c><v>7</v></c><c t="s"><v>1</v></c></row>'
        '<row r="9"><c r="B9" t="s"><v>0</v></c></row>'
        '<row r="10"><c r="A10" t="e"><v>#N/A</v></c><c r="B10" t="b"><v>1</v></c><c r="XFD10"><v>9</v></c></row>'
        '<row r="11"/>'
    )
    strings = "<si><r><t>two </t></r><r><t>runs</t></r><rPh><t>hint</t></rPh></si><si><t>a&amp;b_x000A_c</t></si>"
    found = [
        (row.line, row.fields)
        for row in read(book(tmp_path / "a.xlsx", rows, strings=strings))
        if isinstance(row, RawRow)
    ]
    assert found == [
        (2, {"index": "7", "prediction": "a&b\nc"}),
        (9, {"index": "", "prediction": "two runs"}),
        (10, {"index": "", "prediction": "1"}),
    ]


BOMB = '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;">]>'


@pytest.mark.parametrize(
    ("rows", "how", "message"),
    [
        ("", {"one": f"{BOMB}<worksheet><sheetData>&c;</sheetData></worksheet>"}, "document type"),
        ('<row><c t="s"><v>5</v></c></row>', {"strings": "<si><t>x</t></si>"}, "text '5'"),
        ('<row><c t="s"><v>²</v></c></row>', {"strings": "<si><t>x</t></si>"}, "text '²'"),
        ('<row><c t="s"><v>' + "9" * 6000 + "</v></c></row>", {"strings": "<si><t>x</t></si>"}, "text '9999"),
        ('<row><c r="ZZZ2"><v>1</v></c></row>', {}, "columns"),
        ("<row><c><v>1</c></row>", {}, "no sound XML"),
        ("", {"one": "<worksheet/>"}, "empty"),
        ("", {"workbook": "<workbook><sheets/></workbook>"}, "no sheet"),
        ("", {"_rels": ""}, "no sound XML"),
    ],
)
def test_sheets_that_cannot_be_read_say_why(tmp_path: Path, rows: str, how: dict[str, str], message: str) -> None:
    path = tmp_path / "a.xlsx"
    if "_rels" in how:
        book(path, rows, workbook="<workbook><sheets")
    else:
        book(path, rows, **how)
    last = read(path)[-1]
    assert isinstance(last, BadRow)
    assert message in last.message
    assert last.last


def test_a_small_file_does_not_unpack_to_a_large_one(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", f'<row><c t="str"><v>{"x" * 5_000_000}</v></c></row>')
    assert path.stat().st_size < 50_000
    (bad,) = read(path, unpacked_bytes=1_000_000)
    assert isinstance(bad, BadRow)
    assert "unpacks to more than 1,000,000 bytes" in bad.message


@pytest.mark.parametrize("damage", ["text", "cut", "flipped", "empty"])
def test_files_that_are_no_spreadsheets(tmp_path: Path, damage: str) -> None:
    whole = (GOLDEN / "vlmeval-openpyxl.xlsx").read_bytes()
    data = {"text": b"index\tprediction\n", "cut": whole[: len(whole) // 2], "empty": b""}.get(damage, b"")
    if damage == "flipped":
        middle = bytearray(whole)
        packed = slice(whole.index(b"xl/worksheets/sheet1.xml") + 60, whole.index(b"xl/worksheets/sheet1.xml") + 120)
        middle[packed] = bytes(255 - byte for byte in middle[packed])
        data = bytes(middle)
    path = tmp_path / "a.xlsx"
    path.write_bytes(data)
    rows = read(path)
    assert isinstance(rows[-1], BadRow)


def test_another_kind_of_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as archive:
        archive.writestr("hello.txt", "hello")
    (bad,) = read(tmp_path / "a.xlsx")
    assert isinstance(bad, BadRow)
    assert "xl/workbook.xml" in bad.message
