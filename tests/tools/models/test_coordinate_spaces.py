import re

import pytest

from seeworthy.tools.models import CoordinateSpace
from seeworthy.tools.models.coordinate_spaces import DEFAULT_SPACE, FAMILIES, guess_coordinate_space

PERMILLE, SENT, FRACTION = CoordinateSpace.PERMILLE, CoordinateSpace.SENT_PIXELS, CoordinateSpace.FRACTION


@pytest.mark.parametrize(
    ("name", "space"),
    [
        ("Qwen/Qwen3-VL-8B-Instruct", PERMILLE),
        ("qwen3-vl", PERMILLE),
        ("qwen3.5-plus", PERMILLE),
        ("Qwen/Qwen2.5-VL-7B-Instruct", SENT),
        ("qwen2.5vl:7b", SENT),
        ("qwen2_5_vl", SENT),
        ("Qwen/Qwen2-VL-7B-Instruct", PERMILLE),
        ("qwen2_vl", PERMILLE),
        ("Qwen/Qwen-VL-Chat", PERMILLE),
        ("OpenGVLab/InternVL3-8B", PERMILLE),
        ("gemini-2.5-flash", PERMILLE),
        ("zai-org/GLM-4.5V", PERMILLE),
        ("glm-5v-turbo", PERMILLE),
        ("THUDM/cogvlm-grounding-generalist-hf", PERMILLE),
        ("deepseek-ai/deepseek-vl2-small", PERMILLE),
        ("openbmb/MiniCPM-V-4_5", PERMILLE),
        ("ByteDance-Seed/UI-TARS-1.5-7B", SENT),
        ("bytedance-research/UI-TARS-7B-DPO", PERMILLE),
        ("claude-sonnet-4-5", SENT),
        ("moonshotai/Kimi-VL-A3B-Instruct", FRACTION),
        ("moondream2", FRACTION),
        ("llava-hf/llava-1.5-7b-hf", FRACTION),
    ],
)
def test_known_families(name, space):
    guess = guess_coordinate_space(name)
    assert (guess.space, guess.known) == (space, True)
    assert guess.source


@pytest.mark.parametrize(
    "name", ["gpt-5", "my-finetune", "allenai/Molmo-7B-D-0924", "glm-4.5", "glm-4v-9b", "deepseek-v3", ""]
)
def test_unknown_families_get_the_default_and_say_so(name):
    guess = guess_coordinate_space(name)
    assert (guess.space, guess.known) == (DEFAULT_SPACE, False)


def test_every_family_gives_a_source_and_compiles():
    for family in FAMILIES:
        re.compile(family.pattern)
        assert len(family.source) > 10
        assert family.pattern == family.pattern.lower()
