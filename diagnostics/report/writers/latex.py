"""The tables of a report as LaTeX, for papers: `booktabs`, one ``table`` each, every text escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ..summary import ReportSummary
from .tables import (
    Table,
    comparison_tables,
    consistency_tables,
    cost_tables,
    curve_tables,
    score_tables,
    sensitivity_tables,
    setting_tables,
    stress_tables,
)

__all__ = ["latex_table", "latex_text", "report_latex"]

_ESCAPED: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
}
_LIGATURE: Final = re.compile("(?<=-)-|(?<=,),|[?!](?=`)")
"""Two hyphens become a dash, two commas a quote, and a mark before a backtick turns upside down, if left alone."""
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")
_ROWS_ON_A_PAGE: Final = 45
_HEAD: Final = r"""% Needs \usepackage[T1]{fontenc}, {textcomp}, {booktabs} and {longtable}; LuaLaTeX where names hold
% letters beyond Latin ones.
"""


def report_latex(summary: ReportSummary) -> str:
    """All tables, to be included in a document of one's own; ends with a line break."""
    tables: list[Iterator[Table]] = [
        setting_tables(summary),
        score_tables(summary),
        comparison_tables(summary),
        curve_tables(summary),
        sensitivity_tables(summary),
        stress_tables(summary),
        consistency_tables(summary),
        cost_tables(summary),
    ]
    return _HEAD + "\n" + "\n\n".join(latex_table(table) for some in tables for table in some) + "\n"


def latex_table(table: Table) -> str:
    """One table; one that is longer than a page goes over several."""
    columns = "l" * table.texts + "r" * (len(table.head) - table.texts)
    caption = rf"\caption{{{latex_text(table.title)}}}\label{{tab:{table.name}}}"
    head = _row(table.head)
    rows = "\n".join(_row(row) for row in table.rows)
    notes = "".join(f"\n\\\\[2pt] {{\\footnotesize {latex_text(note)}}}" for note in table.notes)
    if len(table.rows) > _ROWS_ON_A_PAGE:
        body = f"{caption} \\\\\n\\toprule\n{head}\n\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n{rows}"
        plain = "".join(f"\n\n{{\\footnotesize {latex_text(note)}}}" for note in table.notes)
        return f"\\begin{{longtable}}{{{columns}}}\n{body}\n\\end{{longtable}}{plain}"
    body = f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{head}\n\\midrule\n{rows}\n\\bottomrule\n\\end{{tabular}}"
    return f"\\begin{{table}}\n\\centering\n{caption}\n{body}{notes}\n\\end{{table}}"


def latex_text(text: str) -> str:
    r"""One line in which no character is a command.

    >>> latex_text("50 % of a_b & {c}")
    '50 \\% of a\\_b \\& \\{c\\}'
    """
    apart = "\x00"
    marked = _LIGATURE.sub(
        lambda found: found[0] + apart if found[0] in "?!" else apart + found[0], _CONTROL.sub(" ", text)
    )
    return "".join("{}" if letter == apart else _ESCAPED.get(letter, letter) for letter in marked)


def _row(cells: tuple[str, ...]) -> str:
    row = " & ".join(map(latex_text, cells)) + r" \\"
    # After a line's end LaTeX takes a bracket or a star for an option of it.
    return "{}" + row if row.startswith(("[", "*")) else row
