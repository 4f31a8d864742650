"""Prompts: how an item becomes a request. One file a prompt; plug-ins add more."""

from .registry import PROMPTS, Prompt, PromptParts, prompt

__all__ = ["PROMPTS", "Prompt", "PromptParts", "prompt"]
