"""Any vision-language model behind one protocol."""

from .protocol import (
    Capabilities,
    CoordinateSpace,
    Fault,
    FaultKind,
    GenerationSettings,
    ImagePart,
    Message,
    Reply,
    ReplyStatus,
    Request,
    SentImage,
    TextPart,
    Usage,
    VisionLanguageModel,
    user_message,
)

__all__ = [
    "Capabilities",
    "CoordinateSpace",
    "Fault",
    "FaultKind",
    "GenerationSettings",
    "ImagePart",
    "Message",
    "Reply",
    "ReplyStatus",
    "Request",
    "SentImage",
    "TextPart",
    "Usage",
    "VisionLanguageModel",
    "user_message",
]
