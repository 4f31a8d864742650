"""Questions: what is asked (a query over a scene), in which words and form, and the truth with its derivation."""

from .answer_format import AnswerFormat, AnswerType
from .evaluate import Evaluated, evaluate, measure
from .facts import SceneFacts
from .question import Fact, Option, Question, Truth, question_from_json, question_to_json
from .registry import QUESTION_SUITES, QuestionSuite, Refusals, SuiteSettings, question_suite
from .scene_truth import SceneTruth, Sight, ViewTruth
from .units import Dimension, Unit

__all__ = [
    "QUESTION_SUITES",
    "AnswerFormat",
    "AnswerType",
    "Dimension",
    "Evaluated",
    "Fact",
    "Option",
    "Question",
    "QuestionSuite",
    "Refusals",
    "SceneFacts",
    "SceneTruth",
    "Sight",
    "SuiteSettings",
    "Truth",
    "Unit",
    "ViewTruth",
    "evaluate",
    "measure",
    "question_from_json",
    "question_suite",
    "question_to_json",
]
