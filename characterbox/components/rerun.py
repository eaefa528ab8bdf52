"""What a browser sends to have a page drawn anew."""

from google.protobuf.message import DecodeError
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState


def plain_rerun(message: bytes) -> bytes:
    """Asks for the page that the message is about, with no button pressed and no field filled in."""
    try:
        here = BackMsg.FromString(message).rerun_script
    except DecodeError:
        here = ClientState()
    state = ClientState(query_string=here.query_string, page_script_hash=here.page_script_hash)
    state.context_info.CopyFrom(here.context_info)
    rerun: bytes = BackMsg(rerun_script=state).SerializeToString()
    return rerun
