"""Runs in which models wrote scenes: the list, and one of them with its scenes as they come, and their scores."""

from collections.abc import Sequence

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count, say_day, say_moment, tongue, translate
from annotations.marking.rating import judge_called
from characterbox.campaigns.lifecycle import make_for_scenes
from characterbox.components.figures.tables.html import data, mark
from characterbox.components.figures.tables.text import unanswered_told
from characterbox.components.settings_text import refusals, sampling_told
from characterbox.crafting.progress import WAYS, Crafting
from characterbox.crafting.request import RUBRIC
from characterbox.crafting.scene_scores import by_experts
from characterbox.crafting.translation import Translation
from characterbox.errors import StoryError
from characterbox.judging.judge import Judge, registered
from characterbox.judging.provenance import NOT_A_RESULT
from characterbox.llm.endpoint import crafter_of
from characterbox.llm.journal import OnMismatch
from characterbox.scenes.scene import Scene
from characterbox.stage.stage import Stage, open_stage
from characterbox.store import Store
from characterbox.store.ratings.scene_ratings import key_of
from characterbox.store.tables.columns import now
from pages.crafting.scenes import show_scenes, show_translation
from pages.crafting.text import STATES, heading, how_far
from pages.scenes.drafts import check_writes
from pages.scenes.text import to_scenes
from pages.shared.current_user import current_user
from pages.shared.examples import example_scene, show_example
from pages.shared.form import fault
from pages.shared.links import go, go_to, place_link, turned_to
from pages.shared.text import caution, lines, plain, quiet
from pages.story.actions import do, show_error
from pages.story.judgements import judge_form
from pages.sweeps.text import money

SHOWN = 10
"""Craftings on a page of the list."""


def earlier_runs(stage: Stage) -> None:
    """All craftings, the newest first, or an example of one."""
    standings = stage.store.craftings.all(WAYS)
    st.subheader(say("Earlier runs"))
    if not standings:
        scenes = say_count("{count:,} scene", "{count:,} scenes", 6)
        counts = say("{accepted:,} accepted, {rejected:,} rejected, {open:,} pending", accepted=4, rejected=1, open=1)
        named = say("{work}: {scenes}, new", work=example_scene().work, scenes=scenes)
        show_example(named, [say(STATES["paused"]).capitalize(), counts])
    with turned_to(standings, SHOWN, "craftings-page") as shown:
        for one in shown:
            try:
                crafting = stage.craftings.look(one.id)
                name, about = st.columns([2, 3], vertical_alignment="center")
                with name:
                    place_link(f"**{plain(heading(crafting.wish))}**", crafting=crafting.id)
                with about, st.container(gap=None):
                    state = f"{say(STATES[crafting.status]).capitalize()} · {say_moment(one.created_at)}"
                    lines([state, how_far(crafting), plain(crafter_of(crafting.wish.crafted))])
            except StoryError as error:
                lines([translate(error)])


ASK = to_say("Score scenes")
_MADE = "crafting-campaign"
"""Where the id of a campaign is kept that was made just now."""


def show_scores(stage: Stage, crafting: Crafting) -> None:
    """What the accepted scenes were given, and how they get more scores."""
    if (made := st.session_state.pop(_MADE, None)) is not None:
        go_to("campaigns", campaign=made)
    scenes = [one.scene for one in crafting.scenes if one.scene is not None]
    st.subheader(say("Scores of accepted scenes"))
    if rows := _rows(stage.store, scenes):
        heads = "".join(f'<th scope="col">{data(RUBRIC.metric(key).name.text(tongue()))}</th>' for key in RUBRIC.keys)
        first, second = data(say("Scene")), data(say("Rater"))
        head = f'<tr><th scope="col">{first}</th><th scope="col">{second}</th>{heads}</tr>'
        st.html(f'<table class="cb-prices"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>')
    else:
        quiet(
            say(
                "No scores yet. The evaluator's scores above do not count, because the evaluator took part in"
                " the generation."
            )
        )
    if (wanted := judge_form(stage, ASK, primary=False, characters_only=True)) is not None:
        judge, _ = wanted
        do(_judge, crafting.id, judge)
        st.rerun()
    quiet(say("In a campaign, experts score the scenes without seeing how each was made."))
    if st.button(say("Create campaign for these scenes"), key="craft-campaign"):
        do(_campaign, scenes)
        st.rerun()


def _judge(id: str, judge: Judge) -> None:
    check_writes()
    stage = open_stage()
    stage.craftings.judge(id, registered(stage.store, judge, "scene"))


def _campaign(scenes: Sequence[Scene]) -> None:
    name = say("Scenes of {day}", day=say_day(now()))
    st.session_state[_MADE] = make_for_scenes(open_stage().store, current_user(), name, scenes).id


def _rows(store: Store, scenes: Sequence[Scene]) -> list[str]:
    """A row for each scene and rater, judges first (HTML)."""
    keys = {key_of(scene): scene.title for scene in scenes}
    judged = store.scene_ratings.of(keys)
    improvised = {one.rater for one in judged if one.improvised}
    experts = by_experts(store, keys)
    places = zip(experts["scene"], experts["rater"], experts["metric"], strict=True)
    scores = {(one.scene, one.rater, "judge", one.metric): one.score for one in judged}
    scores |= {
        (key, rater, "expert", metric): int(score)
        for (key, rater, metric), score in zip(places, experts["score"], strict=True)
    }
    rows = []
    for key, rater, kind in dict.fromkeys((key, rater, kind) for key, rater, kind, _ in scores):
        given = (scores.get((key, rater, kind, metric)) for metric in RUBRIC.keys)
        cells = "".join(f"<td>{'' if score is None else score}</td>" for score in given)
        demo = kind == "judge" and rater in improvised
        who_rated = f"{data(judge_called(rater, demo))}{f' {mark()}' if demo else ''}"
        rows.append(f'<tr><th scope="row">{data(keys[key])}</th><th scope="row">{who_rated}</th>{cells}</tr>')
    return rows


EVERY, AT_REST = 1.0, 5.0
"""Seconds between two looks at a crafting that is under way, and at one that rests."""


def show_crafting(stage: Stage, id: str) -> None:
    """A crafting by its id, kept up to date while it is looked at."""
    try:
        crafting = stage.craftings.look(id)
    except StoryError as error:
        st.title(say("Generate scenes"))
        st.error(plain(translate(error)))
        to_scenes()
        return
    st.title(plain(heading(crafting.wish)))
    if crafting.wish.improvised:
        one = isinstance(crafting.wish, Translation)
        told = to_say("This translation is {mark}.") if one else to_say("These scenes are {mark}.")
        caution(say(told, mark=say(NOT_A_RESULT)))
    runs = _runs(stage, id)
    st.fragment(_follow, run_every=EVERY if runs else AT_REST)(stage, id, runs)
    place_link(say("Generate scenes"), ":material/arrow_back:", crafting="new")


def _follow(stage: Stage, id: str, drawn: bool) -> None:
    if (runs := _runs(stage, id)) != drawn:
        st.rerun()
    try:
        crafting = stage.craftings.look(id)
    except StoryError:
        st.rerun()  # it was deleted: the whole page says so, or is elsewhere by now
    state = say(STATES[crafting.status]) if runs or crafting.status != "running" else say("interrupted")
    quiet(f"{state.capitalize()} · {how_far(crafting)}{_cost(crafting)}")
    lines([say("Sampling: {how}", how=sampling_told(crafting.wish.sampling)), *refusals(crafting.refused)])
    if told := crafting.reason or stage.craftings.fault(id):
        fault(translate(told))
    if not runs and (unanswered := stage.store.craftings.unanswered(id)):
        quiet(unanswered_told(unanswered))
    if any(one.changed for one in crafting.scenes):
        quiet(say("The app's prompts have changed since. Recorded replies are shown unchanged."))
    show_error()
    with st.container(horizontal=True):
        here = stage.craftings.of(id)
        if runs and not (here is not None and here.resting):
            st.button(say("Stop"), key="craft-stop", on_click=do, args=(_stop, id))
        elif runs:
            quiet(say("Pausing: waiting for pending replies."))
        elif any(one.changed and one.open for one in crafting.scenes):
            st.button(
                say("Continue with recorded replies"), key="craft-keep-on", on_click=do, args=(_go_on, id, "keep")
            )
            st.button(say("Regenerate where prompts changed"), key="craft-ask", on_click=do, args=(_go_on, id, "ask"))
        elif any(one.open or one.undecided for one in crafting.scenes):
            st.button(say("Continue"), type="primary", key="craft-on", on_click=do, args=(_go_on, id))
        if not runs:
            with st.popover(say("Delete")):
                quiet(say("This deletes the drafts, evaluations and source. Accepted scenes stay in the library."))
                st.button(say("Confirm deletion"), key="craft-delete", on_click=do, args=(_delete, id))
    if isinstance(crafting.wish, Translation):
        show_translation(stage, crafting, crafting.wish, editable=not runs)
        return
    show_scenes(stage, crafting, crafting.wish, editable=not runs)
    if not runs and any(one.scene is not None for one in crafting.scenes):
        show_scores(stage, crafting)


def _runs(stage: Stage, id: str) -> bool:
    """Whether it is under way, here or in another process."""
    return stage.craftings.under_way(id) or stage.store.craftings.at_work(id)


def _cost(crafting: Crafting) -> str:
    price = crafting.price
    return "" if not price else f" · {money(price)}"


def _go_on(id: str, on_mismatch: OnMismatch = "stop") -> None:
    check_writes()
    open_stage().craftings.go_on(id, on_mismatch, unread_anew=True)


def _stop(id: str) -> None:
    check_writes()
    open_stage().craftings.rest(id)


def _delete(id: str) -> None:
    check_writes()
    open_stage().store.craftings.delete(current_user(), id)
    go(crafting="new")
