"""The log of changes on the Accounts page: where from, what is wanted of it, and only for admins."""

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.accounts.account import LOCAL, NOBODY
from characterbox.accounts.login_throttle import coming_from
from characterbox.errors import NotAllowed
from pages.accounts.log import log_view
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in


@pytest.fixture
def stage(tmp_path):
    with app_stage(database_in(tmp_path / "page.db")) as stage:
        yield stage


def draw():
    from characterbox.accounts.account import LOCAL  # noqa: PLC0415
    from characterbox.stage.stage import open_stage  # noqa: PLC0415
    from pages.accounts.log import log_view  # noqa: PLC0415

    log_view(open_stage().store, LOCAL, "newest")


def test_it_tells_from_where_and_shows_what_is_wanted(stage):
    with coming_from("192.0.2.1"):
        stage.store.audit.add(LOCAL, "story.deleted", "ab12", {"title": "The inn"})
    stage.store.audit.add(LOCAL, "story.exported", "cd34", {"form": "md"})
    page = AppTest.from_function(draw, default_timeout=60).run()
    assert not page.exception
    table = page.dataframe[0].value
    assert table["Network address"].tolist() == ["", "192.0.2.1"]
    assert table["What"].tolist() == ["exported a story", "deleted a story"]
    page.selectbox(key="log-what").set_value("story.deleted").run()
    assert not page.exception
    assert page.dataframe[0].value["Whom"].tolist() == ["ab12"]


def test_only_who_administers_reads_it(stage):
    with pytest.raises(NotAllowed):
        log_view(stage.store, NOBODY, "newest")
