"""What a new database offers on its first screen: a sample to watch, a scene to run, and rated stories to read of."""

import html

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, tongue
from characterbox.samples import samples, samples_left
from characterbox.samples.study import STORIES, STUDY
from characterbox.stage.stage import Stage
from pages.shared.links import page_link
from pages.shared.samples import show_removal, tell_kept

STYLE = """
<style>
.cb-door h3 { font-size: 1.125rem; font-weight: 600; padding: 0; margin: 0 0 .25rem; }
.cb-door p { margin: 0; opacity: .72; font-size: .875rem; max-width: 22rem; }
</style>
"""
RATED = to_say(
    "{count:,} stories, each scored three times by people and once by each of five language models. How well do"
    " people and models agree?"
)


def show_doors(stage: Stage) -> DeltaGenerator | None:
    """The three ways in, as long as there is no story but samples; the place for what starts the scene.

    None where there is another story, or no sample.
    """
    tell_kept()
    left = samples_left(stage.store)
    stories = [sample for sample in samples() if sample.id in left]
    if not left or stage.store.stories.count() > len(stories):
        return None
    watch, run, read = st.columns(3, gap="large")
    for sample in sorted(stories, key=lambda one: one.script.scene.language != tongue())[:1]:
        scene = sample.script.scene
        with watch:
            _door(
                say("Watch a sample"), say("“{title}” ({work}), written by hand.", title=scene.title, work=scene.work)
            )
            page_link(say("Watch"), "playback", "stage", icon=":material/play_circle:", story=sample.id)
    with run, st.container(gap=None):
        _door(say("Run this scene"))
        start = st.container(gap="small")
    if STUDY in left:
        with read:
            title = say("See results from {count:,} rated stories", count=STORIES)
            _door(title, say(RATED, count=STORIES))
            page_link(say("See the figures"), "validity", "stage", icon=":material/monitoring:", ratings=STUDY)
    with read:
        page_link(say("Leaderboard"), "leaderboard", "stage", icon=":material/leaderboard:")
        show_removal(stage)
    return start


def _door(title: str, told: str = "") -> None:
    about = f"<p>{html.escape(told)}</p>" if told else ""
    st.html(f'{STYLE}<div class="cb-door"><h3>{html.escape(title)}</h3>{about}</div>')
