"""The page of degradations says what the code does, and shows all of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

from seeworthy.bench_data.degrade import DEGRADATION_REGISTRY
from seeworthy.bench_data.degrade.catalogue import level_table, sheet_of
from seeworthy.bench_data.degrade.mixtures import RECIPES, recipes_from_yaml

DOCS = Path(__file__).resolve().parents[3] / "docs"
GALLERY = DOCS / "images" / "gallery"
PAGE = (DOCS / "degradations.md").read_text(encoding="utf-8")
MEGABYTES = 2.5


@pytest.mark.parametrize("name", DEGRADATION_REGISTRY.names())
def test_the_table_of_levels_is_that_of_the_code(name: str) -> None:
    table = level_table(sheet_of(DEGRADATION_REGISTRY.get(name)))
    assert f"### {name}\n" in PAGE
    assert f"<!-- levels {name} -->\n\n{table}\n\n<!-- end -->" in PAGE, "docs/make_gallery.py writes it anew"


@pytest.mark.parametrize("name", [*DEGRADATION_REGISTRY.names(), *RECIPES.names()])
def test_there_is_a_picture_of_each(name: str) -> None:
    assert f"(images/gallery/{name}.jpg)" in PAGE
    with Image.open(GALLERY / f"{name}.jpg") as picture:
        assert picture.width > 5 * 200


@pytest.mark.parametrize("name", RECIPES.names())
def test_the_table_of_mixtures_is_that_of_the_code(name: str) -> None:
    recipe = RECIPES.get(name)
    parts = ", ".join(f"{p.degradation} bench" if p.severity == "bench" else p.degradation for p in recipe.parts)
    assert re.search(rf"^\| `{name}` \| .*: {re.escape(recipe.published)} \| {parts} \|$", PAGE, re.MULTILINE)


def test_the_example_of_own_recipes_can_be_read(tmp_path: Path) -> None:
    [example] = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "recipes.yaml").write_text(example)
    assert list(recipes_from_yaml(tmp_path / "recipes.yaml")) == ["foggy_dashcam"]


def test_the_gallery_is_small() -> None:
    assert sum(file.stat().st_size for file in GALLERY.iterdir()) < MEGABYTES * 1e6
    assert {file.stem for file in GALLERY.glob("*.jpg")} == {*DEGRADATION_REGISTRY.names(), *RECIPES.names()}
