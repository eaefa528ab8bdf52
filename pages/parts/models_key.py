"""A key that no admin has entered for the place of its server, and the click that confirms it."""

import streamlit as st

from annotations.wording import say
from characterbox.llm.address import origin
from characterbox.llm.server import Server
from characterbox.stage.stage import Stage
from pages.parts.acts import do
from pages.parts.models_look import fault
from pages.parts.who import allowed, who


def unconfirmed_key(stage: Stage, server: Server, key: str) -> None:
    """That the key of a server is not sent yet, and the button by which an admin confirms it; nothing if it is sent."""
    if server.key is None or stage.store.servers.is_bound(origin(server.url), server.key):
        return
    place = origin(server.url)
    fault(say("The key {key} is not sent to {origin} before an admin confirms it.", key=server.key, origin=place))
    if allowed("administer"):
        label = say("Confirm the key {key} for {origin}", key=server.key, origin=place)
        st.button(label, key, on_click=do, args=(lambda: stage.store.servers.save(who(), server),))
