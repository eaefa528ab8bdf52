"""Models: the servers at which models are reached, what may be asked of them, and what they cost."""

from typing import cast

import streamlit as st

from annotations.i18n.translation import say, translate
from characterbox.errors import CharacterBoxError
from characterbox.llm.endpoint import REHEARSAL
from characterbox.llm.server import Kind
from characterbox.stage.stage import open_stage
from pages.models.form import FIELDS, add_server, edit_server, propose_server
from pages.models.list import server_list, show_server
from pages.models.text import ADMINS_ONLY, STYLE, find_server
from pages.shared.current_user import allowed
from pages.shared.links import place_link
from pages.shared.text import plain, quiet
from pages.story.actions import show_error

stage = open_stage()
st.html(STYLE)
show_error()
place = st.query_params
try:
    if "edit" in place and not allowed("administer"):
        quiet(say(ADMINS_ONLY))
        place_link(say("All servers"), None, "all")
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
    place_link(say("All servers"), None, "all")
