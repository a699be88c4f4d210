# `make run` and `make test` work from a fresh clone on Debian with Python 3.11 (or newer) and make.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
JOBS ?= $(shell nproc)

.PHONY: run test test-all lint types check-generated generate bench clean install

install: $(STAMP)

$(PY):
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "python3-venv is missing; installing it (needs root)"; \
	  rm -rf $(VENV); apt-get update -q && apt-get install -qy python3-venv && $(PYTHON) -m venv $(VENV); }

$(STAMP): pyproject.toml | $(PY)
	@$(PY) -m pip install -q --disable-pip-version-check --upgrade "pip>=23.2"
	$(PY) -m pip install -q --disable-pip-version-check -e ".[dev]"
	@touch $(STAMP)

run: $(STAMP)
	$(PY) examples/main_job.py

test: $(STAMP)
	$(PY) -m pytest -n $(JOBS) -m "not slow"

test-all: $(STAMP)
	$(PY) -m pytest -n $(JOBS)

lint: $(STAMP)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: $(STAMP)
	$(PY) -m mypy

generate: $(STAMP)
	$(PY) fixtures/make/protos.py
	$(PY) fixtures/make/op_families.py
	$(PY) fixtures/make/public_names.py

check-generated: $(STAMP)
	$(PY) fixtures/make/protos.py --check
	$(PY) fixtures/make/op_families.py --check
	$(PY) fixtures/make/public_names.py --check
	$(PY) fixtures/make/compatibility.py --check

clean:
	rm -rf out build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
