"""Who may change servers sees how; who may not is told so, and whose click comes late is refused."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert
from streamlit.testing.v1 import AppTest

from characterbox.accounts.account import LOCAL, Account
from characterbox.accounts.session_user import Visitor
from characterbox.llm.server import Server
from characterbox.store import Store
from characterbox.store.tables.columns import table_of
from characterbox.store.tables.servers import ServerRow
from tests.fakes.databases import connection_to, database_in

LAB = Server(url="https://lab.example.org/v1", name="Lab", kind="api", models=("m",), key="LAB_API_KEY")
ANN = Account(id="0123456789ab", name="Ann", role="researcher")
CHANGES = {"Add server", "Edit", "Remove", "Confirm key LAB_API_KEY for https://lab.example.org"}


def script(stage):
    from pages.models.list import server_list  # noqa: PLC0415
    from pages.story.actions import show_error  # noqa: PLC0415 - the script is run by itself

    show_error()
    server_list(stage)


class Stage:
    """What the list of servers needs of the stage."""

    def __init__(self, store: Store) -> None:
        self.store = store


@pytest.fixture
def visiting(monkeypatch: pytest.MonkeyPatch) -> Callable[[Account], None]:
    def be(account: Account) -> None:
        monkeypatch.setattr("pages.shared.current_user.find_visitor", lambda _: Visitor(account))

    be(LOCAL)
    return be


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """With a server whose key nobody has confirmed."""
    url = database_in(tmp_path / "models.db")
    with connection_to(url) as connection:
        connection.execute(insert(table_of(ServerRow)).values(url=LAB.url, content=LAB.model_dump(mode="json")))
    store = Store(url)
    yield store
    store.close()


@pytest.fixture
def app(store: Store) -> AppTest:
    return AppTest.from_function(script, args=(Stage(store),), default_timeout=60)


def buttons(app: AppTest) -> set[str]:
    return {button.label for button in app.button}


def test_an_admin_confirms_a_key_with_one_click(
    app: AppTest, store: Store, visiting: Callable[[Account], None]
) -> None:
    assert buttons(app.run()) >= CHANGES
    assert not store.servers.is_bound("https://lab.example.org", "LAB_API_KEY")
    next(button for button in app.button if button.label.startswith("Confirm key")).click().run()
    assert store.servers.is_bound("https://lab.example.org", "LAB_API_KEY")
    assert "Confirm key LAB_API_KEY for https://lab.example.org" not in buttons(app)


def test_a_researcher_tests_servers_and_is_told_who_changes_them(
    app: AppTest, store: Store, visiting: Callable[[Account], None]
) -> None:
    visiting(ANN)
    app.run()
    assert not buttons(app) & CHANGES
    assert buttons(app) >= {"Test", "Propose server"}
    told = [html.proto.body for html in app.get("html")]
    assert any("Only admins can add, change, start, stop and remove servers" in one for one in told)
    assert any("is not sent to https://lab.example.org until an admin" in one for one in told)


def test_the_click_of_one_who_is_no_admin_any_more_is_refused(
    app: AppTest, store: Store, visiting: Callable[[Account], None]
) -> None:
    app.run()
    confirm = next(button for button in app.button if button.label.startswith("Confirm key"))
    visiting(ANN)
    confirm.click().run()
    assert not store.servers.is_bound("https://lab.example.org", "LAB_API_KEY")
    assert any("ask an admin to do it" in error.value for error in app.error)
