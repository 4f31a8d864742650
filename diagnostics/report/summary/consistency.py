"""Answers, scene graphs, and whether they agree: of audits, and of runs that ask for scene graphs."""

from __future__ import annotations

from ...metrics import Interval
from .base import Value

__all__ = ["ConsistencyRow"]


class ConsistencyRow(Value):
    """One condition of an audit, or one condition and subject of a run, of which only answers and graphs are known.

    Attributes:
        audit: label of the audit, which is its folder's name, or of the run.
        model, condition: of what; of a run the model with its prompt.
        pictures, questions: of which graphs, and answers, are asked.
        qa: mean score of the plain answers.
        qa_blind: of the answers without the picture.
        chance: mean chance level of the plain answers.
        sgc: score of the drawn scene graphs, 0 to 1.
        graphs, graphs_failed: asked for, and without a graph that could be read.
        coverage: share of the questions that the model's own graph decides.
        agreement: of answers and graphs, where both say something; None where nothing could be compared.
        agreement_chance: what two unconnected routes would agree on.
        kappa: the agreement with chance taken out.
        ceiling: share of the questions that the true graph, in the same form, answers rightly.
        mode, mode_probability: the diagnosis in a word; None where nothing could be diagnosed.
    """

    audit: str
    model: str
    condition: str
    pictures: int
    questions: int
    qa: float | None
    qa_blind: float | None
    chance: float | None
    sgc: float | None
    graphs: int
    graphs_failed: int
    coverage: Interval | None
    agreement: Interval | None
    agreement_chance: float | None
    kappa: Interval | None
    ceiling: float | None
    mode: str | None
    mode_probability: float | None
