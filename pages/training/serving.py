"""How the adapter of a run is served: by the app's server of its base, started or restarted for it."""

import streamlit as st

from annotations.i18n.translation import say, sentence, translate
from characterbox.errors import CharacterBoxError
from characterbox.stage.jobs.vllm_jobs import open_starter
from characterbox.stage.stage import Stage, open_stage
from characterbox.training.runs import Runs
from characterbox.training.serving import Served, serve, to_serve
from pages.models.vllm_server import FAILED, INTERVAL, Glance, glance
from pages.shared.current_user import current_user
from pages.shared.form import fault
from pages.shared.links import page_link
from pages.shared.text import plain, quiet
from pages.story.actions import do


def show_serving(stage: Stage, name: str) -> None:
    """Where the adapter of a run that is done is served, or the way to have it served; followed while that changes."""
    try:
        served = _to_serve(stage, name)
    except CharacterBoxError as error:
        fault(sentence(translate(error)))
        return
    moves = _moves(glance(open_starter(), served.server.url))
    st.fragment(_serving, run_every=INTERVAL if moves else None)(stage, name, moves)


def _to_serve(stage: Stage, name: str) -> Served:
    return to_serve(stage.store, Runs.of_user(stage.store.audit).folder(name))


def _moves(seen: Glance) -> bool:
    return seen.busy or (seen.state is not None and seen.state.name in ("starting", "stopping"))


def _serving(stage: Stage, name: str, drawn: bool) -> None:
    served, starter = _to_serve(stage, name), open_starter()
    seen = glance(starter, served.server.url)
    if _moves(seen) != drawn:
        st.rerun()
    if drawn:
        quiet(say("Server of the base: {state}", state=seen.words))
        page_link(say("Models"), "models", "training", icon=":material/dns:")
        return
    if seen.state is not None and served.tuned.model in seen.state.models:
        quiet(say("The adapter is served at {address}.", address=served.server.url))
        return
    errand = starter.errand(served.server.url)
    if errand is not None and errand.fault is not None:
        fault(say(FAILED[errand.verb], fault=errand.fault))
    for said in () if seen.state is None else seen.state.faults:
        fault(said)
    label = say("Serve with vLLM")
    if seen.runs:
        label = say("Restart the server with the adapter")
        quiet(say("The server of this base is running without the adapter. Restarting it breaks off pending replies."))
    elif seen.state is None or seen.state.name == "failed":
        quiet(plain(say("Server of the base: {state}", state=seen.words)))
    st.button(label, type="primary", key="training-serve", on_click=do, args=(_serve, name))


def _serve(name: str) -> None:
    store, actor = open_stage().store, current_user()
    served = serve(store, actor, Runs.of_user(store.audit).folder(name))
    open_starter().restart(actor, served.server, store.servers.note)
