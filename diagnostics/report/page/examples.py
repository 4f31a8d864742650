"""Single questions with their pictures, side by side before and after, small and up to a limit for the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from ....bench_data.errors import BenchDataError
from ....bench_data.images import Picture
from ...auditing.page.examples import picture_uri
from ...errors import DiagnosticsError
from ...runs import RunFolder
from ..summary import Example, ExampleReply, ReportSummary, ShownPicture, Subject
from .formats import share
from .naming import subject_names

__all__ = ["MOST_PICTURE_BYTES", "ExampleView", "LoadPicture", "PictureView", "ReplyView", "example_views", "from_runs"]

LoadPicture = Callable[[str, ShownPicture], Picture]
"""Label of a run and a picture of it -> the picture. Raises BenchDataError or DiagnosticsError when it is not there."""

MOST_PICTURE_BYTES: Final = 8 * 2**20
"""Of all pictures of a page, as they stand in it; those that come later are left out, and the page says so."""
_LONG_SIDE_PX = 480
_MOST_PICTURES_A_SIDE = 4
_WHY = {
    "condition": "right on clean pictures, lost under a condition",
    "arm": "right by one model, lost by the one that wraps it",
    "wrong": "wrong, with nothing to compare it with",
}


@dataclass(frozen=True)
class PictureView:
    """A picture; ``uri`` is "" where there is none, and ``note`` says why."""

    uri: str
    name: str
    note: str = ""


@dataclass(frozen=True)
class ReplyView:
    """One side. All texts are plain and are escaped by the template."""

    heading: str
    condition: str
    verdict: str
    is_right: bool
    text: str
    pictures: tuple[PictureView, ...]
    pictures_left_out: int


@dataclass(frozen=True)
class ExampleView:
    """One example.

    Args:
        shared_pictures: both sides were shown the same, which then stand only before.
    """

    example: Example
    why: str
    loss: str
    sides: tuple[ReplyView, ...]
    shared_pictures: bool


def from_runs(folders: Mapping[str, RunFolder]) -> LoadPicture:
    """Loads pictures from where runs keep them.

    Args:
        folders: label of the run in the report -> its folder.
    """

    def load(run: str, picture: ShownPicture) -> Picture:
        if run not in folders:
            raise DiagnosticsError(f"{picture.path}: the folder of run {run!r} is not at hand")
        if not picture.sha256:
            raise DiagnosticsError(f"{picture.path}: the file could not be read when the run was made")
        return folders[run].images.load(picture.sha256, source=picture.path)

    return load


def example_views(summary: ReportSummary, load: LoadPicture | None) -> tuple[ExampleView, ...]:
    """The examples in the summary's order.

    Args:
        load: None shows no pictures.
    """
    shelf = _Shelf(load)
    names = subject_names(summary)
    views = []
    for example in summary.examples:
        replies = [reply for reply in (example.before, example.after) if reply is not None]
        shared = len(replies) == 2 and replies[0].pictures == replies[1].pictures
        sides = tuple(
            _reply(reply, names, shelf, with_pictures=not (shared and place)) for place, reply in enumerate(replies)
        )
        views.append(
            ExampleView(example, _WHY[example.why], f"{100 * example.loss:.0f}", sides, shared_pictures=shared)
        )
    return tuple(views)


def _reply(reply: ExampleReply, names: Mapping[Subject, str], shelf: _Shelf, *, with_pictures: bool) -> ReplyView:
    pictures = reply.pictures[:_MOST_PICTURES_A_SIDE] if with_pictures else ()
    return ReplyView(
        heading=names[reply.subject],
        condition=reply.condition,
        verdict=_verdict(reply),
        is_right=reply.score is not None and reply.score >= 0.5,
        text=reply.text,
        pictures=tuple(shelf.picture(reply.subject.run, one) for one in pictures),
        pictures_left_out=len(reply.pictures) - len(pictures) if with_pictures else 0,
    )


def _verdict(reply: ExampleReply) -> str:
    if reply.status != "ok":
        return reply.status.replace("_", " ")
    if reply.score is None:
        return "not scored"
    return {0.0: "wrong", 1.0: "right"}.get(reply.score, f"score {share(reply.score)}")


class _Shelf:
    """Loads each picture once and stops at the page's limit."""

    def __init__(self, load: LoadPicture | None) -> None:
        self._load = load
        self._known: dict[str, PictureView] = {}
        self._room = MOST_PICTURE_BYTES

    def picture(self, run: str, picture: ShownPicture) -> PictureView:
        key = picture.sha256 or f"{run}/{picture.path}"
        if key not in self._known:
            self._known[key] = self._made(run, picture)
        known = self._known[key]
        self._room -= len(known.uri)  # it stands in the page each time it is shown
        if self._room < 0 and known.uri:
            self._room += len(known.uri)
            return PictureView("", known.name, "left out: the pictures of this page have reached their limit")
        return known

    def _made(self, run: str, picture: ShownPicture) -> PictureView:
        name = picture.path.replace("\\", "/").rsplit("/", 1)[-1]
        if self._load is None:
            return PictureView("", name, "not shown: the report was made without pictures")
        try:
            return PictureView(picture_uri(self._load(run, picture), _LONG_SIDE_PX), name)
        except (BenchDataError, DiagnosticsError) as error:
            return PictureView("", name, f"not shown: {error}")
