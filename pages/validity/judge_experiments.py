"""Experiments on a judge: start one on some stories, see how far it is, and what it has shown."""

import json
from collections.abc import Mapping, Sequence

import streamlit as st

from annotations.errors import Undefined
from annotations.i18n.messages import COMMA, joined
from annotations.i18n.translation import say, say_count, speaking, translate
from annotations.marking.rating import judge_called
from annotations.rubrics.rubric import load_rubric
from annotations.validity.judge_expert_correlation import OVERALL
from annotations.validity.repeats import WORTH
from characterbox.components.figures.background.judge_details import experiments_on
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.background.source import Ratings
from characterbox.components.figures.tables.captions import listed, said
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.judges import (
    changes_table,
    halo_table,
    repeats_table,
    steadiness_table,
    varied_validity_table,
)
from characterbox.components.figures.tables.text import counted, file_name, metric_name
from characterbox.errors import CharacterBoxError, RecordMismatch
from characterbox.judging.experiments import (
    MOST_REPEATS,
    REPEATS,
    TOLD,
    Findings,
    Trial,
    as_json,
    findings,
    planned,
    tried_judges,
    usual_variations,
    variations,
)
from characterbox.judging.judge import Judge, known_judges, registered, rehearsed_raters
from characterbox.judging.provenance import DEMO_NOTE, NAMESAKE
from characterbox.stage.jobs.model_jobs import Experiment
from characterbox.stage.stage import Stage, open_stage
from characterbox.store import Store
from pages.shared.form import Numbers, pick_some
from pages.shared.text import plain, quiet
from pages.validity.choice import Focus
from pages.validity.links import offer

_LISTED = 200
"""Stories that one can choose from, the newest ones."""


def show_experiments(ratings: Ratings, selection: Selection, focus: Focus) -> None:
    """What was tried with the judges in the app, whatever ratings are selected."""
    if not ratings.stored:
        st.html(said(say("Judge experiments are available for stories in this app only.")))
        return
    stage = open_stage()
    tried = tried_judges(stage.store)
    name = next((one for told in ("", NAMESAKE) for one in tried if focus.judge == f"{one}{told}"), None)
    if name is not None:
        last = stage.store.ratings.last_trial()
        found = ratings.in_depth(say("Comparing the variations"), experiments_on, selection, name, last)
        _shown(found, focus.metric)
        figures = (say("All statistics of the experiments (JSON)"), "json", lambda: _file(stage.store, name))
        offer(file_name("experiments", str(found.called)), [figures])
    elif tried:
        rehearsed = rehearsed_raters(stage.store)
        judges = joined((judge_called(one, one in rehearsed) for one in tried), COMMA)
        st.html(said(say("Judges with experiments: {judges}. Choose one above.", judges=judges)))
    else:
        st.html(said(say("No judge experiments yet.")))
    if known := {judge.name: judge for judge in known_judges(stage.store)}:
        st.subheader(say("New judge experiment"))
        _start(stage, known)
    else:
        st.html(said(say("No judges yet: have a judge judge a story, then come back to start an experiment.")))
    running = any(one.under_way for one in stage.jobs.of(Experiment))
    st.fragment(_progress, run_every=1.0 if running else None)(stage, running)


def _shown(found: Findings, metric: str) -> None:
    metric = metric if metric in (*load_rubric().keys, OVERALL) else OVERALL
    st.html(
        said(
            say(
                "{items} in {scenes}, from all stories, were judged again with one thing changed; shown below:"
                " {metric}. A repeat changes only the seed, so it shows chance variation. Intervals: jackknife"
                " by scenes.",
                items=counted(found.items, "item"),
                scenes=counted(found.scenes, "scene"),
                metric=metric_name(metric),
            )
        )
    )
    st.html(html_of(changes_table(found, metric)))
    if found.steadiness:
        st.subheader(say("How stable is the judge across repeats?"))
        st.html(html_of(steadiness_table(found)))
        st.subheader(say("How many repeats are worth it?"))
        st.html(html_of(repeats_table(found)))
        st.html(
            said(
                say(
                    "The mean of several scores of an item is more reliable than one score, but the cost grows with"
                    " the number of scores. Random variation lowers r with the experts: it is multiplied by the"
                    " square root of the reliability; the value below each interval is the increase in r from"
                    " averaging. Beyond the number in the last column, one more score raises r by less than"
                    " {least:.0%}.",
                    least=WORTH,
                )
            )
        )
    if found.halo is not None:
        st.subheader(say("Does one reply for all metrics cause halo?"))
        if isinstance(found.halo, Undefined):
            st.html(said(say("This cannot be determined: {reason}.", reason=found.halo.reason)))
        else:
            st.html(html_of(halo_table(found.halo, found)))
            constant = say(
                "Left out because all items have the same score there: {metrics}.",
                metrics=say(", ").join(found.halo.constant),
            )
            st.html(listed([found.halo.verdict, *([constant] if found.halo.constant else [])]))
    if found.validity:
        st.subheader(say("Do the variations agree better with the experts?"))
        st.html(html_of(varied_validity_table(found)))


def _file(store: Store, judge: str) -> bytes:
    """All that the experiments on a judge have shown. In English, as papers are."""
    with speaking("en"):
        found = as_json(findings(store, judge))
    return json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False).encode()


def _start(stage: Stage, known: Mapping[str, Judge]) -> None:
    """What is to be tried on which stories, what that takes, and the button that starts it."""
    numbers = Numbers()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            say("Judge to test"), list(known), format_func=lambda one: translate(known[one].called), width=240
        )
        judge = known[name]
        tried = pick_some(
            say("Change"), usual_variations(judge.protocol), format_func=lambda name: say(TOLD[name]),
            key=f"tried-{judge.name}", width=420,
        )  # fmt: skip
        repeats = 2
        if REPEATS in tried:
            repeats = numbers.ask(say("Repeats"), 1, MOST_REPEATS, 2, key="tried-repeats", width=130)
    stories = {story.id: story for story in stage.store.stories.stories("ended", limit=_LISTED)}
    chosen = pick_some(
        say("Stories"), list(stories), key="tried-stories", placeholder=say("all stories that it has judged"),
        format_func=lambda id: f"{stories[id].label or stories[id].title} · {id}",
    )  # fmt: skip
    if not tried:
        quiet(say("Choose what to change to see how many replies are needed."))
        return
    if not numbers.fine:
        return
    try:
        trials = _planned(stage, judge, variations(judge, tried, repeats), chosen)
    except CharacterBoxError as error:
        st.error(plain(translate(error)))
        return
    if not trials:
        quiet(say("This judge has not judged any stories yet: choose some."))
        return
    _tell_plan(trials)
    if st.button(say("Start experiment"), type="primary", key="tried-start"):
        stage.jobs.start(Experiment(trials))
        st.rerun()


def _planned(stage: Stage, judge: Judge, tried: Sequence[Judge], chosen: Sequence[str]) -> list[Trial]:
    """What it takes on the stories that are chosen, or else on all that the judge has judged."""
    judge = registered(stage.store, judge)
    ids = chosen or stage.store.ratings.judged_by(judge.rater)
    varied = [one.model_copy(update={"version": judge.version}) for one in tried]
    return planned(stage.store, [stage.store.stories.story(id) for id in ids], judge, varied)


def _tell_plan(trials: Sequence[Trial]) -> None:
    calls, stories = sum(trial.calls for trial in trials), len({trial.story.id for trial in trials})
    on = say_count("{count:,} story", "{count:,} stories", stories)
    told = say_count(
        "{count:,} reply will be requested, for {on}.", "{count:,} replies will be requested, for {on}.", calls, on=on
    )
    quiet(told)
    if any(trial.judge.endpoint.is_modelless for trial in trials):
        quiet(say(DEMO_NOTE))


def _progress(stage: Stage, drawn_running: bool) -> None:
    """How far the experiments are that were started since the app was."""
    experiments = stage.jobs.of(Experiment)
    if drawn_running and not any(one.under_way for one in experiments):
        st.rerun()
    for one in experiments:
        judge = one.trials[0].judge
        done, whole, called = one.done, len(one.trials), judge.called
        if not one.future.done():
            told = say("{judge}: {done:,} of {whole:,} judgments finished", judge=called, done=done, whole=whole)
            st.progress(done / whole, plain(told))
            if st.button(say("Stop"), key=f"tried-stop-{judge.rater}"):
                one.stop()
        elif one.future.cancelled():
            told = say(
                "{judge}: stopped after {done:,} of {whole:,} judgments. Finished judgments are kept; start the"
                " experiment again to complete the rest.",
                judge=called,
                done=done,
                whole=whole,
            )
            quiet(told)
        elif error := one.future.exception():
            st.warning(plain(say("{name}: {what}", name=called, what=translate(error))))
            if isinstance(error, RecordMismatch) and st.button(say("Judge again"), key=f"tried-anew-{judge.rater}"):
                stage.jobs.start(Experiment(one.trials, anew=True))
                st.rerun()
