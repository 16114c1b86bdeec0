# Development commands. `make run` and `make test` work as the first command in a fresh clone.

VENV ?= .venv
BIN := $(VENV)/bin
ARGS ?=
EXAMPLES ?= 20000
TICKS ?= 100000
SOAK ?= 1

# Discovery stays on this machine, away from the domain 0 of a robot that may run here too.
export ROS_AUTOMATIC_DISCOVERY_RANGE ?= LOCALHOST
export ROS_DOMAIN_ID ?= 42

# The environment brings its own rclpy and one middleware; those of a sourced distribution do not mix with them.
export RMW_IMPLEMENTATION := rmw_fastrtps_cpp
ifdef ROS_DISTRO
unexport PYTHONPATH LD_LIBRARY_PATH AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH
endif

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:
.PHONY: help run test evaluate fuzz chaos soak check bench format venv clean

help: ## lists the commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /make \1\t/' | expand -t 16

run: $(VENV)/.runtime ## starts the default robot; more arguments with ARGS="--safe", ends with Ctrl-C
	@exec $(BIN)/bxi run --config config/elf3_ideal.yaml $(ARGS)

test: $(VENV)/.dev ## runs all tests; fewer with ARGS="test/motion -k blend"
	@exec $(BIN)/python -m pytest $(ARGS)

evaluate: $(VENV)/.dev ## lets the states that move by themselves drive, seed by seed, and writes docs/evaluation.md; takes about a minute
	@PYTHONPATH=.:test exec $(BIN)/python -m evaluation

fuzz: $(VENV)/.dev ## checks many broken sets of Mods and many ticks of wild ones, others each time; fewer with EXAMPLES=1000 TICKS=1000
	@export BXI_FUZZ_EXAMPLES=$(EXAMPLES) BXI_FUZZ_TICKS=$(TICKS)
	exec $(BIN)/python -m pytest test/loading/test_any_manifest.py test/testing/test_wild.py $(ARGS)

chaos: $(VENV)/.dev ## kills main processes and nodes at random and looks for what is left; takes minutes
	@export BXI_CHAOS_MAIN_KILLS=20 BXI_CHAOS_NODE_KILLS=200
	exec $(BIN)/python -m pytest test/supervision/test_guard_deaths.py test/supervision/test_chaos.py $(ARGS)

check: $(VENV)/.dev ## lint, format, types and the import ladder
	@echo "== ruff check"
	$(BIN)/ruff check .
	echo "== ruff format"
	$(BIN)/ruff format --check .
	echo "== mypy"
	$(BIN)/mypy
	.ci/check-mods $(BIN)/mypy
	echo "== import ladder"
	$(BIN)/lint-imports --no-logo --cache-dir .cache/import-linter

bench: $(VENV)/.dev ## runs the benchmarks, one JSON line for each figure
	@for file in $(wildcard test/benchmarks/bench_*.py); do $(BIN)/python $$file; done

soak: $(VENV)/.dev ## runs the loop under load for 12 minutes beside a bare loop; shorter with SOAK=0.02
	@SOAK=$(SOAK) exec $(BIN)/python test/benchmarks/soak

format: $(VENV)/.dev ## rewrites the sources as `make check` wants them
	@$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

venv: $(VENV)/.dev ## creates or updates the environment and stops there

clean: ## removes the environment, caches and build outputs
	@rm -rf $(VENV) .cache build install log *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A PYTHON given by hand is the only candidate; otherwise the first that fits is taken.
ifeq ($(origin PYTHON),undefined)
CANDIDATES := python3 python3.13 python3.12 python3.11 python3.10
else
CANDIDATES := $(PYTHON)
endif

PIP = $(BIN)/python -m pip --disable-pip-version-check --no-input install
FAILED = { echo "The installation stopped. Read the reason above, then run make again; it goes on from here." >&2; exit 1; }

$(VENV)/.runtime: requirements.txt setup.py
	@if ! $(BIN)/python -c "" 2>/dev/null; then
	    python= found=
	    for candidate in $(CANDIDATES); do
	        version=$$($$candidate -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
	        found="$$found $$candidate is $$version,"
	        case $$version in 3.10|3.11|3.12|3.13) python=$$candidate; break;; esac
	    done
	    if [ -z "$$python" ]; then
	        echo "bxi_framework needs Python 3.10, 3.11, 3.12 or 3.13. Looked for: $(CANDIDATES). Found:$${found:- none,}" >&2
	        echo "Install one of them, or name it: make venv PYTHON=/path/to/python3.12" >&2
	        exit 1
	    fi
	    if ! $$python -c "import ensurepip, venv" 2>/dev/null; then
	        echo "Python $$version ($$python) cannot create environments: its venv package is missing." >&2
	        echo "On Debian and Ubuntu: sudo apt install python3-venv (or python$$version-venv), then run make again." >&2
	        exit 1
	    fi
	    echo "[1/3] creating $(VENV) with Python $$version"
	    $$python -m venv --clear $(VENV)
	fi
	echo "[2/3] installing the pinned requirements (takes a minute or two the first time)"
	$(PIP) -r requirements.txt || $(FAILED)
	echo "[3/3] installing bxi_framework from this folder"
	$(PIP) -q --no-deps --no-build-isolation --editable . || $(FAILED)
	touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.txt
	@echo "installing the pinned development tools"
	$(PIP) -r requirements-dev.txt || $(FAILED)
	touch $@
