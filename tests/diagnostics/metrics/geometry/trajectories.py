"""Trajectories and disturbances for the tests."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Poses = NDArray[np.float64]


def wandering(n: int, seed: int) -> Poses:
    """(n, 4, 4) poses of a camera that moves and turns at random."""
    rng = np.random.default_rng(seed)
    poses = np.tile(np.eye(4), (n, 1, 1))
    poses[:, :3, :3] = Rotation.random(n, rng=rng).as_matrix()
    poses[:, :3, 3] = np.cumsum(rng.normal(size=(n, 3)), axis=0)
    return poses


def disturbed(poses: Poses, seed: int, *, turn_deg: float, step_m: float) -> Poses:
    """The poses with a random rotation and shift of their own each."""
    rng = np.random.default_rng(seed)
    noise = np.tile(np.eye(4), (len(poses), 1, 1))
    noise[:, :3, :3] = Rotation.from_rotvec(np.radians(turn_deg) * rng.normal(size=(len(poses), 3))).as_matrix()
    noise[:, :3, 3] = step_m * rng.normal(size=(len(poses), 3))
    moved: Poses = poses @ noise
    return moved


def in_another_world(poses: Poses, seed: int, *, scale: float = 1.0) -> Poses:
    """The same cameras written in a turned, shifted and scaled world."""
    rng = np.random.default_rng(seed)
    turn = Rotation.random(rng=rng).as_matrix()
    moved = poses.copy()
    moved[:, :3, :3] = turn @ poses[:, :3, :3]
    moved[:, :3, 3] = scale * poses[:, :3, 3] @ turn.T + rng.normal(size=3)
    return moved
