"""One server: what it is, its test, what its models cost, and how it works."""

import streamlit as st

from annotations.wording import say
from characterbox.llm.server import Server
from characterbox.stage.stage import Stage
from pages.parts.look import plain, quiet
from pages.parts.models_form import edit_way
from pages.parts.models_key import unconfirmed_key
from pages.parts.models_look import facts
from pages.parts.models_prices import prices
from pages.parts.models_removal import removal
from pages.parts.models_started import reached_server, started_server
from pages.parts.models_trial import trial, trial_button
from pages.parts.models_words import ADMINS_ONLY, NO_MODEL, key_in_words, kind_name, limits, models, server_name
from pages.parts.ways import way_to
from pages.parts.who import allowed


def show_server(stage: Stage, server: Server) -> None:
    """All that is known of a server, and what can be done with it."""
    st.title(plain(server_name(server)))
    if server.kind == "rehearsal":
        quiet(say(NO_MODEL))
    else:
        known = {say("Kind"): kind_name(server.kind), say("Address"): server.url, say("Models"): models(server)}
        facts({**known, say("Gets"): key_in_words(server.key), say("May be asked"): limits(server)})
    unconfirmed_key(stage, server, "confirm")
    with st.container(horizontal=True, vertical_alignment="center"):
        trial_button(server, "test", first=server.kind != "started")
        if server.kind != "rehearsal" and allowed("administer"):
            edit_way(server, "edit")
            if st.button(say("Remove"), "remove", type="tertiary"):
                removal(stage, server)
        way_to(say("All servers"), None, "all")
    if server.kind != "rehearsal" and not allowed("administer"):
        quiet(say(ADMINS_ONLY))
    trial(stage, server)
    if server.kind == "started":
        started_server(stage, server)
    elif server.kind == "vllm":
        reached_server(stage, server)
    if server.kind != "rehearsal":
        prices(server)
