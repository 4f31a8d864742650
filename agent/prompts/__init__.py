"""The solver's prompts: text files named ``<prompt>-<version>.txt``; the newest version is used and recorded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template

from ..errors import SolverError

__all__ = ["Prompt", "load_prompt"]

_NAME = re.compile(r"^(?P<name>[a-z_]+)-(?P<version>\d+)\.txt$")


@dataclass(frozen=True)
class Prompt:
    """A prompt template. ``fill`` takes every variable that the text names, and nothing else."""

    name: str
    version: int
    template: str

    def fill(self, **values: str) -> str:
        """The text with its ``$variables`` replaced; values are inserted as they are, never interpreted again."""
        wanted = set(Template(self.template).get_identifiers())
        if wanted != set(values):
            raise SolverError(f"prompt {self.name} v{self.version} needs {sorted(wanted)}, got {sorted(values)}")
        return Template(self.template).substitute(values)


@cache
def load_prompt(name: str) -> Prompt:
    """The newest version of a prompt."""
    found: dict[int, str] = {}
    for entry in files(__package__).iterdir():
        match = _NAME.match(entry.name)
        if match and match["name"] == name:
            found[int(match["version"])] = entry.read_text(encoding="utf-8").strip()
    if not found:
        raise SolverError(f"there is no prompt {name!r} in {__package__}")
    version = max(found)
    return Prompt(name, version, found[version])
