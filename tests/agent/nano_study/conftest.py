"""A room with a dark twin, and models that know the truth but cannot see in the dark."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from seeworthy.agent.nano_study.settings import SUITES, StudySettings
from seeworthy.bench_data.building import BuildSettings, DataSet, build_data_set, parse_conditions
from seeworthy.diagnostics.asking import question_text
from seeworthy.diagnostics.auditing import choose_pictures
from seeworthy.diagnostics.nano.answers import answer_words, graph_words
from seeworthy.diagnostics.scene_graph import GraphRequest
from seeworthy.tools.models import (
    Capabilities,
    CoordinateSpace,
    Fault,
    FaultKind,
    Reply,
    ReplyStatus,
    Request,
)

SMALL = StudySettings(
    build=BuildSettings(
        scenes=1,
        suites=SUITES,
        conditions=parse_conditions("clean,low_light@bench"),
        views=1,
        width=160,
        height=120,
        objects=10,
        density=0.05,
        seed=6,
    ),
    clean=20,
    degraded=20,
    audited=("clean",),
    audited_pictures=1,
    seed=3,
)
DARK = 60.0
"""Mean level of a picture below which the models see nothing."""


@dataclass
class Sighted:
    """Says the truth of the questions it was told, as the embedded models write it, of pictures that are not dark.

    Attributes:
        truths: text of a request -> what to say.
        asked: requests.
        falls_silent_after: replies; None for never.
    """

    name: str
    truths: dict[str, str]
    needs_light: bool = True
    falls_silent_after: int | None = None
    asked: list[Request] = field(default_factory=list)
    capabilities: Capabilities = field(
        default_factory=lambda: Capabilities(coordinate_space=CoordinateSpace.PERMILLE, max_images=1)
    )

    async def reply(self, request: Request) -> Reply:
        if self.falls_silent_after is not None and len(self.asked) >= self.falls_silent_after:
            fault = Fault(kind=FaultKind.AUTHENTICATION, message="no more", retryable=False)
            return Reply(status=ReplyStatus.ERROR, fault=fault)
        self.asked.append(request)
        if not request.pictures or (self.needs_light and request.pictures[0].image_srgb_u8.mean() < DARK):
            return Reply(text="dark", status=ReplyStatus.OK)
        return Reply(text=self.truths[request.messages[-1].text], status=ReplyStatus.OK)


@pytest.fixture(scope="session")
def small_data(tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    root = tmp_path_factory.mktemp("study") / "data"
    build_data_set(SMALL.build, root, jobs=1)
    return DataSet(root)


@pytest.fixture(scope="session")
def truths(small_data: DataSet) -> dict[str, str]:
    """What a perfect model says to every request about the room."""
    found = {
        question_text(question): answer_words(question)
        for suite in SUITES
        for question in small_data.questions(suite)
        if len(question.views) == 1
    }
    graphs = [picture.known.graph for picture in choose_pictures(small_data).pictures]
    return {**found, **{GraphRequest.of(graph).text: graph_words(graph) for graph in graphs}}


@pytest.fixture
def folder(small_data: DataSet, tmp_path: Path) -> Path:
    """A folder for a demo or a study, with the room made already."""
    shutil.copytree(small_data.root, tmp_path / "out" / "data")
    return tmp_path / "out"
