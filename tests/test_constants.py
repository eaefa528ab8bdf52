"""Constants of modules."""

import ast

from tests.test_imports import modules


def bound_twice(source: str) -> list[str]:
    """The names that a module binds more than once at its top: the last one counts everywhere, unnoticed."""
    nodes = [node for node in ast.parse(source).body if isinstance(node, ast.Assign | ast.AnnAssign)]
    targets = [target for node in nodes for target in (node.targets if isinstance(node, ast.Assign) else [node.target])]
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return sorted({name for name in names if names.count(name) > 1})


def test_no_module_binds_a_constant_twice():
    assert bound_twice("A = 1\nB = 2\nA: int = 3\n") == ["A"]
    found = {str(file): bound_twice(file.read_text(encoding="utf-8")) for file in modules().values()}
    assert {file: names for file, names in found.items() if names} == {}
