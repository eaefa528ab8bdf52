"""The question before a server is removed."""

import streamlit as st

from annotations.wording import say, say_count
from characterbox.llm.server import Server
from characterbox.stage.stage import Stage, open_stage
from characterbox.stage.starter import Trial, open_starter
from characterbox.store.stories import Story
from pages.parts.look import plain
from pages.parts.ways import go
from pages.parts.who import who


def removal(stage: Stage, server: Server) -> None:
    """Ask once whether to remove a server; where stories that are not over need it, have that confirmed too."""
    st.dialog(say("Remove a server"))(_removal)(stage, server)


def _removal(stage: Stage, server: Server) -> None:
    name = plain(server.name)
    st.markdown(say("**{name}** is taken off the list. Stories that were played with it stay as they are.", name=name))
    if server.kind == "started":
        st.markdown(say("If it runs, it is stopped."))
    sure = True
    if needing := stories_under_way(stage, server.url):
        st.markdown(plain(_warning(len(needing), server)))
        sure = st.checkbox(say("Remove it all the same"), key=f"remove-sure-{server.url}")
    with st.container(horizontal=True):
        if st.button(say("Remove it"), "remove-it", type="primary", disabled=not sure):
            if server.kind == "started":
                open_starter().stop(who(), server, stage.store.servers.note)
            open_stage().jobs.forget(Trial, server.url)
            stage.store.servers.remove(who(), server.url)
            go()
            st.rerun()
        if st.button(say("Keep it"), "keep-it"):
            st.rerun()


def stories_under_way(stage: Stage, url: str) -> list[Story]:
    """The stories that are not over and have calls to make to this address."""
    under_way = stage.store.stories.stories("running", "waiting", "cued", "paused")
    return [story for story in under_way if url in _addresses(story)]


def _addresses(story: Story) -> set[str]:
    casting = story.casting
    return {endpoint.url for endpoint in (casting.narrator, *casting.characters.values())}


def _warning(count: int, server: Server) -> str:
    if server.kind == "started":
        return say_count(
            "1 story that is not over needs it: without it, what is still to be played waits.",
            "{count} stories that are not over need it: without it, what is still to be played waits.",
            count,
        )
    return say_count(
        "1 story that is not over needs it: from then on the address gets no key, and no limits but the usual ones"
        " hold.",
        "{count} stories that are not over need it: from then on the address gets no key, and no limits but the usual"
        " ones hold.",
        count,
    )
