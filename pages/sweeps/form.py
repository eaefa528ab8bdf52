"""The form of a new sweep: its scenes, models, judges and bounds; what is wrong with a field stands beside it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import streamlit as st
from pydantic import ValidationError
from streamlit.delta_generator import DeltaGenerator

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, translate
from characterbox.errors import AddressError, StoryError
from characterbox.judging.judge import Judge
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.server import Server
from characterbox.stage.stage import Stage
from characterbox.sweeps.budget import check_prices
from characterbox.sweeps.file import WrittenJudge, unaddressed
from characterbox.sweeps.sweep import Sweep
from pages.models.text import all_servers, choices
from pages.shared.form import MOST_LINES, UNUSABLE, FieldFaults, Numbers, Sentences, fault, pick_some, sentences_of
from pages.shared.text import quiet
from pages.story.judgements import MANNERS, judge_form
from pages.story.settings_form import chosen_settings
from pages.sweeps.preset import JUDGES, AnyJudge, ask_addresses, ask_judge, preset_button, tell_preset
from pages.sweeps.scenes import chosen_scenes

ENDPOINTS = ("characters", "narrators")
MOST_SEEDS = 1000
_NEEDED = {
    "name": to_say("a name"),
    "scenes": to_say("the scenes"),
    "characters": to_say("character models"),
    "narrators": to_say("a narrator"),
}
_WAITING = {
    "characters": to_say("addresses of the models ({models})"),
    "narrators": to_say("address of the narrator ({models})"),
    "judges": to_say("address of the judge ({models})"),
}
_SENTENCES: Sentences = {
    ("name", "string_too_long"): to_say("Use at most 80 characters for the name."),
    ("seeds", "greater_than_equal"): to_say("Seeds must be whole numbers from 0 to 2,147,483,647."),
    ("seeds", "less_than"): to_say("Seeds must be whole numbers from 0 to 2,147,483,647."),
    ("budget", "greater_than"): to_say("The budget must be greater than 0. Leave it empty for no limit."),
}


def lacking(written: Mapping[str, Any]) -> dict[str, str]:
    """What is not chosen yet and has to be, in a few words each, by field."""
    missing = {field: say(what) for field, what in _NEEDED.items() if not _there(written.get(field))}
    waiting = {field: unaddressed(written.get(field, ())) for field in ENDPOINTS}
    waiting["judges"] = tuple(one.name for one in written.get("judges", ()) if isinstance(one, WrittenJudge))
    named = {field: say(", ").join(models) for field, models in waiting.items() if models}
    return missing | {field: say(_WAITING[field], models=models) for field, models in named.items()}


def read_sweep_form(written: Mapping[str, Any]) -> Sweep:
    """The sweep that a form describes. Raises FieldFaults, also for what is lacking."""
    faults: dict[str, str] = {}
    values = dict(written)
    for field in ENDPOINTS:
        values[field] = _endpoints(written[field], field, faults)
    values["seeds"] = _seeds(written["seeds"], faults)
    try:
        sweep = Sweep.model_validate({name: value for name, value in values.items() if name not in faults})
    except ValidationError as error:
        raise FieldFaults(sentences_of(error, _SENTENCES) | faults) from None
    if faults:
        raise FieldFaults(faults)
    return sweep


def _endpoints(texts: Sequence[str], field: str, faults: dict[str, str]) -> tuple[Endpoint, ...]:
    found = []
    for text in texts:
        try:
            found.append(Endpoint.parse(text))
        except AddressError as error:
            faults.setdefault(field, translate(error))
    return tuple(found)


def _seeds(text: str, faults: dict[str, str]) -> tuple[int, ...]:
    """Seeds as people list them, runs of them with a dash: `1, 2, 5-9`."""
    seeds: list[int] = []
    for part in re.split(r"[\s,，、;；]+", text.strip()) if text.strip() else ["1"]:
        found = re.fullmatch(r"(\d{1,10})(?:[-–](\d{1,10}))?", part)
        if found is None:
            faults["seeds"] = say("{part} is not a seed. Enter whole numbers, such as 1, 2, 5-9.", part=part)
            return ()
        first, last = int(found[1]), int(found[2] or found[1])
        if len(seeds) + last - first >= MOST_SEEDS or last < first:
            faults["seeds"] = say(
                "{part}: enter at most {most:,} seeds, and ranges from low to high.", part=part, most=MOST_SEEDS
            )
            return ()
        seeds += range(first, last + 1)
    return tuple(seeds)


def _there(value: Any) -> bool:
    return bool(value.strip() if isinstance(value, str) else value)


ADD = to_say("Add judge")


def chosen_judges(stage: Stage, known: Mapping[str, str]) -> tuple[AnyJudge, ...]:
    """The judges so far, and the form that adds one."""
    there = st.container(gap="xsmall")
    if (added := judge_form(stage, ADD, primary=False, characters_only=True)) is not None:
        judge, _ = added
        st.session_state[JUDGES] = [*_judges(), judge]
    with there:
        for place, one in enumerate(_judges()):
            with st.container(horizontal=True, vertical_alignment="center"):
                _judge(one, place, known)
                st.button(say("Remove"), key=f"sweep-judge-{place}", type="tertiary", on_click=_remove, args=(place,))
        if not _judges():
            quiet(say("No judges yet. The stories are played but not scored."))
    return tuple(_judges())


def _judge(one: AnyJudge, place: int, known: Mapping[str, str]) -> None:
    if isinstance(one, WrittenJudge):
        ask_judge(place, one, known)
    else:
        quiet(f"{one.name} · {one.endpoint} · {say(MANNERS[one.protocol.manner])}", width="content")


def _judges() -> list[AnyJudge]:
    kept: list[AnyJudge] = st.session_state.get(JUDGES, [])
    return kept


def _remove(place: int) -> None:
    st.session_state[JUDGES] = [one for number, one in enumerate(_judges()) if number != place]


def sweep_form(stage: Stage) -> Sweep | None:
    """The sweep as the form has it; None, with the reason shown, while there is none."""
    beside: dict[str, DeltaGenerator] = {}
    preset_button()
    about = st.container()
    written: dict[str, Any] = {"name": _name(stage, beside)}
    st.subheader(say("Story settings"))
    numbers = Numbers()
    written["scenes"] = chosen_scenes(stage, numbers)
    beside["scenes"] = st.container()
    with about:
        tell_preset(written["scenes"])
    servers = all_servers(stage)
    known = choices(servers)
    written["characters"] = _models(say("Character models"), "characters", known, beside)
    quiet(say("One model plays all characters of a story. Each model plays each scene."))
    written["narrators"] = _models(say("Narrators"), "narrators", known, beside)
    written |= _numbers(numbers, beside)
    chosen = chosen_settings("sweep", servers)
    written["memory"] = None if chosen is None else chosen.memory
    st.subheader(say("Judges"))
    written["judges"] = chosen_judges(stage, known)
    beside["judges"] = st.container()
    st.subheader(say("Budget and limits"))
    written |= _bounds(stage, servers, written, numbers, beside)
    if missing := lacking(written):
        quiet(say("Missing: {what}.", what=say(", ").join(missing.values())))
    if not numbers.fine or chosen is None:
        quiet(say(UNUSABLE))
        return None
    written["settings"] = chosen.settings
    try:
        sweep = read_sweep_form(written)
        # A sweep that is fine may still not be run
        refused, _ = name_note(stage, sweep.name)
        if refused is not None:
            raise FieldFaults({"name": refused})
        try:
            check_prices(stage.client, sweep)
        except StoryError as error:
            raise FieldFaults({"budget": translate(error)}) from None
    except FieldFaults as found:
        for field, said in found.faults.items():
            if field not in missing:
                with beside.get(field, beside["name"]):
                    fault(said)
        return None
    return sweep


def name_note(stage: Stage, name: str) -> tuple[str | None, str | None]:
    """Why a sweep can't be called so, and what becomes of the one that is: each None where there is nothing to say."""
    if not name.strip():
        return None, None
    if stage.store.sweeps.at_work(name.strip()):
        return say("A sweep with this name is running. Choose another name, or wait until it stops."), None
    if stage.store.sweeps.find(name.strip()) is None:
        return None, None
    return None, say("A sweep with this name already exists. This one replaces it. All stories are kept.")


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


def _models(label: str, field: str, known: Mapping[str, str], beside: dict[str, DeltaGenerator]) -> list[str]:
    chosen = pick_some(
        label,
        [*known],
        format_func=lambda option: known.get(option, option),
        accept_new_options=True,
        placeholder=say("Choose models or enter URL#MODEL"),
        key=f"sweep-{field}",
        persist_state="session",
    )
    beside[field] = st.container()
    ask_addresses(field, chosen, known)
    return chosen


def _numbers(numbers: Numbers, beside: dict[str, DeltaGenerator]) -> dict[str, Any]:
    rounds, seeds, repeats = st.columns(3)
    with rounds:
        count = numbers.ask(say("Rounds"), 1, 100, 3, key="sweep-rounds", persist_state="session")
    with seeds:
        text = st.text_input(
            say("Seeds"), "1", key="sweep-seeds", max_chars=MOST_LINES, autocomplete="off", persist_state="session"
        )
        beside["seeds"] = st.container()
    with repeats:
        times = numbers.ask(say("Repeats per seed"), 1, 100, 1, key="sweep-repeats", persist_state="session")
    early = st.toggle(
        say("Stories may end early, once the narrator considers them finished"),
        key="sweep-early",
        persist_state="session",
    )
    return {"rounds": count, "seeds": text, "repeats": times, "may_conclude": early}


def _bounds(
    stage: Stage,
    servers: Iterable[Server],
    written: Mapping[str, Any],
    numbers: Numbers,
    beside: dict[str, DeltaGenerator],
) -> dict[str, Any]:
    budget = numbers.ask(
        say("Budget (US dollars)"),
        0.0,
        None,
        None,
        placeholder=say("no limit"),
        key="sweep-budget",
        persist_state="session",
        width=260,
    )
    beside["budget"] = st.container()
    asked = []
    for text in (*written["characters"], *written["narrators"]):
        with suppress(AddressError):  # what is no endpoint is told beside its field
            asked.append(Endpoint.parse(text))
    asked += [judge.endpoint for judge in written["judges"] if isinstance(judge, Judge)]
    asked += [written["memory"]] if written["memory"] is not None else []
    urls = dict.fromkeys(one.url for one in asked)
    known = {server.url: server for server in servers}
    parallel = {}
    if urls:
        with st.expander(say("Concurrent calls")):
            for url in urls:
                server = known.get(url) or Server.unregistered(url)
                most = numbers.ask(
                    server.name, 1, 10_000, None, placeholder=f"{server.parallel:,}", key=f"sweep-parallel-{url}"
                )
                if most is not None:
                    parallel[url] = most
    return {"budget": budget, "parallel": parallel}
