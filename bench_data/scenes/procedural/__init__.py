"""Rooms and streets from seeds: textured, lit, with exact boxes."""

from .furniture import MAKERS as _FURNITURE
from .room import ROOM_STYLES, make_room
from .street import CAMERA_HEIGHTS, make_street
from .street_objects import MAKERS as _STREET_OBJECTS
from .viewpoints import Lens

__all__ = ["CAMERA_HEIGHTS", "ROOM_CATEGORIES", "ROOM_STYLES", "STREET_CATEGORIES", "Lens", "make_room", "make_street"]

ROOM_CATEGORIES = tuple(_FURNITURE)
"""Labels of what may stand in a room."""

STREET_CATEGORIES = (*_STREET_OBJECTS, "building")
"""Labels of what may stand in a street."""
