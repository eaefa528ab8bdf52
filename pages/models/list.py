"""Servers: the list with those that are proposed, one of them, and what is asked before one is removed."""

import html
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count, say_moment, speaking, tongue, translate
from characterbox.accounts.account import Account
from characterbox.errors import CharacterBoxError
from characterbox.llm.calls.address import is_local, origin
from characterbox.llm.server import Server
from characterbox.llm.usage import Prices
from characterbox.settings import settings
from characterbox.stage.jobs.vllm_jobs import Trial, open_starter
from characterbox.stage.stage import Stage, open_stage
from characterbox.store.servers import Proposal
from characterbox.store.stories.stories import Story
from pages.models.endpoint_check import trial, trial_button
from pages.models.form import edit_way
from pages.models.text import ADMINS_ONLY, NO_MODEL, all_servers, key_in_words, kind_name, limits, models, server_name
from pages.models.vllm_server import Glance, glance, reached_server, start_or_stop, started_server
from pages.shared.current_user import allowed, current_user
from pages.shared.examples import show_example
from pages.shared.form import fault
from pages.shared.links import go, place_link
from pages.shared.text import facts, lines, plain, quiet
from pages.story.actions import do


def unconfirmed_key(stage: Stage, server: Server, key: str) -> None:
    """That the key of a server is not sent yet, and the button by which an admin confirms it; nothing if it is sent."""
    if server.key is None or stage.store.servers.is_bound(origin(server.url), server.key):
        return
    place = origin(server.url)
    fault(say("The key {key} is not sent to {origin} until an admin confirms it.", key=server.key, origin=place))
    if allowed("administer"):
        label = say("Confirm key {key} for {origin}", key=server.key, origin=place)
        st.button(label, key, on_click=do, args=(lambda: stage.store.servers.save(current_user(), server),))


def removal(stage: Stage, server: Server) -> None:
    """Ask once whether to remove a server; where stories that are not over need it, have that confirmed too."""
    st.dialog(say("Remove server"))(_removal)(stage, server)


def _removal(stage: Stage, server: Server) -> None:
    name = plain(server.name)
    st.markdown(say("**{name}** will be removed from the list. Stories played with it do not change.", name=name))
    if server.kind == "started":
        st.markdown(say("If the server is running, it will be stopped."))
    sure = True
    if needing := stories_under_way(stage, server.url):
        st.markdown(plain(_warning(len(needing), server)))
        sure = st.checkbox(say("Remove anyway"), key=f"remove-sure-{server.url}")
    with st.container(horizontal=True):
        if st.button(say("Remove server"), "remove-it", type="primary", disabled=not sure):
            if server.kind == "started":
                open_starter().stop(current_user(), server, stage.store.servers.note)
            open_stage().jobs.forget(Trial, server.url)
            stage.store.servers.remove(current_user(), server.url)
            go()
            st.rerun()
        if st.button(say("Keep"), "keep-it"):
            st.rerun()


def stories_under_way(stage: Stage, url: str) -> list[Story]:
    """The stories that are not over and have calls to make to this address."""
    under_way = stage.store.stories.stories("running", "waiting", "cued", "paused")
    return [story for story in under_way if url in story.casting.urls]


def _warning(count: int, server: Server) -> str:
    if server.kind == "started":
        return say_count(
            "1 unfinished story needs this server. Its remaining steps will wait.",
            "{count} unfinished stories need this server. Their remaining steps will wait.",
            count,
        )
    return say_count(
        "1 unfinished story needs this server. After removal, the address gets no key and only the default"
        " limits apply.",
        "{count} unfinished stories need this server. After removal, the address gets no key and only the"
        " default limits apply.",
        count,
    )


def proposals(stage: Stage) -> None:
    """All proposals for an admin, and for others their own; nothing where there is none."""
    servers, decides = stage.store.servers, allowed("administer")
    open_ones = servers.proposals(current_user()) if decides else servers.proposals_of(current_user())
    if not open_ones:
        return
    st.subheader(say("Proposed servers"))
    if decides:
        st.caption(
            say("A proposal has no effect until you accept it. Accept it only if you know who operates the server.")
        )
    for one in open_ones:
        with st.container(key=f"server-row-{one.id}"):
            about, ways = st.columns([3, 1], gap="medium")
            with about:
                _proposal(one, decides=decides)
            with ways, st.container(horizontal=True, gap="small"):
                if not decides:
                    _way(say("Withdraw"), servers.withdraw, one)
                    continue
                if one.server is not None:
                    _way(say("Accept"), servers.accept, one, first=True)
                _way(say("Decline"), servers.decline, one)


def _way(label: str, act: Callable[[Account, str], None], one: Proposal, *, first: bool = False) -> None:
    key, done = f"{act.__name__}-{one.id}", (lambda: act(current_user(), one.id),)
    st.button(label, key, type="secondary" if first else "tertiary", on_click=do, args=done)


def _proposal(one: Proposal, *, decides: bool) -> None:
    """What is proposed, each thing in a place of its own: no name can be taken for an address, or for a key."""
    st.markdown(f"**{plain(one.url if one.server is None else one.server.name)}**")
    quiet(say("proposed by {name}, {moment}", name=one.proposed_by_name, moment=say_moment(one.proposed_at)))
    if one.server is None:
        quiet(say("The stored data can't be read."))
        return
    facts(_known(one.server, decides=decides))
    if decides:
        for told in _consequences(one.server):
            quiet(told)


def _consequences(server: Server) -> Iterator[str]:
    """What follows of its acceptance, beyond that it is on the list."""
    if is_local(server.url):
        yield say("This address is on the computer that runs the app.")
    if server.key is not None:
        yield say("If you accept, the key {key} is sent to {origin}.", key=server.key, origin=origin(server.url))


def _known(server: Server, *, decides: bool) -> dict[str, str]:
    """Whether there is a key of the name, only admins are told: otherwise one could ask for any by proposing it."""
    key = key_in_words(server.key) if decides else server.key or say("no key")
    return {
        say("Kind"): kind_name(server.kind),
        say("Address"): server.url,
        say("Key"): key,
        say("Usage limits"): limits(server),
        say("Models"): models(server),
    }


def server_list(stage: Stage) -> None:
    """All servers, the rehearsal first, what is proposed, and the way to add or propose one."""
    st.title(say("Models"))
    st.caption(say("Servers that provide models. You choose from their models when you start a story."))
    servers = all_servers(stage)
    states = _states(servers)
    for number, server in enumerate(servers):
        with st.container(key=f"server-row-{number}"):
            state = states.get(server.url)
            about, actions = st.columns([3, 1], gap="medium")
            with about, st.container(gap=None):
                place_link(f"**{plain(server_name(server))}**", None, f"show-{server.url}", server=server.url)
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
    if len(servers) == 1:
        st.caption(
            say("No language model server yet. Add one by its address, or let the app start vLLM.")
            if allowed("administer")
            else say("No language model server yet. Propose one by its address.")
        )
        address = f"{kind_name('vllm')} · http://gpu.example.org:8000/v1 · {say('no key')}"
        show_example(say("Our GPU server"), [address, say("model-name")])
    proposals(stage)
    if allowed("administer"):
        st.button(say("Add server"), "add", type="primary", on_click=go, kwargs={"new": "api"})
    else:
        quiet(say(ADMINS_ONLY))
        st.button(say("Propose server"), "propose", type="primary", on_click=go, kwargs={"new": "api"})


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


MILLION = 1_000_000
HEAD = (to_say("US dollars per million tokens"), to_say("input"), to_say("cached"), to_say("output"))


def prices(server: Server) -> None:
    """The price of each model of a server, or that none is known, and how to set it."""
    st.subheader(say("Prices"))
    if server.kind == "started":
        quiet(say("Calls to servers started by the app are free."))
        return
    try:
        known = Prices.load(settings().prices)
    except CharacterBoxError as error:
        st.warning(plain(translate(error)))
        return
    if server.models:
        rows = "".join(f"<tr><th>{html.escape(model)}</th>{_cells(known, model)}</tr>" for model in server.models)
        head = "".join(f"<th>{html.escape(say(column))}</th>" for column in HEAD)
        st.html(f'<table class="cb-prices"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>')
    file = settings().prices
    quiet(say("Set your own prices in {file}. The app reads this file at startup. Example entry:", file=file))
    st.code(example(server.models[0] if server.models else say("model-name")), language=None)


def example(model: str) -> str:
    """How the price of a model is written in the file."""
    name = model.replace("\\", "\\\\").replace('"', '\\"')
    return f'["{name}"]\ninput = 0.50\ncached = 0.25\noutput = 1.50'


def money(dollars: float) -> str:
    """Dollars with two decimals, or with as many as they have."""
    whole, _, decimals = f"{dollars:,.6f}".rstrip("0").partition(".")
    return f"{whole}.{decimals:0<2}"


def _cells(known: Prices, model: str) -> str:
    per_million = [
        known.price(model, MILLION, 0, 0),
        known.price(model, MILLION, MILLION, 0),
        known.price(model, 0, 0, MILLION),
    ]
    if None in per_million:
        unknown = html.escape(say("price unknown"))
        return f'<td colspan="3">{unknown}</td>'
    return "".join(f"<td>{money(dollars)}</td>" for dollars in per_million if dollars is not None)


def show_server(stage: Stage, server: Server) -> None:
    """All that is known of a server, and what can be done with it."""
    st.title(plain(server_name(server)))
    if server.kind == "rehearsal":
        quiet(say(NO_MODEL))
    else:
        known = {say("Kind"): kind_name(server.kind), say("Address"): server.url, say("Models"): models(server)}
        facts({**known, say("Key"): key_in_words(server.key), say("Usage limits"): limits(server)})
    unconfirmed_key(stage, server, "confirm")
    with st.container(horizontal=True, vertical_alignment="center"):
        trial_button(server, "test", first=server.kind != "started")
        if server.kind != "rehearsal" and allowed("administer"):
            edit_way(server, "edit")
            if st.button(say("Remove"), "remove", type="tertiary"):
                removal(stage, server)
        place_link(say("All servers"), None, "all")
    if server.kind != "rehearsal" and not allowed("administer"):
        quiet(say(ADMINS_ONLY))
    trial(stage, server)
    if server.kind == "started":
        started_server(stage, server)
    elif server.kind == "vllm":
        reached_server(stage, server)
    if server.kind != "rehearsal":
        prices(server)
