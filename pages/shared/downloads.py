"""Files that people download from a page, each entered in the log; and the export and import of a story."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from annotations.i18n.translation import say, translate
from characterbox.accounts.account import Account
from characterbox.accounts.login_throttle import coming_from, origin_address
from characterbox.accounts.permissions import may
from characterbox.accounts.session_user import Cookies
from characterbox.components.encoding_choice import read_as_chosen
from characterbox.components.player.html_file import saved_file, saved_page
from characterbox.components.player.markdown import markdown
from characterbox.components.player.screenplay import screenplay
from characterbox.components.streamlit_session import cookies_of_page
from characterbox.errors import CharacterBoxError, NotAllowed
from characterbox.pause_reasons import in_full
from characterbox.processes.limited import run_limited_once
from characterbox.routes.login.authentication import find_visitor
from characterbox.settings import settings
from characterbox.share.story_file import MOST_BYTES, bring_in, read_story_file
from characterbox.stage.stage import Stage, open_stage
from characterbox.store.stories.stories import Story, StoryStore
from pages.shared.current_user import allowed, current_user
from pages.shared.links import address, address_of
from pages.shared.text import plain, quiet

KINDS = {
    "charx": "application/zip",
    "csv": "text/csv",
    "html": "text/html",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "md": "text/markdown",
    "png": "image/png",
    "toml": "application/toml",
    "txt": "text/plain",
    "yaml": "application/yaml",
    "zip": "application/zip",
}
"""What files are, by the endings of their names."""


def given_out(action: str, subject: str, made: Callable[[], bytes], **detail: str) -> Callable[[], bytes]:
    """What makes a file for a download button, and logs it as it is given out; `action` is one of the log's names.

    Streamlit calls it when the button is pressed, in another thread than that which draws the page: what servers said
    is in the file for admins alone, as on the page. It raises NotAllowed where the one who presses it is signed out
    meanwhile, or has another role than when it was drawn.
    """
    account, address, cookies = current_user(), origin_address(), dict(cookies_of_page() or {})

    def give() -> bytes:
        _require_still(account, cookies)
        with in_full(may(account, "administer")):
            content = made()
        with coming_from(address):
            open_stage().store.audit.add(account, action, subject, detail)
        return content

    return give


def file_button(label: str, name: str, made: Callable[[], bytes], key: str, **look: Any) -> None:
    """A button that gives out a file, which is made when it is pressed; the ending of its name says what it is.

    A press draws nothing anew: Streamlit forgets how a file is made once the page has been drawn again, and a slow
    browser would then ask for it in vain.
    """
    look = {"icon": ":material/download:", **look}
    st.download_button(label, made, name, KINDS[name.rpartition(".")[2]], key=key, on_click="ignore", **look)


def _require_still(account: Account, cookies: Cookies) -> None:
    """The page was drawn for that role: with another one it would have other files, or others in them."""
    visitor = find_visitor(cookies)
    if visitor is None or (visitor.account.id, visitor.account.role) != (account.id, account.role):
        raise NotAllowed(
            "{name} has signed out, or has another role by now; sign in again, reload the page, and download the file"
            " again",
            name=account.name,
        )


def share(stage: Stage, story: Story) -> None:
    """A link to the story, and its files once it has ended."""
    with st.popover(say("Share"), key=f"save-{story.id}", type="tertiary"):
        quiet(say("Link to the story, from its first step"))
        st.code(f"{address() or ''}{address_of('playback', story=story.id)}", None, wrap_lines=True)
        if story.status == "ended":
            quiet(say("Download"))
            _downloads(stage, story)
        else:
            quiet(say("Files can be downloaded once the story has ended."))


def _downloads(stage: Stage, story: Story) -> None:
    """The story as a page that plays offline, as text, and, for those who may direct it, with its journal."""
    stories, with_journal, db = stage.store.stories, allowed("direct"), settings().db
    scene, casting = story.script.scene, story.casting
    events = partial(stories.events, story.id)
    page = partial(saved_page, db, story.id, with_journal=with_journal)
    _save(story, say("Web page for offline playback (HTML)"), "html", page)
    _save(story, say("Screenplay (text)"), "txt", lambda: _encoded(screenplay(scene, events(), casting)))
    _save(story, say("Full record (Markdown)"), "md", lambda: _encoded(_markdown(stories, story)))
    if with_journal:
        quiet(say("HTML and JSON contain prompts and replies, never keys."))
        told = say("Story file for import (JSON)")
        _save(story, told, "json", partial(saved_file, db, story.id))


def _markdown(stories: StoryStore, story: Story) -> str:
    refused = stories.refused(story.id, under="r")
    return markdown(story.script.scene, stories.events(story.id), story.casting, story.script.settings, refused)


def upload(stage: Stage) -> None:
    """Brings a story in from a file, and opens it."""
    with st.popover(say("Import story"), key="bring-in"):
        most = MOST_BYTES >> 20
        given = st.file_uploader(say("Story file (JSON)"), type="json", key="story-file", max_upload_size=most)
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
