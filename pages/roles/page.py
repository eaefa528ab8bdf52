"""Roles: the library of all that one can talk with; reading, importing and verifying roles, and dialogues with them."""

import streamlit as st

from annotations.i18n.translation import say
from characterbox.stage.stage import open_stage
from pages.roles.dialogue import show_dialogue_of
from pages.roles.history import show_history
from pages.roles.import_form import import_form
from pages.roles.list import role_list
from pages.roles.role import show_role
from pages.roles.talk import talk_form
from pages.roles.text import STYLE
from pages.roles.writing import show_writing
from pages.shared.current_user import allowed
from pages.shared.text import caution

stage = open_stage()
st.html(STYLE)
place = st.query_params
directs = allowed("direct")
if "dialogue" in place:
    show_dialogue_of(stage, place["dialogue"])
elif "role" in place and directs and "talk" in place:
    talk_form(stage, place["role"])
elif "role" in place and place.get("view") == "versions":
    show_history(stage, place["role"])
elif "role" in place and directs and place.get("view") == "writing":
    show_writing(stage, place["role"], place.get("run"))
elif "role" in place:
    show_role(stage, place["role"])
elif directs and place.get("new") == "import":
    import_form(stage)
else:
    if not directs and "new" in place:
        caution(say("Only researchers and admins can import roles. You can read them."))
    role_list(stage)
