"""In which space a model family writes its boxes and points, as its makers say.

The table is a starting point: a server may serve any weights under any name, so the option ``coordinate_space`` always
wins. Families whose makers say nothing get ``DEFAULT_SPACE``, and ``SpaceGuess.known`` is False.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .protocol import CoordinateSpace

__all__ = ["DEFAULT_SPACE", "FAMILIES", "Family", "SpaceGuess", "guess_coordinate_space"]

DEFAULT_SPACE = CoordinateSpace.PERMILLE
"""For unknown families: the most common convention, and the only common one that a server's resizing cannot spoil."""


@dataclass(frozen=True)
class Family:
    """Models that share a coordinate space.

    Attributes:
        pattern: regular expression, searched in the model name in lower case.
        source: who says so.
    """

    pattern: str
    space: CoordinateSpace
    source: str


_PERMILLE = CoordinateSpace.PERMILLE
_SENT = CoordinateSpace.SENT_PIXELS
_FRACTION = CoordinateSpace.FRACTION

# The first match counts, so special names stand before general ones. What the table cannot say:
# - Pixels of Qwen2.5-VL, UI-TARS-1.5 and Claude are those of the picture after the server's own resizing: send pictures
#   below its limit, or a box is off by that factor.
# - Gemini writes y before x.
# - LLaVA 1.5 was trained on fractions of the picture padded to a square: right as they are for square pictures only.
# - Molmo (the first) writes percent, which no space here describes; it is left to the default.
FAMILIES: tuple[Family, ...] = (
    Family(r"qwen-?2[._]?5[-_]?vl", _SENT, "QwenLM/Qwen3-VL issues 866 and 940: pixels of the resized picture"),
    Family(r"qwen-?3", _PERMILLE, "QwenLM/Qwen3-VL issue 1741: relative, 0 to 1000"),
    Family(r"qwen(-?2)?[-_]?vl", _PERMILLE, "QwenLM/Qwen3-VL issue 866: [0, 1000) up to Qwen2-VL"),
    Family(r"internvl", _PERMILLE, "InternVL documentation, chat data format: grounding data, 0 to 1000"),
    Family(r"gemini", _PERMILLE, "Google Cloud documentation, bounding box detection: 0 to 1000, y before x"),
    Family(r"glm-?(4[._]\d+v|5v)", _PERMILLE, "zai-org/GLM-V, grounding skill: 0 to 1000"),
    Family(r"cog(vlm|agent)", _PERMILLE, "zai-org/CogVLM issue 165: 000 to 999"),
    Family(r"deepseek[-_]?vl[-_]?(v?2)", _PERMILLE, "deepseek-ai/DeepSeek-VL2 issue 100: 0 to 999"),
    Family(r"minicpm-?v", _PERMILLE, "OpenBMB/MiniCPM-V issue 982: 0 to 1000"),
    Family(r"ui-?tars-?1[._]5", _SENT, "bytedance/UI-TARS issue 157: absolute pixels"),
    Family(r"ui-?tars", _PERMILLE, "bytedance/UI-TARS issue 157: 0 to 1000"),
    Family(r"claude", _SENT, "Claude documentation, coordinates and bounding boxes: pixels of the resized picture"),
    Family(r"kimi[-_]?vl", _FRACTION, "MoonshotAI/Kimi-VL issue 52, after its demo: 0 to 1"),
    Family(r"moondream", _FRACTION, "Moondream documentation: 0 to 1"),
    Family(r"llava", _FRACTION, "haotian-liu/LLaVA issue 606: 0 to 1 of the padded square"),
)


@dataclass(frozen=True)
class SpaceGuess:
    """The coordinate space that a name suggests.

    Attributes:
        known: False when the name belongs to no listed family and the default was taken.
        source: who says so, or why the default was taken.
    """

    space: CoordinateSpace
    known: bool
    source: str


def guess_coordinate_space(model: str) -> SpaceGuess:
    """The space of a model's family, by its name.

    >>> guess_coordinate_space("Qwen/Qwen2.5-VL-7B-Instruct").space.value
    'sent_pixels'
    >>> guess_coordinate_space("my-finetune").known
    False
    """
    lowered = model.lower()
    for family in FAMILIES:
        if re.search(family.pattern, lowered):
            return SpaceGuess(family.space, True, family.source)
    return SpaceGuess(DEFAULT_SPACE, False, f"{model!r} belongs to no family whose coordinate space is documented")
