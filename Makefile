# Everything a person or a check runs. Needs Python 3.11 or newer, make and a network.
PYTHON ?= python3
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --no-deps
COMPILE := uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --no-emit-index-url --no-emit-find-links --no-emit-package graphmem-weights
# What Python has compiled is kept: the tests start the program many times.
export PYTHONDONTWRITEBYTECODE :=
# As many processes as there are cores, on one server; `make test AT_ONCE=` runs one test at a time.
AT_ONCE ?= -n auto --maxprocesses 4
WEIGHTS := packages/graphmem-weights
FUZZED := tests/graph/noninterference/test_generated.py tests/graph/test_races.py tests/unit/test_linear_time.py tests/graph/noninterference/test_erased.py tests/graph/test_job_faults.py tests/graph/test_odd_notes.py

.PHONY: help setup setup-dev demo serve dev wheels lint quick wheel check test test-long coverage fuzz format bench docs lock clean

help:  ## what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

setup: .venv/.installed  ## install graphmem into .venv

# Each lock file names all that is needed, so pip takes it as it is. What builds graphmem comes first. The
# weights of the default model are made here, of the official ones.
.venv/.installed: requirements-build.lock requirements.lock pyproject.toml $(addprefix $(WEIGHTS)/,prepare.py pyproject.toml source.lock)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "graphmem needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(INSTALL) --require-hashes -r requirements-build.lock
	$(INSTALL) --require-hashes -r requirements.lock
	$(BIN)/python $(WEIGHTS)/prepare.py
	$(INSTALL) --no-build-isolation ./$(WEIGHTS)
	$(INSTALL) --no-build-isolation -e .
	@touch $@

setup-dev: .venv/.dev  ## install what the checks need, too

.venv/.dev: .venv/.installed requirements-dev.lock
	$(INSTALL) --require-hashes -r requirements-dev.lock
	@touch $@

# PyTorch takes gigabytes, and few tests need it.
.venv/.torch: .venv/.dev requirements-torch.lock
	$(INSTALL) --require-hashes -r requirements-torch.lock
	@touch $@

demo: setup  ## start everything, fill it with real input, ask questions, go on serving
	$(BIN)/graphmem demo

serve: setup  ## start the service
	$(BIN)/graphmem serve

dev: setup-dev  ## serve, and start anew when a file of the program changes; Ctrl-C ends it
	$(BIN)/python scripts/serve_anew.py

wheels: setup-dev .venv/.release  ## build graphmem, its weights and its client into dist/, twice, and compare
	$(BIN)/python scripts/build_wheels.py
	$(BIN)/python -m twine check --strict dist/*

.venv/.release: .venv/.dev requirements-release.lock
	$(INSTALL) --require-hashes -r requirements-release.lock
	@touch $@

lint: setup-dev  ## format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports --no-logo

quick: setup-dev
	$(BIN)/python -m pytest $(AT_ONCE) -m "not long" tests/unit

wheel: setup-dev
	$(BIN)/python scripts/check_wheel.py

# Types and the wheel keep one core busy each, so something else is done beside them.
check: setup-dev  ## what to run before a commit, under a minute: lint and the quick unit tests
	$(MAKE) --no-print-directory -j 2 lint quick

test: setup-dev  ## what to run before a change is sent: format, lint, types, layers, wheel, the quicker tests
	$(MAKE) --no-print-directory -j 2 lint wheel
	$(BIN)/python -m pytest $(AT_ONCE) -m "not long"

test-long: setup-dev .venv/.torch  ## the other tests: those that start servers, kill them, or search for leaks and races
	$(BIN)/python -m pytest $(AT_ONCE) -m long

coverage: setup-dev .venv/.torch  ## all tests, with what they reach of the code (slower)
	$(BIN)/python -m pytest $(AT_ONCE) --cov=graphmem --cov-branch --cov-report=term:skip-covered

fuzz: setup-dev  ## look for leaks, races, slow texts and jobs that a kill spoils, GRAPHMEM_FUZZ_SECONDS (600) each
	GRAPHMEM_FUZZ_SECONDS=$${GRAPHMEM_FUZZ_SECONDS:-600} $(BIN)/python -m pytest -s $(FUZZED)

format: setup-dev  ## put the code into form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup-dev  ## measure speed on this machine (minutes)
	$(BIN)/python -m bench.speed

docs: .venv/.docs  ## build the documentation into build/docs; a warning or a dead link fails
	$(BIN)/python -m sphinx -W --keep-going -n -q -b html -c docs . build/docs
	@echo "build/docs/docs/index.html"

.venv/.docs: .venv/.installed requirements-docs.lock
	$(INSTALL) --require-hashes -r requirements-docs.lock
	@touch $@

lock:  ## compile the lock files anew (needs uv)
	$(COMPILE) pyproject.toml -o requirements.lock
	$(COMPILE) --group dev pyproject.toml -o requirements-dev.lock
	$(COMPILE) --group build -c requirements-dev.lock -o requirements-build.lock
	$(COMPILE) --group docs -c requirements-dev.lock -o requirements-docs.lock
	$(COMPILE) --group torch -c requirements-dev.lock -o requirements-torch.lock
	$(COMPILE) --group release -c requirements-dev.lock -c requirements-docs.lock -o requirements-release.lock
	$(COMPILE) --group weights -o $(WEIGHTS)/source.lock

clean:  ## remove what setup made
	rm -rf .venv dist build $(WEIGHTS)/graphmem_weights/model packages/graphmem-client/graphmem_client
