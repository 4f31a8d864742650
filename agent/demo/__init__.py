"""``make demo``: the main job on real photographs, through a real model server, on any machine."""
