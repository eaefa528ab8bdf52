"""A story to take along, and to bring in."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from annotations.wording import say, translate
from characterbox.components.encoding_choice import read_as_chosen
from characterbox.components.player.saved import saved_file, saved_page
from characterbox.errors import CharacterBoxError
from characterbox.limited_once import run_limited_once
from characterbox.settings import settings
from characterbox.share.markdown import markdown
from characterbox.share.screenplay import screenplay
from characterbox.share.story_file import MOST_BYTES, bring_in, read_story_file
from characterbox.stage.stage import Stage
from characterbox.store.stories import Story
from pages.parts.given_out import file_button, given_out
from pages.parts.look import plain, quiet
from pages.parts.who import allowed


def downloads(stage: Stage, story: Story) -> None:
    """The story as a page that plays offline, as text, and, for those who may direct it, with its journal."""
    stories, with_journal, db = stage.store.stories, allowed("direct"), settings().db
    scene, casting = story.script.scene, story.casting
    with st.popover(say("Save"), key=f"save-{story.id}"):
        events = partial(stories.events, story.id)
        page = partial(saved_page, db, story.id, with_journal=with_journal)
        _save(story, say("A page that plays it, offline (HTML)"), "html", page)
        _save(story, say("A screenplay (text)"), "txt", lambda: _encoded(screenplay(scene, events(), casting)))
        _save(story, say("All that happened (Markdown)"), "md", lambda: _encoded(markdown(scene, events(), casting)))
        if with_journal:
            quiet(say("The page and the next file hold the prompts and replies of the journal, and no keys."))
            told = say("A file that can be brought in again (JSON)")
            _save(story, told, "json", partial(saved_file, db, story.id))


def upload(stage: Stage) -> None:
    """Brings a story in from a file, and opens it."""
    with st.popover(say("Bring in a story"), key="bring-in"):
        most = MOST_BYTES >> 20
        given = st.file_uploader(
            say("A story that was saved as JSON"), type="json", key="story-file", max_upload_size=most
        )
        if given is None:
            return
        content = read_as_chosen(given)
        if content is None:
            return
        try:
            story = bring_in(stage.store.stories, run_limited_once(read_story_file, content))
        except CharacterBoxError as error:
            st.error(plain(translate(error)))
            return
        st.session_state.pop("story-file", None)
        st.query_params.from_dict({"story": story.id})
        st.rerun()


def _save(story: Story, label: str, ending: str, made: Callable[[], bytes]) -> None:
    whole = given_out("story.exported", story.id, made, form=ending)
    key = f"save-{story.id}-{ending}"
    file_button(label, f"story-{story.id}.{ending}", whole, key, type="tertiary", icon=None)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")
