"""Judges: put one to work on a story, see how far it is, and read its critique and scores."""

import pandas as pd
import streamlit as st

from annotations.rubric import load_rubric
from annotations.wording import say
from characterbox.errors import RecordMismatch
from characterbox.reasons import retold
from characterbox.scenes.scene import slug_of
from characterbox.stage.judgings import Judging
from characterbox.stage.stage import Stage
from characterbox.store.ratings import item_of
from characterbox.store.stories import Story
from pages.parts.judge_form import judge_form
from pages.parts.look import plain, quiet


def judges(stage: Stage, story: Story) -> None:
    """The judges of a story: a form to run one, what is under way, and the verdicts."""
    st.subheader(say("Judges"))
    st.caption(say("A judge reads each character's trajectory, and scores it on the seven metrics."))
    if (judge := judge_form(stage)) is not None:
        stage.judgings.start(story, judge)
    running = any(not judging.future.done() for judging in stage.judgings.of(story.id))
    st.fragment(_verdicts, run_every=1.0 if running else None)(stage, story, running)


def _verdicts(stage: Stage, story: Story, drawn_running: bool) -> None:
    judgings = stage.judgings.of(story.id)
    for judging in judgings:
        _progress(stage, story, judging)
    if drawn_running and all(judging.future.done() for judging in judgings):
        st.rerun()
    names = {item_of(story, name): name for name in story.script.scene.names}
    frame = stage.store.ratings.frame(list(names))
    for judge, given in frame[frame["kind"] == "judge"].groupby("rater"):
        _verdict(stage, story, str(judge), given)


def _progress(stage: Stage, story: Story, judging: Judging) -> None:
    name, future, done, count = judging.judge.rater, judging.future, len(judging.done), len(judging.names)
    if not future.done():
        st.progress(done / count, plain(_how_far(name, done, count)))
        if st.button(say("Stop"), key=f"stop-{name}"):
            judging.stop()
    elif future.cancelled():
        quiet(
            say(
                "{name}: stopped after {done} of {count} characters. Judge the story again to have the others judged.",
                name=name,
                done=done,
                count=count,
            )
        )
    elif error := future.exception():
        st.warning(plain(say("{name}: {what}", name=name, what=retold(str(error)))))
        if isinstance(error, RecordMismatch) and st.button(say("Judge anew"), key=f"anew-{name}"):
            stage.judgings.start(story, judging.judge, anew=True)
            st.rerun()


def _how_far(name: str, done: int, count: int) -> str:
    return say("{name}: {done} of {count} characters judged", name=name, done=done, count=count)


def _verdict(stage: Stage, story: Story, judge: str, given: pd.DataFrame) -> None:
    names = {item_of(story, name): name for name in story.script.scene.names}
    table = given.pivot(index="item", columns="metric", values="score").rename(index=names)
    table = table.reindex(index=[n for n in names.values() if n in table.index], columns=list(load_rubric().keys))
    st.markdown(f"**{plain(judge)}**")
    place = f"judge/{slug_of(judge)}/"
    replies = {reply.path: reply for reply in stage.store.stories.journal(story.id, under=place)}
    if any(reply.endpoint.is_rehearsal for reply in replies.values()):
        quiet(say("Improvised by the rehearsal endpoint, no language model: not a result."))
    st.dataframe(table.rename_axis(say("Character"), axis="index").reset_index(), hide_index=True, width="content")
    for row in given[given["score"].isna()].itertuples():
        quiet(
            say(
                "{character}, {metric}: no score. {reason}",
                character=names[str(row.item)],
                metric=row.metric,
                reason=row.reason,
            )
        )
    critiques = {name: replies.get(f"{place}{slug_of(name)}/critique") for name in names.values()}
    if any(critiques.values()):
        with st.expander(say("Critiques")):
            for name, reply in critiques.items():
                if reply is not None:
                    st.text(f"{name} ({reply.endpoint})\n{reply.text}")
