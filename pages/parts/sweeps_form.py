"""The form of a new sweep; what is wrong with a field stands beside it."""

from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotations.wording import say
from characterbox.errors import StoryError
from characterbox.llm.server import Server
from characterbox.stage.stage import Stage
from characterbox.sweeps.budget import check_prices
from characterbox.sweeps.sweep import Sweep
from pages.parts.lengths import MOST_LINES
from pages.parts.look import quiet
from pages.parts.models_fields import FieldFaults
from pages.parts.models_look import fault
from pages.parts.models_ways import all_servers
from pages.parts.models_words import choices
from pages.parts.sweeps_fields import endpoints_of, lacking, read_sweep_form
from pages.parts.sweeps_judges import chosen_judges
from pages.parts.sweeps_scenes import chosen_scenes


def sweep_form(stage: Stage) -> Sweep | None:
    """The sweep as the form has it; None, with the reason shown, while there is none."""
    beside: dict[str, DeltaGenerator] = {}
    written: dict[str, Any] = {"name": _name(stage, beside)}
    st.subheader(say("What is played"))
    written["scenes"] = chosen_scenes(stage)
    beside["scenes"] = st.container()
    servers = all_servers(stage)
    written["characters"] = _models(say("Models of the characters"), "characters", servers, beside)
    quiet(say("In a story one model plays all characters; each model plays each scene."))
    written["narrators"] = _models(say("Narrators"), "narrators", servers, beside)
    written |= _numbers(beside)
    st.subheader(say("Who judges it"))
    written["judges"] = chosen_judges(stage)
    beside["judges"] = st.container()
    st.subheader(say("What it may take"))
    written |= _bounds(stage, servers, written, beside)
    return _read(stage, written, beside)


def name_note(stage: Stage, name: str) -> tuple[str | None, str | None]:
    """Why a sweep can't be called so, and what becomes of the one that is: each None where there is nothing to say."""
    if not name.strip():
        return None, None
    if stage.store.sweeps.at_work(name.strip()):
        return say("A sweep of this name is running: choose another name, or let it come to rest first."), None
    if stage.store.sweeps.find(name.strip()) is None:
        return None, None
    return None, say("There is a sweep of this name already: this one takes its place. All stories stay.")


def _read(stage: Stage, written: Mapping[str, Any], beside: Mapping[str, DeltaGenerator]) -> Sweep | None:
    if missing := lacking(written):
        quiet(say("Still to choose: {what}.", what=say(", ").join(missing.values())))
    try:
        sweep = read_sweep_form(written)
        _check(stage, sweep)
    except FieldFaults as found:
        for field, said in found.faults.items():
            if field not in missing:
                with beside.get(field, beside["name"]):
                    fault(said)
        return None
    return sweep


def _check(stage: Stage, sweep: Sweep) -> None:
    """Raises FieldFaults where the sweep is fine, but can't be run."""
    refused, _ = name_note(stage, sweep.name)
    if refused is not None:
        raise FieldFaults({"name": refused})
    try:
        check_prices(stage.client, sweep)
    except StoryError as error:
        raise FieldFaults({"budget": str(error)}) from None


def _name(stage: Stage, beside: dict[str, DeltaGenerator]) -> str:
    name = st.text_input(
        say("Name"), key="sweep-name", max_chars=80, autocomplete="off", persist_state="session", width=420
    )
    beside["name"] = st.container()
    _, note = name_note(stage, name)
    if note is not None:
        with beside["name"]:
            quiet(note)
    return name


def _models(label: str, field: str, servers: Iterable[Server], beside: dict[str, DeltaGenerator]) -> list[str]:
    known = choices([*servers])
    chosen = st.multiselect(
        label,
        [*known],
        format_func=lambda option: known.get(option, option),
        accept_new_options=True,
        placeholder=say("Pick models, or write URL#MODEL"),
        key=f"sweep-{field}",
        persist_state="session",
    )
    beside[field] = st.container()
    return chosen


def _numbers(beside: dict[str, DeltaGenerator]) -> dict[str, Any]:
    rounds, seeds, repeats = st.columns(3)
    with rounds:
        count = st.number_input(say("Rounds"), 1, 100, 3, key="sweep-rounds", persist_state="session")
    with seeds:
        text = st.text_input(
            say("Seeds"), "1", key="sweep-seeds", max_chars=MOST_LINES, autocomplete="off", persist_state="session"
        )
        beside["seeds"] = st.container()
    with repeats:
        times = st.number_input(say("Times with each seed"), 1, 100, 1, key="sweep-repeats", persist_state="session")
    early = st.toggle(
        say("Stories may end early, once the narrator considers them finished"),
        key="sweep-early",
        persist_state="session",
    )
    return {"rounds": int(count), "seeds": text, "repeats": int(times), "may_conclude": early}


def _bounds(
    stage: Stage, servers: Iterable[Server], written: Mapping[str, Any], beside: dict[str, DeltaGenerator]
) -> dict[str, Any]:
    budget = st.number_input(
        say("Budget in US dollars"),
        0.0,
        None,
        None,
        1.0,
        placeholder=say("no bound"),
        key="sweep-budget",
        persist_state="session",
        width=260,
    )
    beside["budget"] = st.container()
    asked = endpoints_of([*written["characters"], *written["narrators"]])
    urls = dict.fromkeys([*(one.url for one in asked), *(judge.endpoint.url for judge in written["judges"])])
    known = {server.url: server for server in servers}
    parallel = {}
    if urls:
        with st.expander(say("Calls at once")):
            for url in urls:
                server = known.get(url) or Server.unregistered(url)
                most = st.number_input(
                    server.name, 1, 10_000, None, placeholder=f"{server.parallel:,}", key=f"sweep-parallel-{url}"
                )
                if most is not None:
                    parallel[url] = int(most)
    return {"budget": budget, "parallel": parallel}
