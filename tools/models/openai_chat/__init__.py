"""Models behind the OpenAI chat-completions protocol, as nearly every server speaks it."""

from .model import OpenAIChatModel
from .settings import OpenAIChatOptions, TokenParameter

__all__ = ["OpenAIChatModel", "OpenAIChatOptions", "TokenParameter"]
