"""Tests that can't be run while coverage measures: it ends processes in a way of its own."""

import os

import pytest

not_measured = pytest.mark.skipif("COVERAGE_RUN" in os.environ, reason="coverage changes how processes end")
