"""Rooms from seeds: furnished, textured, lit, with exact boxes."""

from .room import ROOM_STYLES, make_room
from .viewpoints import Lens

__all__ = ["ROOM_STYLES", "Lens", "make_room"]
