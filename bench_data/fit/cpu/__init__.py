"""The differentiable rasteriser on the CPU: numba kernels forwards and backwards."""
