"""Draws a report as one self-contained HTML file: no script, no network, and a policy that forbids both."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from markupsafe import Markup

from ....tools.models.surrogates import without_lone_surrogates
from ..summary import ReportSummary
from .audits import audit_section
from .comparisons import ComparisonSection, comparison_sections
from .costs import cost_section
from .examples import LoadPicture, example_views
from .formats import listed
from .headline import headline, warnings
from .run_cards import card_section
from .scores import score_section
from .sensitivity import sensitivity_section
from .severity import severity_section
from .stress import stress_section

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["report_page"]

_TITLES = {
    "severity": "Severity",
    "sensitivity": "Sensitivity",
    "stress": "Stress tags",
    "audits": "Consistency",
    "costs": "Costs",
    "examples": "Worst examples",
    "card": "Run card",
}


def report_page(summary: ReportSummary, *, load_picture: LoadPicture | None = None) -> str:
    """The page as HTML; the same summary and pictures give the same bytes.

    Replies, names and paths are hostile text: the template engine escapes them, and the page's own policy allows no
    script, no request and no style but its own.

    Args:
        load_picture: where the examples' pictures come from, see `from_runs`; None shows none.
    """
    style = _style()
    comparisons = comparison_sections(summary)
    sections: dict[str, object] = {
        "scores": score_section(summary),
        "severity": severity_section(summary),
        "sensitivity": sensitivity_section(summary),
        "stress": stress_section(summary),
        "audits": audit_section(summary),
        "costs": cost_section(summary),
        "examples": example_views(summary, load_picture),
        "card": card_section(summary),
    }
    html = (
        _environment()
        .get_template("report.html.j2")
        .render(
            title=_title(summary),
            sentences=headline(summary),
            warnings=(*summary.remarks, *warnings(summary)),
            contents=_contents(comparisons, sections),
            comparisons=comparisons,
            confidence=f"{100 * summary.confidence:g}%",
            example_rule=summary.example_rule,
            style=Markup(style),  # noqa: S704 - a file of this package
            style_hash=_digest(style),
            **sections,
        )
    )
    return without_lone_surrogates(html)


def _title(summary: ReportSummary) -> str:
    if len(summary.runs) > 1:
        return listed([run.label for run in summary.runs])
    return listed(list(dict.fromkeys(one.arm for one in summary.subjects))) or "nothing asked yet"


def _contents(comparisons: Sequence[ComparisonSection], sections: Mapping[str, object]) -> list[tuple[str, str]]:
    compared = [(section.key, section.title) for section in comparisons]
    there = [(key, title) for key, title in _TITLES.items() if sections[key]]
    return [("scores", "Scores"), *compared, *there]


def _style() -> str:
    return (files(__package__ or "") / "style.css").read_text(encoding="utf-8")


def _digest(style: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(__package__ or "", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
