"""Judges: put one to work on a story, see how far it is, and read its critique and scores."""

import streamlit as st

from annotations.wording import say, say_count, translate
from characterbox.errors import RecordMismatch
from characterbox.stage.judging_jobs import Judging
from characterbox.stage.stage import Stage
from characterbox.store.stories import Story
from pages.parts.judge_form import judge_form
from pages.parts.look import plain, quiet
from pages.parts.verdicts import SUBJECTS, verdicts


def judges(stage: Stage, story: Story) -> None:
    """The judges of a story: a form to run one, what is under way, and the verdicts."""
    st.subheader(say("Judges"))
    st.caption(
        say(
            "A judge reads each character's trajectory, what the narrator decided, or the scene as it opens, and scores"
            " it on the metrics of the rubric."
        )
    )
    if (wanted := judge_form(stage)) is not None:
        judge, of = wanted
        stage.jobs.start(Judging.by(stage.store, story, judge, of))
    running = any(judging.under_way for judging in stage.jobs.of(Judging, story.id))
    st.fragment(_verdicts, run_every=1.0 if running else None)(stage, story, running)


def _verdicts(stage: Stage, story: Story, drawn_running: bool) -> None:
    judgings = stage.jobs.of(Judging, story.id)
    for judging in judgings:
        _progress(stage, story, judging)
    if drawn_running and all(judging.future.done() for judging in judgings):
        st.rerun()
    verdicts(stage, story)


def _progress(stage: Stage, story: Story, judging: Judging) -> None:
    future, key = judging.future, f"{judging.judge.rater}-{judging.of}"
    if not future.done():
        st.progress(len(judging.done) / len(judging.names), plain(_how_far(judging)))
        if st.button(say("Stop"), key=f"stop-{key}"):
            judging.stop()
    elif future.cancelled():
        quiet(_stopped(judging))
    elif error := future.exception():
        st.warning(plain(say("{name}: {what}", name=_called(judging), what=translate(error))))
        if isinstance(error, RecordMismatch):
            _judge_anew(stage, story, judging)
    elif missing := sum(rating.score is None for rating in future.result()):
        told = say_count("{count:,} score could not be read", "{count:,} scores could not be read", missing)
        st.warning(plain(say("{name}: {what}", name=_called(judging), what=told)))
        _judge_anew(stage, story, judging)


def _judge_anew(stage: Stage, story: Story, judging: Judging) -> None:
    if st.button(say("Judge anew"), key=f"anew-{judging.judge.rater}-{judging.of}"):
        stage.jobs.start(Judging(story, judging.judge, judging.of, anew=True))
        st.rerun()


def _called(judging: Judging) -> str:
    """The judge, with what it judges where that is no character."""
    if judging.of == "character":
        return judging.judge.called
    return f"{judging.judge.called}, {say(SUBJECTS[judging.of])}"


def _how_far(judging: Judging) -> str:
    done, count = len(judging.done), len(judging.names)
    if judging.of != "character":
        return say("{name}: being judged", name=_called(judging))
    return say("{name}: {done} of {count} characters judged", name=_called(judging), done=done, count=count)


def _stopped(judging: Judging) -> str:
    if judging.of != "character":
        return say("{name}: stopped. Judge again; replies that came are kept.", name=_called(judging))
    return say(
        "{name}: stopped after {done} of {count} characters. Judge the story again to have the others judged.",
        name=_called(judging),
        done=len(judging.done),
        count=len(judging.names),
    )
