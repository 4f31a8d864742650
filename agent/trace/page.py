"""Draws a ``SolverResult`` as one self-contained HTML file: pictures, findings, tries, answers, decision."""

from __future__ import annotations

import base64
import io
from functools import cache
from typing import TYPE_CHECKING

from ...bench_data.images import Picture
from ..records import PictureWork, ToolTry

if TYPE_CHECKING:
    from jinja2 import Template

    from ..result import SolverResult

__all__ = ["thumbnail", "trace_page"]

_LONG_SIDE_PX = 480


def trace_page(result: SolverResult) -> str:
    """The page as HTML. Replies and file names are hostile text and are escaped by the template engine."""
    return _template().render(
        result=result,
        question=result.conversation.question,
        pictures=[_picture(result, item) for item in result.work],
        total=sum(1 for item in result.work for _ in item.tries),
    )


def thumbnail(picture: Picture, long_side_px: int = _LONG_SIDE_PX) -> str:
    """A data URI with a small JPEG of the picture, for looking only."""
    from PIL import Image

    image = Image.fromarray(picture.image_srgb_u8)
    image.thumbnail((long_side_px, long_side_px), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    image.save(buffer, format="JPEG", quality=82)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def _picture(result: SolverResult, item: PictureWork) -> dict[str, object]:
    steps: dict[tuple[int, int], list[ToolTry]] = {}
    for done in item.tries:
        steps.setdefault((done.attempt, done.step), []).append(done)
    return {
        "item": item,
        "name": result.pictures.get(item.original).source.replace("\\", "/").rsplit("/", 1)[-1],
        "notes": result.pictures.get(item.original).notes,
        "original": thumbnail(result.pictures.get(item.original)),
        "current": thumbnail(result.pictures.get(item.current)) if item.rectified else None,
        "findings": result.findings(item.index),
        "failed": [d.failed for key, d in result.detections.items() if key.startswith(f"{item.index}/") and d.failed],
        "steps": [
            {
                "stress": tries[0].stress.label,
                "attempt": tries[0].attempt,
                "before": thumbnail(result.pictures.get(tries[0].before), 320),
                "tries": [
                    {"done": t, "after": thumbnail(result.pictures.get(t.after), 320) if t.after else None}
                    for t in tries
                ],
            }
            for tries in steps.values()
        ],
    }


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__package__, "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["percent"] = lambda share: f"{share:.0%}"
    environment.filters["answer"] = lambda value: (
        {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value
    )
    return environment.get_template("trace.html.j2")
