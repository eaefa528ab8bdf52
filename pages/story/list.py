"""Lists of stories, each with the way to it."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import NAMES, say, say_count, say_moment, translate
from characterbox.addresses import page_of_story
from characterbox.components.mounts import show_stories
from characterbox.errors import SearchError
from characterbox.llm.endpoint import HANDWRITTEN
from characterbox.stage.stage import Stage
from characterbox.store.stories.search import StorySummary, Wanted
from characterbox.store.stories.stories import Status
from pages.shared.current_user import allowed
from pages.shared.examples import example_scene, show_example
from pages.shared.filters import filters, in_address, one_of, searched
from pages.shared.form import fault
from pages.shared.links import PageName, address_of, page_in_address, page_link
from pages.shared.text import quiet

STATUS: dict[Status, str] = {
    "running": to_say("playing"),
    "paused": to_say("paused"),
    "waiting": to_say("waiting for an endpoint"),
    "cued": to_say("waiting for a person"),
    "failed": to_say("stopped by an error"),
    "mismatched": to_say("waiting for a decision"),
    "stopped": to_say("stopped permanently"),
    "ended": to_say("ended"),
}


def recent(stage: Stage, limit: int = 5) -> None:
    """The newest stories."""
    _, stories = stage.store.shelf.find(Wanted(), limit=limit)
    if stories:
        st.subheader(say("Recent stories"))
        story_list(stories, "recent")


def story_list(stories: Sequence[StorySummary], key: str) -> None:
    """Stories, one a line: title, work, state, models, tags. A press on one opens it."""
    show_stories([_told(story) for story in stories], key)


def example_story() -> None:
    """A story as it will stand in a list that is empty."""
    scene = example_scene()
    made = [say(STATUS["ended"]), say_count("{count:,} step", "{count:,} steps", 94), say("model-name")]
    show_example(scene.title, [scene.work, " · ".join(made)])


def _told(story: StorySummary) -> Mapping[str, Any]:
    events = say_count("{count:,} step", "{count:,} steps", story.events)
    models = say(", ").join(say("written by hand") if model == HANDWRITTEN else model for model in story.models)
    made = [say(STATUS[story.status]), events, *([say("branch")] if story.branch_of else []), models]
    return {
        "id": story.id,
        "title": story.title,
        "language": story.language,
        "label": story.label,
        "about": [f"{story.work} · {say_moment(story.created_at)}", " · ".join(made)],
        "tags": story.tags,
        "page": address_of(page_of_story(story.status), story=story.id),
        "cast": story.cast,
        "influences": story.influences,
    }


PER_PAGE = 20
"""Stories that are shown at once."""
AT_LEAST = ("2", "3", "4", "4.5")
"""Mean scores that can be asked for."""
_PLACE = "library-place"
"""The address of the library when it was seen last in this session."""
EVERYTHING = {
    "work": to_say("any work"),
    "language": to_say("any language"),
    "status": to_say("any status"),
    "model": to_say("any model"),
    "tag": to_say("any tag"),
    "score": to_say("any score"),
}
KEPT = ("text", *EVERYTHING, "page")
"""What the address says of the library."""


def library(stage: Stage) -> None:
    """The search, and what it finds."""
    facets = stage.store.shelf.facets()
    with filters(partial(in_address, EVERYTHING), partial(searched, say("title, work, tag or ID"))) as text:
        chosen: dict[str, Any] = {
            "work": _choice("work", say("Work"), facets.works, {}),
            "language": _choice("language", say("Language"), facets.languages, NAMES),
            "status": _choice("status", say("Status"), facets.statuses, {key: say(one) for key, one in STATUS.items()}),
            "model": _choice("model", say("Model"), facets.models, {}),
        }
        if facets.tags:
            chosen["tag"] = _choice("tag", say("Tag"), facets.tags, {})
        else:
            st.query_params.pop("tag", None)
        score = (
            _choice("score", say("Score"), {f"≥ {least}": 0 for least in AT_LEAST}, {}) if allowed("direct") else None
        )
    ids = None if score is None else _scored(stage, float(score.removeprefix("≥ ")))
    wanted = Wanted(text=text, ids=ids, **chosen)
    try:
        count = stage.store.shelf.find(wanted, limit=0)[0]
    except SearchError as error:
        fault(translate(error))
        return
    with page_in_address(count, PER_PAGE) as page:
        st.session_state[_PLACE] = {name: asked for name in KEPT if (asked := st.query_params.get(name)) is not None}
        _, stories = stage.store.shelf.find(wanted, limit=PER_PAGE, offset=page * PER_PAGE)
        quiet(say_count("{count:,} story", "{count:,} stories", count) if count else say("No matching stories."))
        story_list(stories, "library")


def to_library(here: PageName) -> None:
    """The way back to the library, as it was left."""
    page_link(say("All stories"), "playback", here, icon=":material/arrow_back:", **st.session_state.get(_PLACE, {}))


def _choice(name: str, label: str, options: Mapping[str, int], shown: Mapping[Any, str]) -> str | None:
    return one_of(name, (label, say(EVERYTHING[name])), options, shown)


def _scored(stage: Stage, least: float) -> set[str]:
    """The stories whose scores, of judges and experts, are that high on average."""
    frame = stage.store.ratings.frame().dropna(subset=["score"])
    if frame.empty:
        return set()
    means = frame.groupby("owner")["score"].mean()
    return set(means[means >= least].index)
