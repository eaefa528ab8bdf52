"""The list of servers: what each is, and what can be done with it."""

from concurrent.futures import ThreadPoolExecutor

import streamlit as st

from annotations.wording import say, speaking, tongue
from characterbox.llm.server import Server
from characterbox.stage.stage import Stage
from characterbox.stage.starter import open_starter
from pages.parts.look import plain, quiet
from pages.parts.models_form import edit_way
from pages.parts.models_key import unconfirmed_key
from pages.parts.models_look import lines
from pages.parts.models_proposals import proposals
from pages.parts.models_removal import removal
from pages.parts.models_started import Glance, glance, start_or_stop
from pages.parts.models_trial import trial_button
from pages.parts.models_ways import all_servers
from pages.parts.models_words import ADMINS_ONLY, NO_MODEL, key_in_words, kind_name, limits, models, server_name
from pages.parts.ways import go, way_to
from pages.parts.who import allowed


def server_list(stage: Stage) -> None:
    """All servers, the rehearsal first, what is proposed, and the way to add or propose one."""
    st.title(say("Models"))
    st.caption(say("The servers at which models are reached. Choose among their models when you launch a scene."))
    servers = all_servers(stage)
    states = _states(servers)
    for number, server in enumerate(servers):
        with st.container(key=f"server-row-{number}"):
            _row(stage, server, states.get(server.url))
    if len(servers) == 1:
        st.caption(
            say("No server of a language model is known yet: add one by its address, or have vLLM started here.")
            if allowed("administer")
            else say("No server of a language model is known yet: propose one by its address.")
        )
    proposals(stage)
    if allowed("administer"):
        st.button(say("Add a server"), "add", type="primary", on_click=go, kwargs={"new": "api"})
    else:
        quiet(say(ADMINS_ONLY))
        st.button(say("Propose a server"), "propose", type="primary", on_click=go, kwargs={"new": "api"})


def _row(stage: Stage, server: Server, state: Glance | None) -> None:
    about, actions = st.columns([3, 1], gap="medium")
    with about, st.container(gap=None):
        way_to(f"**{plain(server_name(server))}**", None, f"show-{server.url}", server=server.url)
        lines(_about(server, state))
    unconfirmed_key(stage, server, f"confirm-{server.url}")
    with actions, st.container(horizontal=True, gap="small"):
        trial_button(server, f"test-{server.url}")
        if server.kind != "rehearsal" and allowed("administer"):
            if state is not None:
                start_or_stop(stage, server, state, f"run-{server.url}")
            edit_way(server, f"edit-{server.url}")
            if st.button(say("Remove"), key=f"remove-{server.url}", type="tertiary"):
                removal(stage, server)


def _about(server: Server, state: Glance | None) -> list[str]:
    if server.kind == "rehearsal":
        return [say(NO_MODEL)]
    told = [f"{kind_name(server.kind)} · {server.url} · {key_in_words(server.key)}", models(server), limits(server)]
    return told if state is None else [*told, state.words]


def _states(servers: list[Server]) -> dict[str, Glance]:
    """How the servers are that the app starts; they are asked side by side."""
    started = [server.url for server in servers if server.kind == "started"]
    if not started:
        return {}
    starter, language = open_starter(), tongue()

    def look(url: str) -> Glance:
        with speaking(language):
            return glance(starter, url)

    with ThreadPoolExecutor(len(started)) as pool:
        return dict(zip(started, pool.map(look, started), strict=True))
