"""Every name in the log is one that a page can say."""

import ast
from pathlib import Path

from characterbox.store.accounts.audit_log import ACTIONS

ROOT = Path(__file__).parents[3]


def recorded():
    """The names that are given to `record`, and to what calls it, anywhere in the code."""
    for folder in ("characterbox", "pages"):
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call):
                    continue
                if getattr(node.func, "id", "") == "record" and len(node.args) == 5:
                    yield file, node.args[2]
                elif ast.unparse(node.func).endswith("audit.add") and len(node.args) == 4:
                    yield file, node.args[1]
                elif getattr(node.func, "id", "") == "given_out":
                    yield file, node.args[0]
                elif getattr(node.func, "id", "") == "log_archive":
                    yield file, node.args[1]


def test_every_entry_has_a_name_of_the_table():
    found = [(file, node.value) for file, node in recorded() if isinstance(node, ast.Constant)]
    assert len(found) > 30
    assert [(str(file), name) for file, name in found if name not in ACTIONS] == []
    passed_on = {file.name for file, node in recorded() if not isinstance(node, ast.Constant)}
    assert passed_on == {"audit_log.py", "downloads.py", "archives.py", "servers.py"}
