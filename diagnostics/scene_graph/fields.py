"""Under which names models write the fields of objects and edges, and which unit such a name carries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from ...bench_data.questions import Unit
from ..replies import JsonValue
from .lengths import length_unit

__all__ = ["EDGE_FIELDS", "GRAPH_FIELDS", "OBJECT_FIELDS", "SIDE_FIELDS", "Field", "fields_of"]

Names = Mapping[str, tuple[str, int]]
"""A name without blanks and marks -> the field, and how much this name is preferred (0 most)."""


class Field(NamedTuple):
    """A field as found: the value, the name it stood under, and the unit that the name carries, if any."""

    value: JsonValue
    name: str
    unit: Unit | None


def _names(table: dict[str, str]) -> Names:
    return {
        name: (field, preference) for field, names in table.items() for preference, name in enumerate(names.split())
    }


OBJECT_FIELDS = _names(
    {
        "id": "id objectid nodeid number objectnumber mark marker node object 编号",
        "label": "label name category class type objectlabel",
        "distance": "distancetocamera disttocam distancetocam disttocamera cameradistance distancefromcamera distcam"
        " distancefromthecamera distancetothecamera distance dist",
        "size": "size dimensions dims dimension extent extents",
        "length": "length l",
        "width": "width w",
        "height": "height h",
        "position": "position location positioninframe",
        "heading": "heading headingdeg",
        "attributes": "attributes",
    }
)
SIDE_FIELDS = _names({"length": "length l long", "width": "width w wide", "height": "height h high tall"})
EDGE_FIELDS = _names(
    {
        "source": "from source src fromid sourceid fromobject",
        "target": "to target dst toid targetid toobject",
        "distance": "distance dist distancebetween",
        "relations": "relations relation relationship relationships spatialrelation spatialrelations rel direction"
        " directions",
        "bearing": "bearing bearingdeg",
    }
)
GRAPH_FIELDS = _names(
    {
        "objects": "objects nodes",
        "edges": "edges links relations relationships",
        "centre": "centre center centreid centerid centreobject centerobject centernode",
        "unit": "unit units lengthunit distanceunit",
    }
)

_MAX_NAME = 64
_MAX_FIELDS = 256
_NOT_LETTERS = re.compile(r"[\W_]+")
_SEPARATORS = re.compile(r"[\s_()\[\]]+")
_UNIT_WORDS = "m cm mm dm km ft in metres meters centimetres centimeters feet inches"
_UNITS = {word: length_unit(word) for word in _UNIT_WORDS.split()}
"""Only these may end a name: it is looked up for every name of a reply."""


def fields_of(entry: Mapping[str, JsonValue], names: Names) -> dict[str, Field]:
    """Field -> what an entry holds for it; of two names for a field the preferred one, and what is stated first.

    No more than 256 names of an entry are looked at.

    >>> fields_of({"Height_cm": 120, "colour": "red"}, SIDE_FIELDS)
    {'height': Field(value=120, name='Height_cm', unit=<Unit.CENTIMETRE: 'cm'>)}
    """
    found: dict[str, tuple[tuple[bool, int], Field]] = {}
    for name, value in islice(entry.items(), _MAX_FIELDS):
        known = names.get(name)
        unit = None
        if known is None:
            plain, unit = _plain(name) if len(name) <= _MAX_NAME else ("", None)
            known = names.get(plain)
        if known is None:
            continue
        field, preference = known
        rank = (value is None, preference)
        if field not in found or rank < found[field][0]:
            found[field] = (rank, Field(value, name, unit))
    return {field: one for field, (_, one) in found.items()}


@lru_cache(maxsize=1024)
def _plain(name: str) -> tuple[str, Unit | None]:
    """A name without blanks, marks and unit."""
    parts = _SEPARATORS.split(name.strip(" ()[]").casefold())
    unit = _UNITS.get(parts[-1]) if len(parts) > 1 else None
    return _NOT_LETTERS.sub("", "".join(parts[:-1] if unit is not None else parts)), unit
