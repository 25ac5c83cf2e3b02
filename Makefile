PYTHON ?= python3
SECONDS ?= 600
# Tests wait for brokers and for Spark more than they compute.
WORKERS ?= 3
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
BIN := .venv/bin
JAR := spark_jms_connector/jars/spark-jms-connector-helper.jar
JAVAX_JAR := spark_jms_connector/jars/spark-jms-connector-helper-javax.jar
JAVA_SOURCES := build.gradle settings.gradle spark_jms_connector/version.py $(shell find src -type f 2>/dev/null)

define WARM_UP
from delta import configure_spark_with_delta_pip
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
configure_spark_with_delta_pip(builder).getOrCreate().stop()
endef
export WARM_UP

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-fast test-matrix lint chaos clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: .venv/installed $(JAR) $(JAVAX_JAR) .venv/delta ## Install everything; a second time does only what changed

demo: setup ## Run the demo: a broker, a queue, a kill, and every message in Delta once
	$(BIN)/python -m spark_jms_connector demo

test: setup ## Run all tests but the crash matrix
	$(PYTEST) -m "not matrix"

test-fast: .venv/installed ## Run the tests that need no broker and no Spark
	$(PYTEST) -m "not broker and not spark and not slow and not matrix"

test-matrix: setup ## Kill the reader at every crash point
	$(PYTEST) -m matrix

lint: .venv/installed ## Check style, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

.PHONY: docs-tables
docs-tables: .venv/installed ## Bring the tables of the documentation up to date
	$(BIN)/python -m tests.house.docs_tables

chaos: setup ## Kill at random for SECONDS (600) and count the messages
	$(BIN)/python -m tests.chaos --seconds $(SECONDS)

clean: ## Remove all that was installed or built here
	rm -rf .venv build dist .gradle *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis $(JAR) $(JAVAX_JAR)

.venv/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or newer is needed: make setup PYTHON=...")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install -q -e ".[delta]" --group dev
	@touch $@

$(JAR): $(JAVA_SOURCES)
	@if ! command -v gradle >/dev/null || ! command -v javac >/dev/null; then \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y gradle default-jdk-headless; \
		else \
			echo "The Java part needs gradle and a JDK (17 or newer): install them and run make setup again." >&2; exit 1; \
		fi; \
	fi
	gradle --no-daemon -q installJar
	@touch $@

# Built together with the other.
$(JAVAX_JAR): $(JAR)
	@test -f $@ || gradle --no-daemon -q installJar
	@touch $@

# Spark fetches Delta's jars at its first session; done here, so that no test or demo waits for it.
.venv/delta: .venv/installed
	@$(BIN)/python -c "$$WARM_UP" >.venv/delta.log 2>&1 || { tail -n 30 .venv/delta.log >&2; exit 1; }
	@touch $@
