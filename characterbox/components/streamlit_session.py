"""Who reads a Streamlit page, how it is drawn anew, and which fields cannot be read.

No page does that, but anybody signed in can send it by hand. Streamlit fails in the midst of reading such a field,
with a traceback in the log, and draws nothing.
"""

import json
import logging
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import streamlit as st
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError
from joserfc.jws import JWSRegistry
from streamlit import runtime
from streamlit.auth_util import get_cookie_with_chunks, get_secrets_auth_section
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.session_state import Serialized, Value, WStates
from streamlit.user_info import generate_login_redirect_url
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from annotations.i18n.translation import Tongue
from characterbox.interface_language import wanted_tongue


def cookies_of_page() -> Mapping[str, str] | None:
    """The cookies of the one for whom a page is drawn in this thread; None where no page is drawn."""
    return st.context.cookies if get_script_run_ctx(suppress_warning=True) is not None else None


def address_of_page() -> str | None:
    """The address at the other end of the page's web socket; None where no page is drawn, or the browser is gone.

    It is that of the browser behind a proxy that uvicorn trusts (`FORWARDED_ALLOW_IPS`), as for routes. Streamlit's
    `st.context.ip_address` is the same, but hides the addresses of this computer.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return None
    client = runtime.get_instance().get_client(context.session_id)
    return None if client is None or client.client_context is None else client.client_context.remote_ip


def tongue_of_page() -> Tongue | None:
    """The language that the one who looks at the page wants; None where no page is being drawn."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else _of_session(context.session_id)


@lru_cache(maxsize=4096)
def _of_session(session: str) -> Tongue:
    """A session has the cookies with which it began: who chooses another language begins a new one."""
    return wanted_tongue(st.context.cookies, st.context.headers.get("Accept-Language", ""))


LOGOUT = "/auth/logout"
"""Where Streamlit's own cookie is taken away; the provider may be told too."""


def read_claims(cookies: Mapping[str, str]) -> Mapping[str, Any] | None:
    """What a provider vouches for of the one with these cookies; None if they are not signed by this app."""
    secret = get_cookie_secret()

    def one(name: str) -> bytes | None:
        value = cookies.get(name)
        return decode_signed_value(secret, name, value) if value and value.isascii() else None

    try:
        claims = json.loads(get_cookie_with_chunks(one, USER_COOKIE_NAME) or b"null")
    except ValueError:
        return None
    return claims if isinstance(claims, dict) and claims.get("is_logged_in") is True else None


def ways_to_sign_in() -> Mapping[str | None, str]:
    """The address at which to sign in with each provider that `secrets.toml` names; None has no name of its own."""
    section = get_secrets_auth_section()
    named: dict[str | None, str] = {
        name: name for name, value in section.items() if isinstance(value, Mapping) and "client_id" in value
    }
    if "client_id" in section:
        named[None] = "default"
    return {shown: generate_login_redirect_url(provider) for shown, provider in named.items()}


def oidc_fault() -> str | None:
    """Why nobody could sign in elsewhere, and what to do; None if all that is needed is there."""
    section = get_secrets_auth_section()
    missing = [name for name in ("redirect_uri", "cookie_secret") if not section.get(name)]
    if not missing and (section.get("client_id") or ways_to_sign_in()):
        return None
    return (
        "CHARACTERBOX_AUTH is oidc: name the provider in .streamlit/secrets.toml, in a section [auth] with redirect_uri"
        " (the app's address and /oauth2callback), cookie_secret, client_id, client_secret and server_metadata_url"
    )


def refuse_unsigned() -> None:
    """From now on a token that nobody has signed (`alg: none`) is none, whatever the provider says of itself.

    Many providers list `none` among the ways in which they sign, and that alone is what authlib goes by.
    """
    JWSRegistry.algorithms.pop("none", None)


def without_proof() -> tuple[str, ...]:
    """The providers, as `secrets.toml` calls them, that are not asked for PKCE; "" is the one without a name."""
    section = get_secrets_auth_section()
    named = {name: value for name, value in section.items() if isinstance(value, Mapping) and "client_id" in value}
    if "client_id" in section:
        named[""] = section
    asked = {name: (value.get("client_kwargs") or {}).get("code_challenge_method") for name, value in named.items()}
    return tuple(name for name, method in asked.items() if method != "S256")


MOST_TEXT = 1_000_000
"""Characters of what stands in one field of a page, at most: a long novel that is pasted has that many."""
MOST_BYTES = 4 * MOST_TEXT + 10_000
"""Bytes of such a field, with its name, at most: a character has up to four."""
MOST_FIELDS = 2_000
"""Fields of one page, at most."""
MOST_PARTS = 10 * MOST_FIELDS
"""What a message has in all: each field of a page has a name, a value or several, and so on."""
SMALL = 64 * 1024
"""Bytes of a message that is read quickly, whatever is in it."""
MOST_NAME = 2_000
"""Characters of the name of a page, or of a part of it, at most."""
MOST_OF_END = 2_000
"""Bytes of the message that says that a page is drawn, at most."""
MOST_ABOUT = 20_000
"""Bytes of what a browser says of itself, at most: its language, its time zone, and once more the whole address."""

_OTHERS = ("stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request")
"""What pages send besides. Streamlit knows more, for whoever develops an app: by one of these anybody would empty what
is kept for all, another tells of the files in the app's folder."""
_OPERATIONS = ("deferred_file", "dataframe_chunk")
"""What pages ask for without being drawn anew."""

NOTHING: bytes = BackMsg(app_heartbeat=True).SerializeToString()
"""What changes nothing."""


def plain_rerun(message: bytes) -> bytes:
    """Asks for the page that the message is about, with no button pressed and no field filled in."""
    sent = _read(message)
    here = ClientState() if sent is None else sent.rerun_script
    state = ClientState(query_string=here.query_string, page_script_hash=here.page_script_hash)
    state.context_info.CopyFrom(here.context_info)
    rerun: bytes = BackMsg(rerun_script=state).SerializeToString()
    return rerun


def bounded_rerun(message: bytes, is_short: Callable[[str, str], bool]) -> bytes:
    """The message, where address and fields are short enough. Else it asks for the page that it is about as if nothing
    were filled in, and without the address if that is too long; one that can't be read asks for the first page."""
    sent = _read(message)
    if sent is None:
        return plain_rerun(b"")
    if sent.WhichOneof("type") != "rerun_script":
        return message if _is_of_pages(sent) and len(message) <= MOST_TEXT else NOTHING
    state = sent.rerun_script
    names = (state.page_script_hash, state.page_name, state.fragment_id)
    if any(len(name) > MOST_NAME for name in names) or state.context_info.ByteSize() > MOST_ABOUT:
        return plain_rerun(b"")
    if not is_short("", state.query_string.removeprefix("?")):
        state.query_string = ""
        return plain_rerun(sent.SerializeToString())
    widgets = state.widget_states.widgets
    if len(widgets) > MOST_FIELDS or any(_length(widget) > MOST_TEXT for widget in widgets):
        return plain_rerun(message)
    return message


def rerun_in(message: bytes) -> ClientState | None:
    """What a message asks for that has a page drawn; None if it has none drawn."""
    sent = _read(message)
    if sent is None:
        return ClientState()  # the first page is drawn for it
    return sent.rerun_script if sent.HasField("rerun_script") else None


def _read(message: bytes) -> BackMsg | None:
    """The message; None if it can't be read, or has so many parts that this would take long."""
    if len(message) > SMALL and not has_few_fields(message, BackMsg.DESCRIPTOR, MOST_PARTS):
        return None
    try:
        sent: BackMsg = BackMsg.FromString(message)
    except DecodeError:
        return None
    return sent


def ends_run(message: bytes) -> bool:
    """Whether a message to a browser says that its page is drawn, and is not being drawn anew at once."""
    if len(message) > MOST_OF_END:
        return False
    told = ForwardMsg.FromString(message)
    ends: bool = told.HasField("script_finished") and told.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
    return ends


def _is_of_pages(sent: BackMsg) -> bool:
    if sent.WhichOneof("type") == "backend_operation_request":
        return sent.backend_operation_request.WhichOneof("payload") in _OPERATIONS
    return sent.WhichOneof("type") in _OTHERS


def _length(widget: WidgetState) -> int:
    """An upper bound of the characters in a field."""
    length: int = widget.ByteSize()
    if length <= MOST_TEXT or length > MOST_BYTES:
        return length
    texts = (widget.string_value, widget.json_value, widget.json_trigger_value, widget.string_trigger_value.data)
    longest: int = max(map(len, texts))
    return longest or length


def has_few_fields(message: bytes, kind: Descriptor, most: int) -> bool:
    """Whether a message of a kind has at most so many fields, those in messages within it too. False where it can't be
    read, as far as it was looked at."""
    try:
        return _left(memoryview(message), kind, most) >= 0
    except (IndexError, ValueError):
        return False


def _left(message: memoryview, kind: Descriptor, most: int) -> int:
    """What is left of `most`; below 0 as soon as there are more fields. Raises IndexError or ValueError for none."""
    place = 0
    while place < len(message) and most >= 0:
        tag, place = _varint(message, place)
        most -= 1
        match tag & 7:
            case 0:
                _, place = _varint(message, place)
            case 1:
                place += 8
            case 5:
                place += 4
            case 2:
                size, place = _varint(message, place)
                field = kind.fields_by_number.get(tag >> 3)
                if field is not None and field.message_type is not None:
                    most = _left(message[place : place + size], field.message_type, most)
                place += size
            case other:
                raise ValueError(f"a field of kind {other}")
    if place > len(message):
        raise ValueError("it ends within a field")
    return most


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    """The number at a place, and the place behind it."""
    value = 0
    for shift in range(0, 70, 7):
        byte = message[place + shift // 7]
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place + shift // 7 + 1
    raise ValueError("a number of more than ten bytes")


log = logging.getLogger(__name__)
_read_fields = WStates.__getitem__
_ALIKE = ({"int_value", "double_value"}, {"int_array_value", "double_array_value"})
"""Kinds of values that browsers send in place of one another."""


def read_past_the_unreadable() -> None:
    """From now on a field that cannot be read has the value with which it begins."""
    WStates.__getitem__ = _value  # type: ignore[method-assign]


def _value(self: WStates, name: str) -> Any:
    state, field = self.states.get(name), self.widget_metadata.get(name)
    if not isinstance(state, Serialized) or field is None:
        return _read_fields(self, name)
    kind = state.value.WhichOneof("value")
    try:
        if kind in (None, field.value_type) or {kind, field.value_type} in _ALIKE:
            return _read_fields(self, name)
        log.info("a field was filled in with a value of another kind")
    except Exception as error:  # whatever those who read the kinds of fields stumble over
        log.info("a field was filled in with what it cannot hold: %s", type(error).__name__)
    value = field.deserializer(None)
    self.states[name] = Value(value)
    return value
