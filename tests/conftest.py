"""Settings of all tests."""

import os

# Small products are many times slower on several threads that wait for each other; read when numpy is first loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
