# What is needed: python3 (3.11 or newer), pip and make. Everything else is set up in .venv.
PYTHON ?= python3
VENV := .venv/bin
PIP := $(PYTHON) -m pip --disable-pip-version-check --quiet
UV := $(VENV)/uv pip install --quiet --require-hashes
PYTEST := $(VENV)/python -m pytest
PARALLEL := --numprocesses auto --dist worksteal
WAITING := --numprocesses $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist worksteal
# With one process more than there are cores: a third of the time, tests wait for browsers and commands.

APART := --ignore tests/vllm --ignore tests/training/with_torch --ignore tests/training/end_to_end
# Tests that need an environment of their own.

# Compiled modules are kept: without them, each process that starts compiles all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: app quick test soak branches debian check lock wheel clean

app: .venv/app.done  ## serve the app on 127.0.0.1:8501
	@exec $(VENV)/characterbox app

quick: .venv/dev.done  ## run the unit and property tests: no browser, no server, no other process
	$(PYTEST) $(PARALLEL) --hypothesis-profile quick -m "not browser and not process and not slow and not soak" --ignore tests/browser $(APART)

test: .venv/dev.done .venv-docs/done debian  ## run all tests but those of a real vLLM server and of PyTorch, those in the browser too
	$(PYTEST) $(WAITING) -m "not soak" $(APART)

soak: .venv/dev.done .venv-docs/done debian  ## run the same and the full matrices of kills, faults and simulations, in random order
	$(PYTEST) $(WAITING) -p randomly --hypothesis-profile thorough $(APART)

branches: .venv/dev.done .venv-docs/done debian  ## run what make test runs, and tell the share of branches in it, other processes included
	$(VENV)/coverage erase
	$(VENV)/coverage run -m pytest $(WAITING) -m "not soak" $(APART)
	$(VENV)/coverage combine --quiet
	$(VENV)/coverage report --skip-covered --sort=-miss

debian:  ## install what the tests need of Debian's packages, where that is possible
	@sh tests/system-packages.sh

check: .venv/dev.done  ## lint, format and types
	$(VENV)/ruff check .
	$(VENV)/ruff format --check .
	$(VENV)/mypy

lock: .venv/dev.done  ## pin what pyproject.toml allows
	$(VENV)/uv pip compile --quiet --universal --generate-hashes --no-emit-find-links --no-annotate --no-header \
	  pyproject.toml --output-file requirements.lock
	$(VENV)/uv pip compile --quiet --universal --generate-hashes --no-emit-find-links --no-annotate --no-header \
	  --group dev --constraint requirements.lock --output-file requirements-dev.lock
	$(VENV)/uv pip compile --quiet --universal --generate-hashes --no-emit-find-links --no-annotate --no-header \
	  --group install --constraint requirements-dev.lock --output-file requirements-uv.lock
	$(VENV)/uv pip compile --quiet --universal --generate-hashes --no-emit-find-links --no-annotate --no-header \
	  --group audit --constraint requirements-dev.lock --output-file requirements-audit.lock
	$(VENV)/uv pip compile --quiet --universal --generate-hashes --no-emit-find-links --no-annotate --no-header \
	  --group docs --constraint requirements-dev.lock --output-file requirements-docs.lock

.PHONY: audit
audit: .venv-audit/done  ## look for weaknesses: bandit in the code, pip-audit in the pinned packages (asks PyPI)
	.venv-audit/bin/python tests/security/audit.py

.venv-audit/done: requirements-audit.lock | .venv/uv.done
	$(PYTHON) -m venv --clear --without-pip .venv-audit
	$(UV) --python .venv-audit/bin/python -r requirements-audit.lock
	@touch $@

.PHONY: docs docs-pictures
docs: .venv-docs/done  ## build the documentation into build/docs, in English and Chinese, without network
	rm -rf build/docs
	.venv-docs/bin/zensical build --strict
	.venv-docs/bin/zensical build --strict --config-file zensical.zh.toml

docs-pictures: .venv/dev.done debian  ## walk the tutorials through the running app, and take their pictures anew
	CHARACTERBOX_PICTURES=docs $(PYTEST) $(PARALLEL) tests/docs/tutorials

.venv-docs/done: requirements-docs.lock | .venv/uv.done
	$(PYTHON) -m venv --clear --without-pip .venv-docs
	$(UV) --python .venv-docs/bin/python -r requirements-docs.lock
	@touch $@

.PHONY: test-vllm
test-vllm: .venv/dev.done .venv-vllm/done  ## stories and recall through a real vLLM server, with small models, on the CPU
	CHARACTERBOX_VLLM=.venv-vllm/bin/python $(PYTEST) tests/vllm

.venv-vllm/done: tests/vllm/requirements.txt | .venv/uv.done
	@echo "setting up .venv-vllm (this takes a few minutes the first time)"
	$(PYTHON) -m venv --clear --without-pip .venv-vllm
	$(PIP) --python .venv-vllm/bin/python install torch==2.13.0
	$(UV) --python .venv-vllm/bin/python --no-deps -r tests/vllm/requirements.txt
	@touch $@

.PHONY: test-train
test-train: .venv/dev.done .venv-train/done .venv-vllm/done  ## train tiny models with PyTorch on the CPU, resumed after kills; serve them with vLLM, and compare them with their base
	CHARACTERBOX_TRAIN=.venv-train/bin/python CHARACTERBOX_VLLM=.venv-vllm/bin/python OMP_NUM_THREADS=1 $(PYTEST) --numprocesses 2 --dist loadfile tests/training/with_torch tests/training/end_to_end

.venv-train/done: tests/training/requirements.txt | .venv/uv.done
	@echo "setting up .venv-train (this takes a few minutes the first time)"
	$(PYTHON) -m venv --clear --without-pip .venv-train
	$(PIP) --python .venv-train/bin/python install torch==2.13.0
	$(UV) --python .venv-train/bin/python --no-deps -r tests/training/requirements.txt
	$(VENV)/uv pip install --quiet --python .venv-train/bin/python --no-deps --editable .
	@touch $@

LOCALE := annotations/i18n/locale
TEXTS := say say_count:1,2 to_say Message count_message:1,2 AccountError AddressError AnnotationError CampaignError CampaignPaused \
  CampaignUnreadable CharacterBoxError EncodingError EndpointDown EndpointError FileError Gone NotAllowed NotItsFault \
  PlayedElsewhere ProgramError RatingError RoleError SceneError SearchError StoreError StoryError StudyError TooHeavy TrainingError UndefinedStatistic
# What takes a text of the interface: functions and classes of messages, and errors.
PYBABEL := $(VENV)/pybabel -q

.PHONY: catalogue
catalogue: .venv/dev.done  ## take new texts of the interface over into the Chinese catalogue, to be translated there
	$(PYBABEL) extract $(TEXTS:%=-k %) --add-location=file --omit-header -o $(LOCALE)/characterbox.pot \
	  annotations characterbox pages
	$(PYBABEL) update -D characterbox -l zh -i $(LOCALE)/characterbox.pot -d $(LOCALE) \
	  --no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date --no-wrap
	@rm $(LOCALE)/characterbox.pot

.PHONY: security
security: .venv/dev.done  ## write the tables of docs/en/reference/security.md anew, as the running app answers
	$(VENV)/python -m tests.security.matrix

.PHONY: fuzz
fuzz: .venv/dev.done  ## send 20,000 wild requests to the running app, and tell what came of them
	$(VENV)/python -m tests.security.fuzz

.PHONY: coverage
coverage: .venv/dev.done  ## measure how often intervals hold: hours; it goes on where it was stopped
	OMP_NUM_THREADS=1 $(VENV)/python -m bench.coverage
	OMP_NUM_THREADS=1 $(VENV)/python -m bench.coverage --again
	$(VENV)/python -m bench.coverage.table

.PHONY: bench
bench: .venv/dev.done .venv-vllm/done debian  ## measure the engine: ratios and counts, each beside its target
	CHARACTERBOX_VLLM=.venv-vllm/bin/python $(VENV)/python -m bench

wheel: .venv/dev.done  ## build the wheel in dist/
	$(VENV)/python -m hatchling build --target wheel

clean:
	rm -rf .venv .venv-vllm .venv-train .venv-audit .venv-docs dist

.venv/uv.done: requirements-uv.lock
	$(PYTHON) -m venv --without-pip .venv
	$(PIP) --python $(VENV)/python install --require-hashes -r requirements-uv.lock
	@touch $@

.venv/app.done: .venv/uv.done requirements.lock pyproject.toml
	@echo "setting up .venv (this takes half a minute the first time)"
	$(UV) --python $(VENV)/python -r requirements.lock
	$(VENV)/uv pip install --quiet --python $(VENV)/python --no-deps --editable .
	@touch $@

.venv/dev.done: .venv/app.done requirements-dev.lock
	$(UV) --python $(VENV)/python -r requirements-dev.lock
	@touch $@
