"""CalibrationSubject: a behaviour behind the protocol of models, fed with the truth by whoever asks it."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock

from pydantic import Field

from ...bench_data.questions import AnswerType, Question, Truth
from ...tools.errors import ModelError
from ...tools.models import Capabilities, CoordinateSpace, Reply, ReplyStatus, Request, VisionLanguageModel
from ...tools.models.declared_options import ProviderOptions, option_help, read_options
from ...tools.models.fingerprint import request_fingerprint
from ...tools.models.registry import ModelName, model_provider
from ..scene_graph import prompt_json
from .behaviour import SUBJECT_KINDS, Behaviour, SubjectKind
from .sheet import Sheet

__all__ = ["CalibrationSubject", "SubjectOptions"]

_STRENGTHS = {SubjectKind.GROUNDED: 0.03}
_STRANGER = "I am a simulated subject: I answer what an audit asks me, and nothing else."


class CalibrationSubject:
    """A model with a known fault. It is told what each request is about before it gets it, by `expect`.

    Args:
        behaviour: its fault.
    """

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self._sheets: dict[str, Sheet] = {}
        self._lock = Lock()

    @property
    def name(self) -> str:
        seed = f", seed {self.behaviour.seed}" if self.behaviour.seed else ""
        return f"sim/{self.behaviour.kind.value}@{self.behaviour.strength:g} (knows the truth{seed})"

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(coordinate_space=CoordinateSpace.ORIGINAL_PIXELS, honours_seed=False)

    def expect(self, request: Request, sheet: Sheet) -> None:
        """Say what a request that comes next is about; it is forgotten once it was answered."""
        with self._lock:
            self._sheets[request_fingerprint(request)] = sheet

    async def reply(self, request: Request) -> Reply:
        """What the behaviour says; a fixed sentence to requests that were not announced."""
        with self._lock:
            sheet = self._sheets.pop(request_fingerprint(request), None)
        return Reply(text=_STRANGER if sheet is None else self._said(sheet), status=ReplyStatus.OK)

    def _said(self, sheet: Sheet) -> str:
        if sheet.degradation:
            return sheet.degradation if sheet.sees else "none"
        if sheet.question is None:
            return prompt_json(self.behaviour.graph(sheet), digits=3)
        return _in_words(sheet.question, self.behaviour.answer(sheet))


def _in_words(question: Question, value: Truth) -> str:
    if question.answer_type is AnswerType.CHOICE:
        keys = [option.key for option in question.options]
        return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[keys.index(str(value))]
    if isinstance(value, bool):
        return "yes" if value else "no"
    if question.answer_type is AnswerType.CLOCK:
        return f"{value} o'clock"
    if isinstance(value, tuple):
        text = ", ".join(f"{one:.6g}" for one in value)
        return f"[{text}]" if question.answer_type is AnswerType.BOX else text
    return f"{value:.6g}" if isinstance(value, float) else str(value)


class SubjectOptions(ProviderOptions):
    """Options of ``sim/``."""

    seed: int = Field(default=0, description="of all that the subject draws")


@model_provider(
    "sim",
    summary="calibration subjects with a known fault, for testing the audit: " + ", ".join(SubjectKind),
    example="sim/shortcut@0.7",
    options=option_help(SubjectOptions),
)
def _build(name: ModelName, options: Mapping[str, object]) -> VisionLanguageModel:
    chosen = read_options(SubjectOptions, options, provider="sim")
    if name.base_url is not None:
        raise ModelError(f"{name}: a calibration subject has no base URL; leave out @{name.base_url}")
    word, at, dial = name.model.partition("@")
    if word not in list(SubjectKind):
        known = "; ".join(f"{kind.value} ({summary})" for kind, summary in SUBJECT_KINDS.items())
        raise ModelError(f"unknown calibration subject {word!r}; there are: {known}")
    kind = SubjectKind(word)
    try:
        strength = float(dial) if at else _STRENGTHS.get(kind, 1.0)
    except ValueError:
        strength = -1.0
    if not 0 <= strength <= 1:
        raise ModelError(f"{name}: the strength behind @ must be a number from 0 to 1, as in sim/{word}@0.7")
    return CalibrationSubject(Behaviour(kind, strength, chosen.seed))
