"""The experts of a campaign, each with the languages that they read."""

from dataclasses import replace
from functools import partial

import streamlit as st

from annotations.i18n.translation import say
from characterbox.accounts.account import MAX_NAME, Account
from characterbox.accounts.permissions import may
from characterbox.campaigns.lifecycle import add_expert
from characterbox.campaigns.plan import Draft
from characterbox.errors import CampaignError, CharacterBoxError
from characterbox.store import Store
from characterbox.store.campaigns.campaign import CampaignRater
from characterbox.values import LANGUAGE_CODES, LANGUAGES, Language
from pages.campaigns.editing import Edit
from pages.shared.current_user import current_user
from pages.shared.form import fault, show_stored
from pages.shared.text import plain, quiet
from pages.story.actions import do, show_error

_BESIDE = "expert"
"""The field beside which a name is refused."""


def expert_picker(edit: Edit, refused: str | None) -> None:
    """All who rate as their work, to be picked; `refused` says why there is no plan with those that are."""
    store = edit.stage.store
    picked = {rater.rater: rater for rater in edit.draft.raters}
    experts = experts_of(store, edit.draft)
    if experts:
        quiet(
            say(
                "Select the languages that each expert reads. Experts without a language do not take part in"
                " the campaign."
            )
        )
    fault(refused)
    if len(experts) > 1:
        with st.container(horizontal=True):
            everybody = [expert for expert in experts if expert.id not in edit.fixed]
            read = sorted({item.language for item in edit.draft.items}) or LANGUAGE_CODES
            every = (edit, everybody, tuple(read))
            st.button(say("Select all, in the languages of the items"), key="experts-all", on_click=_set, args=every)
            st.button(say("None"), key="experts-none", on_click=_set, args=(edit, everybody, ()))
    for expert in experts:
        _row(edit, expert, picked.get(str(expert.id)))
    _more(edit, store, alone=not experts)


def experts_of(store: Store, draft: Draft) -> list[Account]:
    """The accounts that can be picked: experts who may come in, and whoever is picked already."""
    picked = {rater.rater for rater in draft.raters}
    return [
        account
        for account in store.accounts.all()
        if account.id in picked or (account.role == "expert" and may(account, "rate"))
    ]


def names_of(store: Store) -> dict[str, str]:
    """The names of all accounts, by id."""
    return {str(account.id): account.name for account in store.accounts.all()}


def _row(edit: Edit, expert: Account, picked: CampaignRater | None) -> None:
    key = f"reads-{edit.campaign.id}-{expert.id}"
    reads_now = list(picked.languages) if picked else []
    show_stored(key, reads_now)
    name, reads = st.columns([2, 3], vertical_alignment="center")
    with name:
        st.markdown(plain(expert.name))
        if not may(expert, "rate"):
            fault(say("This account may no longer rate and gets no new items."))
    with reads:
        st.segmented_control(
            say("Languages this expert reads"),
            LANGUAGE_CODES,
            selection_mode="multi",
            default=reads_now,
            format_func=lambda code: say(LANGUAGES[code]),
            key=key,
            on_change=partial(_turn, edit, expert, key),
            label_visibility="collapsed",
            disabled=expert.id in edit.fixed,
        )


def _turn(edit: Edit, expert: Account, key: str) -> None:
    _set(edit, [expert], tuple(code for code in LANGUAGE_CODES if code in st.session_state[key]))


def _set(edit: Edit, experts: list[Account], languages: tuple[Language, ...]) -> None:
    changed = {str(expert.id) for expert in experts}
    new = [CampaignRater(rater=id, languages=languages) for id in sorted(changed) if languages]

    def make(draft: Draft) -> Draft:
        return replace(draft, raters=(*(one for one in draft.raters if one.rater not in changed), *new))

    edit.change(make)


def _more(edit: Edit, store: Store, *, alone: bool) -> None:
    if current_user().id is not None:
        if alone:
            quiet(say("There are no experts yet."))
        quiet(say("Experts are invited by an admin on the Accounts page. After that, they can be selected here."))
        return
    if alone:
        quiet(
            say(
                "Accounts are off, so experts are identified by name. Add each expert under the name that they"
                " will enter."
            )
        )
    with (
        # Cleared at once: the next name may be typed.
        st.form(f"add-expert-{edit.campaign.id}", clear_on_submit=True, border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        st.text_input(say("Expert name"), max_chars=MAX_NAME, key=_field(edit), width=320, autocomplete="off")
        add = partial(do, partial(_add, edit, store), beside=_BESIDE)
        st.form_submit_button(say("Add expert"), key=f"add-expert-now-{edit.campaign.id}", on_click=add)
    with st.container():  # so that nothing else moves to another place when a fault comes or goes
        show_error(_BESIDE)


def _add(edit: Edit, store: Store) -> None:
    """Add who is named. A name that is refused is put into a new field, to be mended: into one that the form has just
    cleared the browser takes nothing. A click on the button after Enter has added somebody is no mistake."""
    name, added = st.session_state[_field(edit)], st.session_state.pop(_added(edit), False)
    if added and not name.strip():
        return
    try:
        expert = add_expert(store, current_user(), name)
    except CharacterBoxError:
        st.session_state[_refused(edit)] = st.session_state.get(_refused(edit), 0) + 1
        st.session_state[_field(edit)] = name
        raise
    if any(rater.rater == expert.id for rater in edit.load().raters):
        raise CampaignError(say("{name} is already in the list of experts.", name=expert.name))
    _set(edit, [expert], LANGUAGE_CODES)
    st.session_state[_added(edit)] = True


def _field(edit: Edit) -> str:
    return f"expert-{edit.campaign.id}-{st.session_state.get(_refused(edit), 0)}"


def _added(edit: Edit) -> str:
    """Where it is kept that the form has just added somebody."""
    return f"added-{edit.campaign.id}"


def _refused(edit: Edit) -> str:
    """Where it is counted how many names were refused."""
    return f"refused-{edit.campaign.id}"
