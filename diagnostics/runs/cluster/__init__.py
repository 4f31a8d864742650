"""Runs on a Ray cluster: this process hands out calls and keeps records, workers make the calls."""

from .recipe import ArmsRecipe
from .running import run_on_cluster

__all__ = ["ArmsRecipe", "run_on_cluster"]
