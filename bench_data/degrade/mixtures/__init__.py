"""Mixtures: what goes wrong together in real pictures, by name, from code or from a YAML file."""

from .apply import check_recipe, degrade_recipe
from .recipe import RECIPES, Recipe, RecipePart, SeverityChoice
from .yaml_file import recipes_from_yaml

__all__ = [
    "RECIPES",
    "Recipe",
    "RecipePart",
    "SeverityChoice",
    "check_recipe",
    "degrade_recipe",
    "recipes_from_yaml",
]
