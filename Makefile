# What is needed: python3 (3.11 or newer), pip and make. Everything else is set up in .venv.
PYTHON ?= python3
VENV := .venv/bin
PIP := $(PYTHON) -m pip --python $(VENV)/python --disable-pip-version-check --quiet

.PHONY: app test check lock wheel clean

app: .venv/app.done  ## serve the app on 127.0.0.1:8501
	@exec $(VENV)/characterbox app

test: .venv/dev.done  ## run all tests, those in the browser too
	@sh tests/system-packages.sh
	$(VENV)/python -m pytest

check: .venv/dev.done  ## lint, format and types
	$(VENV)/ruff check .
	$(VENV)/ruff format --check .
	$(VENV)/mypy

lock: .venv/dev.done  ## pin what pyproject.toml allows
	$(VENV)/uv pip compile --quiet --universal --generate-hashes --no-emit-find-links --no-annotate --no-header \
	  pyproject.toml --output-file requirements.lock
	$(VENV)/uv pip compile --quiet --universal --generate-hashes --no-emit-find-links --no-annotate --no-header \
	  --group dev --constraint requirements.lock --output-file requirements-dev.lock

VLLM_PIP := $(PYTHON) -m pip --python .venv-vllm/bin/python --disable-pip-version-check --quiet

.PHONY: test-vllm
test-vllm: .venv/dev.done .venv-vllm/done  ## play stories through a real vLLM server with a tiny model, on the CPU
	CHARACTERBOX_VLLM=.venv-vllm/bin/python $(VENV)/python -m pytest tests/vllm

.venv-vllm/done: tests/vllm/requirements.txt
	@echo "setting up .venv-vllm (this takes a few minutes the first time)"
	$(PYTHON) -m venv --clear --without-pip .venv-vllm
	$(VLLM_PIP) install torch==2.13.0
	$(VLLM_PIP) install --no-deps --require-hashes -r tests/vllm/requirements.txt
	@touch $@

LOCALE := annotations/locale
PYBABEL := $(VENV)/pybabel -q

.PHONY: catalogue
catalogue: .venv/dev.done  ## take new texts of the interface over into the Chinese catalogue, to be translated there
	$(PYBABEL) extract -k say -k say_count:1,2 -k to_say --add-location=file --omit-header -o $(LOCALE)/characterbox.pot \
	  annotations characterbox pages
	$(PYBABEL) update -D characterbox -l zh -i $(LOCALE)/characterbox.pot -d $(LOCALE) \
	  --no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date --no-wrap
	@rm $(LOCALE)/characterbox.pot

.PHONY: bench
bench: .venv/dev.done .venv-vllm/done  ## measure the engine: ratios and counts, each beside its target
	CHARACTERBOX_VLLM=.venv-vllm/bin/python $(VENV)/python -m bench

wheel: .venv/dev.done  ## build the wheel in dist/
	$(VENV)/python -m hatchling build --target wheel

clean:
	rm -rf .venv .venv-vllm dist

.venv/python.done:
	$(PYTHON) -m venv --without-pip .venv
	@touch $@

.venv/app.done: .venv/python.done requirements.lock pyproject.toml
	@echo "setting up .venv (this takes a few minutes the first time)"
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --editable .
	@touch $@

.venv/dev.done: .venv/app.done requirements-dev.lock
	$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@
