"""What scenes models are to write: the source, how many, by whom, and what they must reach."""

from collections.abc import Sequence
from typing import Any, get_args

import streamlit as st
from pydantic import ValidationError

from annotations.i18n.translation import say, say_count, translate
from characterbox.components.encoding_choice import read_as_chosen
from characterbox.components.figures.tables.text import language_name
from characterbox.crafting.request import MOST_CAST, MOST_SCENES, ROLES, RUBRIC, Piece, Role, Roles, Wish
from characterbox.crafting.sources.passages import LONGEST, PASSAGE, SHORTEST, pieces_of
from characterbox.crafting.sources.source import Source, pasted_source, read_source_bytes
from characterbox.errors import CharacterBoxError
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.sampling import Sampling
from characterbox.processes.limited import run_limited_once
from characterbox.stage.stage import Stage, open_stage
from characterbox.values import Language
from pages.crafting.craftings import earlier_runs
from pages.crafting.text import METHODS, WAYS, calls_told, refusal
from pages.crafting.text import ROLES as ROLE_NAMES
from pages.models.text import all_servers, choices
from pages.scenes.drafts import check_writes
from pages.scenes.text import to_scenes
from pages.shared.form import MOST_LINE, MOST_PASTED, UNUSABLE, Numbers, endpoint_or_fault, fault, pick_model
from pages.shared.links import go
from pages.shared.text import facts, quiet
from pages.story.actions import do, show_error
from pages.story.casting import keys_told

KINDS = ["txt", "md", "docx", "epub", "pdf"]
LARGEST = 50
"""Megabytes of a source."""


def new_crafting(stage: Stage) -> None:
    """Say what is to be written, see what it would take, and start it; below it what was written before."""
    st.title(say("Generate scenes"))
    st.caption(
        say(
            "A screenwriter drafts each scene, a director refines it, and an evaluator accepts it or returns it"
            " with reasons. For each scene, the models see only one passage of the source."
        )
    )
    wide, margin = st.columns([3, 2], gap="large")
    with wide:
        wish, source = _chosen(stage)
    with margin, st.container(key="crafting-margin"):
        st.subheader(say("Plan"))
        _plan(wish, source)
    earlier_runs(stage)
    to_scenes()


def _chosen(stage: Stage) -> tuple[Wish | None, Source | None]:
    """The wish, or None with the reasons shown beside what is missing; and the source."""
    way = st.segmented_control(
        say("Type of scenes"), [*WAYS], format_func=lambda one: say(WAYS[one]), required=True, key="craft-way",
        default="extract",
    )  # fmt: skip
    work = st.text_input(
        say("Work"), key="craft-work", max_chars=MOST_LINE, placeholder=say("such as Emma or 聊斋志异")
    )
    left, right = st.columns(2)
    author = left.text_input(say("Author of the work"), key="craft-author", max_chars=MOST_LINE)
    languages: tuple[Language, ...] = get_args(Language)
    language = right.segmented_control(
        say("Scene language"), languages, format_func=language_name, required=True, default="en",
        key="craft-language",
    )  # fmt: skip
    source = _source(needed=way == "extract")
    left, right = st.columns(2)
    numbers = Numbers()
    with left:
        count = numbers.ask(say("Scenes"), 1, MOST_SCENES, 3, key="craft-count")
    fewest, most = right.slider(say("Characters per scene"), 1, MOST_CAST, (2, 4), key="craft-cast")
    method = st.selectbox(say("Method"), [*METHODS], format_func=lambda one: say(METHODS[one]), key="craft-method")
    found = models_for(stage, ROLES[:1] if method == "direct" else ROLES)
    roles = None if found is None else Roles(**{role: found.get(role, found["screenwriter"]) for role in ROLES})
    wanted = {
        "way": way, "language": language, "work": work.strip(), "author": author.strip() or None, "count": count,
        "fewest": fewest, "most": most, "method": method, "roles": roles, **_more(numbers, alone=method == "direct"),
    }  # fmt: skip
    if not numbers.fine:
        fault(say(UNUSABLE))
        return None, source
    wanted["sampling"] = Sampling(temperature=wanted.pop("temperature"))
    if not work.strip():
        fault(say("Enter the work. The models need to know which work the scenes belong to."))
        return None, source
    if roles is None or (way == "extract" and source is None):
        return None, source
    return _wish(wanted, source, wanted.pop("longest")), source


def _wish(wanted: dict[str, Any], source: Source | None, longest: int) -> Wish | None:
    try:
        pieces = () if source is None else _chosen_pieces(source, wanted["count"], longest, wanted["seed"])
        return Wish(**wanted, pieces=pieces)
    except CharacterBoxError as error:
        fault(translate(error))
    except ValidationError as error:
        fault(refusal(error))
    return None


def _source(*, needed: bool) -> Source | None:
    """The source that was given as a file, or pasted."""
    given = st.file_uploader(
        say("Source text") if needed else say("Source text (optional)"),
        type=KINDS, max_upload_size=LARGEST, key="craft-source",
    )  # fmt: skip
    pasted = (
        "" if given else st.text_area(say("Or paste text here"), key="craft-pasted", max_chars=MOST_PASTED, height=120)
    )
    if given is None and not pasted.strip():
        if needed:
            quiet(say("Extracting scenes needs a source text: txt, md, docx, epub or pdf, up to a whole novel."))
        return None
    raw = None if given is None else read_as_chosen(given)
    if given is not None and raw is None:
        return None
    with st.spinner(say("Reading the source")):
        try:
            if given is None or raw is None:
                source = run_limited_once(pasted_source, say("pasted text"), pasted)
            else:
                source = run_limited_once(read_source_bytes, given.name, raw)
        except CharacterBoxError as error:
            fault(translate(error))
            return None
    told = say("{name}: {count:,} characters", name=source.name, count=len(source.text))
    chapters = say_count("{count:,} chapter", "{count:,} chapters", len(source.chapters))
    quiet(f"{told} · {chapters}" if source.chapters else told)
    return source


def _chosen_pieces(source: Source, count: int, longest: int, seed: int) -> tuple[Piece, ...]:
    """The passages that scenes are made from. Raises SceneError if there are too few."""
    with st.spinner(say("Choosing passages")):
        return run_limited_once(pieces_of, source, count, longest, seed)


def models_for(stage: Stage, roles: Sequence[Role]) -> dict[Role, Endpoint] | None:
    """Who plays the roles, as it is chosen; None, with the reason shown, until it is."""
    known = choices(all_servers(stage))
    found: dict[Role, Endpoint] = {}
    for role in roles:
        endpoint = endpoint_or_fault(pick_model(say(ROLE_NAMES[role]), f"craft-{role}", known))
        if endpoint is None:
            return None
        found[role] = endpoint
    for line in keys_told(found.values(), all_servers(stage)):
        quiet(line)
    return found


def _more(numbers: Numbers, *, alone: bool) -> dict[str, Any]:
    """What one seldom changes."""
    st.session_state.setdefault("craft-temperature", Sampling().temperature)
    with st.expander(say("More settings")):
        low, high = float(RUBRIC.scale.low), float(RUBRIC.scale.high)
        language: Language = st.session_state.get("craft-language") or "en"
        return {
            "threshold": numbers.ask(
                say("Minimum mean score to accept a scene"), low, high, 3.5, step=0.25, disabled=alone,
                key="craft-threshold",
            ),
            "returns": numbers.ask(
                say("Maximum returns for revision per scene"), 0, 9, 2, disabled=alone, key="craft-returns"
            ),
            "longest": numbers.ask(
                say("Maximum passage length (characters)"), SHORTEST, LONGEST, PASSAGE[language], step=100,
                key=f"craft-passage-{language}",
            ),
            "seed": numbers.ask(say("Seed"), 0, 2**31 - 1, 0, key="craft-seed"),
            "temperature": numbers.ask(
                say("Temperature"), 0.0, 2.0, None, step=0.1, key="craft-temperature",
                placeholder=say("endpoint default"),
            ),
        }  # fmt: skip


def _plan(wish: Wish | None, source: Source | None) -> None:
    """What it would take, and the button that starts it."""
    if wish is None:
        quiet(say("Complete the form to see the passages and the number of calls."))
        return
    rows = {say("Calls"): calls_told(wish)}
    if wish.pieces:
        shown = sum(len(piece.text) for piece in wish.pieces)
        rows[say("Source text shown to models")] = say("{count:,} characters", count=shown)
    facts(rows)
    places = [piece.passage for piece in wish.pieces]
    for number, place in enumerate(places[:12], 1):
        chapter = place.chapter or say("characters {start:,} to {end:,}", start=place.start + 1, end=place.end)
        quiet(say("{number}. {place}", number=number, place=chapter))
    if len(places) > 12:
        quiet(say("and {count:,} more", count=len(places) - 12))
    show_error()
    st.button(say("Generate"), type="primary", key="craft-start", on_click=do, args=(_start, wish, source))
    quiet(
        say(
            "You can stop at any time and continue later. Replies already received are reused. Only evaluations"
            " that could not be read are requested again, each time someone presses “Continue”."
        )
    )


def _start(wish: Wish, source: Source | None) -> None:
    check_writes()
    go(crafting=open_stage().craftings.begin(wish, source))
