"""The question before a server is removed."""

import streamlit as st

from characterbox.llm.server import DEFAULT_KEY, Server
from characterbox.stage.stage import Stage, open_stage
from characterbox.stage.starter import open_starter
from characterbox.store.stories import Story
from pages.parts.look import plain
from pages.parts.models_ways import go


@st.dialog("Remove a server")
def removal(stage: Stage, server: Server) -> None:
    """Ask once whether to remove a server; where stories that are not over need it, have that confirmed too."""
    st.markdown(f"**{plain(server.name)}** is taken off the list. Stories that were played with it stay as they are.")
    if server.kind == "started":
        st.markdown("If it runs, it is stopped.")
    sure = True
    if needing := stories_under_way(stage, server.url):
        st.markdown(plain(_warning(len(needing), server)))
        sure = st.checkbox("Remove it all the same")
    with st.container(horizontal=True):
        if st.button("Remove it", type="primary", disabled=not sure):
            if server.kind == "started":
                open_starter().stop(server)
            open_stage().trials.forget(server.url)
            stage.store.servers.remove(server.url)
            go()
            st.rerun()
        if st.button("Keep it"):
            st.rerun()


def stories_under_way(stage: Stage, url: str) -> list[Story]:
    """The stories that are not over and have calls to make to this address."""
    under_way = stage.store.stories.stories("running", "waiting", "cued", "paused")
    return [story for story in under_way if url in _addresses(story)]


def _addresses(story: Story) -> set[str]:
    casting = story.casting
    return {endpoint.url for endpoint in (casting.narrator, *casting.characters.values())}


def _warning(count: int, server: Server) -> str:
    stories = "1 story that is not over needs it" if count == 1 else f"{count} stories that are not over need it"
    if server.kind == "started":
        return f"{stories}: without it, what is still to be played waits."
    return f"{stories}: from then on the address gets the key {DEFAULT_KEY}, and no limits but the usual ones hold."
