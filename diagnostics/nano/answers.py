"""How the embedded model writes: the words of its answers, and its scene graphs."""

from __future__ import annotations

from ...bench_data.questions import AnswerType, Question, Unit
from ..errors import DiagnosticsError
from ..scene_graph import SceneGraph

__all__ = ["NUMBER_WORDS", "answer_words", "graph_words", "number_word"]

_ROUNDED = ((0.2, 0.02, 2), (0.975, 0.05, 2), (9.95, 0.1, 1))
"""(below, to multiples of, digits): about 5 % of the number, which is finer than the model can see."""

NUMBER_WORDS = (
    *(f"{value / 100:.2f}" for value in range(100)),
    *(f"{value / 10:.1f}" for value in range(100)),
    *(str(value) for value in range(61)),
)
"""Every number that is one word of the model."""


def number_word(value: float) -> str:
    """A length as the model writes it.

    >>> [number_word(value) for value in (0.124, 0.62, 2.345, 14.7)]
    ['0.12', '0.60', '2.3', '15']
    """
    size = abs(value)
    for below, step, digits in _ROUNDED:
        if size < below:
            return f"{round(size / step) * step:.{digits}f}"
    return str(round(size))


def answer_words(question: Question) -> str:
    """The right answer in the model's words: of a choice the text of the option, which says more than its letter.

    Raises:
        DiagnosticsError: a question whose answer is no text (a box, a point).
    """
    truth = question.truth
    if question.answer_type is AnswerType.CHOICE:
        text = {option.key: option.text for option in question.options}[str(truth)]
        return text.lower() if text in ("Yes", "No") else text
    if isinstance(truth, bool):
        return "yes" if truth else "no"
    if isinstance(truth, int | float):
        return str(round(truth)) if question.unit in (None, Unit.COUNT) else number_word(truth)
    if question.answer_type is AnswerType.LIST and isinstance(truth, tuple):
        return ", ".join(number_word(float(value)) for value in truth)
    raise DiagnosticsError(
        f"question {question.id}: {question.answer_type.value} is nothing that the model learns to say"
    )


def graph_words(graph: SceneGraph) -> str:
    """A star graph as JSON in one line, with rounded numbers.

    Raises:
        DiagnosticsError: a fact that the request asks for is not stated.
    """
    objects = "}, {".join(
        f'"id": {one.id}, "distance_to_camera": {_stated(one.distance_to_camera_m)}, '
        f'"length": {_stated(one.length_m)}, "width": {_stated(one.width_m)}, "height": {_stated(one.height_m)}'
        for one in graph.objects
    )
    edges = "}, {".join(
        f'"from": {edge.source}, "to": {edge.target}, "distance": {_stated(edge.distance_m)}, "relations": ['
        + ", ".join(f'"{relation}"' for relation in edge.relations or ())
        + "]"
        for edge in graph.edges
    )
    return f'{{"objects": [{{{objects}}}], "edges": [' + (f"{{{edges}}}" if edges else "") + "]}"


def _stated(value: float | None) -> str:
    if value is None:
        raise DiagnosticsError("a graph to learn from must state every length that is asked for")
    return number_word(value)
