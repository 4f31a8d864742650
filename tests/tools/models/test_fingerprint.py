"""A fingerprint changes with everything that decides a reply, and with nothing else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.images import Picture
from seeworthy.tools.models.fingerprint import request_fingerprint
from seeworthy.tools.models.protocol import GenerationSettings, ImagePart, Message, Request, TextPart, user_message

from .conftest import ask, noise_picture

BASE = ask("Which is closer?", (noise_picture(1),), seed=3)


def with_settings(**changes: object) -> Request:
    return BASE.model_copy(update={"settings": BASE.settings.model_copy(update=changes)})


def with_parts(*parts: TextPart | ImagePart, role: str = "user") -> Request:
    return BASE.model_copy(update={"messages": (Message(role=role, parts=parts),)})  # type: ignore[arg-type]


TEXT, IMAGE = TextPart(text="Which is closer?"), ImagePart(picture=noise_picture(1))
VARIANTS: dict[str, Callable[[], Request]] = {
    "how likely": lambda: with_settings(logprobs=True),
    "text": lambda: ask("Which is closer ?", (noise_picture(1),), seed=3),
    "pixels": lambda: ask("Which is closer?", (noise_picture(2),), seed=3),
    "no picture": lambda: ask("Which is closer?", seed=3),
    "picture twice": lambda: ask("Which is closer?", (noise_picture(1), noise_picture(1)), seed=3),
    "order of parts": lambda: with_parts(TEXT, IMAGE),
    "role": lambda: with_parts(IMAGE, TEXT, role="assistant"),
    "text split in two": lambda: with_parts(IMAGE, TextPart(text="Which is "), TextPart(text="closer?")),
    "two messages": lambda: BASE.model_copy(update={"messages": (*BASE.messages, user_message("?"))}),
    "temperature": lambda: with_settings(temperature=0.1),
    "top_p": lambda: with_settings(top_p=1.0),
    "max_tokens": lambda: with_settings(max_tokens=33),
    "stop": lambda: with_settings(stop=("\n",)),
    "seed": lambda: BASE.model_copy(update={"seed": 4}),
    "no seed": lambda: BASE.model_copy(update={"seed": None}),
    "seed 0": lambda: BASE.model_copy(update={"seed": 0}),
    "surrogate": lambda: ask("Which is closer?\ud800", (noise_picture(1),), seed=3),
    "text that names the picture": lambda: with_parts(TextPart(text=noise_picture(1).sha256), TEXT),
}


def test_every_single_change_gives_another_fingerprint() -> None:
    prints = {name: request_fingerprint(build()) for name, build in VARIANTS.items()}
    prints["base"] = request_fingerprint(BASE)
    assert len(set(prints.values())) == len(prints)
    assert all(len(value) == 64 and set(value) <= set("0123456789abcdef") for value in prints.values())


def test_source_and_notes_of_a_picture_do_not_count() -> None:
    pixels = noise_picture(1).image_srgb_u8
    other = Picture(pixels.copy(), source="elsewhere.png", notes=("EXIF orientation 6 applied",))
    assert request_fingerprint(ask("Which is closer?", (other,), seed=3)) == request_fingerprint(BASE)


def test_it_is_the_same_in_another_process() -> None:
    code = (
        "from seeworthy.tools.models.fingerprint import request_fingerprint as f\n"
        "from seeworthy.tools.models.protocol import Request, user_message as u\n"
        "print(f(Request(messages=(u('Which is closer?'),))))"
    )
    # Another hash seed: nothing may depend on Python's own randomised hashes.
    other = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "12345"}, capture_output=True, text=True, check=True
    )
    assert other.stdout.strip() == request_fingerprint(Request(messages=(user_message("Which is closer?"),)))


def test_known_value() -> None:
    """Recordings of earlier versions must stay readable; a change here needs a new form number."""
    request = Request(messages=(user_message("Which is closer?"),))
    assert request_fingerprint(request) == "14be816cce7626a95b53f69a17474e5a789234da9c887cd42c63a50e95985082"


@settings(max_examples=50, deadline=None)
@given(st.text(), st.text())
def test_different_texts_never_collide(first: str, second: str) -> None:
    same = request_fingerprint(ask(first)) == request_fingerprint(ask(second))
    assert same == (first == second)


@pytest.mark.parametrize("shape", [(2, 6, 3), (6, 2, 3), (3, 4, 3)])
def test_pictures_of_equal_bytes_and_other_shape_differ(shape: tuple[int, int, int]) -> None:
    flat = np.arange(36, dtype=np.uint8)
    reference = request_fingerprint(ask("?", (Picture(flat.reshape(4, 3, 3)),)))
    assert request_fingerprint(ask("?", (Picture(flat.reshape(shape)),))) != reference


def test_default_settings_written_out_are_the_same_request() -> None:
    short = Request(messages=(user_message("Hi"),))
    long = Request(messages=(user_message("Hi"),), settings=GenerationSettings(temperature=0.0, max_tokens=1024))
    assert request_fingerprint(short) == request_fingerprint(long)
