"""What a campaign that has started is to be extended by, and what that comes to, before it is done."""

from collections.abc import Mapping

import streamlit as st

from annotations.wording import say
from characterbox.campaigns.life import Outlook, extend
from characterbox.stage.stage import Stage, open_stage
from characterbox.store.campaign import Campaign
from pages.parts.acts import do, refusal
from pages.parts.campaign_draft import Frame, show_parts
from pages.parts.campaign_edit import Edit, edit_extension, forget_extension
from pages.parts.campaign_form import Form
from pages.parts.look import plain, quiet
from pages.parts.ways import go, way_to
from pages.parts.who import who


def show_extension(stage: Stage, campaign: Campaign) -> None:
    """The parts of an extension, its plan, and the button that carries it out."""
    st.title(plain(say("Extend {name}", name=campaign.settings.name)))
    quiet(
        say(
            "Add stories, experts, raters per item, or time. Nothing that was assigned changes. What you prepare here"
            " is kept for you; the experts see nothing of it until you extend the campaign."
        )
    )
    edit = edit_extension(stage, campaign)
    show_parts(edit, Frame("extend", _settings, _finish))
    with st.container(horizontal=True):
        way_to(say("Back to the campaign"), ":material/arrow_back:", campaign=campaign.id)
        st.button(say("Drop the extension"), key="extension-drop", type="tertiary", on_click=_drop, args=(campaign,))


def _settings(edit: Edit, refused: Mapping[str, str]) -> None:
    form = Form(edit, refused)
    form.number("raters_per_item", say("Raters per item"))
    quiet(
        say(
            "Items that have fewer raters get more of them. Whose account may rate no more, or who has failed the last"
            " attempt at the practice set, counts where the item is done."
        )
    )
    form.field("deadline", lambda keep: st.datetime_input(say("Deadline (UTC), if there is one"), **keep))


def _finish(edit: Edit, outlook: Outlook) -> None:
    if st.button(say("Extend the campaign"), type="primary", disabled=outlook.plan is None, key="extension"):
        st.dialog(say("Extend the campaign"))(_extending)(edit)


def _extending(edit: Edit) -> None:
    st.write(say("What is new is added to the lists of the experts at once, and can't be taken back."))
    with st.container(horizontal=True):
        if st.button(say("Extend it"), type="primary", key="extension-now"):
            do(lambda: extend(open_stage().store, who(), edit.campaign, edit.draft))
            if refusal() is None:
                forget_extension(edit.campaign)
                go(campaign=edit.campaign.id)
            st.rerun()
        if st.button(say("Not yet"), key="extension-not-yet"):
            st.rerun()


def _drop(campaign: Campaign) -> None:
    forget_extension(campaign)
    go(campaign=campaign.id)
