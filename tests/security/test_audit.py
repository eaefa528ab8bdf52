"""What `make audit` ends with: what could not be looked at is never clean."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.security import audit
from tests.security.audit import CLEAN, FOUND, LOCKS, REPOSITORY, UNKNOWN, ending, of_code, of_packages

SOUND = {"name": "numpy", "version": "2.4.1", "vulns": []}
WEAK = {
    "name": "lxml",
    "version": "6.1.3",
    "vulns": [{"id": "PYSEC-2026-1", "aliases": ["CVE-2026-1"], "fix_versions": ["6.1.4"]}],
}
SKIPPED = {"name": "uv", "skip_reason": "Dependency not found on PyPI and could not be audited: uv (0.13.8)"}


@pytest.mark.parametrize(
    ("dependencies", "status"),
    [([SOUND], CLEAN), ([SOUND, WEAK], FOUND), ([SOUND, SKIPPED], UNKNOWN), ([WEAK, SKIPPED], FOUND), ([], UNKNOWN)],
)
def test_packages_of_which_nothing_is_known_are_not_clean(dependencies, status):
    """pip-audit itself says "No known vulnerabilities found", with status 0, where it has skipped them all."""
    told, lines = of_packages("requirements.lock", {"dependencies": dependencies}, {})
    assert told == status
    assert ("NOT AUDITED" in lines[-1]) == (SKIPPED in dependencies or not dependencies)
    assert any("PYSEC-2026-1, mended in 6.1.4" in line for line in lines) == (WEAK in dependencies)


def test_a_finding_is_answered_by_any_of_its_names():
    told = {"dependencies": [WEAK]}
    assert of_packages("requirements.lock", told, {"CVE-2026-1": "nothing foreign is parsed with it"})[0] == CLEAN
    assert of_packages("requirements.lock", told, {"CVE-2026-2": "another"})[0] == FOUND


def test_code_that_could_not_be_read_is_not_clean():
    total = {"_totals": {"loc": 7}}
    finding = {"filename": "app.py", "line_number": 3, "test_id": "B101", "issue_text": "Use of assert detected."}
    unread = {"filename": "app.py", "reason": "syntax error while parsing AST from file"}
    assert of_code({"results": [], "errors": [], "metrics": total})[0] == CLEAN
    assert of_code({"results": [], "errors": [unread], "metrics": total})[0] == UNKNOWN
    status, lines = of_code({"results": [finding], "errors": [], "metrics": total})
    assert status == FOUND
    assert lines[0].startswith("app.py:3: B101 Use of assert detected.")


def test_the_whole_is_clean_only_if_each_part_is():
    assert ending([(CLEAN, []), (CLEAN, [])])[0] == CLEAN
    assert ending([(CLEAN, []), (UNKNOWN, [])])[0] == UNKNOWN
    assert ending([(UNKNOWN, []), (FOUND, [])])[0] == FOUND


@pytest.mark.process
def test_a_tool_that_can_not_run_is_told_and_not_clean():
    """This environment has neither bandit nor pip-audit."""
    done = subprocess.run([sys.executable, audit.__file__], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == UNKNOWN, done.stderr
    assert "No module named bandit" in done.stdout
    assert done.stdout.count("NO DATA, so NOT AUDITED") == len(LOCKS)
    assert done.stdout.splitlines()[-1].startswith("audit: NOT DONE")


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pinned_package_has_its_hashes(lock):
    lines = (REPOSITORY / lock).read_text(encoding="utf-8").splitlines()
    pins = [(line, after) for line, after in pairwise([*lines, ""]) if line[:1].isalnum()]
    assert pins
    assert [pin for pin, after in pins if "==" not in pin or "--hash=sha256:" not in after] == []


def test_all_lock_files_are_audited():
    assert {path.name for path in REPOSITORY.glob("requirements*")} <= {Path(lock).name for lock in LOCKS}
