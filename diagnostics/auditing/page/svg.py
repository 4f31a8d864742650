"""The few shapes that the page's drawings are made of, as SVG. All text is escaped here and nowhere else."""

from __future__ import annotations

from html import escape

from markupsafe import Markup

__all__ = ["BLUE", "GREEN", "GREY", "INK", "ORANGE", "PALE", "dot", "drawing", "line", "polygon", "rectangle", "text"]

# Colours of Okabe and Ito, told apart with any colour vision; marks also differ in shape, for print in grey.
BLUE, ORANGE, GREEN, GREY, PALE, INK = "#0072b2", "#d55e00", "#007a5a", "#8a939b", "#e6eaed", "#1b1f24"


def drawing(width: float, height: float, parts: list[str], *, label: str, style: str = "") -> Markup:
    """A whole drawing with a description for those who cannot see it."""
    extra = f' style="{escape(style)}"' if style else ""
    body = "".join(parts)
    return Markup(  # noqa: S704 - every part below escapes its text
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(label)}"{extra}>{body}</svg>'
    )


def line(x0: float, y0: float, x1: float, y1: float, *, colour: str = GREY, width: float = 1.0, dash: str = "") -> str:
    """A straight line; ``dash`` as in "4 3"."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{colour}" '
        f'stroke-width="{width:g}"{dashed}/>'
    )


def rectangle(
    x: float, y: float, width: float, height: float, *, fill: str = "none", stroke: str = "none", opacity: float = 1.0
) -> str:
    """An upright rectangle."""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" height="{max(0.0, height):.1f}" fill="{fill}" '
        f'stroke="{stroke}" fill-opacity="{opacity:g}"/>'
    )


def polygon(points: list[tuple[float, float]], *, fill: str = "none", stroke: str = GREY, width: float = 1.0) -> str:
    """A closed outline."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polygon points="{path}" fill="{fill}" stroke="{stroke}" stroke-width="{width:g}"/>'


def dot(x: float, y: float, radius: float, *, fill: str = INK, stroke: str = "none") -> str:
    """A disc."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{fill}" stroke="{stroke}"/>'


def text(
    x: float,
    y: float,
    words: str,
    *,
    size: float = 12,
    colour: str = INK,
    anchor: str = "start",
    bold: bool = False,
    halo: bool = False,
) -> str:
    """Words at a point of their base line; with a white halo on pictures."""
    weight = ' font-weight="650"' if bold else ""
    around = ' stroke="#fff" stroke-width="3" paint-order="stroke" stroke-linejoin="round"' if halo else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{colour}" text-anchor="{anchor}"{weight}{around}>'
        f"{escape(words)}</text>"
    )
