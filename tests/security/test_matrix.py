"""Who gets what of the running app: each cell as in docs/en/reference/security.md, and by one of the rights."""

from pathlib import Path

import pytest

from characterbox.accounts.account import ROLES
from characterbox.accounts.permissions import MAY
from tests.security.matrix import COLUMNS, DOCUMENT, OFF, in_document, matrix, written
from tests.security.shared_server import NOBODY

pytestmark = [pytest.mark.process, pytest.mark.slow]


def test_the_app_answers_as_the_document_says_and_by_the_rights(tmp_path: Path) -> None:
    measured = matrix(tmp_path)
    said, found = in_document(DOCUMENT.read_text(encoding="utf-8")), written(measured)
    for name, table in found.items():
        assert said[name] == table, f"docs/en/reference/security.md, {name}: make security writes it anew"
    by_right = [{*roles} for roles in (*MAY.values(), ROLES)]
    for table in ("pages", "actions"):
        for row in measured[table]:
            roles = row.who - {OFF}
            assert NOBODY not in roles
            assert roles in by_right or not roles or row.what in (IN_STATES | ASKING), row.what
    assert {*COLUMNS} == {NOBODY, OFF, *ROLES}


IN_STATES = {"annotate: Start rating"}
ASKING = {"models: Propose server", "models: Withdraw"}
"""What researchers ask for, and admins do without asking."""
