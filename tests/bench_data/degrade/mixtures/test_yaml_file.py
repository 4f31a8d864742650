"""Own recipes: a file is read as it is meant, or refused with the place and the reason."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.degrade.mixtures import Recipe, RecipePart, recipes_from_yaml
from seeworthy.bench_data.errors import BenchDataError

GOOD = """
# a comment
foggy_dashcam:
  summary: fog on the road
  parts:
    haze: 4
    motion_blur: [1, 2]
    jpeg_compression: bench
plain:
  parts: {low_res: 0}
"""


def read(text: str | bytes, folder: Path) -> dict[str, Recipe]:
    file = folder / "recipes.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return recipes_from_yaml(file)


def test_recipes_are_read_in_order(tmp_path: Path) -> None:
    recipes = read(GOOD, tmp_path)
    assert list(recipes) == ["foggy_dashcam", "plain"]
    assert recipes["foggy_dashcam"] == Recipe(
        name="foggy_dashcam",
        summary="fog on the road",
        parts=(
            RecipePart(degradation="haze", severity=4),
            RecipePart(degradation="motion_blur", severity=(1, 2)),
            RecipePart(degradation="jpeg_compression", severity="bench"),
        ),
    )


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    assert list(read(b"\xef\xbb\xbfa:\n  parts: {haze: 1}\n", tmp_path)) == ["a"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("# nothing\n", "empty"),
        ("{}", "holds no recipe"),
        ("- a\n- b", "of type list"),
        ("haze", "of type str"),
        ("a: 3", "recipe 'a' is of type int"),
        ("a:", "recipe 'a' is empty"),
        ("a: {summary: x}", "parts is empty"),
        ("a: {parts: []}", "parts is of type list"),
        ("a: {parts: {}}", "0 parts"),
        ("a: {parts: {haze: 1}, sumary: x}", "unknown key 'sumary'"),
        ("a: {parts: {haze: 1}, summary: [1]}", "summary"),
        ("a: {parts: {haze: 7}}", "severity of 'haze' is 7"),
        ("a: {parts: {haze: -1}}", "severity of 'haze' is -1"),
        ("a: {parts: {haze: 2.5}}", "severity of 'haze' is 2.5"),
        ("a: {parts: {haze: yes}}", "severity of 'haze' is True"),
        ("a: {parts: {haze: hard}}", "severity of 'haze' is 'hard'"),
        ("a: {parts: {haze: [1]}}", "severity of 'haze' is [1]"),
        ("a: {parts: {haze: [1, 6]}}", "severity of 'haze' is"),
        ("a: {parts: {haze: [3, 1]}}", "haze: severity [3, 1] runs downwards"),
        ("a: {parts: {haz: 1}}", "did you mean 'haze'"),
        ("a: {parts: {Haze: 1}}", "'Haze' is no name"),
        ("a: {parts: {haze: 1, haze: 2}}", "'haze' stands twice"),
        ("a: {parts: {haze: 1}}\na: {parts: {low_res: 1}}", "'a' stands twice"),
        ("a: {parts: {haze: 1, 'haze': 2}}", "'haze' stands twice"),
        ("a: {parts: {low_light: 2, over_exposure: 1}}", "both models of the sensor"),
        ("A b: {parts: {haze: 1}}", "lower-case"),
        ("1: {parts: {haze: 1}}", "the key 1 is no word"),
        ("a: {parts: {on: 1}}", "the key True is no word"),
        ("? [a]\n: {parts: {haze: 1}}", "a key must be a word"),
        ("a: &x {parts: {haze: 1}}\nb: *x", "anchors"),
        ("a: {<<: {parts: {haze: 1}}}", "merge keys"),
        ("[" * 5000, "nested deeper"),
        ("a: !!python/object/apply:os.system [ls]", "python/object"),
        ("a: {parts: {haze: !!python/name:os.system ''}}", "python/name"),
        ("a: 2026-99-99", "month"),
        ("a: {parts: {haze: " + "9" * 5000 + "}}", "cannot be read"),
        ("a: {parts: {haze: 1}", "YAML"),
        ("a: {parts: {haze: 1}}\n---\nb: 1", "YAML"),
        ("\x00", "YAML"),
        (b"\xff\xfe\x00", "UTF-8"),
        ("#" * 70_000, "64 KiB"),
        ("\n".join(f"r{n}: {{parts: {{haze: 1}}}}" for n in range(201)), "at most 200"),
    ],
)
def test_what_is_wrong_is_said_with_the_file(text: str | bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(BenchDataError) as caught:
        read(text, tmp_path)
    message = str(caught.value)
    assert "recipes.yaml" in message
    assert words in message
    assert "\n" not in message


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(BenchDataError, match="cannot read"):
        recipes_from_yaml(tmp_path / "none.yaml")
    with pytest.raises(BenchDataError, match="cannot read"):
        recipes_from_yaml(tmp_path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no endless file")
def test_an_endless_file_is_not_read_to_its_end() -> None:
    with pytest.raises(BenchDataError, match="64 KiB"):
        recipes_from_yaml("/dev/zero")


def test_a_billion_laughs_are_refused_before_they_unfold(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    with pytest.raises(BenchDataError, match="anchors"):
        read("\n".join(lines), tmp_path)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.sampled_from("ab:{}[]&*!|>#-'\",\n 13?<%\\"), max_size=60))
def test_any_text_is_recipes_or_a_clear_error(text: str, tmp_path: Path) -> None:
    try:
        recipes = read(text, tmp_path)
    except BenchDataError as error:
        assert "recipes.yaml" in str(error)
    else:
        assert all(isinstance(recipe, Recipe) for recipe in recipes.values())


def test_reading_does_not_change_the_safe_loader(tmp_path: Path) -> None:
    read(GOOD, tmp_path)
    assert yaml.safe_load("a: &x 1\nb: *x") == {"a": 1, "b": 1}


@pytest.mark.parametrize("name", ["haze", "all", "clean"])
def test_names_that_mean_something_else_are_refused(name: str, tmp_path: Path) -> None:
    file = tmp_path / "recipes.yaml"
    file.write_text(f"{name}:\n  parts: {{rain: 2}}\n")
    with pytest.raises(BenchDataError, match=f"{name}.*means something else already"):
        recipes_from_yaml(file)
