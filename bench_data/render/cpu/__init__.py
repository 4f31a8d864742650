"""The CPU engine: numba kernels that run without the interpreter's lock, and the threads that run them."""
