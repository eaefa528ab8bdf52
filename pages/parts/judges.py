"""Judges: put one to work on a story, see how far it is, and read its critique and scores."""

from collections.abc import Mapping

import streamlit as st

from annotations.rubric import Subject
from annotations.wording import NAMES, say, say_count, to_say, translate
from characterbox.errors import CharacterBoxError, RecordMismatch
from characterbox.judging.judge import Judge
from characterbox.judging.protocol import PRESETS, Protocol
from characterbox.judging.registry import known_judges
from characterbox.stage.batches import Judging
from characterbox.stage.stage import Stage
from characterbox.store.stories import Story
from pages.parts.form import MOST_LINE
from pages.parts.look import plain, quiet
from pages.parts.verdicts import SUBJECTS, verdicts

JUDGE = to_say("Judge the story")
MANNERS = {
    "critique": to_say("A critique first, then the scores"),
    "direct": to_say("Scores at once, by the whole rubric"),
    "brief": to_say("Scores at once, from a short prompt"),
}
REPLIES = {"one": to_say("One reply for all metrics"), "each": to_say("A reply for each metric")}
ORDERS = {"rubric": to_say("In the order of the rubric"), "shuffled": to_say("Shuffled for each trajectory")}
SCENE = to_say("The language of the scene")


def judge_form(
    stage: Stage, press: str = JUDGE, *, primary: bool = True, characters_only: bool = False
) -> tuple[Judge, Subject] | None:
    """The judge for whom the button was pressed just now, if it was, and what it judges.

    A name brings back how it judged such last.
    """
    known = _known(stage)
    names = list(dict.fromkeys([*PRESETS, *known]))
    if "judge-name" not in st.session_state:
        st.session_state["judge-name"] = names[0]
        _fill(names[0], known)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            say("Judge"), names, accept_new_options=True, key="judge-name", width=220,
            on_change=lambda: _fill(st.session_state["judge-name"] or "", known),
        )  # fmt: skip
        address = st.text_input(
            say("Endpoint"),
            placeholder=say("URL#MODEL, or rehearsal"),
            key="judge-endpoint",
            width=380,
            max_chars=MOST_LINE,
        )
        if not characters_only:
            st.selectbox(
                say("Subject"), [*SUBJECTS], format_func=lambda one: say(SUBJECTS[one]), key="judge-of", width=160,
                on_change=lambda: _fill(st.session_state["judge-name"] or "", _known(stage)),
            )  # fmt: skip
        with st.popover(say("How it judges")):
            protocol = _protocol()
        pressed = st.button(say(press), type="primary" if primary else "secondary", key="judge-story")
    if not pressed:
        return None
    try:
        return Judge.parse(f"{name or ''}={address}").model_copy(update={"protocol": protocol}), _subject()
    except CharacterBoxError as error:
        st.error(plain(translate(error)))
        return None


def _subject() -> Subject:
    chosen: Subject = st.session_state.get("judge-of") or "character"
    return chosen


def _known(stage: Stage) -> dict[str, Judge]:
    """The judges of what is to be judged, by name."""
    return {judge.name: judge for judge in known_judges(stage.store, _subject())}


def _protocol() -> Protocol:
    spoken = {"scene": say(SCENE), **{str(one): name for one, name in NAMES.items()}}
    return Protocol(
        manner=_one_of("manner", say("Scores"), {key: say(one) for key, one in MANNERS.items()}),
        replies=_one_of("replies", say("Replies"), {key: say(one) for key, one in REPLIES.items()}),
        order=_one_of("order", say("Order of the metrics"), {key: say(one) for key, one in ORDERS.items()}),
        language=_one_of("language", say("Language of the prompts"), spoken),
        temperature=st.number_input(
            say("Temperature"), 0.0, 2.0, None, 0.1, key="judge-temperature", placeholder=say("the endpoint's own")
        ),
    )


def _one_of(name: str, label: str, options: Mapping[str, str]) -> str:
    return st.selectbox(label, [*options], format_func=lambda one: options[one], key=f"judge-{name}")


def _fill(name: str, known: Mapping[str, Judge]) -> None:
    """Bring back how a judge of this name judged last, or else how the paper's does."""
    judge = known.get(name)
    protocol = judge.protocol if judge else PRESETS.get(name, Protocol())
    if judge or "judge-endpoint" not in st.session_state:
        st.session_state["judge-endpoint"] = str(judge.endpoint) if judge else "rehearsal"
    for field, value in protocol.model_dump().items():
        st.session_state[f"judge-{field}"] = value


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
        future, key = judging.future, f"{judging.judge.rater}-{judging.of}"
        if not future.done():
            st.progress(judging.done / (judging.whole or 1), plain(_how_far(judging)))
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
    if drawn_running and all(judging.future.done() for judging in judgings):
        st.rerun()
    verdicts(stage, story)


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
