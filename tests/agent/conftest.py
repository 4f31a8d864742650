"""A scripted model, photographs, and tools that misbehave on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest

from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.stress import Stress
from seeworthy.tools.detect.registry import DETECTORS, DetectorSpec
from seeworthy.tools.findings import Detection, StressFinding
from seeworthy.tools.models import Capabilities, CoordinateSpace, Reply, ReplyStatus, Request
from seeworthy.tools.registry import RECTIFIERS, Alignment, Cost, Rectified, RectifierSpec, RectifyHint, Stage


@dataclass
class ScriptedModel:
    """Answers by a function of the request and remembers what it was asked."""

    answer: Callable[[Request], Reply | str]
    name: str = "scripted"
    capabilities: Capabilities = field(default_factory=lambda: Capabilities(coordinate_space=CoordinateSpace.PERMILLE))
    asked: list[Request] = field(default_factory=list)

    async def reply(self, request: Request) -> Reply:
        self.asked.append(request)
        said = self.answer(request)
        return Reply(text=said, status=ReplyStatus.OK) if isinstance(said, str) else said


@pytest.fixture
def photograph() -> Picture:
    from skimage.data import astronaut

    return Picture(np.ascontiguousarray(astronaut()[:384, 64:448]), source="astronaut")


@pytest.fixture
def dark(photograph: Picture) -> Picture:
    """The photograph, under-exposed by 3.3 stops, without noise."""
    from seeworthy.bench_data.images import linear_from_srgb, srgb_from_linear

    return Picture.from_srgb(srgb_from_linear(linear_from_srgb(photograph.image_srgb) * np.float32(0.1)), source="dark")


def only_detector(monkeypatch: pytest.MonkeyPatch, detect: Callable[[Picture], Detection]) -> None:
    """Makes a function the only offline detector, for the time of one test."""
    DETECTORS.names()
    spec = DetectorSpec("statistics", "a detector of this test", frozenset({Stress.LOW_LIGHT}), "test", detect)
    monkeypatch.setattr(DETECTORS, "_specs", {"statistics": spec})


@pytest.fixture
def always_dark(monkeypatch: pytest.MonkeyPatch) -> None:
    """A detector that sees low light in everything, so that the tools of a test are run."""

    def detect(picture: Picture) -> Detection:
        finding = StressFinding(stress=Stress.LOW_LIGHT, severity=3.0, confidence=0.95, source="statistics")
        return Detection(detector="statistics", version="test", picture_sha256=picture.sha256, findings=(finding,))

    only_detector(monkeypatch, detect)


AddTool = Callable[..., RectifierSpec]


@pytest.fixture
def only_tool(monkeypatch: pytest.MonkeyPatch) -> Iterator[AddTool]:
    """Makes given functions the only tools against low light, for the time of one test."""
    RECTIFIERS.names()

    def add(
        *functions: Callable[[np.ndarray, RectifyHint], Rectified], alignment: Alignment = Alignment.PIXEL
    ) -> RectifierSpec:
        specs = {
            function.__name__: RectifierSpec(
                name=function.__name__,
                summary="a tool of this test",
                treats=frozenset({Stress.LOW_LIGHT}),
                stage=Stage.EXPOSURE,
                alignment=alignment,
                cost=Cost.MILLISECONDS,
                deterministic=True,
                faithful=True,
                version="1",
                options={},
                rectify=function,
            )
            for function in functions
        }
        monkeypatch.setattr(RECTIFIERS, "_specs", specs)
        return next(iter(specs.values()))

    yield add
