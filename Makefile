# Two commands on a fresh machine: `make demo` and `make test`. Each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint bench docs gallery gpu-check clean

demo: $(READY)
	$(BIN)/python -m seeworthy.agent.demo --out demo

test: $(READY)
	$(BIN)/python -m pytest -n 2 --dist loadgroup

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy -p seeworthy.bench_data -p seeworthy.tools -p seeworthy.diagnostics -p seeworthy.agent

bench: $(READY)
	@for file in benchmarks/[a-z]*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

docs: $(READY)
	$(BIN)/python docs/check.py

gallery: $(READY)
	$(BIN)/python docs/make_gallery.py

gpu-check: $(READY)
	$(BIN)/python -m pytest -m gpu -rs

clean:
	rm -rf $(VENV) demo build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

# torch first and by itself, pinned: a looser request would bring gigabytes of CUDA libraries.
$(READY): pyproject.toml setup.py constraints.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else "Seeworthy needs Python 3.11 or newer, this is %d.%d; run make PYTHON=python3.11 ..." % v[:2])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade -c constraints.txt pip
	$(BIN)/python -m pip install --quiet -c constraints.txt torch
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[dev]"
	@touch $(READY)
