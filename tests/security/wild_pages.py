"""What comes through the web socket of a page, for hypothesis: fields filled in wildly, and damaged messages."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.security.matrix import VIEWS
from tests.security.raw_requests import Fill, filled
from tests.security.shared_server import Drawn
from tests.security.wild import HUGE, JSON, NUMBER, TEXT, queries
from tests.security.wild_requests import QUERIES

FITTING: Mapping[str, str] = {
    "button": "trigger_value", "checkbox": "bool_value", "number_input": "double_value", "selectbox": "string_value",
    "text_input": "string_value", "text_area": "string_value", "multiselect": "string_array_value",
    "button_group": "string_array_value", "radio": "string_value", "slider": "double_array_value",
    "file_uploader": "file_uploader_state_value", "arrow_data_frame": "string_value", "plotly_chart": "string_value",
    "bidi_component": "json_value",
}  # fmt: skip
"""The kind of value that the fields of pages have, by the kind of their elements."""
EVENTS = ("draft", "save", "answer", "tool", "moved", "go", "other")
"""What components tell of."""
EVENTS_OF = "$$STREAMLIT_INTERNAL_KEY_{id}__events"
"""The id by which a component says what happened just now."""
_INT, _SINT = st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)


@dataclass(frozen=True)
class Filled:
    """A field that is filled in: one of those which the page has, counted from wherever."""

    place: int
    kind: str
    """The kind of value; "" for the one that fits the field."""
    values: Mapping[str, Any]
    """A value of each kind."""

    def widget(self, elements: Sequence[tuple[str, Any]]) -> WidgetState:
        """What the browser says of the field."""
        state = WidgetState(id="$$ID-nothing-none")
        kind = self.kind
        if elements:
            of, element = elements[self.place % len(elements)]
            state.id, kind = element.id, kind or FITTING.get(of, "string_value")
            if of == "bidi_component":
                return self._event(element, kind)
        self._put(state, kind or "string_value")
        return state

    def _event(self, component: Any, kind: str) -> WidgetState:
        """What a component tells: in its form, with one value of those that it shows replaced by a wild one."""
        told = self.values["json"]
        if self.place % 3:
            data = _data(component)
            values = data.get("values")
            told = {"id": data.get("id"), "values": _damaged(values, self.place, told)} if values else told
        event = EVENTS[self.place % len(EVENTS)]
        if self.place % 2:
            return WidgetState(id=component.id, json_value=_json({event: told}))
        triggers = [{"event": event, "value": told}]
        return WidgetState(id=EVENTS_OF.format(id=component.id), json_trigger_value=_json(triggers))

    def _put(self, state: WidgetState, kind: str) -> None:
        values = self.values
        match kind:
            case "double_array_value" | "int_array_value" | "string_array_value":
                getattr(state, kind).data.extend(values[kind])
                getattr(state, kind).SetInParent()
            case "file_uploader_state_value":
                state.file_uploader_state_value.uploaded_file_info.add(
                    file_id=values["string_value"], name="a.json", size=9
                )
            case "arrow_value":
                state.arrow_value.data = values["bytes_value"]
            case "json_value" | "json_trigger_value":
                setattr(state, kind, _json(values["json"]) if self.place % 2 else values["string_value"])
            case "string_trigger_value":
                state.string_trigger_value.data = values["string_value"]
            case _:
                setattr(state, kind, values[kind])


@dataclass(frozen=True)
class Sent:
    """One message of a page: asks for a page to be drawn, with some fields filled in; or is nonsense."""

    page: str
    query: str
    filled: tuple[Filled, ...] = ()
    nonsense: bytes | str | None = None

    def message(self, drawn: Drawn, fill: Fill) -> bytes:
        """The message, to the page that was drawn."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string = filled(self.query.encode(), fill).decode()
        state.page_script_hash = drawn.pages.get(self.page, self.page)
        elements = list(fields_of(drawn))
        state.widget_states.widgets.extend(one.widget(elements) for one in self.filled)
        return bytes(message.SerializeToString())


@dataclass(frozen=True)
class Visited:
    """Somebody's visit: where it begins, and what is sent then."""

    who: str
    first: Sent
    then: tuple[Sent, ...]


def every_view(roles: Sequence[str]) -> Iterator[Visited]:
    """A visit of each view of each page, by everybody who has one: nothing is filled in."""
    for who in roles:
        for page, views in VIEWS.items():
            yield Visited(who, Sent(page, ""), tuple(Sent(page, _query(view)) for view in views))


def fields_of(drawn: Drawn) -> Iterator[tuple[str, Any]]:
    """The fields of a page, by their kinds."""
    for element in drawn.elements:
        kind = element.WhichOneof("type")
        if getattr(getattr(element, kind), "id", ""):
            yield kind, getattr(element, kind)


def _data(component: Any) -> Mapping[str, Any]:
    text = component.json or component.mixed.json
    data = json.loads(text) if text else {}
    return data if isinstance(data, dict) else {}


def _damaged(values: Any, place: int, wild: Any) -> Any:
    """The values, with one of them, at any depth, replaced."""
    inner = (
        list(values.items())
        if isinstance(values, dict)
        else list(enumerate(values))
        if isinstance(values, list)
        else []
    )
    if not inner or place == 0:
        return wild
    name, value = inner[place % len(inner)]
    changed = _damaged(value, place // len(inner), wild)
    return {**values, name: changed} if isinstance(values, dict) else [*values[:name], changed, *values[name + 1 :]]


def _query(view: Mapping[str, str]) -> str:
    places = {"STORY": "{{story}}", "ACCOUNT": "{{account}}"}
    return "&".join(f"{name}={places.get(value, value)}" for name, value in view.items())


def _json(value: Any) -> str:
    return json.dumps(value)


def _text(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


_TEXT = HUGE.map(lambda text: _text(text)[:200_000])
_VALUES = st.fixed_dictionaries(
    {
        "trigger_value": st.booleans(), "bool_value": st.booleans(), "int_value": _SINT, "string_value": _TEXT,
        "double_value": NUMBER.map(lambda number: float(number) if abs(number) < 1e300 else float("inf")),
        "double_array_value": st.lists(st.floats(), max_size=3), "int_array_value": st.lists(_SINT | _INT, max_size=3),
        "string_array_value": st.lists(_TEXT, max_size=3), "bytes_value": st.binary(max_size=40), "json": JSON,
    }
)  # fmt: skip
_OTHER_KINDS = {"arrow_value", "bytes_value", "json_trigger_value", "string_trigger_value"}
_KINDS = st.just("") | st.sampled_from(sorted({*FITTING.values(), *_OTHER_KINDS}))
_FILLED = st.builds(Filled, st.integers(0, 10_000), _KINDS, _VALUES)
_OPERATION = BackMsg()
_OPERATION.backend_operation_request.request_id = "1"
_OPERATION.backend_operation_request.dismiss_skills_nudge.SetInParent()
_NONSENSE: st.SearchStrategy[bytes | str] = st.one_of(
    st.binary(max_size=60), st.just(b""), st.just("text"), st.builds(lambda one: one * 5_000, st.binary(max_size=9)),
    st.builds(
        lambda message, end: message.SerializeToString()[:end],
        st.sampled_from([
            BackMsg(clear_cache=True), BackMsg(set_run_on_save=True), BackMsg(stop_script=True),
            BackMsg(load_git_info=True),
            BackMsg(debug_disconnect_websocket=True), BackMsg(debug_shutdown_runtime=True), BackMsg(app_heartbeat=True),
            _OPERATION, BackMsg(rerun_script={"fragment_id": "none", "query_string": "a" * 300}),
            BackMsg(file_urls_request={"request_id": "1", "file_names": ["../a", "b"] * 9, "session_id": "none"}),
            BackMsg(backend_operation_request={"request_id": "1", "session_id": "none",
            "deferred_file": {"file_id": "x"}}),
        ]),
        st.none() | st.integers(1, 20),
    ),
)  # fmt: skip


@st.composite
def _sent(draw: st.DrawFn) -> Sent:
    page = draw(st.sampled_from(sorted(VIEWS)))
    if draw(st.integers(0, 3)) == 0:
        query = draw(queries(QUERIES[""])).decode("latin-1")
    else:
        query = _query(draw(st.sampled_from(VIEWS[page])))
    wild_page = draw(st.integers(0, 9)) == 0
    return Sent(_text(draw(TEXT)) if wild_page else page, query)


@st.composite
def visits(draw: st.DrawFn, roles: Sequence[str]) -> Visited:
    """A visit of a page, where some messages follow: fields of that very page that are filled in, or nonsense."""
    first = draw(_sent())
    then: list[Sent] = []
    for _ in range(draw(st.integers(1, 4))):
        if draw(st.integers(0, 3)) == 0:
            then.append(Sent(first.page, first.query, nonsense=draw(_NONSENSE)))
        else:
            then.append(Sent(first.page, first.query, tuple(draw(st.lists(_FILLED, min_size=1, max_size=3)))))
    return Visited(draw(st.sampled_from(roles)), first, tuple(then))
