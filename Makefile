# Everything is set up on first use, and again only when pyproject.toml changes; see tools/setup.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-long lint bench reference clean

demo: .venv/.ready-pdf
	rm -rf demo-game
	$(BIN)/pbem demo demo-game

test: lint
	$(BIN)/pytest -n 2 --dist worksteal -m "not long"

test-long: lint
	$(BIN)/pytest -n 2 --dist worksteal

lint: .venv/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/mypy --strict

# How fast it is, written to docs/performance.md.
bench: .venv/.ready-dev
	$(BIN)/python tools/bench.py docs/performance.md

# docs/cli.md from the commands' own help; a test holds the two together.
reference: .venv/.ready-dev
	$(BIN)/python tools/cli_reference.py docs/cli.md

.venv/.ready-pdf: pyproject.toml tools/setup
	@PYTHON="$(PYTHON)" sh tools/setup pdf

.venv/.ready-dev: pyproject.toml tools/setup
	@PYTHON="$(PYTHON)" sh tools/setup dev

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis _site dist demo-game
