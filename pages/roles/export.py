"""A role as a file: JSON, which keeps all of it, or a character card."""

import streamlit as st

from annotations.i18n.translation import say, translate
from characterbox.errors import RoleError
from characterbox.roles.cards import MOST_EXAMPLES, card_of_role
from characterbox.roles.heading import heading_of
from characterbox.roles.role import Role
from characterbox.roles.role_files import as_json
from pages.scenes.export import save_card
from pages.shared.downloads import file_button, given_out
from pages.shared.text import plain, quiet


def save_role(role: Role) -> None:
    """The downloads of a role."""
    with st.popover(say("Export"), key="role-export"):
        made = given_out("roles.exported", role.id, lambda: as_json([role]), form="json")
        file_button(say("JSON, all of the role"), f"{role.id}.json", made, "role-file-json", type="tertiary")
        st.markdown(f"**{say('Character card')}**")
        try:
            card = card_of_role(role)
        except RoleError as error:
            quiet(plain(translate(error)))
            return
        save_card(card, role.id, lambda made, kind: given_out("roles.exported", role.id, made, form=kind))
        if heading_of(role).rounds > MOST_EXAMPLES:
            told = say("A card holds the first {most} rounds of dialogue, and no sources.", most=MOST_EXAMPLES)
            quiet(told)
