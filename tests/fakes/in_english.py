"""Values with their messages told in English, to be compared with texts."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from annotations.i18n.messages import Message


def in_english(value: Any) -> Any:
    """The same value with the text of each message in its place, also within dataclasses and collections."""
    if isinstance(value, Message):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        known = {one.name: getattr(value, one.name) for one in fields(value) if one.init}
        changed = {name: new for name, old in known.items() if (new := in_english(old)) is not old}
        return replace(value, **changed) if changed else value
    if isinstance(value, Mapping) and type(value) is dict:
        return {in_english(key): in_english(one) for key, one in value.items()}
    if type(value) in (tuple, list, set, frozenset):
        return type(value)(in_english(one) for one in value)
    return value
