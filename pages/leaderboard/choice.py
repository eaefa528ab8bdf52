"""What the reader of the page Leaderboard chooses; all of it is in the address.

What the address asks for in vain is told in the place for `notes`.
"""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, translate
from annotations.marking.rating import judge_called
from annotations.rubrics.rubric import RESERVED
from characterbox.components.figures.tables.leaderboard import column_name, columns
from characterbox.components.figures.tables.text import capital, language_name
from characterbox.components.url_state import box_in_address, segments_in_address
from characterbox.judging.leaderboard import Scores, Wanted, Whose
from characterbox.store import Store
from characterbox.values import LANGUAGES
from pages.validity.choice import JUDGE_VERSIONS, UNKNOWN_JUDGE, UNKNOWN_LANGUAGE, UNKNOWN_METRIC, tell_unknown

ALL = ""
"""In place of a sweep or a narrator: all stories."""
EVERY = to_say("All languages")
WHOSE: dict[str, Whose] = {
    to_say("Judge"): "judge",
    to_say("Experts"): "experts",
    to_say("Judge, corrected by experts"): "corrected",
}
UNKNOWN = {
    "sweep": to_say("The link asks for the sweep {wanted}, which is not available here."),
    "language": UNKNOWN_LANGUAGE,
    "scores": to_say("The link asks for scores by {wanted}, which are not available here."),
    "judge": UNKNOWN_JUDGE,
    "narrator": to_say("The link asks for the narrator {wanted}, which is not available here."),
    "metric": UNKNOWN_METRIC,
}


def chosen_sweep(store: Store, notes: DeltaGenerator) -> str | None:
    """The sweep whose stories are wanted; None for all stories."""
    if not (sweeps := store.scores.sweeps()):
        return None
    with notes:
        tell_unknown("sweep", UNKNOWN["sweep"], sweeps)
    sweep, keeping = box_in_address("sweep", [ALL, *sweeps], ALL, ends="scene")
    st.selectbox(
        say("Stories"), [ALL, *sweeps], format_func=lambda name: name or say("All stories"), width=260, **keeping
    )
    return sweep or None


def chosen_language(notes: DeltaGenerator) -> str | None:
    """The language of the scenes; None for all."""
    names = {EVERY: None, **{name: language for language, name in LANGUAGES.items()}}
    with notes:
        tell_unknown("language", UNKNOWN["language"], names)
    chosen, keeping = segments_in_address("language", names, EVERY, ends="scene")
    st.segmented_control(
        say(SCENES),
        [*names],
        format_func=lambda name: say(EVERY) if name == EVERY else language_name(str(names[name])),
        required=True,
        **keeping,
    )
    return names[chosen]


SCENES = to_say("Scene language")


def chosen_table_language(languages: Sequence[str], notes: DeltaGenerator, of: str = SCENES) -> str:
    """The one of these languages whose table is wanted: a table is of one language, as in the paper."""
    names = {LANGUAGES.get(language, language): language for language in languages}
    with notes:
        tell_unknown("language", UNKNOWN["language"], names)
    chosen, keeping = segments_in_address("language", names, next(iter(names)), ends="scene")
    if len(names) > 1:
        st.segmented_control(
            say(of),
            [*names],
            format_func=lambda name: language_name(names[name]),
            required=True,
            **keeping,
        )
    return names[chosen]


def chosen_wanted(scores: Scores, notes: DeltaGenerator) -> Wanted:
    """The language, whose scores they are, and who narrated."""
    language = chosen_table_language(scores.languages, notes)
    judges, experts = scores.judges(language), scores.has_experts(language)
    possible = {"judge": bool(judges), "experts": experts, "corrected": bool(judges) and experts}
    options = [told for told, whose in WHOSE.items() if possible[whose]]
    with notes:
        tell_unknown("scores", UNKNOWN["scores"], options)
    told, keeping = segments_in_address("scores", options, options[0])
    if len(options) > 1:
        st.segmented_control(say("Scores by"), options, format_func=say, required=True, **keeping)
    judge = None if WHOSE[told] == "experts" else _chosen_judge(judges, scores.improvised_judges(), notes)
    wanted = Wanted(WHOSE[told], language, judge, st.query_params.get("sweep"))
    return replace(wanted, narrator=_chosen_narrator(scores.narrators(wanted), notes))


def chosen_metric(notes: DeltaGenerator) -> str:
    """What the models are ordered by, and charts are of."""
    keys = [*columns()]
    with notes:
        tell_unknown("metric", UNKNOWN["metric"], keys)
    metric, keeping = box_in_address("metric", keys, RESERVED)
    st.selectbox(say("Sort by"), keys, format_func=lambda key: capital(column_name(key)), width=260, **keeping)
    return metric


def _chosen_judge(judges: list[str], improvised: frozenset[str], notes: DeltaGenerator) -> str:
    with notes:
        tell_unknown("judge", UNKNOWN["judge"], judges)
    judge, keeping = box_in_address("judge", judges, judges[0])
    st.selectbox(
        say("Judge"),
        judges,
        format_func=lambda name: translate(judge_called(name, name in improvised)),
        width=280,
        help=say(JUDGE_VERSIONS),
        **keeping,
    )
    return judge


def _chosen_narrator(narrators: list[str], notes: DeltaGenerator) -> str | None:
    """None for all of them."""
    with notes:
        tell_unknown("narrator", UNKNOWN["narrator"], narrators)
    narrator, keeping = box_in_address("narrator", [ALL, *narrators], ALL, ends="scene")
    if len(narrators) > 1:
        st.selectbox(
            say("Narrator"),
            [ALL, *narrators],
            format_func=lambda name: name or say("All narrators"),
            width=240,
            **keeping,
        )
    return narrator or None
