"""What judges have said of a story: of its characters, its narrator and its scene."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from annotations.improvised import judge_called
from annotations.rubric import Subject, load_rubric
from annotations.table import NO_FIGURE
from annotations.wording import say, sentence, to_say, tongue, translate
from characterbox.judging.provenance import DEMO, NOT_A_RESULT
from characterbox.judging.verdict import place_of_judge
from characterbox.judging.work import Work, works_of
from characterbox.llm.journal import Reply
from characterbox.reasons import Reason
from characterbox.stage.stage import Stage
from characterbox.store.ratings import Rating, item_and_model
from characterbox.store.scene_ratings import key_of
from characterbox.store.stories import Story
from pages.parts.look import plain, quiet

SUBJECTS: Mapping[Subject, str] = {
    "character": to_say("Characters"),
    "narrator": to_say("Narrator"),
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
    works = [work for subject in SUBJECTS for work in works_of(story.script.scene, (), subject)]
    items = {item_and_model(story, work.name, work.subject)[0].label: work for work in works}
    for judge in sorted(stage.store.ratings.judges([*items])):
        said = [(work.subject, _said(stage, item, work, judge)) for item, work in items.items()]
        improvised = any(one.improvised for _, one in said)
        badge = f" :gray-badge[{say(DEMO)}]" if improvised else ""
        st.markdown(
            f"**{plain(judge_called(judge, improvised))}**{badge}", help=say(NOT_A_RESULT) if improvised else None
        )
        for subject in SUBJECTS:
            if given := [one for of, one in said if of == subject and one.ratings]:
                _scores(subject, given)
        critiques = [(one.name, one.replies["critique"]) for _, one in said if "critique" in one.replies]
        if critiques:
            with st.expander(say("Critiques")):
                for name, reply in critiques:
                    st.text(f"{name} ({reply.endpoint})\n{reply.text}")


def _said(stage: Stage, item: str, work: Work, judge: str) -> _Said:
    ratings = list(stage.store.ratings.of_judge(item, judge).values())
    place = f"{place_of_judge(judge)}{work.place}/"
    asked_of = ratings[0].story_id if ratings else ""  # of a scene, perhaps another story than this one
    journal = stage.store.stories.journal(asked_of, under=place)
    replies = {one.path.removeprefix(place): one for one in journal}
    improvised = any(one.endpoint.is_modelless for one in journal)
    if work.subject == "scene" and ratings and not journal:  # it was judged where it was crafted
        improvised = any(
            one.improvised for one in stage.store.scene_ratings.of([key_of(work.scene)]) if one.rater == judge
        )
    return _Said(work.name or say(SUBJECTS[work.subject]), ratings, replies, improvised)


def _scores(subject: Subject, given: Sequence[_Said]) -> None:
    if any(one.improvised for one in given):
        quiet(say("Improvised by the rehearsal endpoint, no language model: not a result."))
    rubric = load_rubric(subject)
    heads = {key: key if subject == "character" else rubric.metric(key).name.text(tongue()) for key in rubric.keys}
    scores = {one.name: {rating.metric: rating.score for rating in one.ratings} for one in given}
    table = pd.DataFrame.from_dict(scores, orient="index").reindex(columns=[*heads]).rename(columns=heads)
    label = say("Character") if subject == "character" else say("Subject")
    rows = table.rename_axis(label, axis="index").reset_index()
    st.dataframe(rows, hide_index=True, width="content", placeholder=NO_FIGURE)
    _tell_missing(given, heads)


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
