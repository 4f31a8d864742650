"""What a question asks for: answer formats and units."""

from .answer_format import AnswerFormat, AnswerType
from .units import Dimension, Unit

__all__ = ["AnswerFormat", "AnswerType", "Dimension", "Unit"]
