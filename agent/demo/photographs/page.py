"""The demo's page: every case with its three pictures and a link to its trace."""

from __future__ import annotations

from collections.abc import Sequence

from .run import QUESTION, Row
from .table import decibels, summaries

__all__ = ["demo_page"]


def demo_page(rows: Sequence[Row], *, honest: str | None) -> str:
    """The page as HTML.

    Args:
        honest: what the reader must know about the model, or None when it is the reader's own.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__package__, "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["decibels"] = decibels
    template = environment.get_template("demo.html.j2")
    return template.render(groups=summaries(rows), honest=honest, question=QUESTION)
