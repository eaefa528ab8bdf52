"""Judges: put one to work on a story, see how far it is, and read its critique and scores."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from annotations.wording import say, say_count
from characterbox.stage.batches import Judging
from characterbox.stage.stage import Stage
from characterbox.store.stories import Story
from pages.parts.job_progress import follow_jobs, job_progress, judge_anew
from pages.parts.judge_form import judge_form
from pages.parts.look import plain
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
    follow_jobs(lambda: stage.jobs.of(Judging, story.id), partial(_verdicts, stage, story))


def _verdicts(stage: Stage, story: Story, judgings: Sequence[Judging]) -> None:
    for judging in judgings:
        key = f"{judging.judge.rater}-{judging.of}"
        anew = job_progress(judging, f"stop-{key}", _called(judging), _how_far(judging), _stopped(judging))
        if judging.future.done() and not judging.future.cancelled() and not judging.future.exception():
            missing = sum(rating.score is None for rating in judging.future.result())
            if missing:
                told = say_count("{count:,} score could not be read", "{count:,} scores could not be read", missing)
                st.warning(plain(say("{name}: {what}", name=_called(judging), what=told)))
                anew = True
        if anew:
            again = Judging(story, judging.judge, judging.of, anew=True)
            judge_anew(f"anew-{key}", partial(stage.jobs.start, again))
    verdicts(stage, story)


def _called(judging: Judging) -> str:
    """The judge, with what it judges where that is no character."""
    if judging.of == "character":
        return judging.judge.called
    return f"{judging.judge.called}, {say(SUBJECTS[judging.of])}"


def _how_far(judging: Judging) -> str:
    done, count = judging.done, judging.whole
    if judging.of != "character":
        return say("{name}: being judged", name=_called(judging))
    return say("{name}: {done} of {count} characters judged", name=_called(judging), done=done, count=count)


def _stopped(judging: Judging) -> str:
    if judging.of != "character":
        return say("{name}: stopped. Judge again; replies that came are kept.", name=_called(judging))
    return say(
        "{name}: stopped after {done} of {count} characters. Judge the story again to have the others judged.",
        name=_called(judging),
        done=judging.done,
        count=judging.whole,
    )
