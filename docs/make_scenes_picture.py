"""Makes docs/images/procedural-scenes.jpg: two rooms and two streets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from seeworthy.bench_data.render import render
from seeworthy.bench_data.scenes.procedural import make_room, make_street


def main() -> None:
    """One view of each."""
    rooms = (make_room(5, views=3), 0), (make_room(11, objects=22, views=3), 0)
    streets = (make_street(3, views=3), 1), (make_street(6, views=3), 2)
    drawn = [
        [render(scene.cloud, scene.views[view].camera, engine="numba").image_srgb_u8 for scene, view in row]
        for row in (rooms, streets)
    ]
    sheet = np.concatenate([np.concatenate(row, axis=1) for row in drawn])
    Image.fromarray(sheet).save(Path(__file__).parent / "images" / "procedural-scenes.jpg", quality=82)


if __name__ == "__main__":
    main()
