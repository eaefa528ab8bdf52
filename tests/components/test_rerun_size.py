"""How many fields a message has is found without reading what is in them."""

from hypothesis import given
from hypothesis import strategies as st
from streamlit.proto.BackMsg_pb2 import BackMsg

from characterbox.components.streamlit_session import MOST_PARTS, SMALL, bounded_rerun, has_few_fields, rerun_in

KIND = BackMsg.DESCRIPTOR


def message(fields, text="x"):
    sent = BackMsg(rerun_script={"query_string": "a=b"})
    for number in range(fields):
        sent.rerun_script.widget_states.widgets.add(id=f"field {number}", string_value=text, trigger_value=False)
    return sent.SerializeToString()


def test_all_that_is_within_counts():
    few = message(3)  # the message, its address, the states, and of each of three: itself, its id and its value
    assert has_few_fields(few, KIND, 12)
    assert not has_few_fields(few, KIND, 11)


@given(st.binary(max_size=200))
def test_any_bytes_are_looked_at_without_a_fault(sent):
    assert has_few_fields(sent, KIND, 1_000) in (True, False)


@given(st.integers(0, 40), st.text(max_size=300))
def test_what_pages_send_is_read(fields, text):
    sent = message(fields, text)
    assert has_few_fields(sent, KIND, MOST_PARTS)
    assert not sent or not has_few_fields(sent[:-1], KIND, MOST_PARTS) or fields == 0


def test_a_large_message_of_many_empty_fields_is_not_read():
    widgets = b"\x0a\x00" * 4 * MOST_PARTS
    states = BackMsg(rerun_script={"query_string": "a=b"})
    states.rerun_script.widget_states.ParseFromString(widgets)
    large = states.SerializeToString()
    assert len(large) > SMALL
    assert rerun_in(large).query_string == ""
    assert BackMsg.FromString(bounded_rerun(large, lambda path, query: True)).rerun_script.query_string == ""


def test_a_large_message_of_few_fields_is_read():
    large = message(3, "x" * SMALL)
    assert rerun_in(large).query_string == "a=b"
    assert bounded_rerun(large, lambda path, query: True) == large
