"""Fields that are filled in by hand with what they cannot hold."""

import json

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import Serialized, WStates

from characterbox.components.streamlit_session import read_past_the_unreadable


@pytest.fixture(autouse=True)
def read_past(monkeypatch):
    monkeypatch.setattr(WStates, "__getitem__", WStates.__getitem__)  # set back in the end
    read_past_the_unreadable()


def filled(kind, reading, **value):
    """A page with one field of this kind, in which this was filled in."""
    fields = WStates()
    fields.set_widget_metadata(WidgetMetadata("field", reading, lambda value: value, kind))
    fields["field"] = Serialized(WidgetState(id="field", **value))
    return fields


def number(said):
    return 0 if said is None else int(said)


def test_what_a_field_can_hold_is_read_as_it_is():
    assert filled("double_value", number, double_value=4.0)["field"] == 4
    assert filled("double_value", number, int_value=4)["field"] == 4
    assert filled("double_value", number)["field"] == 0


@pytest.mark.parametrize("value", [{"string_value": "4"}, {"json_value": "{}"}, {"double_value": float("nan")}])
def test_what_it_cannot_hold_counts_as_nothing(value):
    fields = filled("double_value", number, **value)
    assert fields["field"] == 0
    assert dict(fields.items()) == {"field": 0}


def test_json_that_is_none_counts_as_nothing():
    def reading(said):
        return None if said is None else json.loads(said)

    assert filled("json_value", reading, json_value="{")["field"] is None


def test_what_is_not_filled_in_is_not_there():
    with pytest.raises(KeyError):
        WStates()["field"]
    fields = WStates()
    fields["field"] = Serialized(WidgetState(id="field", bool_value=True))
    with pytest.raises(KeyError):  # nor what is of no field of the page
        fields["field"]
