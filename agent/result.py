"""What the solver hands out: the answer, and how it came about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ..tools.detect.fusion import fuse
from ..tools.findings import Detection, StressFinding
from ..tools.models import Reply, ReplyStatus
from .conversation import Conversation
from .errors import SolverError
from .profiles import Profile
from .records import Answer, AnswerValue, Event, Outcome, PictureWork, Solution, Spent
from .state import SolverState
from .store import PictureStore

__all__ = ["SolverResult"]


@dataclass(frozen=True)
class SolverResult:
    """The outcome of one question with everything that led to it.

    Attributes:
        solution: answer or abstention, with its support and reason.
        detections: "<picture index>/<detector>" to what that detector said.
        work: per picture, what was planned, tried, accepted and rejected.
        answers: the model's replies, one a view and sample.
        thread: the name under which a run folder keeps this question.
    """

    model: str
    profile: Profile
    conversation: Conversation
    solution: Solution
    detections: Mapping[str, Detection]
    work: tuple[PictureWork, ...]
    answers: tuple[Answer, ...]
    spent: Spent
    events: tuple[Event, ...]
    thread: str
    pictures: PictureStore

    @classmethod
    def of(cls, state: SolverState, *, model: str, profile: Profile, thread: str, pictures: PictureStore) -> Self:
        """From the machine's final state."""
        if "solution" not in state:
            raise SolverError(f"run {thread} ended without a solution; start a new run folder")
        return cls(
            model=model,
            profile=profile,
            conversation=Conversation.model_validate(state["conversation"]),
            solution=Solution.model_validate(state["solution"]),
            detections={key: Detection.model_validate(value) for key, value in state.get("detections", {}).items()},
            work=tuple(PictureWork.model_validate(item) for item in state["work"]),
            answers=tuple(Answer.model_validate(item) for item in state["answers"]),
            spent=Spent.model_validate(state["spent"]),
            events=tuple(Event.model_validate(item) for item in state.get("events", [])),
            thread=thread,
            pictures=pictures,
        )

    @property
    def outcome(self) -> Outcome:
        return self.solution.outcome

    @property
    def value(self) -> AnswerValue:
        """The answer in the question's own terms; None for an abstention."""
        return self.solution.value

    def findings(self, index: int) -> tuple[StressFinding, ...]:
        """What was found on a picture, all detectors together."""
        mine = [d for key, d in self.detections.items() if key.startswith(f"{index}/") and d.failed is None]
        return fuse(mine).findings if mine else ()

    def summary(self) -> dict[str, object]:
        """The essentials as plain JSON, for machines."""
        return {
            "outcome": self.outcome.value,
            "answer": self.value,
            "text": self.solution.text,
            "support": self.solution.support,
            "reason": self.solution.reason,
            "chosen_view": self.solution.chosen_view.value if self.solution.chosen_view else None,
            "model": self.model,
            "profile": self.profile.name,
            "pictures": [self._picture_summary(item) for item in self.work],
            "views": [
                {"view": a.view.value, "status": a.parsed_status, "answer": a.value, "text": a.text}
                for a in self.answers
            ],
            "spent": self.spent.plain(),
            "thread": self.thread,
        }

    def _picture_summary(self, item: PictureWork) -> dict[str, object]:
        return {
            "sha256": item.original,
            "stress": [
                {
                    "name": f.stress.value,
                    "severity": round(f.severity, 2),
                    "confidence": round(f.confidence, 3),
                    "parameters": f.parameters,
                }
                for f in self.findings(item.index)
            ],
            "tools": [
                {"tool": t.tool, "for": t.stress.value, "accepted": bool(t.accepted), "reason": t.reason}
                for t in item.tries
            ],
            "left_alone_because": item.idle_because or None,
        }

    def as_reply(self) -> Reply:
        """The result as a model's reply: the chosen view's own words, the reasons as notes.

        When every view was refused, filtered or cut, the reply has that status, so that nobody counts it as an answer.
        """
        chosen = next((a for a in self.answers if a.view is self.solution.chosen_view), self.answers[0])
        statuses = {a.reply_status for a in self.answers}
        abstained = self.outcome is Outcome.ABSTAINED
        status = ReplyStatus(statuses.pop()) if abstained and len(statuses) == 1 else ReplyStatus.OK
        used = [t.tool for item in self.work for t in item.tries if t.accepted]
        stress = [f.stress.value for item in self.work for f in self.findings(item.index)]
        return Reply(
            text=self.solution.text,
            status=status,
            sent_images=tuple(chosen.sent_images),
            cost_usd=None if self.spent.calls_without_price else self.spent.cost_usd,
            latency_s=self.spent.seconds,
            attempts=max(1, self.spent.calls),
            notes=(
                f"seeworthy: {self.outcome.value}, support {self.solution.support:.2f}; {self.solution.reason}",
                f"stress: {', '.join(stress) or 'none'}",
                f"rectified with: {', '.join(used) or 'nothing'}",
            ),
        )

    def write_trace(self, path: Path) -> None:
        """Writes the whole story as one HTML file that needs no network."""
        from .trace.page import trace_page

        path.write_text(trace_page(self), encoding="utf-8")
