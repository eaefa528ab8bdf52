"""Other versions of a story from a step on: branch, regenerate, edit, another model. Each is a new story.

Before it starts, it is told how many replies are taken over.
"""

from typing import Any, Literal, NoReturn

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, translate
from characterbox.components.answer_form import show_form
from characterbox.components.answer_form.blank import Blank
from characterbox.components.player import Tool, Wish
from characterbox.components.player.text import KINDS
from characterbox.errors import CharacterBoxError, ReplyError
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.events import Event
from characterbox.stage.branching import told_at
from characterbox.stage.stage import Stage
from characterbox.store.stories.stories import Branch, Story
from pages.models.text import all_servers, choices
from pages.shared.current_user import current_user
from pages.shared.form import endpoint_or_fault, pick_model
from pages.shared.links import go_to
from pages.shared.text import plain, quiet
from pages.story.settings_form import chosen_recall

TITLES: dict[Tool, str] = {
    "branch": to_say("Branch from here"),
    "regenerate": to_say("Regenerate this reply"),
    "edit": to_say("Edit this reply"),
    "recast": to_say("Change model from here"),
}
ABOUT: dict[Tool, str] = {
    "branch": to_say(
        "Creates a new story. All replies before this step are reused. Everything from this step on is regenerated."
    ),
    "regenerate": to_say("Creates a new story. This reply and everything that follows from it are regenerated."),
    "edit": to_say(
        "Creates a new story. Your text replaces this reply. Everything that follows from it is regenerated."
    ),
    "recast": to_say(
        "Creates a new story. All replies before this step are reused. From this step on, everything played by"
        " another model is regenerated."
    ),
}


_OPEN = "tool"
"""What is open, and of which story: it stays so when the page is drawn again because the story moved on."""


def use_tool(stage: Stage, story: Story, wish: Wish | None) -> None:
    """Open what is asked for at a step, until it is closed."""
    if wish is not None:
        st.session_state[_OPEN] = story.id, wish
        for name in ("new-story", "edited", "edit-problem"):
            st.session_state.pop(name, None)
    id, wish = st.session_state.get(_OPEN, ("", None))
    if id != story.id or wish is None:
        return
    events = stage.store.stories.events(story.id)
    if wish.at > len(events):
        st.error(say("Step {at} does not exist.", at=wish.at))
        _close()
        return
    event = events[wish.at - 1]
    st.dialog(say(TITLES[wish.tool]), width="medium", on_dismiss=_close)(_version)(stage, story, wish, event)


def _close() -> None:
    st.session_state.pop(_OPEN, None)


def _version(stage: Stage, story: Story, wish: Wish, event: Event) -> None:
    if (new := st.session_state.pop("new-story", None)) is not None:
        _show(new)
    title = say("Step {at}, {title}", at=wish.at, title=step_title(event))
    st.markdown(f"**{plain(title)}**")
    st.write(say(ABOUT[wish.tool]))
    branch = Branch(parent=story.id, at=wish.at, anew=_anew(story, wish))
    casting: Casting | None = story.casting
    if wish.tool == "recast" or story.casting.handwritten:
        casting = _recast(stage, story)
    if casting is not None and wish.tool == "edit":
        _edit(stage, story, branch, casting)
    elif casting is not None:
        _start(stage, branch, casting)


def _anew(story: Story, wish: Wish) -> Literal["all", "this", "changed"]:
    """What the new story asks anew. Of one that was written by hand, no model would ask for what another wrote."""
    if wish.tool == "branch" or (wish.tool == "recast" and story.casting.handwritten):
        return "all"
    return "changed" if wish.tool == "recast" else "this"


def _start(stage: Stage, branch: Branch, casting: Casting) -> None:
    _told_reuse(stage, branch, casting, None)
    if st.button(say("Start new story"), type="primary"):
        try:
            new = stage.branch(branch, casting)
        except CharacterBoxError as error:
            st.error(plain(translate(error)))
        else:
            _show(new.id)


def _show(id: str) -> NoReturn:
    _close()
    go_to("stage", story=id)


def _told_reuse(stage: Stage, branch: Branch, casting: Casting, text: str | None) -> None:
    try:
        reuse = stage.reuse(branch, casting, text)
    except CharacterBoxError as error:
        st.error(plain(translate(error)))
        return
    known, recorded = reuse.known, reuse.recorded
    if known == recorded:
        told = say("All {recorded:,} replies are reused.", recorded=recorded)
    elif branch.anew == "all":
        told = say(
            "{known:,} of {recorded:,} replies are reused; the rest are regenerated.", known=known, recorded=recorded
        )
    else:
        told = say(
            "At least {known:,} of {recorded:,} replies are reused. Of the rest, only those whose prompt or"
            " model changes are regenerated.",
            known=known,
            recorded=recorded,
        )
    quiet(told)


def _recast(stage: Stage, story: Story) -> Casting | None:
    """The casting with other models; None, with the reason shown, while one can't be used."""
    servers = all_servers(stage)
    known = choices(servers)
    narrator = _model(say("Narrator"), "narrator", story.casting.narrator, known)
    characters = {
        name: _model(plain(name), f"cast-{name}", endpoint, known)
        for name, endpoint in story.casting.characters.items()
    }
    memory = chosen_recall("recast-recall", servers, story.casting.memory)
    usable = {name: endpoint for name, endpoint in characters.items() if endpoint is not None}
    if narrator is None or memory is None or len(usable) < len(characters):
        return None
    return Casting(narrator=narrator, characters=usable, memory=memory[0])


def _model(label: str, key: str, now: Endpoint, known: dict[str, str]) -> Endpoint | None:
    options = list(dict.fromkeys([*([] if now.is_handwritten else [str(now)]), *known]))
    text = pick_model(label, f"recast-{key}", known, options=options)
    return endpoint_or_fault(text, lambda error: st.error(plain(error)))


def _edit(stage: Stage, story: Story, branch: Branch, casting: Casting) -> None:
    """The form for a reply: all that it tells, whichever of its events is edited."""
    told = told_at(stage.store.stories, branch)
    blank = Blank.behind(told.events, told.path, story.script, told.before)
    begin = blank.values_in(told.events)

    def edited(_: str, values: dict[str, Any]) -> None:
        st.session_state["edited"] = values

    def start(_: str, values: dict[str, Any]) -> None:
        st.session_state["edited"] = values
        st.session_state.pop("edit-problem", None)
        try:
            new = stage.branch(branch, casting, blank.written(values), person=current_user().id)
            st.session_state["new-story"] = new.id
        except CharacterBoxError as error:
            field = blank.field_at_fault(error) if isinstance(error, ReplyError) else None
            st.session_state["edit-problem"] = {"field": field, "text": translate(error)}

    values = st.session_state.get("edited", begin)  # as long as nothing is changed, it is told what any change costs
    _told_reuse(stage, branch, casting, None if values == begin else blank.written(values))
    show_form(
        {
            "id": f"edit/{story.id}/{told.path}",
            "language": blank.scene.language,
            "submit": say("Start new story"),
            "fields": blank.fields,
            "values": begin,
            "kept": None,
            "problem": st.session_state.get("edit-problem"),
        },
        key=f"edit-{story.id}-{told.path}",
        on_draft=edited,
        on_answer=start,
    )


def step_title(event: Event) -> str:
    """What a step is, and whose: `Holmes: reaction`."""
    character = getattr(event, "character", None)
    step = say(KINDS[event.kind])
    return say("{name}: {what}", name=character, what=step) if character else step.capitalize()
