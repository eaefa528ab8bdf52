"""Decorators: lines at the head of a lorebook entry that tell a chat program when and where to bring it up (V3)."""

import re

_HEAD = re.compile(r"\s*@@@?([A-Za-z_]+)[^\n]*(?:\n|$)")


def without_decorators(content: str) -> tuple[str, frozenset[str]]:
    """The content without the decorators at its head, and their names."""
    names: set[str] = set()
    start = 0
    while found := _HEAD.match(content, start):
        names.add(found[1].lower())
        start = found.end()
    return (content[start:].lstrip("\n") if names else content), frozenset(names)
