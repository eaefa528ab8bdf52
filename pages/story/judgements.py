"""Judges on a story: start one, see how far it is, and read its critique and scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from annotations.exchange.table import NO_FIGURE
from annotations.i18n.messages import to_say
from annotations.i18n.translation import NAMES, say, say_count, sentence, tongue, translate
from annotations.marking.rating import judge_called
from annotations.rubrics.rubric import Rubric, load_rubric
from characterbox.components.figures.tables.narrators import STEPS
from characterbox.components.settings_text import refusals, temperature_told
from characterbox.errors import CharacterBoxError, RecordMismatch
from characterbox.judging.judge import Judge, known_judges, protocol_of
from characterbox.judging.protocol import NEW, PRESETS, Protocol
from characterbox.judging.provenance import DEMO, NOT_A_RESULT
from characterbox.judging.subject import JudgeRubric, Work, works_in
from characterbox.judging.verdict import place_of_judge
from characterbox.llm.journal import Reply
from characterbox.pause_reasons import Reason
from characterbox.stage.jobs.model_jobs import Judging
from characterbox.stage.stage import Stage
from characterbox.store.ratings.ratings import Rating, item_and_model
from characterbox.store.ratings.scene_ratings import key_of
from characterbox.store.stories.stories import Story
from pages.shared.form import MOST_LINE, UNUSABLE, Numbers
from pages.shared.text import plain, quiet

JUDGE = to_say("Judge story")
MANNERS = {
    "critique": to_say("Critique first, then scores"),
    "direct": to_say("Scores only, with the full rubric"),
    "brief": to_say("Scores only, with a short prompt"),
}
REPLIES = {"one": to_say("One reply for all metrics"), "each": to_say("One reply per metric")}
ORDERS = {"rubric": to_say("Rubric order"), "shuffled": to_say("Shuffled for each trajectory")}
SCENE = to_say("Same as the scene")


def judge_form(
    stage: Stage, press: str = JUDGE, *, primary: bool = True, characters_only: bool = False
) -> tuple[Judge, JudgeRubric] | None:
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
            placeholder=say("URL#MODEL or rehearsal"),
            key="judge-endpoint",
            width=380,
            max_chars=MOST_LINE,
        )
        if not characters_only:
            st.selectbox(
                say("Subject"), [*SUBJECTS], format_func=lambda one: say(SUBJECTS[one]), key="judge-of", width=240,
                on_change=lambda: _fill(st.session_state["judge-name"] or "", _known(stage)),
            )  # fmt: skip
        with st.popover(say("Judging protocol")):
            protocol = _protocol(numbers := Numbers())
        pressed = st.button(say(press), type="primary" if primary else "secondary", key="judge-story")
    if not pressed:
        return None
    if not numbers.fine:
        st.error(plain(say(UNUSABLE)))
        return None
    try:
        judge = Judge.parse(f"{name or ''}={address}")
        return judge.model_copy(update={"protocol": Protocol.model_validate(protocol)}), _subject()
    except CharacterBoxError as error:
        st.error(plain(translate(error)))
        return None


def _subject() -> JudgeRubric:
    chosen: JudgeRubric = st.session_state.get("judge-of") or "character"
    return chosen


def _known(stage: Stage) -> dict[str, Judge]:
    """The judges of what is to be judged, by name."""
    return {judge.name: judge for judge in known_judges(stage.store, _subject())}


def _protocol(numbers: Numbers) -> dict[str, Any]:
    """The fields of the protocol as they are chosen."""
    spoken = {"scene": say(SCENE), **{str(one): name for one, name in NAMES.items()}}
    return {
        "manner": _one_of("manner", say("Scores"), {key: say(one) for key, one in MANNERS.items()}),
        "replies": _one_of("replies", say("Replies"), {key: say(one) for key, one in REPLIES.items()}),
        "order": _one_of("order", say("Order of the metrics"), {key: say(one) for key, one in ORDERS.items()}),
        "language": _one_of("language", say("Language of the prompts"), spoken),
        "temperature": numbers.ask(
            say("Temperature"), 0.0, 2.0, None, step=0.1, key="judge-temperature",
            placeholder=say("endpoint default"),
        ),
    }  # fmt: skip


def _one_of(name: str, label: str, options: Mapping[str, str]) -> str:
    return st.selectbox(label, [*options], format_func=lambda one: options[one], key=f"judge-{name}")


def _fill(name: str, known: Mapping[str, Judge]) -> None:
    """Bring back how a judge of this name judged last, or else how the paper's does."""
    judge = known.get(name)
    protocol = judge.protocol if judge else PRESETS.get(name, NEW)
    if judge or "judge-endpoint" not in st.session_state:
        st.session_state["judge-endpoint"] = str(judge.endpoint) if judge else "rehearsal"
    for field, value in protocol.model_dump().items():
        st.session_state[f"judge-{field}"] = value


def judges(stage: Stage, story: Story) -> None:
    """The judges of a story: a form to run one, what is under way, and the verdicts."""
    st.subheader(say("Judges"))
    if story.script.conversation is not None:
        st.caption(say("A judge reads what each role says, and scores it on the metrics of the rubric."))
    else:
        st.caption(
            say(
                "A judge reads each character's trajectory, the narrator's decisions or the opening scene, and"
                " scores it on the metrics of the rubric."
            )
        )
    if (wanted := judge_form(stage, characters_only=story.script.conversation is not None)) is not None:
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
    if st.button(say("Judge again"), key=f"anew-{judging.judge.rater}-{judging.of}"):
        stage.jobs.start(Judging(story, judging.judge, judging.of, anew=True))
        st.rerun()


def _called(judging: Judging) -> str:
    """The judge, with what it judges where that is no character."""
    if judging.of == "character":
        return translate(judging.judge.called)
    return f"{translate(judging.judge.called)}, {say(SUBJECTS[judging.of])}"


def _how_far(judging: Judging) -> str:
    done, count = judging.done, judging.whole
    if judging.of != "character":
        return say("{name}: judging", name=_called(judging))
    return say("{name}: {done} of {count} characters judged", name=_called(judging), done=done, count=count)


def _stopped(judging: Judging) -> str:
    if judging.of != "character":
        return say("{name}: stopped. Judge again to continue; replies received are reused.", name=_called(judging))
    return say(
        "{name}: stopped after {done} of {count} characters. Judge the story again to score the rest.",
        name=_called(judging),
        done=judging.done,
        count=judging.whole,
    )


SUBJECTS: Mapping[JudgeRubric, str] = {
    "character": to_say("Characters"),
    "narrator": to_say("Narrator"),
    "narrator_steps": to_say("Narrator, by kind of step"),
    "scene": to_say("Scene"),
}


@dataclass(frozen=True, slots=True)
class _Said:
    """What a judge has said of one piece of work."""

    name: str
    ratings: Sequence[Rating]
    replies: Mapping[str, Reply]
    """By what was asked: `critique`, `scores` ..."""
    improvised: bool
    """Whether the rehearsal gave some of it."""


def verdicts(stage: Stage, story: Story) -> None:
    """The scores of all judges, one judge after another, each with its critiques."""
    works = [work for rubric in SUBJECTS for work in works_in(story.script, (), rubric)]
    items = [(item_and_model(story, work.name, work.subject)[0].label, work) for work in works]
    for judge in sorted(stage.store.ratings.judges([item for item, _ in items])):
        said = [(work.rubric, _said(stage, item, work, judge)) for item, work in items]
        improvised = any(one.improvised for _, one in said)
        badge = f" :gray-badge[{say(DEMO)}]" if improvised else ""
        st.markdown(
            f"**{plain(judge_called(judge, improvised))}**{badge}", help=say(NOT_A_RESULT) if improvised else None
        )
        for line in (*_temperatures(stage, judge), *refusals(_refused(stage, story, judge))):
            quiet(line)
        for rubric in SUBJECTS:
            if given := [one for of, one in said if of == rubric and one.ratings]:
                _scores(rubric, given)
        critiques = [(one.name, one.replies["critique"]) for _, one in said if "critique" in one.replies]
        if critiques:
            with st.expander(say("Critiques")):
                for name, reply in critiques:
                    st.text(f"{name} ({reply.endpoint})\n{reply.text}")


def _temperatures(stage: Stage, judge: str) -> list[str]:
    """The temperature of a judge; several, where it judges characters otherwise than narrators or scenes."""
    known = (protocol_of(stage.store, judge, subject) for subject in SUBJECTS)
    return [*dict.fromkeys(temperature_told(one.temperature) for one in known if one is not None)]


def _refused(stage: Stage, story: Story, judge: str) -> Mapping[str, Sequence[str]]:
    return stage.store.stories.refused(story.id, under=place_of_judge(judge))


def _said(stage: Stage, item: str, work: Work, judge: str) -> _Said:
    ratings = [one for one in stage.store.ratings.of_judge(item, judge).values() if one.rubric == work.rubric]
    place = f"{place_of_judge(judge)}{work.place}/"
    asked_of = ratings[0].story_id if ratings else ""  # of a scene, perhaps another story than this one
    journal = stage.store.stories.journal(asked_of, under=place)
    replies = {one.path.removeprefix(place): one for one in journal}
    improvised = any(one.endpoint.is_modelless for one in journal)
    if work.subject == "scene" and ratings and not journal:  # it was judged where it was crafted
        improvised = any(
            one.improvised for one in stage.store.scene_ratings.of([key_of(work.scene)]) if one.rater == judge
        )
    return _Said(work.name or say(SUBJECTS[work.rubric]), ratings, replies, improvised)


def _scores(of: JudgeRubric, given: Sequence[_Said]) -> None:
    if any(one.improvised for one in given):
        quiet(say("Demo output from the built-in rehearsal (no language model); do not report."))
    rubric = load_rubric(of)
    heads = {key: key if of == "character" else rubric.metric(key).name.text(tongue()) for key in rubric.keys}
    label = {"character": say("Character"), "narrator_steps": say("Kind of step")}.get(of, say("Subject"))
    table = _by_step(rubric, given) if of == "narrator_steps" else _by_name(given, heads)
    rows = table.rename_axis(label, axis="index").reset_index()
    st.dataframe(rows, hide_index=True, width="content", placeholder=NO_FIGURE)
    _tell_missing(given, heads)


def _by_name(given: Sequence[_Said], heads: Mapping[str, str]) -> pd.DataFrame:
    scores = {one.name: {rating.metric: rating.score for rating in one.ratings} for one in given}
    return pd.DataFrame.from_dict(scores, orient="index").reindex(columns=[*heads]).rename(columns=heads)


def _by_step(rubric: Rubric, given: Sequence[_Said]) -> pd.DataFrame:
    """The kinds of step as rows, the metrics that are asked of each as columns."""
    whole = load_rubric("narrator")
    scores: dict[str, dict[str, int | None]] = {}
    for rating in (rating for one in given for rating in one.ratings):
        if (asked := rubric.metric(rating.metric).of) is not None:
            scores.setdefault(say(STEPS[asked.step]), {})[asked.metric] = rating.score
    table = pd.DataFrame.from_dict(scores, orient="index")
    return table.rename(columns={key: whole.metric(key).name.text(tongue()) for key in whole.keys})


def _tell_missing(given: Sequence[_Said], heads: Mapping[str, str]) -> None:
    """Why scores are missing: each reason once, with those and the metrics that it concerns."""
    concerned: dict[Reason | None, dict[str, list[str]]] = {}
    for one in given:
        for rating in one.ratings:
            if rating.score is None:
                concerned.setdefault(rating.reason, {}).setdefault(one.name, []).append(heads[rating.metric])
    for reason, metrics_of in concerned.items():
        names_of: dict[str, list[str]] = {}
        for name, metrics in metrics_of.items():
            told = say("all metrics") if len(metrics) == len(heads) else say(", ").join(metrics)
            names_of.setdefault(told, []).append(name)
        where = say("; ").join(
            say("{names}: {metrics}", names=say(", ").join(names), metrics=told) for told, names in names_of.items()
        )
        quiet(say("No score ({where}). {reason}", where=where, reason=sentence(translate(reason or ""))))
