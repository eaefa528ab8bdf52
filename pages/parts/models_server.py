"""One server: what it is, its test, what its models cost, and how it works."""

import streamlit as st

from characterbox.llm.server import Server
from characterbox.stage.stage import Stage
from pages.parts.look import plain, quiet
from pages.parts.models_form import edit_way
from pages.parts.models_look import facts
from pages.parts.models_prices import prices
from pages.parts.models_removal import removal
from pages.parts.models_started import reached_server, started_server
from pages.parts.models_trial import trial, trial_button
from pages.parts.models_ways import view_way
from pages.parts.models_words import KINDS, NO_MODEL, key_in_words, limits, models


def show_server(stage: Stage, server: Server) -> None:
    """All that is known of a server, and what can be done with it."""
    st.title(plain(server.name))
    if server.kind == "rehearsal":
        quiet(NO_MODEL)
    else:
        known = {"Kind": KINDS[server.kind], "Address": server.url, "Models": models(server)}
        facts({**known, "Gets": key_in_words(server.key), "May be asked": limits(server)})
    with st.container(horizontal=True, vertical_alignment="center"):
        trial_button(server, "test", first=server.kind != "started")
        if server.kind != "rehearsal":
            edit_way(server, "edit")
            if st.button("Remove", type="tertiary"):
                removal(stage, server)
        view_way("All servers", "all")
    trial(stage, server)
    if server.kind == "started":
        started_server(server)
    elif server.kind == "vllm":
        reached_server(server)
    if server.kind != "rehearsal":
        prices(server)
