"""A server that was stored in a way that can't be read is told on the page, with the way to all others."""

from html import unescape
from pathlib import Path

import pytest
from sqlalchemy import insert
from streamlit.testing.v1 import AppTest

import pages
from characterbox.store.tables.columns import table_of
from characterbox.store.tables.servers import ServerRow
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import connection_to, database_in

PAGE = Path(next(iter(pages.__path__))) / "models" / "page.py"
URL = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def stored(tmp_path):
    url = database_in(tmp_path / "page.db")
    with app_stage(url):
        with connection_to(url) as connection:
            connection.execute(insert(table_of(ServerRow)).values(url=URL, content={}))
        yield


@pytest.mark.parametrize("view", ["server", "edit"])
def test_why_it_can_not_be_shown_is_told_with_the_way_to_all_servers(view):
    app = AppTest.from_file(str(PAGE), default_timeout=60)
    app.query_params[view] = URL
    app.run()
    assert not app.exception
    [told] = [unescape(one.value).replace("\\", "") for one in app.error]
    assert (
        told == f"server {URL}: its stored data cannot be read (url: Field required); add it again on the Models page"
    )
    app.button(key="all").click().run()
    assert [one.value for one in app.title] == ["Models"]
