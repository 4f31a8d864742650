"""What holds for rain, snow, droplets and flare alike: any shape, any depth, any camera, the same bytes everywhere."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.degrade import DEGRADATION_REGISTRY, FormationStage, LightEffect, SceneLight, Severity

KINDS = ("rain", "snow", "water_droplets", "lens_flare")
LEVELS: tuple[Severity, ...] = (1, 2, 3, 4, 5, "bench")
STRENGTH = {
    "rain": {"rate_mm_h"},
    "snow": {"rate_mm_h"},
    "water_droplets": {"density"},
    "lens_flare": {"scattered_share", "surface_reflectance"},
}

PROGRAM = """
import hashlib
import numpy as np
from seeworthy.bench_data.degrade import DEGRADATION_REGISTRY, SceneLight
rng = np.random.default_rng(11)
image = rng.random((60, 90, 3), dtype=np.float32)
depth_m = rng.uniform(0.5, 20, (60, 90)).astype(np.float32)
depth_m[rng.random((60, 90)) < 0.2] = np.nan
for name in ("rain", "snow", "water_droplets", "lens_flare"):
    spec = DEGRADATION_REGISTRY.get(name)
    parameters = spec.parameters.sample(4, np.random.default_rng(3))
    result = spec.on_light(SceneLight(image, depth_m), parameters, np.random.default_rng(4)).image_linear
    print(name, hashlib.sha256(result.tobytes()).hexdigest())
"""


def acted(name: str, level: Severity, light: SceneLight, seed: int = 0) -> LightEffect:
    spec = DEGRADATION_REGISTRY.get(name)
    assert spec.on_light is not None
    return spec.on_light(light, spec.parameters.sample(level, np.random.default_rng(seed)), np.random.default_rng(seed))


def check(effect: LightEffect, light: SceneLight) -> None:
    image = effect.image_linear
    assert image.shape == light.image_linear.shape
    assert image.dtype == np.float32
    assert np.isfinite(image).all()
    assert image.min() >= 0


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(KINDS),
    level=st.sampled_from(LEVELS),
    height=st.integers(1, 41),
    width=st.integers(1, 41),
    seed=st.integers(0, 2**32),
    depth=st.sampled_from(["none", "near", "far", "holes"]),
)
def test_any_shape_gives_finite_light(
    name: str, level: Severity, height: int, width: int, seed: int, depth: str
) -> None:
    rng = np.random.default_rng(seed)
    # Light may exceed white before the sensor, and is read-only.
    image = (rng.random((height, width, 3), dtype=np.float32) ** 4) * 8
    image.setflags(write=False)
    depth_m = None
    if depth != "none":
        depth_m = rng.uniform(*{"near": (0.01, 0.3), "far": (1e3, 1e7), "holes": (0.5, 9)}[depth], (height, width))
        depth_m = depth_m.astype(np.float32)
        if depth == "holes" and depth_m.size > 1:
            depth_m.flat[0] = np.nan
        depth_m.setflags(write=False)
    light = SceneLight(image, depth_m)
    effect = acted(name, level, light, seed)
    check(effect, light)
    assert np.array_equal(acted(name, level, light, seed).image_linear, effect.image_linear)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("size", [(1, 1), (1, 9), (9, 1), (2, 3), (1, 64), (63, 2)])
def test_thin_pictures(name: str, size: tuple[int, int]) -> None:
    for level in LEVELS:
        for value in (0.0, 0.3, 1.0):
            light = SceneLight(np.full((*size, 3), value, dtype=np.float32))
            check(acted(name, level, light), light)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("target", [(0, 5, 0), (0, 0.001, 5), (0, 0.001, -5)])
def test_cameras_that_look_anywhere(name: str, target: tuple[float, float, float]) -> None:
    camera = Camera(width=64, height=48, fx=50, fy=52, cx=30, cy=25, world_from_camera=look_at([0, 0, 0], target))
    image = np.random.default_rng(1).random((48, 64, 3), dtype=np.float32)
    light = SceneLight(image, np.full((48, 64), 6, dtype=np.float32), camera, far_m=9.0)
    effect = acted(name, 5, light)
    check(effect, light)
    assert not any("60 degrees" in line for line in effect.approximations)
    assert float(np.abs(effect.image_linear - image).mean()) > 1e-4


def test_a_fisheye_is_said_to_be_taken_as_a_pinhole() -> None:
    camera = Camera(
        width=64,
        height=48,
        fx=30,
        fy=30,
        cx=32,
        cy=24,
        world_from_camera=np.eye(4),
        model="fisheye",
        distortion=(-0.01, 0, 0, 0),
    )
    light = SceneLight(np.full((48, 64, 3), 0.2, dtype=np.float32), camera=camera)
    assert any("fisheye" in line for line in acted("rain", 3, light).approximations)


@pytest.mark.parametrize("name", KINDS)
def test_the_levels_of_one_seed_differ_in_strength_only(name: str) -> None:
    spec = DEGRADATION_REGISTRY.get(name)
    values = [spec.parameters.sample(level, np.random.default_rng(6)).model_dump() for level in LEVELS]
    rest = [{key: value for key, value in entry.items() if key not in STRENGTH[name]} for entry in values]
    assert rest == rest[:1] * len(LEVELS)
    for key in STRENGTH[name]:
        strengths = [entry[key] for entry in values]
        assert strengths == sorted(set(strengths))


def test_they_stand_where_they_happen() -> None:
    stages = {name: DEGRADATION_REGISTRY.get(name).stage for name in KINDS}
    assert stages["rain"] is stages["snow"] is FormationStage.ATMOSPHERE
    assert stages["water_droplets"] is stages["lens_flare"] is FormationStage.LENS


@pytest.mark.parametrize("name", ["rain", "snow"])
def test_particles_fall_anew_in_every_picture(name: str) -> None:
    light = SceneLight(np.full((180, 240, 3), 0.1, dtype=np.float32), np.full((180, 240), 5, dtype=np.float32))
    spec = DEGRADATION_REGISTRY.get(name)
    assert spec.on_light is not None
    parameters = spec.parameters.sample(4, np.random.default_rng(0))
    one, other = (spec.on_light(light, parameters, np.random.default_rng(seed)).image_linear for seed in (1, 2))
    moved = np.abs(one - other).max(axis=2)
    assert (moved > 0.002).mean() > 0.05


def test_another_process_with_other_threads_gives_the_same_bytes() -> None:
    outputs = []
    for threads, salt in (("1", "0"), ("2", "77")):
        environment = os.environ | {
            "OMP_NUM_THREADS": threads,
            "OPENBLAS_NUM_THREADS": threads,
            "PYTHONHASHSEED": salt,
        }
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env=environment
        )
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert len({line.split()[1] for line in outputs[0].splitlines()}) == len(KINDS)
    assert all(len(line.split()[1]) == hashlib.sha256().digest_size * 2 for line in outputs[0].splitlines())
