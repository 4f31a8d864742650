"""Repairing a picture without asking any model: detect, plan, rectify, verify, and nothing after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..bench_data.images import Picture
from ..bench_data.questions import AnswerFormat, AnswerType
from ..tools.coordinates import PixelMap
from ..tools.findings import Detection
from ..tools.models import Capabilities, CoordinateSpace, Fault, FaultKind, Reply, ReplyStatus, Request, user_message
from .context import SolverContext
from .conversation import Conversation
from .experience import Experience
from .graph import build_graph, run_graph
from .profiles import Budget, Profile, profile_named
from .records import Event, PictureWork
from .store import MemoryCalls, MemoryPictures

__all__ = ["Repaired", "repair_picture"]


@dataclass(frozen=True)
class Repaired:
    """A repaired picture, or the very same one when nothing was found or nothing passed the verifier.

    Attributes:
        pixel_map: where the pixels of ``picture`` lie in the original; None when they did not move.
        work: every try with its verdict.
    """

    picture: Picture
    pixel_map: PixelMap | None
    detections: tuple[Detection, ...]
    work: PictureWork
    events: tuple[Event, ...]

    @property
    def changed(self) -> bool:
        return self.work.rectified


class _NoModel:
    """Stands where the machine keeps its model; it is never asked."""

    name = "none"
    capabilities = Capabilities(coordinate_space=CoordinateSpace.ORIGINAL_PIXELS)

    async def reply(self, request: Request) -> Reply:
        fault = Fault(kind=FaultKind.BAD_REQUEST, message="there is no model to ask", retryable=False)
        return Reply(status=ReplyStatus.ERROR, fault=fault)


async def repair_picture(
    picture: Picture,
    *,
    profile: str | Profile = "fidelity",
    budget: Budget | None = None,
    experience: Experience | None = None,
    report: Callable[[str], None] | None = None,
) -> Repaired:
    """Does to a picture what the solver would do before it asks the model; needs no model and no network."""
    chosen = profile_named(profile) if isinstance(profile, str) else profile
    chosen = chosen.model_copy(update={"ask_model_for_stress": False})
    pictures = MemoryPictures()
    request = Request(messages=(user_message("", (picture,)),))
    # The answer's form decides only whether zooming is allowed; a repair is looked at as a whole picture.
    conversation = Conversation.of(request, AnswerFormat(answer_type=AnswerType.TEXT), pictures)
    context = SolverContext(
        model=_NoModel(),
        profile=chosen,
        budget=budget or Budget(),
        pictures=pictures,
        calls=MemoryCalls(),
        experience=experience or Experience(),
        report=report or (lambda line: None),
    )
    state = await run_graph(build_graph(chosen, ask_model=False), conversation, context)
    work = PictureWork.model_validate(state["work"][0])
    return Repaired(
        picture=pictures.get(work.current),
        pixel_map=work.pixel_map.pixel_map() if work.pixel_map else None,
        detections=tuple(Detection.model_validate(value) for value in state.get("detections", {}).values()),
        work=work,
        events=tuple(Event.model_validate(item) for item in state["events"]),
    )
