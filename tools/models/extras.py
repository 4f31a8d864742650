"""One-line hints for packages that only some models need."""

from __future__ import annotations

import importlib.util

from ..errors import ModelError

__all__ = ["is_installed", "require_transformers"]

_TORCH_HINT = "pip install 'seeworthy[torch]'"


def is_installed(package: str) -> bool:
    """Whether a top-level package can be imported; does not import it."""
    return importlib.util.find_spec(package) is not None


def require_transformers() -> None:
    """Raises ``ModelError`` with the install command when torch or transformers is missing."""
    missing = [package for package in ("torch", "transformers") if not is_installed(package)]
    if missing:
        raise ModelError(f"local models need {' and '.join(missing)}, which this Python lacks; run: {_TORCH_HINT}")
