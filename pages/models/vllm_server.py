"""A vLLM server that the app starts: its state and progress, its log, and the figures of its work."""

import html
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_moment, translate
from characterbox.accounts.account import Account
from characterbox.errors import CharacterBoxError
from characterbox.llm.server import Server
from characterbox.llm.vllm.folder import Phase
from characterbox.llm.vllm.health import Metrics, metrics
from characterbox.llm.vllm.servers import State
from characterbox.stage.client import reach_of
from characterbox.stage.jobs.vllm_jobs import Note, Starter, Verb, open_starter
from characterbox.stage.stage import Stage
from pages.shared.current_user import allowed, current_user
from pages.shared.form import fault
from pages.shared.links import go
from pages.shared.text import facts, plain, quiet
from pages.story.actions import do

INTERVAL = 2.0
"""Seconds between two looks at a server."""
SILENCE = 2.0
"""Seconds that a server gets to tell its figures."""
SHOWN = 120
"""Lines of the log that are shown."""

UNDER_WAY: dict[Verb, str] = {"start": to_say("starting"), "stop": to_say("stopping")}
FAILED: dict[Verb, str] = {
    "start": to_say("The server could not be started: {fault}"),
    "stop": to_say("The server could not be stopped: {fault}"),
}
STATES = {
    "stopped": to_say("stopped"),
    "starting": to_say("starting"),
    "ready": to_say("ready"),
    "stopping": to_say("stopping"),
    "failed": to_say("failed"),
}
PHASES: dict[Phase, str] = {
    "launching": to_say("launching"),
    "weights": to_say("loading the weights"),
    "memory": to_say("measuring memory and allocating the cache"),
    "compiling": to_say("compiling"),
    "graphs": to_say("capturing CUDA graphs"),
    "listening": to_say("opening the port"),
}


@dataclass(frozen=True, slots=True)
class Glance:
    """How a server is, at a glance."""

    words: str
    runs: bool
    """Whether there is something to stop."""
    busy: bool = False
    """Whether it is being started or stopped, so that it has to be waited for."""
    state: State | None = None
    """All that is known; None if it can't be found out."""


def glance(starter: Starter, url: str) -> Glance:
    """How a server is; a silent one is waited for two seconds."""
    errand = starter.errand(url)
    try:
        state = starter.servers.state(url)
    except CharacterBoxError as error:
        return Glance(translate(error), runs=False)
    runs = state.name in ("starting", "ready", "stopping")
    if errand is not None and errand.under_way:
        return Glance(say(UNDER_WAY[errand.verb]), runs, busy=True, state=state)
    return Glance(in_words(state), runs, state=state)


def in_words(state: State) -> str:
    """A state in a few words."""
    match state.name:
        case "starting":
            phase = say(PHASES[state.phase or "launching"])
            if state.fraction is None:
                return say("starting: {phase}", phase=phase)
            return say("starting: {phase}, {share:.0%}", phase=phase, share=state.fraction)
        case "ready":
            return say("ready · process {process}, since {moment}", process=state.pid, moment=_moment(state))
        case "failed" if state.status is not None:
            return say("failed with exit status {status}", status=state.status)
        case _:
            return say(STATES[state.name])


def started_server(stage: Stage, server: Server) -> None:
    """The state of a server that the app starts, and what can be done about it: kept up to date."""
    st.subheader(say("Server"))
    st.fragment(_started, run_every=INTERVAL)(stage, server)


def reached_server(stage: Stage, server: Server) -> None:
    """The figures of a vLLM server that is reached by its address: kept up to date."""
    st.subheader(say("Server activity"))
    st.fragment(_work, run_every=INTERVAL)(stage, server.url)


def _started(stage: Stage, server: Server) -> None:
    starter = open_starter()
    seen = glance(starter, server.url)
    st.markdown(plain(seen.words[:1].upper() + seen.words[1:]))
    if seen.state is not None:
        if seen.state.name == "starting" and seen.state.fraction is not None:
            st.progress(seen.state.fraction)
        for said in seen.state.faults:
            fault(said)
    errand = starter.errand(server.url)
    if errand is not None and errand.fault is not None:
        fault(say(FAILED[errand.verb], fault=errand.fault))
    if allowed("administer"):
        start_or_stop(stage, server, seen, "run", first=True)
    st.caption(say("Keeps running when the app exits.") if keeps(server) else say("Stops when the app exits."))
    if seen.state is not None and seen.state.name == "ready":
        facts(served(seen.state))
        _work(stage, server.url)
    if log := starter.servers.log(server.url, SHOWN):
        st.caption(say("Last lines of the log"))
        st.html(f'<div class="cb-log" role="log" tabindex="0"><div>{html.escape(log)}</div></div>')


def start_or_stop(stage: Stage, server: Server, seen: Glance, key: str, *, first: bool = False) -> None:
    """The button that starts a server, or stops it, and shows how that goes.

    It is the main one of its page if it is `first` and starts.
    """
    kind: Literal["primary", "secondary"]
    if seen.runs:
        label, verb, errand, kind = say("Stop"), "stop", open_starter().stop, "secondary"
    else:
        label, verb, errand, kind = say("Start"), "start", open_starter().start, "primary"
    look = kind if first else "tertiary"
    st.button(label, f"{key}-{verb}", type=look, disabled=seen.busy, on_click=_run, args=(errand, stage, server))


def _run(errand: Callable[[Account, Server, Note], None], stage: Stage, server: Server) -> None:
    do(errand, current_user(), server, stage.store.servers.note)
    go(server=server.url)


def keeps(server: Server) -> bool:
    """Whether a server outlives the app."""
    return server.launch is not None and server.launch.keep


def _work(stage: Stage, url: str) -> None:
    try:
        told = metrics(url, timeout=SILENCE, reach=reach_of(stage.store, url))
    except CharacterBoxError as error:
        quiet(translate(error))
    else:
        facts(in_figures(told))


def served(state: State) -> dict[str, str]:
    """What a server that is ready serves."""
    context = say("not reported") if state.context is None else say("{count:,} tokens", count=state.context)
    return {say("Models served"): say(", ").join(state.models), say("Context window"): context}


def in_figures(told: Metrics) -> dict[str, str]:
    """What a server tells of its work, ready to be read."""
    return {
        say("Requests running"): _count(told.running),
        say("Requests waiting"): _count(told.waiting),
        say("Cache usage"): _share(told.kv_cache_usage),
        say("Prefix cache hits (share of prompt tokens)"): _share(told.hit_rate),
        say("Prompt tokens since start"): _count(told.prompt_tokens),
        say("Reply tokens since start"): _count(told.generation_tokens),
    }


def _count(number: int | None) -> str:
    return say("not reported") if number is None else f"{number:,}"


def _share(share: float | None) -> str:
    return say("not reported yet") if share is None else f"{share:.1%}"


def _moment(state: State) -> str:
    return "" if state.since is None else say_moment(datetime.fromtimestamp(state.since, UTC))
