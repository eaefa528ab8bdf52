"""What no page sends, and anybody signed in can send by hand: the page is drawn all the same; the log stays quiet."""

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.security.shared_server import shared_server
from tests.security.watched import Log
from tests.security.wild_pages import EVENTS_OF, fields_of

pytestmark = [pytest.mark.process, pytest.mark.slow]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with shared_server(tmp_path_factory.mktemp("by hand") / "app.db", "local") as server:
        yield server


def send(server, who, page, query, kind, **value):
    """Have a page drawn, and then, once for each of its fields of a kind, with just this filled in there."""
    log = Log(server.app)
    with server.visit(who) as visit:
        drawn = visit.open(query, visit.open().pages[page])
        fields = [field for of, field in fields_of(drawn) if of == kind]
        assert fields
        for field in fields:
            message = BackMsg()
            message.rerun_script.query_string = query
            message.rerun_script.page_script_hash = drawn.pages[page]
            id = EVENTS_OF.format(id=field.id) if "json_trigger_value" in value else field.id
            message.rerun_script.widget_states.widgets.add(id=id, **value)
            assert not visit.ask(message.SerializeToString()).of("exception")
    trouble = log.new_trouble()
    assert not trouble, trouble


@pytest.mark.parametrize("value", [{"int_value": 1}, {"json_value": "{"}, {}, {"string_array_value": {"data": ["a"]}}])
def test_a_field_of_text_with_something_else_in_it(server, value):
    send(server, "admin", "scenes", "export=1", "text_input", **value)


@pytest.mark.parametrize("value", [{"string_value": "a"}, {"int_array_value": {"data": [9]}}, {"trigger_value": True}])
def test_a_choice_of_what_is_not_offered(server, value):
    send(server, "researcher", "scenes", "scene=bundled:holmes-study", "selectbox", **value)
    send(server, "researcher", "scenes", "scene=bundled:holmes-study", "button_group", **value)


@pytest.mark.parametrize(
    "value", ["null", "[]", "{", '[{"event": "go", "value": 1}]', '[{"event": "go", "value": {"a": 1}}]']
)
def test_a_rater_who_goes_nowhere(server, value):
    send(server, "expert", "annotate", "", "bidi_component", json_trigger_value=value)


@pytest.mark.parametrize("event", ["draft", "save"])
@pytest.mark.parametrize("value", ["1", '{"id": 1}', '{"id": "", "values": {}}', '{"id": "", "values": {"cast": 1}}'])
def test_a_scene_that_is_none(server, event, value):
    told = f'[{{"event": "{event}", "value": {value}}}]'
    send(server, "researcher", "scenes", "new=1", "bidi_component", json_trigger_value=told)
    send(server, "researcher", "scenes", "new=1", "bidi_component", json_value=f'{{"{event}": {value}}}')


def test_a_scene_in_no_language(server):
    send(server, "researcher", "stage", "", "button_group", string_array_value={"data": []})
