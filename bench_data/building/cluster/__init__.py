"""Scenes and pictures made on a Ray cluster, and written here."""

from .workers import ClusterWorkers

__all__ = ["ClusterWorkers"]
