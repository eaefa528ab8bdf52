"""What a browser sends to have a page drawn anew, and how it learns that it is."""

from collections.abc import Callable

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

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
