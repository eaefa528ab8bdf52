"""Models: the servers at which models are reached, what may be asked of them, and what they cost."""

from typing import cast

import streamlit as st

from annotations.wording import say, translate
from characterbox.errors import CharacterBoxError
from characterbox.llm.endpoint import REHEARSAL
from characterbox.llm.server import Kind
from characterbox.stage.stage import open_stage
from pages.parts.acts import tell_refusal
from pages.parts.look import plain, quiet
from pages.parts.models_form import FIELDS, add_server, edit_server, propose_server
from pages.parts.models_list import server_list, show_server
from pages.parts.models_look import STYLE
from pages.parts.models_words import ADMINS_ONLY, find_server
from pages.parts.ways import way_to
from pages.parts.who import allowed

stage = open_stage()
st.html(STYLE)
tell_refusal()
place = st.query_params
try:
    if "edit" in place and not allowed("administer"):
        quiet(say(ADMINS_ONLY))
        way_to(say("All servers"), None, "all")
    elif "new" in place:
        add = add_server if allowed("administer") else propose_server
        add(stage, cast(Kind, place["new"]) if place["new"] in FIELDS else "api")
    elif place.get("edit", REHEARSAL) != REHEARSAL:
        edit_server(stage, find_server(stage, place["edit"]))
    elif "server" in place:
        show_server(stage, find_server(stage, place["server"]))
    else:
        server_list(stage)
except CharacterBoxError as error:
    st.error(plain(translate(error)))
    way_to(say("All servers"), None, "all")
