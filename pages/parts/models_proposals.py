"""Servers that are proposed: admins accept or decline them, and who proposed one can withdraw it."""

from collections.abc import Callable, Iterator

import streamlit as st

from annotations.wording import say, say_moment
from characterbox.accounts.account import Account
from characterbox.llm.address import is_local, origin
from characterbox.llm.server import Server
from characterbox.stage.stage import Stage
from characterbox.store.servers import Proposal
from pages.parts.acts import do
from pages.parts.look import plain, quiet
from pages.parts.models_look import facts
from pages.parts.models_words import key_in_words, kind_name, limits, models
from pages.parts.who import allowed, who


def proposals(stage: Stage) -> None:
    """All proposals for an admin, and for others their own; nothing where there is none."""
    servers, decides = stage.store.servers, allowed("administer")
    open_ones = servers.proposals(who()) if decides else servers.proposals_of(who())
    if not open_ones:
        return
    st.subheader(say("Proposed servers"))
    if decides:
        st.caption(say("A proposal counts for nothing before you accept it. Accept it if you know who answers there."))
    for one in open_ones:
        with st.container(key=f"server-row-{one.id}"):
            about, ways = st.columns([3, 1], gap="medium")
            with about:
                _about(one, decides=decides)
            with ways, st.container(horizontal=True, gap="small"):
                if not decides:
                    _way(say("Withdraw"), servers.withdraw, one)
                    continue
                if one.server is not None:
                    _way(say("Accept"), servers.accept, one, first=True)
                _way(say("Decline"), servers.decline, one)


def _way(label: str, act: Callable[[Account, str], None], one: Proposal, *, first: bool = False) -> None:
    key, done = f"{act.__name__}-{one.id}", (lambda: act(who(), one.id),)
    st.button(label, key, type="secondary" if first else "tertiary", on_click=do, args=done)


def _about(one: Proposal, *, decides: bool) -> None:
    """What is proposed, each thing in a place of its own: no name can be taken for an address, or for a key."""
    st.markdown(f"**{plain(one.url if one.server is None else one.server.name)}**")
    quiet(say("proposed by {name}, {moment}", name=one.proposed_by_name, moment=say_moment(one.proposed_at)))
    if one.server is None:
        quiet(say("What is stored of it can't be read."))
        return
    facts(_known(one.server, decides=decides))
    if decides:
        for told in _consequences(one.server):
            quiet(told)


def _consequences(server: Server) -> Iterator[str]:
    """What follows of its acceptance, beyond that it is on the list."""
    if is_local(server.url):
        yield say("This address is on the computer that the app runs on.")
    if server.key is not None:
        yield say("Once you accept, the key {key} is sent to {origin}.", key=server.key, origin=origin(server.url))


def _known(server: Server, *, decides: bool) -> dict[str, str]:
    """Whether there is a key of the name, only admins are told: otherwise one could ask for any by proposing it."""
    key = key_in_words(server.key) if decides else server.key or say("no key")
    return {
        say("Kind"): kind_name(server.kind),
        say("Address"): server.url,
        say("Gets"): key,
        say("May be asked"): limits(server),
        say("Models"): models(server),
    }
