"""What `make audit` tells: bandit of the code, and pip-audit of the packages that the lock files name.

It runs in `.venv-audit`, where both are. It ends with 0 where there is nothing to tell, with 1 where there is a
finding, and with 2 where something could not be looked at: packages of which no list of weaknesses could be had are
not clean.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]
CODE = ("annotations", "characterbox", "pages", "app.py")
LOCKS = (
    *(
        "requirements.lock",
        "requirements-dev.lock",
        "requirements-uv.lock",
        "requirements-audit.lock",
        "requirements-docs.lock",
    ),
    "tests/vllm/requirements.txt",
    "tests/training/requirements.txt",
)
ANSWERED: dict[str, str] = {}
"""Weaknesses of packages that don't concern the app, by their identifier, and why; bandit is answered in the code."""
CLEAN, FOUND, UNKNOWN = 0, 1, 2
Report = tuple[int, list[str]]
"""One of the three, and the lines that tell it."""


def of_code(told: dict[str, Any]) -> Report:
    """What bandit's JSON says."""
    lines = [
        f"{one['filename']}:{one['line_number']}: {one['test_id']} {one['issue_text']}"
        f" Mend it, or answer it at the line with `# nosec {one['test_id']} # why`"
        for one in told["results"]
    ]
    unread = [f"{one['filename']}: NOT LOOKED AT, {one['reason']}" for one in told["errors"]]
    count = f"bandit: {len(lines)} findings in {told['metrics']['_totals']['loc']:,} lines of code"
    return FOUND if lines else UNKNOWN if unread else CLEAN, [*unread, *lines, count]


def of_packages(lock: str, told: dict[str, Any], answered: dict[str, str]) -> Report:
    """What pip-audit's JSON says of the packages of a lock file. One that it has skipped, it knows nothing of."""
    lines, unknown, looked = [], [], 0
    for one in told["dependencies"]:
        if "skip_reason" in one:
            unknown.append(one["name"])
            continue
        looked += 1
        for weak in one["vulns"]:
            if not {weak["id"], *weak["aliases"]} & answered.keys():
                mended = ", ".join(weak["fix_versions"]) or "no version"
                lines.append(f"{lock}: {one['name']} {one['version']}: {weak['id']}, mended in {mended}")
    count = f"pip-audit: {lock}: {len(lines)} findings in {looked} packages"
    if unknown or not looked:
        count += f"; NO DATA, so NOT AUDITED, of {', '.join(unknown) if looked else 'any of them'}"
    return FOUND if lines else UNKNOWN if unknown or not looked else CLEAN, [*lines, count]


def told_by(tool: str, *words: str) -> dict[str, Any] | str:
    """The JSON that a tool of this environment has written; in words why there is none."""
    command = [sys.executable, "-m", tool, "--format", "json", *words]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    try:
        told: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return f"{tool} ended with status {done.returncode}: {done.stderr.strip()[-2000:] or 'it said nothing'}"
    return told


def reports() -> list[Report]:
    """Of the code, then of each lock file."""
    told = told_by("bandit", "--quiet", "--configfile", "pyproject.toml", "--recursive", *CODE)
    found = [(UNKNOWN, [told]) if isinstance(told, str) else of_code(told)]
    for lock in LOCKS:
        told = told_by("pip_audit", "--progress-spinner", "off", "--require-hashes", "--disable-pip", "-r", lock)
        if isinstance(told, str):
            found.append((UNKNOWN, [told, f"pip-audit: {lock}: NO DATA, so NOT AUDITED"]))
        else:
            found.append(of_packages(lock, told, ANSWERED))
    return found


def ending(found: Sequence[Report]) -> Report:
    """How the audit ends as a whole: a finding weighs more than what is not known."""
    statuses = {status for status, _ in found}
    if FOUND in statuses:
        return FOUND, ["audit: there are findings"]
    if UNKNOWN in statuses:
        return UNKNOWN, ["audit: NOT DONE. Of some of it no data could be had, see above; this does not mean clean"]
    return CLEAN, ["audit: clean"]


if __name__ == "__main__":
    found = reports()
    status, last = ending(found)
    print("\n".join([line for _, lines in found for line in lines] + last))
    sys.exit(status)
