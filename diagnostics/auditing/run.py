"""Runs an audit: graphs first, then the questions under every condition. The same call goes on where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from ...bench_data.building import DataSet
from ...bench_data.degrade.seeds import derived_rng
from ...bench_data.images import Picture, load_image
from ...tools.models import Reply, ReplyStatus, Request, VisionLanguageModel
from ..asking import Ask, Asked, ask_all
from ..derive import Derived, derive
from ..interventions import (
    CLEAN_NAME,
    Condition,
    Experiment,
    PictureSource,
    ToldDegradation,
    condition_request,
    graph_request,
    hint_text,
    name_request,
    read_named_degradation,
    wrong_degradation,
)
from ..judging import read_answer, score_answer
from ..replies import PictureFrame, picture_frame
from ..scene_graph import GraphRequest, SceneGraph, score_scene_graph
from ..subjects import CalibrationSubject, Sheet
from .pictures import AuditedPicture, choose_pictures
from .results import AnswerRow, AuditPart, DrawnGraph, Item
from .settings import AuditSettings
from .shown_graphs import graph_to_show

__all__ = ["Progress", "run_audit"]

_PICTURES_KEPT = 16


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an audit is.

    Args:
        stage: "haze-3: graphs" or "haze-3: answers".
        done, total: requests.
    """

    stage: str
    done: int
    total: int


OnProgress = Callable[[Progress], None]


async def run_audit(
    model: VisionLanguageModel,
    data: DataSet,
    experiment: Experiment,
    settings: AuditSettings,
    *,
    log: Path | None = None,
    on_progress: OnProgress | None = None,
) -> tuple[AuditPart, ...]:
    """Asks a model everything that an experiment holds, for each condition of the data.

    Args:
        log: the file in which every reply is kept, see `ask_all`.
        on_progress: told after each request.

    Raises:
        ModelSilentError: the model gives no more replies; what it said is in the log.
        DiagnosticsError: no picture that can be audited.
    """
    parts = []
    for condition in settings.conditions:
        part = _Part(model, data, experiment, settings, condition)
        graphs = await part.ask_graphs(log, on_progress)
        answers, missing = await part.ask_questions(graphs, log, on_progress)
        parts.append(part.finished(graphs, answers, missing))
    return tuple(parts)


class _Part:
    """One condition of the data."""

    def __init__(
        self, model: VisionLanguageModel, data: DataSet, experiment: Experiment, settings: AuditSettings, condition: str
    ) -> None:
        self._model, self._experiment, self._settings, self._condition = model, experiment, settings, condition
        self._choice = choose_pictures(
            data,
            suite=settings.suite,
            condition=condition,
            positions=experiment.positions,
            most=settings.most_pictures,
            seed=settings.seed,
        )
        self._items = {
            asked.question.id: Item(picture, asked) for picture in self._choice.pictures for asked in picture.questions
        }
        self._load = lru_cache(_PICTURES_KEPT)(load_image)

    async def ask_graphs(
        self, log: Path | None, on_progress: OnProgress | None
    ) -> dict[tuple[str, PictureSource], DrawnGraph]:
        """(picture, what was shown) -> what the model drew."""
        wanted = {
            f"{source}: {picture.known.id}": (picture, source)
            for picture in self._choice.pictures
            for source in self._experiment.graphs
        }
        asks = (Ask(name, partial(self._graph_request, *one)) for name, one in wanted.items())
        done = await self._ask("graphs", asks, len(wanted), log, on_progress)
        return {
            (picture.known.id, source): self._drawn(picture, done[name].last)
            for name, (picture, source) in wanted.items()
        }

    async def ask_questions(
        self,
        graphs: Mapping[tuple[str, PictureSource], DrawnGraph],
        log: Path | None,
        on_progress: OnProgress | None,
    ) -> tuple[dict[str, dict[str, AnswerRow]], dict[str, dict[str, str]]]:
        """Condition -> question -> what the model said, and condition -> question -> why it was not asked."""
        wanted: dict[str, tuple[Condition, Item, SceneGraph | None]] = {}
        missing: dict[str, dict[str, str]] = {one.name: {} for one in self._experiment.conditions}
        for condition in self._experiment.conditions:
            for name, item in self._items.items():
                drawn = graphs.get((item.picture.known.id, "shown"))
                own = None if drawn is None else drawn.graph
                graph, reason = graph_to_show(condition, item.picture, own, seed=self._settings.seed)
                if reason:
                    missing[condition.name][name] = reason
                else:
                    wanted[f"{condition.name}: {name}"] = condition, item, graph
        asks = (self._question_ask(name, *one) for name, one in wanted.items())
        done = await self._ask("answers", asks, len(wanted), log, on_progress)
        answers: dict[str, dict[str, AnswerRow]] = {one.name: {} for one in self._experiment.conditions}
        for name, (condition, item, _) in wanted.items():
            answers[condition.name][item.question.id] = self._row(condition, item, done[name])
        return answers, missing

    def finished(
        self,
        graphs: Mapping[tuple[str, PictureSource], DrawnGraph],
        answers: Mapping[str, Mapping[str, AnswerRow]],
        missing: Mapping[str, Mapping[str, str]],
    ) -> AuditPart:
        """The part with what follows from the graphs."""
        derived: dict[str, Derived] = {}
        for name, item in self._items.items():
            drawn = graphs.get((item.picture.known.id, "shown"))
            if drawn is not None and drawn.graph is not None:
                derived[name] = derive(drawn.graph, item.question)
        return AuditPart(
            model=self._model.name,
            condition=self._condition,
            experiment=self._experiment,
            choice=self._choice,
            items=self._items,
            graphs=graphs,
            answers=answers,
            missing=missing,
            derived=derived,
            ceilings={name: derive(item.picture.known.graph, item.question) for name, item in self._items.items()},
        )

    async def _ask(
        self, stage: str, asks: Iterator[Ask], total: int, log: Path | None, on_progress: OnProgress | None
    ) -> dict[str, Asked]:
        count = 0

        def tell(_: Asked) -> None:
            nonlocal count
            count += 1
            if on_progress is not None:
                on_progress(Progress(f"{self._condition}: {stage}", count, total))

        return await ask_all(self._model, asks, log=log, concurrency=self._settings.concurrency, on_asked=tell)

    def _graph_request(self, picture: AuditedPicture, source: PictureSource) -> Request:
        asked = GraphRequest.of(picture.known.graph, positions=self._experiment.positions)
        request = graph_request(
            asked,
            self._pictures(picture),
            source,
            settings=self._settings.graph,
            seed=self._settings.request_seed,
        )
        return self._announced(request, Sheet(picture=picture.known, sees=source == "shown"))

    def _question_ask(self, name: str, condition: Condition, item: Item, graph: SceneGraph | None) -> Ask:
        sheet = Sheet(
            picture=item.picture.known, question=item.question, sees=condition.picture == "shown", given=graph
        )

        def make(named: tuple[Request, str] | None = None) -> Request:
            request = condition_request(
                condition,
                item.question,
                self._pictures(item.picture),
                space=self._model.capabilities.coordinate_space,
                graph=graph,
                hint=self._hint(condition, item.picture),
                named=named,
                settings=self._settings.answer,
                seed=self._settings.request_seed,
            )
            return self._announced(request, sheet)

        if not condition.chain:
            return Ask(name, make)
        first: list[Request] = []

        def name_first() -> Request:
            request = name_request(
                self._pictures(item.picture), settings=self._settings.answer, seed=self._settings.request_seed
            )
            first.append(request)
            done = [record.name for record in item.picture.record.degradations]
            return self._announced(request, Sheet(picture=item.picture.known, degradation=(done or [CLEAN_NAME])[0]))

        return Ask(name, name_first, then=lambda reply: make((first[0], reply.text)))

    def _hint(self, condition: Condition, picture: AuditedPicture) -> str:
        """What is said beforehand about what was done to a picture; "" for nothing."""
        true = [ToldDegradation.of(record) for record in picture.record.degradations]
        if condition.hint == "none":
            return ""
        if condition.hint == "true":
            return hint_text(true)
        own_seed = int(derived_rng("wrong hints", self._settings.seed, picture.known.id).integers(2**53))
        return hint_text([wrong_degradation(true, seed=own_seed)])

    def _announced(self, request: Request, sheet: Sheet) -> Request:
        """Calibration subjects are told what a request is about; models are not."""
        if isinstance(self._model, CalibrationSubject):
            self._model.expect(request, sheet)
        return request

    def _pictures(self, picture: AuditedPicture) -> tuple[Picture, ...]:
        return (self._load(picture.file),)

    def _drawn(self, picture: AuditedPicture, reply: Reply) -> DrawnGraph:
        truth = picture.known.graph
        if reply.status is ReplyStatus.ERROR:
            why = reply.fault.message if reply.fault else "no reason given"
            return DrawnGraph(None, score_scene_graph(None, truth), "", f"the call failed: {why}")
        asked = GraphRequest.of(truth, positions=self._experiment.positions)
        parsed = asked.parse(reply.text, cut=reply.status is ReplyStatus.TRUNCATED)
        problem = "" if parsed.ok else next((one.detail for one in parsed.findings), parsed.status.value)
        return DrawnGraph(parsed, score_scene_graph(parsed.graph, truth), reply.text, problem)

    def _row(self, condition: Condition, item: Item, asked: Asked) -> AnswerRow:
        reply, named = asked.last, None
        if condition.chain:
            first = asked.replies[0]
            named = read_named_degradation(first.text) if first.status is ReplyStatus.OK else None
        read = read_answer(item.question, reply, frame=self._frame(item.picture, reply))
        return AnswerRow(
            read=read,
            score=None if reply.status is ReplyStatus.ERROR else score_answer(item.question, read.value),
            text=reply.text,
            named=named,
        )

    def _frame(self, picture: AuditedPicture, reply: Reply) -> PictureFrame:
        """What coordinates mean; of a model that does not say how it was sent the picture, as if it got all of it."""
        if reply.sent_images:
            return picture_frame(self._model.capabilities, reply.sent_images[0])
        (shown,) = self._pictures(picture)
        size = shown.width, shown.height
        return PictureFrame(self._model.capabilities.coordinate_space, size, size)
