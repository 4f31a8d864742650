"""The kernels are kept under a key of their sources, and stay vectorised."""

from __future__ import annotations

from time import thread_time

import numpy as np

from seeworthy.bench_data.fit.cpu import kernels
from seeworthy.bench_data.fit.cpu.tiles import draw_tiles, gradients_of_tiles
from seeworthy.bench_data.fit.warm_up import warm_up
from seeworthy.bench_data.render.cpu.kernels import SourceAwareCache
from seeworthy.bench_data.render.settings import RenderSettings
from seeworthy.bench_data.render.torch_projection import cloud_tensors, project
from tests.bench_data.render.scenes import a_camera
from tests.bench_data.render.test_speed import veils

FORWARD_GUARD_NS, BACKWARD_GUARD_NS = 6.0, 18.0
"""Per pixel and Gaussian, in CPU time of one thread: about 1.2 and 4 as it should be, 8 and 30 without packed code."""


def test_every_kernel_is_kept_under_a_key_of_its_own_sources() -> None:
    assert len(kernels.KERNELS) == 4
    for compiled in kernels.KERNELS:
        (signature, *_) = compiled.signatures
        key = compiled._cache._index_key(signature, compiled.targetctx.codegen())[-1]
        assert key == kernels._FitKernelCache.sources
        assert key != SourceAwareCache.sources


def test_a_second_warm_up_has_nothing_to_compile() -> None:
    warm_up()
    assert warm_up() is None


def test_nanoseconds_per_pixel_and_gaussian() -> None:
    count, camera, settings = 400, a_camera(256, 192), RenderSettings()
    p = project(cloud_tensors(veils(count)), camera, settings)
    arrays = [
        np.ascontiguousarray(t.numpy())
        for t in (p.means_px, p.conics, p.covariances[:, ::2], p.opacities, p.colours, p.depth_m)
    ]
    limits = {"max_alpha": settings.max_alpha, "alpha_min": settings.alpha_min, "threads": 1}
    ones = np.ones((camera.height, camera.width, 4), np.float32)
    forward, backward = [], []
    for _ in range(5):
        begun = thread_time()
        tiles = draw_tiles(*arrays, np.ones(count, bool), width=256, height=192, **limits)  # type: ignore[arg-type]
        half = thread_time()
        found = gradients_of_tiles(tiles, ones, ones[..., 0].copy(), arrays[1], arrays[3], **limits)  # type: ignore[arg-type]
        forward.append(half - begun)
        backward.append(thread_time() - half)
    assert np.abs(found.colours).min() > 0
    pairs = count * camera.width * camera.height
    assert 1e9 * min(forward) / pairs < FORWARD_GUARD_NS
    assert 1e9 * min(backward) / pairs < BACKWARD_GUARD_NS
