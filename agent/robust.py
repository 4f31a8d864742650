"""RobustVLM: wraps any vision-language model as a robust solver, and is itself a vision-language model."""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ..bench_data.images import Picture, load_image
from ..bench_data.questions import AnswerFormat, AnswerType
from ..tools.detect.registry import DETECTORS
from ..tools.findings import StressFinding
from ..tools.models import (
    Capabilities,
    GenerationSettings,
    Reply,
    ReplyStatus,
    Request,
    VisionLanguageModel,
)
from ..tools.models.fingerprint import request_fingerprint
from ..tools.registry import RECTIFIERS
from .context import SolverContext, model_identity, software_version
from .conversation import Conversation, ask
from .errors import ModelUnavailableError, SolverError
from .experience import Experience
from .graph import SolverGraph, build_graph, run_graph, with_checkpoints
from .infer_format import infer_answer_format
from .profiles import Budget, Profile, profile_named
from .result import SolverResult
from .run_folder import RunFolder
from .state import SolverState, storable
from .store import CallCache, MemoryCalls, MemoryPictures, PictureStore

__all__ = ["RobustVLM"]


class RobustOptions(BaseModel):
    """Everything that decides a wrapped model's course."""

    model_config = ConfigDict(frozen=True)

    inner: str
    profile: Profile
    budget: Budget
    experience: Experience


class RobustVLM:
    """A model that looks at its pictures first.

    Args:
        model: any ``VisionLanguageModel``.
        profile: ``"fidelity"`` (default), ``"perception"``, ``"off"``, or a ``Profile`` of your own.
        budget: limits for each question.
        run_folder: where to keep pictures, paid calls and checkpoints; without one nothing outlives the process.
        experience: learnt order of tools.
        report: called with each line of progress.
        clock: seconds, for the time budget.

    >>> robust = RobustVLM(model)                              # doctest: +SKIP
    >>> result = robust.solve_sync("Which is closer?", [picture], options={"A": "lamp", "B": "sofa"})  # doctest: +SKIP
    >>> result.outcome, result.value                           # doctest: +SKIP
    """

    def __init__(
        self,
        model: VisionLanguageModel,
        *,
        profile: str | Profile = "fidelity",
        budget: Budget | None = None,
        run_folder: str | Path | RunFolder | None = None,
        experience: Experience | None = None,
        report: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not isinstance(model, VisionLanguageModel):
            raise SolverError(
                f"RobustVLM needs a model, got {type(model).__name__}; "
                "wrap a function in CallableModel, and turn a name into a model with resolve_model"
            )
        self.model = model
        self.profile = profile_named(profile) if isinstance(profile, str) else profile
        self.budget = budget or Budget()
        self.run_folder = RunFolder(Path(run_folder)) if isinstance(run_folder, str | Path) else run_folder
        self.experience = experience or Experience()
        self._report = report or (lambda line: None)
        self._clock = clock

    @property
    def name(self) -> str:
        return f"robust({self.model.name})"

    @property
    def capabilities(self) -> Capabilities:
        """The wrapped model's, because replies are in its own words. ``solve`` gives pixels of the picture as given."""
        return self.model.capabilities

    async def solve(
        self,
        question: str,
        pictures: Sequence[Picture],
        *,
        options: dict[str, str] | None = None,
        answer_format: AnswerFormat | None = None,
        settings: GenerationSettings | None = None,
        seed: int | None = None,
        stress: Sequence[StressFinding] | None = None,
    ) -> SolverResult:
        """Answers a question about pictures, or abstains, and tells the whole story.

        Args:
            question: in plain words; how to answer is added by the solver.
            pictures: one or more, in the order in which the question speaks of them.
            options: letter to text, for a multiple-choice question.
            answer_format: the form of the answer; overrides ``options``. Free text when neither is given.
            stress: what you know to be wrong with the pictures, such as that the camera works at night; the solver then
                acts on that and does not look itself. An empty list says that nothing is wrong.

        Raises:
            ModelUnavailableError: the model gave no reply. With a run folder, the same call goes on where it stopped.
            SolverError: the same question is being solved in the same run folder.
        """
        if answer_format is None:
            answer_format = (
                AnswerFormat(answer_type=AnswerType.CHOICE, options=options)
                if options
                else AnswerFormat(answer_type=AnswerType.TEXT)
            )
        wrong = [p for p in pictures if not isinstance(p, Picture)] if isinstance(pictures, Sequence) else [pictures]
        if wrong:
            what = type(wrong[0]).__name__
            raise SolverError(f"solve needs a list of pictures, got {what}; read files with load_image(path)")
        space = self.model.capabilities.coordinate_space
        known = None if stress is None else tuple(stress)
        request = ask(
            storable(question), pictures, answer_format, space=space, settings=settings, seed=seed, stress=known
        )
        return await self.solve_request(request, answer_format)

    async def solve_request(self, request: Request, answer_format: AnswerFormat) -> SolverResult:
        """Answers a ready-made request, whose wording stays as it is in the original view."""
        pictures: PictureStore = self.run_folder.pictures if self.run_folder else MemoryPictures()
        calls: CallCache = self.run_folder.calls if self.run_folder else MemoryCalls()
        replies = self.run_folder.replies if self.run_folder else None
        conversation = Conversation.of(request, answer_format, pictures)
        run = self._run_name(request, answer_format)
        context = SolverContext(
            model=self.model,
            profile=self.profile,
            budget=self.budget,
            pictures=pictures,
            calls=calls,
            replies=replies,
            run=run,
            experience=self.experience,
            report=self._report,
            clock=self._clock,
        )
        state = await self._state(conversation, context)
        return SolverResult.of(state, model=self.model.name, profile=self.profile, thread=run, pictures=pictures)

    async def _state(self, conversation: Conversation, context: SolverContext) -> SolverState:
        """The last state of the machine: run now, from where it stopped, or as it was kept."""
        if self.run_folder is None:
            return await run_graph(self._machine, conversation, context, thread=context.run)
        with self.run_folder.locked(context.run):
            checkpoints = self.run_folder.checkpoints
            kept = checkpoints.finished(context.run)
            if kept is not None:
                return kept
            async with checkpoints.saver(context.run) as saver:
                graph = with_checkpoints(self._machine, saver)
                state = await run_graph(graph, conversation, context, thread=context.run)
            checkpoints.finish(context.run, state)
            return state

    @cached_property
    def _machine(self) -> SolverGraph:
        return build_graph(self.profile)

    @property
    def options(self) -> RobustOptions:
        """What decides its replies beside its name, so that a wrapper around it never mixes up two configurations."""
        return RobustOptions(
            inner=model_identity(self.model), profile=self.profile, budget=self.budget, experience=self.experience
        )

    @property
    def versions(self) -> dict[str, str]:
        """Of the tools and the software, which decide its replies too."""
        return {
            **{f"rectifier {name}": str(spec.version) for name, spec in RECTIFIERS.specs()},
            **{f"detector {name}": str(spec.version) for name, spec in DETECTORS.specs()},
            "seeworthy": software_version(),
        }

    def _run_name(self, request: Request, answer_format: AnswerFormat) -> str:
        """A hash of everything that decides the course of a question: also of the tools and the software."""
        parts = (
            request_fingerprint(request),
            answer_format.model_dump_json(),
            self.options.model_dump_json(),
            *(f"{name} {version}" for name, version in self.versions.items()),
        )
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]

    def solve_sync(self, question: str, pictures: Sequence[Picture], **how: object) -> SolverResult:
        """``solve`` for plain Python and for notebooks, whose own event loop keeps running meanwhile."""
        return _in_own_loop(lambda: self.solve(question, pictures, **how))  # type: ignore[arg-type]

    async def reply(self, request: Request) -> Reply:
        """As a model: the chosen view's own words, or an abstention in words, with the reasons as notes.

        A request without a picture, and every request under the profile ``off``, goes straight to the wrapped model.
        """
        if not self.profile.rectify or not request.pictures:
            return await self.model.reply(request)
        try:
            result = await self.solve_request(request, infer_answer_format(request))
        except ModelUnavailableError as error:
            return Reply(status=ReplyStatus.ERROR, fault=error.fault)
        return result.as_reply()

    def as_node(
        self,
        *,
        question: str = "question",
        pictures: str = "pictures",
        options: str = "options",
        answer: str = "answer",
    ) -> Callable[[Mapping[str, object]], Awaitable[dict[str, object]]]:
        """A node for a LangGraph of your own; asynchronous, so run the graph with ``ainvoke`` or ``astream``.

        Args:
            question, pictures, options: keys of your state with the question, a list of picture paths (state must not
                hold pixels), and, where there is one, the mapping of letters to options.
            answer: the key under which the outcome is returned as plain JSON.
        """

        async def robust_answer(state: Mapping[str, object]) -> dict[str, object]:
            missing = [key for key in (question, pictures) if key not in state]
            if missing:
                raise SolverError(
                    f"the state has no key {missing[0]!r}; name yours: as_node(question=..., pictures=...)"
                )
            paths = state[pictures]
            if isinstance(paths, str) or not isinstance(paths, Sequence):
                raise SolverError(f"state[{pictures!r}] must be a list of paths, got {type(paths).__name__}")
            choices = state.get(options)
            result = await self.solve(
                str(state[question]),
                [load_image(str(path)) for path in paths],
                options=dict(choices) if isinstance(choices, Mapping) else None,
            )
            return {answer: result.summary()}

        return robust_answer


def _in_own_loop(start: Callable[[], Coroutine[object, object, SolverResult]]) -> SolverResult:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(start())
    outcome: list[SolverResult] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(asyncio.run(start()))
        except BaseException as error:  # noqa: BLE001 - carried to the calling thread and raised there
            failure.append(error)

    thread = threading.Thread(target=work, name="seeworthy solve")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]
