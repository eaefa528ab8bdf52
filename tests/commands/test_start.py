"""What a command imports before it does anything: each of these packages takes a fifth of a second or more."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.process

SLOW = {"openai", "pandas", "pingouin", "plotly", "scipy", "sqlmodel", "streamlit", "vllm"}
CASES = {
    "servers": {"sqlmodel"},
    "export": {"sqlmodel"},
    "importing": {"sqlmodel"},
    "archives": {"sqlmodel"},
    "play": {"sqlmodel"},
    "judge": {"sqlmodel", "pandas"},
    "stats": {"pandas", "scipy"},
}


@pytest.mark.parametrize(("command", "needed"), CASES.items())
def test_a_command_imports_no_slow_package_that_it_does_not_need(command, needed):
    script = f"import sys, characterbox.commands.{command}\nprint(*{{*sys.modules}} & {SLOW})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert {*done.stdout.split()} <= needed


def test_what_is_imported_is_not_looked_through_for_garbage():
    script = "import gc; from characterbox import cli; cli._imported('servers'); print(gc.get_freeze_count())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert int(done.stdout) > 100_000
