"""The form of a server: to add or propose one, kind first, and to change one."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from annotations.wording import say, to_say
from characterbox.llm.server import Kind, Server
from characterbox.stage.stage import Stage, open_stage
from characterbox.stage.starter import Trial
from pages.parts.acts import do
from pages.parts.lengths import MOST_LINE, MOST_LINES
from pages.parts.look import READING, plain, quiet
from pages.parts.models_fields import FIELDS, LIMITS, FieldFaults, read_server, written_of
from pages.parts.models_look import fault
from pages.parts.models_ways import all_servers
from pages.parts.models_words import kind_name
from pages.parts.ways import go, way_to
from pages.parts.who import who

Draw = Callable[[dict[str, Any], Any], Any]
"""Draws a field, given where it keeps what is written, and what stands in it at first."""
NEW = "new"
"""What stands for the address of a server that is not there yet."""
PROPOSED = "proposed"
"""What stands for the address of one that is to be proposed."""
BY_ADMINS = "started", "private"
"""The kind of server, and the field, that are in no proposal: they say what the app does at home and in its network."""
FIXED = ("url", "port")
"""What makes the address of a server, and so stays."""
START: dict[str, Any] = {
    "name": "", "url": "", "key": "", "models": "", "model": "", "port": 8000, "adapters": "", "flags": "",
    "keep": False, "api_version": "", "private": False,
    **{field: Server.model_fields[field].default for field in LIMITS},
}  # fmt: skip
"""What stands in an empty form."""


def add_server(stage: Stage, kind: Kind) -> None:
    """The form for a new server of a kind."""
    st.title(say("Add a server"))
    _kinds(list(FIELDS), kind)
    _form(stage, kind, NEW, START, say("Add the server"))
    way_to(say("Back to all servers"), None, "leave")


def propose_server(stage: Stage, kind: Kind) -> None:
    """The form for a server that is proposed to the admins."""
    st.title(say("Propose a server"))
    st.caption(say("It is added to the list once an admin accepts it."))
    kinds: list[Kind] = [one for one in FIELDS if one not in BY_ADMINS]
    kind = kind if kind in kinds else kinds[0]
    _kinds(kinds, kind)
    _form(stage, kind, PROPOSED, START, say("Propose server"))
    way_to(say("Back to all servers"), None, "leave")


def _kinds(kinds: list[Kind], kind: Kind) -> None:
    st.segmented_control(
        say("Kind"),
        kinds,
        format_func=kind_name,
        default=kind,
        required=True,
        key=f"kind-{kind}",
        on_change=lambda: go(new=st.session_state[f"kind-{kind}"]),
    )


def edit_server(stage: Stage, server: Server) -> None:
    """The form for a server that is there."""
    st.title(plain(server.name))
    quiet(f"{kind_name(server.kind)} · {server.url}")
    st.caption(say("Stories name a server by its address, so that it stays. For another address, add another server."))
    if server.kind == "started":
        st.caption(say("While it runs, it goes on as it was started: what is changed here holds from its next start."))
    _form(stage, server.kind, server.url, written_of(server), say("Save"))
    st.button(say("Leave it as it was"), "leave", type="tertiary", on_click=_leave, args=(server.kind, server.url))


def _form(stage: Stage, kind: Kind, place: str, start: dict[str, Any], label: str) -> None:
    faults: dict[str, str] = st.session_state.get(_faults(kind, place), {})
    with st.container(width=READING):
        for field in _written(kind, place):
            if field in _FIELDS and (place in (NEW, PROPOSED) or field not in FIXED):
                with st.container():  # so that nothing else moves to another place when a fault comes or goes
                    draw = _OF_AZURE.get(field, _FIELDS[field]) if kind == "azure" else _FIELDS[field]
                    draw(_widget(place, field), start[field])
                    fault(faults.get(field))
        _limits(place, start, faults)
        st.button(label, f"save-{place}", type="primary", on_click=_save, args=(stage, kind, place, start))
        if faults:
            fault(say("It is not saved yet: see above."))


def _limits(place: str, start: dict[str, Any], faults: dict[str, str]) -> None:
    st.subheader(say("What may be asked of it"))
    for row in LIMITS[:3], LIMITS[3:]:
        for column, field in zip(st.columns(3), row, strict=True):
            label, unset = _LIMITS[field]
            step = 1.0 if field == "timeout" else 1
            with column:
                st.number_input(
                    say(label), value=start[field], step=step, placeholder=unset and say(unset), **_widget(place, field)
                )
                fault(faults.get(field))


def _save(stage: Stage, kind: Kind, place: str, start: dict[str, Any]) -> None:
    """Save or propose what is written; where it can't be used, say so beside the field."""
    written = {field: st.session_state.get(_key(place, field), start[field]) for field in _written(kind, place)}
    try:
        server = read_server(kind, written)
        _check_new(stage, server, place)
    except FieldFaults as found:
        st.session_state[_faults(kind, place)] = found.faults
        if "key" in found.faults:  # it may be the key itself, which is to be kept nowhere
            st.session_state[_key(place, "key")] = ""
        return
    do(lambda: _send(stage, server, place))


def _send(stage: Stage, server: Server, place: str) -> None:
    """Save or propose a server, and leave its form. Raises CharacterBoxError if that is refused."""
    if place == PROPOSED:
        stage.store.servers.propose(who(), server)
        _forget(server.kind, place)
        go()
    else:
        stage.store.servers.save(who(), server)
        open_stage().jobs.forget(Trial, server.url)  # what the last test found out may no longer hold
        _leave(server.kind, place, server.url)


def _written(kind: Kind, place: str) -> list[str]:
    """The fields of a form."""
    return [field for field in FIELDS[kind] if place != PROPOSED or field not in BY_ADMINS]


def _check_new(stage: Stage, server: Server, place: str) -> None:
    """Raises FieldFaults if another server has the same address or name."""
    field = "port" if server.kind == "started" else "url"
    for other in all_servers(stage):
        if other.spelled == server.spelled and server.url != place:
            raise FieldFaults({field: say("There is a server at this address already: {name}.", name=other.name)})
        if other.name == server.name and other.url != server.url:
            raise FieldFaults({"name": say("Another server is called so.")})


def _leave(kind: Kind, place: str, url: str) -> None:
    """Forget what is written, and show the server."""
    _forget(kind, place)
    go(server=url)


def _forget(kind: Kind, place: str) -> None:
    for field in FIELDS[kind]:
        st.session_state.pop(_key(place, field), None)
    st.session_state.pop(_faults(kind, place), None)


def edit_way(server: Server, key: str) -> None:
    """The way to the form of a server, which then shows what is stored, and no faults of an earlier attempt."""
    st.button(say("Edit"), key=key, type="tertiary", on_click=_open, args=(server.kind, server.url))


def _open(kind: Kind, url: str) -> None:
    st.session_state.pop(_faults(kind, url), None)
    go(edit=url)


def _faults(kind: Kind, place: str) -> str:
    """Where it is kept what is wrong with the form of a kind of server."""
    return f"faults-{kind}-{place}"


def _key(place: str, field: str) -> str:
    return f"server-{place}-{field}"


def _widget(place: str, field: str) -> dict[str, Any]:
    """Where a field keeps what is written: that of a new server also while another kind of form is shown."""
    return {"key": _key(place, field), "persist_state": "session" if place in (NEW, PROPOSED) else None}


def _line(label: str, example: str, help: str | None = None) -> Draw:
    return lambda widget, value: st.text_input(
        say(label),
        value,
        placeholder=say(example),
        help=help and say(help),
        autocomplete="off",
        max_chars=MOST_LINE,
        **widget,
    )


def _lines(label: str, example: str) -> Draw:
    return lambda widget, value: st.text_area(
        say(label), value, placeholder=say(example), height=90, max_chars=MOST_LINES, **widget
    )


_FIELDS: dict[str, Draw] = {
    "name": _line(to_say("Name"), to_say("what you call it")),
    "url": _line(to_say("Address"), "http://127.0.0.1:8000/v1"),
    "private": lambda widget, value: st.toggle(
        say("It may be reached at an address of a private network"),
        value,
        help=say(
            "With accounts on, the app connects to public addresses alone. Allow others, such as 10.0.0.5 or an "
            "address of the computer that the app runs on, where you know who answers there."
        ),
        **widget,
    ),
    "api_version": _line(to_say("Version of the API"), to_say("as Azure names it, such as 2024-10-21")),
    "key": _line(
        to_say("Name of the key"),
        to_say("such as OPENAI_API_KEY; empty for none"),
        to_say(
            "The key itself is read from the environment, or from .streamlit/secrets.toml, and is kept nowhere else."
        ),
    ),
    "models": _lines(to_say("Models, one a line"), to_say("the test of the server names those it offers")),
    "model": _line(to_say("Model"), to_say("a folder, or a name such as Qwen/Qwen3-8B")),
    "port": lambda widget, value: st.number_input(say("Port"), value=value, step=1, **widget),
    "adapters": _lines(to_say("LoRA adapters, one a line"), to_say("name = folder")),
    "flags": _line(to_say("Further arguments"), "--max-model-len 8192 --dtype bfloat16"),
    "keep": lambda widget, value: st.toggle(say("Leave it running when the app ends"), value, **widget),
}
_OF_AZURE: dict[str, Draw] = {
    "url": _line(to_say("Address"), "https://NAME.openai.azure.com"),
    "models": _lines(to_say("Deployments, one a line"), to_say("Azure does not tell which there are")),
}
_LIMITS = {
    "parallel": (to_say("Requests at once"), None),
    "requests_per_minute": (to_say("Requests a minute"), to_say("no limit")),
    "tokens_per_minute": (to_say("Tokens a minute"), to_say("no limit")),
    "timeout": (to_say("Seconds to wait for it"), None),
    "reply_tokens": (to_say("Longest reply, in tokens"), None),
    "context": (to_say("Context window, in tokens"), to_say("not known")),
}
