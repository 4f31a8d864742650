"""Asking: questions as requests to a model, many at once, with every reply on the disk before it is used."""

from .asker import Ask, Asked, ModelSilentError, ask_all
from .wording import PROMPT_VERSION, question_request, question_text

__all__ = ["PROMPT_VERSION", "Ask", "Asked", "ModelSilentError", "ask_all", "question_request", "question_text"]
