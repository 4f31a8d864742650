"""The root of all errors that Seeworthy raises on purpose.

Every message says what happened, where, and what to do about it.
"""

from __future__ import annotations

__all__ = ["BenchDataError", "BenchDataWarning", "ClusterError", "OutputError", "RegistryError", "SeeworthyError"]


class SeeworthyError(Exception):
    """Base of every error that a user can cause or must hear of."""


class BenchDataError(SeeworthyError):
    """Input data (a picture, a scene, a parameter) cannot be used as it is."""


class OutputError(BenchDataError):
    """A file cannot be written: no space, no permission, or a place that is none."""


class ClusterError(SeeworthyError):
    """A Ray cluster is not there, or cannot do the work."""


class BenchDataWarning(UserWarning):
    """Input data was usable, but is probably not what its owner believes it to be."""


class RegistryError(SeeworthyError):
    """A name is unknown to a registry, or a plug-in cannot be loaded."""
