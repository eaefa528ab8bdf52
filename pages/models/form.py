"""The form of a server: what is written in it is read as a server, or as what is wrong with which field."""

import re
import shlex
from collections.abc import Mapping
from typing import Any

import streamlit as st
from pydantic import ValidationError

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, sentence, translate
from characterbox.errors import EndpointError
from characterbox.llm.calls.address import is_private, origin
from characterbox.llm.endpoint import NoURL, SecretiveURL
from characterbox.llm.server import Kind, Launch, Server
from characterbox.llm.vllm.command import HOST, arguments
from characterbox.pause_reasons import Reason
from characterbox.stage.jobs.vllm_jobs import Trial
from characterbox.stage.stage import Stage, open_stage
from pages.models.text import all_servers, kind_name
from pages.shared.current_user import current_user
from pages.shared.form import Field, FieldFaults, Sentences, fault, sentences_of
from pages.shared.links import go, place_link
from pages.shared.text import READING, plain, quiet
from pages.story.actions import do

LIMITS = ("parallel", "requests_per_minute", "tokens_per_minute", "timeout", "reply_tokens", "context")
FIELDS: Mapping[Kind, tuple[str, ...]] = {
    "api": ("name", "url", "private", "key", "models", *LIMITS),
    "azure": ("name", "url", "private", "api_version", "key", "models", *LIMITS),
    "vllm": ("name", "url", "private", "key", "models", *LIMITS),
    "started": ("name", "model", "port", "adapters", "flags", "keep", *LIMITS),
}
"""The fields of each kind of server that people write themselves."""

NEEDED = to_say("Enter a number.")
_SENTENCES: Sentences = {
    ("name", "string_too_short"): to_say("Enter a name."),
    ("name", "string_too_long"): to_say("Use at most 80 characters for the name."),
    ("url", NoURL): to_say("Enter an address, such as http://127.0.0.1:8000/v1."),
    ("url", SecretiveURL): to_say(
        "An address with @ or ? may contain a secret, and other users can see addresses. Remove that part."
        " Enter the environment variable that holds the key under “Key name”."
    ),
    ("api_version", "string_pattern_mismatch"): to_say("Enter the version in Azure format, such as 2024-10-21."),
    ("model", "string_too_short"): to_say("Enter the model name or its folder."),
    ("", "greater_than"): to_say("Must be greater than {gt:g}."),
    ("", "greater_than_equal"): to_say("Must be at least {ge:g}."),
    ("", "less_than_equal"): to_say("Must be at most {le:g}."),
}


def read_server(kind: Kind, written: Mapping[str, Any]) -> Server:
    """The server that a form describes. Raises FieldFaults."""
    values: dict[str, Any] = {"kind": kind, "name": _text(written, "name")}
    needed = ("parallel", "timeout", "reply_tokens", "port")
    faults = {field: say(NEEDED) for field in needed if field in written and written[field] is None}
    values |= {field: written[field] for field in LIMITS if field not in faults}
    if kind == "started":
        launch = _launch(written, faults)
        if launch is not None:
            url = f"http://{HOST}:{launch.port}/v1"
            values |= {"url": url, "launch": launch, "models": _served(launch, faults)}
    else:
        values |= {"url": _text(written, "url"), "key": _text(written, "key") or None}
        values["private"] = bool(written.get("private"))
        values["models"] = tuple(dict.fromkeys(_lines_of(written, "models")))
        if kind == "azure":
            values["api_version"] = _text(written, "api_version")
    server = _server(values, faults)
    if server is not None and server.key is not None and not is_private(server.url):
        told = translate(Reason("key_in_clear", key=server.key, origin=origin(server.url)))
        faults.setdefault("key", sentence(told))
    if faults or server is None:
        raise FieldFaults(faults)
    return server


def written_of(server: Server) -> dict[str, Any]:
    """What stands in the form of a server that is there already."""
    launch = server.launch
    shown: dict[str, Any] = {field: getattr(server, field) for field in LIMITS}
    shown |= {"name": server.name, "url": server.url, "key": server.key or "", "models": "\n".join(server.models)}
    shown |= {"api_version": server.api_version or "", "private": server.private}
    if launch is not None:
        adapters = "\n".join(f"{name} = {folder}" for name, folder in launch.adapters.items())
        shown |= {"model": launch.model, "port": launch.port, "adapters": adapters}
        shown |= {"flags": shlex.join(launch.flags), "keep": launch.keep}
    return shown


def _server(values: dict[str, Any], faults: dict[str, str]) -> Server | None:
    try:
        return Server(**values)
    except ValidationError as error:
        faults |= {field: said for field, said in _faults_of(error).items() if field in values and field not in faults}
        return None


def _launch(written: Mapping[str, Any], faults: dict[str, str]) -> Launch | None:
    adapters, flags = _adapters(written, faults), _flags(written, faults)
    try:
        launch = Launch(
            model=_text(written, "model"),
            port=written["port"],
            adapters=adapters,
            flags=flags,
            keep=written["keep"],
        )
    except ValidationError as error:
        faults |= {field: said for field, said in _faults_of(error).items() if field not in faults}
        return None
    return launch


def _served(launch: Launch, faults: dict[str, str]) -> tuple[str, ...]:
    """The names under which vLLM serves the models of a launch; what it would not be started with is a fault."""
    bare = launch.model_copy(update={"adapters": {}, "flags": ()})
    words: list[str] = []
    for field in ("model", "adapters", "flags"):
        bare = bare.model_copy(update={field: getattr(launch, field)})
        try:
            words = arguments(bare)
        except EndpointError as error:
            faults.setdefault(field, sentence(translate(error)))
            return ()
    return words[0], *launch.adapters


def _adapters(written: Mapping[str, Any], faults: dict[str, str]) -> dict[str, str]:
    adapters: dict[str, str] = {}
    for line in _lines_of(written, "adapters"):
        name, equals, folder = (part.strip() for part in line.partition("="))
        if not (name and equals and folder):
            faults["adapters"] = say("Enter one adapter per line: NAME = FOLDER.")
        elif name in adapters:
            faults["adapters"] = say("Two adapters are named {name}.", name=name)
        adapters[name] = folder
    return adapters


def _flags(written: Mapping[str, Any], faults: dict[str, str]) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(_text(written, "flags")))
    except ValueError:
        faults["flags"] = say("Close the quotation mark.")
        return ()


def _faults_of(error: ValidationError) -> dict[str, str]:
    return sentences_of(
        error, _SENTENCES, "url", lambda told: re.sub(r"^Input should be", "It has to be", sentence(told))
    )


def _text(written: Mapping[str, Any], field: str) -> str:
    return str(written.get(field) or "").strip()


def _lines_of(written: Mapping[str, Any], field: str) -> list[str]:
    return [line.strip() for line in _text(written, field).splitlines() if line.strip()]


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
    st.title(say("Add server"))
    _kinds(list(FIELDS), kind)
    _form(stage, kind, NEW, START, say("Add server"))
    place_link(say("Back to all servers"), None, "leave")


def propose_server(stage: Stage, kind: Kind) -> None:
    """The form for a server that is proposed to the admins."""
    st.title(say("Propose server"))
    st.caption(say("An admin must accept the proposal before the server is added."))
    kinds: list[Kind] = [one for one in FIELDS if one not in BY_ADMINS]
    kind = kind if kind in kinds else kinds[0]
    _kinds(kinds, kind)
    _form(stage, kind, PROPOSED, START, say("Propose server"))
    place_link(say("Back to all servers"), None, "leave")


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
    st.caption(
        say(
            "Stories refer to a server by its address, so the address cannot change. To use another"
            " address, add another server."
        )
    )
    if server.kind == "started":
        st.caption(
            say("A running server keeps the settings it was started with. Changes take effect at the next start.")
        )
    _form(stage, server.kind, server.url, written_of(server), say("Save"))
    st.button(say("Discard changes"), "leave", type="tertiary", on_click=_leave, args=(server.kind, server.url))


def _form(stage: Stage, kind: Kind, place: str, start: dict[str, Any], label: str) -> None:
    faults: dict[str, str] = st.session_state.get(_faults(kind, place), {})
    with st.container(width=READING):
        fields = {**_DRAWN, **_OF_AZURE} if kind == "azure" else _DRAWN
        for field in _written(kind, place):
            if field in fields and (place in (NEW, PROPOSED) or field not in FIXED):
                with st.container():  # so that nothing else moves to another place when a fault comes or goes
                    fields[field].draw(start[field], **_widget(place, field))
                    fault(faults.get(field))
        st.subheader(say("Usage limits"))
        for row in LIMITS[:3], LIMITS[3:]:
            for column, field in zip(st.columns(3), row, strict=True):
                with column:
                    _LIMIT_FIELDS[field].draw(start[field], **_widget(place, field))
                    fault(faults.get(field))
        st.button(label, f"save-{place}", type="primary", on_click=_save, args=(stage, kind, place, start))
        if faults:
            fault(say("Not saved. Correct the fields marked above."))


def _save(stage: Stage, kind: Kind, place: str, start: dict[str, Any]) -> None:
    """Save or propose what is written; where it can't be used, say so beside the field."""
    written = {field: st.session_state.get(_key_of(place, field), start[field]) for field in _written(kind, place)}
    try:
        server = read_server(kind, written)
        _check_new(stage, server, place)
    except FieldFaults as found:
        st.session_state[_faults(kind, place)] = found.faults
        if "key" in found.faults:  # it may be the key itself, which is to be kept nowhere
            st.session_state[_key_of(place, "key")] = ""
        return
    do(_send, stage, server, place)


def _send(stage: Stage, server: Server, place: str) -> None:
    """Save or propose a server, and leave its form. Raises CharacterBoxError if that is refused."""
    if place == PROPOSED:
        stage.store.servers.propose(current_user(), server)
        _forget(server.kind, place)
        go()
    else:
        stage.store.servers.save(current_user(), server)
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
            raise FieldFaults({field: say("A server with this address already exists: {name}.", name=other.name)})
        if other.name == server.name and other.url != server.url:
            raise FieldFaults({"name": say("Another server already has this name.")})


def _leave(kind: Kind, place: str, url: str) -> None:
    """Forget what is written, and show the server."""
    _forget(kind, place)
    go(server=url)


def _forget(kind: Kind, place: str) -> None:
    for field in FIELDS[kind]:
        st.session_state.pop(_key_of(place, field), None)
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


def _key_of(place: str, field: str) -> str:
    return f"server-{place}-{field}"


def _widget(place: str, field: str) -> dict[str, Any]:
    """Where a field keeps what is written: that of a new server also while another kind of form is shown."""
    return {"key": _key_of(place, field), "persist_state": "session" if place in (NEW, PROPOSED) else None}


_DRAWN: dict[str, Field] = {
    "name": Field("line", to_say("Name"), to_say("a name of your choice")),
    "url": Field("line", to_say("Address"), "http://127.0.0.1:8000/v1"),
    "private": Field(
        "toggle",
        to_say("Allow a private network address"),
        help=to_say(
            "With accounts on, the app connects to public addresses only. Allow others, such as 10.0.0.5 or an"
            " address of the computer that runs the app, only if you know who operates the server there."
        ),
    ),
    "api_version": Field("line", to_say("API version"), to_say("in Azure format, such as 2024-10-21")),
    "key": Field(
        "line",
        to_say("Key name"),
        to_say("such as OPENAI_API_KEY; leave empty for no key"),
        to_say(
            "The key itself is read from the environment or from .streamlit/secrets.toml. It is stored nowhere else."
        ),
    ),
    "models": Field("lines", to_say("Models, one per line"), to_say("test the server to list its models")),
    "model": Field("line", to_say("Model"), to_say("a folder, or a name such as Qwen/Qwen3-8B")),
    "port": Field("number", to_say("Port")),
    "adapters": Field("lines", to_say("LoRA adapters, one per line"), to_say("name = folder")),
    "flags": Field("line", to_say("Additional arguments"), "--max-model-len 8192 --dtype bfloat16"),
    "keep": Field("toggle", to_say("Keep running when the app exits")),
}
_OF_AZURE: dict[str, Field] = {
    "url": Field("line", to_say("Address"), "https://NAME.openai.azure.com"),
    "models": Field("lines", to_say("Deployments, one per line"), to_say("Azure does not list its deployments")),
}
_LIMIT_FIELDS = {
    "parallel": Field("number", to_say("Concurrent requests")),
    "requests_per_minute": Field("number", to_say("Requests per minute"), to_say("no limit")),
    "tokens_per_minute": Field("number", to_say("Tokens per minute"), to_say("no limit")),
    "timeout": Field("number", to_say("Timeout (seconds)"), step=1.0),
    "reply_tokens": Field("number", to_say("Maximum reply length (tokens)")),
    "context": Field("number", to_say("Context window (tokens)"), to_say("unknown")),
}
