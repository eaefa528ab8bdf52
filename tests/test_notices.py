"""The notices name every package that is installed with the app and is under a copyleft license."""

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
COPYLEFT = re.compile("GPL|MPL|EUPL|CDDL|EPL|Mozilla|GNU")


def license_of(package: str) -> str:
    """What a package says of its license; "" where it is for another system and not installed."""
    try:
        told = metadata(package)
    except PackageNotFoundError:
        return ""
    named = [told.get("License-Expression") or (told.get("License") or "").partition("\n")[0]]
    return " ".join(named + [one for one in told.get_all("Classifier") or () if one.startswith("License")])


def test_packages_under_a_copyleft_license_are_named() -> None:
    lock = (REPOSITORY / "requirements.lock").read_text(encoding="utf-8")
    packages = re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)
    found = {package for package in packages if COPYLEFT.search(license_of(package))}
    assert found >= {"pingouin", "psycopg"}
    named = (REPOSITORY / "THIRD_PARTY_NOTICES.md").read_text(encoding="utf-8").partition("## Installed beside it")[2]
    assert [package for package in sorted(found) if not re.search(rf"\b{package}\b(?!-)", named)] == []
