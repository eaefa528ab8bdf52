"""One server: what it is, its test, what its models cost, and how it works."""

import html

import streamlit as st

from annotations.wording import say, to_say
from characterbox.errors import CharacterBoxError
from characterbox.llm.prices import Prices
from characterbox.llm.server import Server
from characterbox.settings import settings
from characterbox.stage.stage import Stage
from pages.parts.look import plain, quiet
from pages.parts.models_form import edit_way
from pages.parts.models_list import removal, unconfirmed_key
from pages.parts.models_look import facts
from pages.parts.models_started import reached_server, started_server
from pages.parts.models_trial import trial, trial_button
from pages.parts.models_words import ADMINS_ONLY, NO_MODEL, key_in_words, kind_name, limits, models, server_name
from pages.parts.ways import way_to
from pages.parts.who import allowed

MILLION = 1_000_000
HEAD = (to_say("US dollars per million tokens"), to_say("input"), to_say("cached"), to_say("output"))


def prices(server: Server) -> None:
    """The price of each model of a server, or that none is known, and how to set it."""
    st.subheader(say("Prices"))
    if server.kind == "started":
        quiet(say("Calls to a server that the app starts count as free of charge."))
        return
    try:
        known = Prices.load(settings().prices)
    except CharacterBoxError as error:
        st.warning(plain(str(error)))
        return
    if server.models:
        rows = "".join(f"<tr><th>{html.escape(model)}</th>{_cells(known, model)}</tr>" for model in server.models)
        head = "".join(f"<th>{html.escape(say(column))}</th>" for column in HEAD)
        st.html(f'<table class="cb-prices"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>')
    file = settings().prices
    quiet(say("Prices of your own stand in {file}, which the app reads when it starts. An entry of it:", file=file))
    st.code(example(server.models[0] if server.models else say("name-of-the-model")), language=None)


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
        unknown = html.escape(say("no price known"))
        return f'<td colspan="3">{unknown}</td>'
    return "".join(f"<td>{money(dollars)}</td>" for dollars in per_million if dollars is not None)


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
