"""A refusal is told where it happened, and is gone when one goes on to something else."""

import pytest
from streamlit.testing.v1 import AppTest


def page():
    import streamlit as st  # noqa: PLC0415

    from characterbox.errors import CampaignError  # noqa: PLC0415
    from pages.story.actions import do, show_error  # noqa: PLC0415

    def refuse():
        raise CampaignError("it is closed")

    def refuse_and_go():
        do(refuse)
        st.query_params["part"] = "settings"

    show_error()
    st.button("act", on_click=do, args=(refuse,))
    st.button("act and go", on_click=refuse_and_go)
    st.button("other", on_click=do, args=(lambda: None,))


@pytest.fixture
def app():
    app = AppTest.from_function(page, default_timeout=60).run()
    assert not app.exception
    return app


def told(app):
    return [error.value for error in app.error]


@pytest.mark.slow
def test_it_stays_where_it_is_told_until_something_else_is_done(app):
    app.button[0].click().run()
    assert told(app) == told(app.run()) == ["it is closed"]
    assert told(app.button[2].click().run()) == []


def test_it_does_not_follow_to_another_place_nor_come_back(app):
    app.button[0].click().run()
    app.query_params["part"] = "plan"
    assert told(app.run()) == []
    del app.query_params["part"]
    assert told(app.run()) == []


def test_where_the_act_leads_elsewhere_it_is_told_there(app):
    app.button[1].click().run()
    assert told(app) == told(app.run()) == ["it is closed"]
