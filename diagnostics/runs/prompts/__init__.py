"""Prompts: how an item becomes a request. One file a prompt; plug-ins add more."""

from .registry import MODEL_TURN, PROMPTS, ModelTurn, Prompt, PromptParts, prompt, turns_of

__all__ = ["MODEL_TURN", "PROMPTS", "ModelTurn", "Prompt", "PromptParts", "prompt", "turns_of"]
