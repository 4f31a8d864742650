"""Maps the four folders at the top to ``seeworthy.*``; everything else stands in pyproject.toml."""

from setuptools import find_packages, setup

FOLDERS = ("agent", "diagnostics", "tools", "bench_data")

setup(
    packages=["seeworthy." + name for name in find_packages(include=[p for f in FOLDERS for p in (f, f + ".*")])],
    package_dir={"seeworthy." + folder: folder for folder in FOLDERS},
)
