"""One kind of registry for everything that can be named: tools, detectors, degradations, model providers.

A registry finds its built-in entries by importing every module of one package the first time it is asked, and
plug-ins through an entry-point group. So adding an entry is one new file and no edit elsewhere, and importing stays
fast.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import pkgutil
from collections.abc import Iterator
from threading import RLock
from typing import Generic, TypeVar

from .errors import RegistryError

__all__ = ["Registry"]

SpecT = TypeVar("SpecT")


class Registry(Generic[SpecT]):
    """Named, typed specs of one kind.

    Args:
        kind: what an entry is, in words, for error messages ("rectifier").
        package: the package whose modules register the built-in entries when imported.
        entry_point_group: the group through which other distributions add theirs; each entry point names a module
            (or an object in one) whose import registers.
    """

    def __init__(self, kind: str, *, package: str, entry_point_group: str) -> None:
        self.kind = kind
        self.entry_point_group = entry_point_group
        self._package = package
        self._specs: dict[str, SpecT] = {}
        self._plugin_errors: dict[str, str] = {}
        self._loaded = False
        self._lock = RLock()

    def add(self, name: str, spec: SpecT) -> None:
        """Registers ``spec``; a name that is already taken is an error, never a silent replacement."""
        with self._lock:
            if name in self._specs:
                raise RegistryError(f"{self.kind} {name!r} is already registered; choose another name")
            self._specs[name] = spec

    def get(self, name: str) -> SpecT:
        """The spec called ``name``; an unknown name is an error that lists what exists and the nearest match."""
        self._load()
        try:
            return self._specs[name]
        except KeyError:
            raise RegistryError(self._unknown(name)) from None

    def names(self) -> tuple[str, ...]:
        """All names, sorted."""
        self._load()
        return tuple(sorted(self._specs))

    def specs(self) -> Iterator[tuple[str, SpecT]]:
        """All (name, spec) pairs, sorted by name."""
        for name in self.names():
            yield name, self._specs[name]

    @property
    def plugin_errors(self) -> dict[str, str]:
        """Plug-ins that failed to import, with the reason; one broken plug-in never hides the others."""
        self._load()
        return dict(self._plugin_errors)

    def _load(self) -> None:
        with self._lock:
            if self._loaded:
                return
            package = importlib.import_module(self._package)
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{self._package}.{module.name}")
            # Plug-ins may ask the registry while they load, so it counts as loaded from here on.
            self._loaded = True
            for entry in importlib.metadata.entry_points(group=self.entry_point_group):
                try:
                    entry.load()
                except Exception as error:  # noqa: BLE001 - a stranger's code may raise anything; it is reported
                    self._plugin_errors[entry.name] = f"{type(error).__name__}: {error}"

    def _unknown(self, name: str) -> str:
        known = self.names()
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        failed = self._plugin_errors.get(name)
        if failed:
            hint = f"; a plug-in of that name failed to load: {failed}."
        return f"unknown {self.kind} {name!r}{hint} Known: {', '.join(known) or 'none'}"
