"""Fields of a page that are filled in with what they cannot hold: they count as not filled in.

No page does that, but anybody signed in can send it by hand. Streamlit fails in the midst of reading such a field,
with a traceback in the log, and draws nothing.
"""

import logging
from typing import Any

from streamlit.runtime.state.session_state import Serialized, Value, WStates

log = logging.getLogger(__name__)
_read = WStates.__getitem__
_ALIKE = ({"int_value", "double_value"}, {"int_array_value", "double_array_value"})
"""Kinds of values that browsers send in place of one another."""


def read_past_the_unreadable() -> None:
    """From now on a field that cannot be read has the value with which it begins."""
    WStates.__getitem__ = _value  # type: ignore[method-assign]


def _value(self: WStates, name: str) -> Any:
    state, field = self.states.get(name), self.widget_metadata.get(name)
    if not isinstance(state, Serialized) or field is None:
        return _read(self, name)
    kind = state.value.WhichOneof("value")
    try:
        if kind in (None, field.value_type) or {kind, field.value_type} in _ALIKE:
            return _read(self, name)
        log.info("a field was filled in with a value of another kind")
    except Exception as error:  # whatever those who read the kinds of fields stumble over
        log.info("a field was filled in with what it cannot hold: %s", type(error).__name__)
    value = field.deserializer(None)
    self.states[name] = Value(value)
    return value
