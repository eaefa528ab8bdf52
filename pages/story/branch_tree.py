"""The family of a story: what it was branched from, and all that branched off; go to one, name it, delete it."""

from collections.abc import Iterable, Sequence

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_moment, translate
from characterbox.addresses import page_of_story
from characterbox.errors import StoryError
from characterbox.stage.live.visibility import EVERYTHING, Perspective
from characterbox.stage.stage import Stage
from characterbox.store.stories.branch_tree import MOST_LABEL, Kin
from characterbox.store.stories.stories import Story
from pages.shared.current_user import allowed, current_user
from pages.shared.form import pick_some
from pages.shared.links import PageName, page_link
from pages.shared.text import plain, quiet
from pages.story.actions import do
from pages.story.list import STATUS

HOW = {
    "all": to_say("everything regenerated from this step on"),
    "this": to_say("reply edited or regenerated"),
    "changed": to_say("other models from this step on"),
}


def origin(stage: Stage, story: Story, here: PageName, eyes: Perspective = EVERYTHING) -> None:
    """The story and the step that a branch comes from; and both side by side, for who may see everything."""
    branch = story.branch
    if branch is None:
        return
    try:
        parent = stage.store.stories.story(branch.parent)
    except StoryError as error:
        quiet(translate(error))
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        quiet(say("Branch of"), width="content")
        label = say("{title}, step {at}", title=parent.label or parent.title, at=branch.at)
        page_link(plain(label), "playback", here, story=parent.id, at=str(branch.at))
        quiet(say(HOW[branch.anew]), width="content")
        if not eyes:
            page_link(say("Compare the two"), "playback", here, compare=f"{parent.id},{story.id}")


def family(stage: Stage, story: Story, kin: Sequence[Kin], here: PageName) -> None:
    """The tree of a story and its branches; for who directs, with the ways to name and to delete each."""
    if len(kin) == 1:
        return
    st.subheader(say("Branches"))
    known_tags = stage.store.shelf.facets().tags
    this = next(one for one in kin if one.id == story.id)
    for one in kin:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            shown = one.id == story.id
            if one.depth:
                quiet("\u2003" * (one.depth - 1) + "└", width="content")
            if shown:
                st.markdown(f"**{plain(name_of(one))}**", width="content")
            else:
                page_link(plain(name_of(one)), page_of_story(one.status), here, story=one.id)
            how = [say(HOW[one.anew])] if one.anew else []
            about = [say(STATUS[one.status]), *how, say(", ").join(one.models), say_moment(one.created_at)]
            quiet(" · ".join(about), width="content")
            if one.id not in (story.id, this.parent):  # which stands above, where it comes from
                pair = sorted((one, this), key=lambda kin: kin.created_at)
                page_link(say("Compare side by side"), "playback", here, compare=",".join(kin.id for kin in pair))
            if allowed("direct"):
                _edit(stage, one, story, known_tags)


def name_or_delete(stage: Stage, story: Story, kin: Sequence[Kin]) -> None:
    """The ways to name and to delete a story without branches, for who directs; others have them in their tree."""
    if len(kin) == 1 and allowed("direct"):
        _edit(stage, kin[0], story, stage.store.shelf.facets().tags)


def name_of(kin: Kin) -> str:
    """What a story is called among its family."""
    if kin.label:
        return kin.label
    return say("Original story") if kin.at is None else say("from step {at}", at=kin.at)


def _edit(stage: Stage, one: Kin, story: Story, known_tags: Iterable[str]) -> None:
    with st.popover(say("Name or delete"), key=f"kin-{one.id}", type="tertiary"):
        key = f"name-{one.id}"
        st.text_input(
            say("Name (to distinguish branches)"), one.label or "", key=key, max_chars=MOST_LABEL,
            on_change=lambda: stage.store.families.name(one.id, st.session_state[key]),
        )  # fmt: skip
        _tags(stage, one, known_tags)
        quiet(say("This permanently deletes the story and its recorded replies. Save a copy first if you may need it."))

        def delete() -> None:
            stage.store.families.delete(current_user(), one.id)
            if one.id == story.id:
                st.query_params.clear()

        st.button(say("Delete story"), key=f"delete-{one.id}", on_click=do, args=(delete,))


def _tags(stage: Stage, one: Kin, known: Iterable[str]) -> None:
    """The tags of a story, which the library finds it by."""
    key, tags = f"tags-{one.id}", stage.store.shelf.tags(one.id)
    st.session_state.setdefault(key, tags)

    def put() -> None:
        do(lambda: stage.store.shelf.set_tags(one.id, st.session_state[key]))
        st.session_state[key] = stage.store.shelf.tags(one.id)  # as it was taken, or not

    pick_some(
        say("Tags (for search)"), sorted({*tags, *known}), key=key,
        accept_new_options=True, placeholder=say("none"), on_change=put,
    )  # fmt: skip
