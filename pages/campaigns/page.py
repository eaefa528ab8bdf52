"""Campaigns: what experts are asked to rate, who rates what, how far they are; and the rubrics that they use."""

import streamlit as st

from annotations.errors import AnnotationError
from annotations.i18n.translation import say, translate
from characterbox.errors import CharacterBoxError
from characterbox.stage.stage import open_stage
from pages.campaigns.datasets import datasets, import_form
from pages.campaigns.draft import show_draft, show_extension
from pages.campaigns.list import campaign_list
from pages.campaigns.rubrics import add_rubric, rubric_list, show_rubric
from pages.campaigns.started import show_campaign
from pages.campaigns.text import apply_style
from pages.shared.links import place_link
from pages.shared.text import plain

stage = open_stage()
apply_style()
place = st.query_params
try:
    if "campaign" in place:
        campaign = stage.store.campaigns.campaign(place["campaign"])
        if campaign.status == "draft":
            show_draft(stage, campaign)
        elif "extend" in place and campaign.status != "closed":
            show_extension(stage, campaign)
        else:
            show_campaign(stage, campaign)
    elif place.get("rubric") == "new":
        add_rubric(stage.store)
    elif place.get("rubric"):
        show_rubric(stage.store, place["rubric"], place.get("version", ""))
    elif "rubrics" in place:
        rubric_list(stage.store)
    elif place.get("datasets") == "new":
        import_form(stage.store)
    elif "datasets" in place:
        datasets(stage.store)
    else:
        campaign_list(stage)
except (AnnotationError, CharacterBoxError) as error:
    st.error(plain(translate(error)))
    place_link(say("All campaigns"))
