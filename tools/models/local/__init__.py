"""Models of the transformers library, run in this process. Importing this package imports torch."""

from .loading import Loaded, load
from .model import TransformersModel

__all__ = ["Loaded", "TransformersModel", "load"]
