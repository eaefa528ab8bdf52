"""A researcher proposes a server, and sees and withdraws what he or she proposed; an admin accepts or declines."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from streamlit.testing.v1 import AppTest

from characterbox.accounts.account import COMMAND_LINE, Account
from characterbox.accounts.session_user import Visitor
from characterbox.llm.server import Server
from characterbox.store import Store
from tests.fakes.databases import connection_to, database_in

LAB = Server(url="https://lab.example.org/v1", name="Lab *one*", kind="api", models=("m",), key="LAB_API_KEY")
DECIDING = {"Accept", "Decline"}


def script(stage):
    import streamlit as st  # noqa: PLC0415 - the script is run by itself

    from pages.models.form import propose_server  # noqa: PLC0415
    from pages.models.list import server_list  # noqa: PLC0415
    from pages.story.actions import show_error  # noqa: PLC0415

    show_error()
    if "new" in st.query_params:
        propose_server(stage, st.query_params["new"])
    else:
        server_list(stage)


class Stage:
    """What the list of servers and the form need of the stage."""

    def __init__(self, store: Store) -> None:
        self.store = store


@pytest.fixture
def url(tmp_path: Path) -> str:
    return database_in(tmp_path / "models.db")


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    store = Store(url)
    yield store
    store.close()


@pytest.fixture
def people(store: Store) -> dict[str, Account]:
    roles = {"Root": "admin", "Ann": "researcher", "Bea": "researcher"}
    return {name: store.accounts.add(COMMAND_LINE, name, role) for name, role in roles.items()}  # type: ignore[arg-type]


@pytest.fixture
def visiting(monkeypatch: pytest.MonkeyPatch, people: dict[str, Account]) -> Callable[[str], None]:
    def be(name: str) -> None:
        monkeypatch.setattr("pages.shared.current_user.find_visitor", lambda _: Visitor(people[name]))

    return be


@pytest.fixture
def app(store: Store) -> AppTest:
    return AppTest.from_function(script, args=(Stage(store),), default_timeout=60)


def buttons(app: AppTest) -> set[str]:
    return {button.label for button in app.button}


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()


def written(app: AppTest) -> str:
    return " ".join(html.proto.body for html in app.get("html"))


def propose(app: AppTest, **fields: str) -> None:
    app.query_params["new"] = "api"
    app.run()
    for box in (*app.text_input, *app.text_area):
        if (field := box.key.removeprefix("server-proposed-")) in fields:
            box.input(fields[field])
    press(app, "Propose server")


def test_a_researcher_proposes_a_server_and_withdraws_it(
    app: AppTest, store: Store, people: dict[str, Account], visiting: Callable[[str], None]
) -> None:
    visiting("Ann")
    propose(app, name=LAB.name, url=LAB.url, key="LAB_API_KEY", models="m")
    (one,) = store.servers.proposals_of(people["Ann"])
    assert one.server == LAB
    assert store.servers.all() == []
    assert not app.query_params
    assert any("Propose one by its address" in caption.value for caption in app.caption)
    assert "https://lab.example.org/v1" in written(app)
    assert not buttons(app) & DECIDING
    press(app, "Withdraw")
    assert store.servers.proposals_of(people["Ann"]) == []
    assert "Withdraw" not in buttons(app)


@pytest.mark.parametrize("kind", ["api", "azure", "vllm", "started"])
def test_what_admins_alone_decide_is_not_in_the_form(app: AppTest, visiting: Callable[[str], None], kind: str) -> None:
    visiting("Ann")
    app.query_params["new"] = kind
    app.run()
    assert not app.exception
    assert not app.toggle
    assert {"server-proposed-url", "server-proposed-name"} <= {box.key for box in app.text_input}
    assert "server-proposed-model" not in {box.key for box in app.text_input}
    (kinds,) = app.get("button_group")
    assert len(kinds.proto.options) == 3


def test_what_the_store_refuses_is_told_and_what_is_written_stays(
    app: AppTest, store: Store, people: dict[str, Account], visiting: Callable[[str], None]
) -> None:
    visiting("Ann")
    propose(app, name="Lab\u202e", url=LAB.url)
    assert any("an invisible character" in error.value for error in app.error)
    assert store.servers.proposals_of(people["Ann"]) == []
    assert LAB.url in {box.value for box in app.text_input}


def test_a_researcher_sees_nobody_elses_proposals_nor_whether_a_key_is_set(
    app: AppTest,
    store: Store,
    people: dict[str, Account],
    visiting: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LAB_API_KEY", "hush")
    store.servers.propose(people["Ann"], LAB)
    visiting("Bea")
    app.run()
    assert LAB.url not in written(app)
    visiting("Ann")
    app.run()
    assert "<dd>LAB_API_KEY</dd>" in written(app)
    assert "set)" not in written(app)


def test_an_admin_sees_what_it_is_and_accepts_it_with_one_click(
    app: AppTest, store: Store, people: dict[str, Account], visiting: Callable[[str], None]
) -> None:
    store.servers.propose(people["Ann"], LAB)
    visiting("Root")
    app.run()
    told = written(app)
    assert "proposed by Ann" in told
    for one in ("OpenAI-compatible API", "https://lab.example.org/v1", "key LAB_API_KEY (not set)"):
        assert f"<dd>{one}</dd>" in told
    assert "If you accept, the key LAB_API_KEY is sent to https://lab.example.org." in told
    assert "on the computer that runs the app" not in told
    assert "Withdraw" not in buttons(app)
    press(app, "Accept")
    assert store.servers.all() == [LAB]
    assert store.servers.is_bound("https://lab.example.org", "LAB_API_KEY")
    assert "Edit" in buttons(app)
    assert not buttons(app) & DECIDING


def test_an_admin_is_told_of_an_address_on_the_computer_of_the_app(
    app: AppTest, store: Store, people: dict[str, Account], visiting: Callable[[str], None]
) -> None:
    store.servers.propose(people["Ann"], Server(url="http://lab.localhost:9/v1", name="Lab", kind="api"))
    visiting("Root")
    app.run()
    assert "This address is on the computer that runs the app." in written(app)
    assert "If you accept" not in written(app)


def test_the_click_of_one_who_comes_late_or_is_no_admin_any_more_is_refused(
    app: AppTest, store: Store, people: dict[str, Account], visiting: Callable[[str], None]
) -> None:
    store.servers.propose(people["Ann"], LAB)
    visiting("Root")
    app.run()
    visiting("Bea")
    press(app, "Accept")
    assert any("ask an admin to do it" in error.value for error in app.error)
    visiting("Root")
    app.run()
    store.servers.withdraw(people["Ann"], store.servers.proposals(people["Root"])[0].id)
    press(app, "Accept")
    assert any("no longer exists" in error.value for error in app.error)
    assert store.servers.all() == []


def test_a_proposal_that_can_not_be_read_is_declined_and_not_accepted(
    app: AppTest, url: str, store: Store, people: dict[str, Account], visiting: Callable[[str], None]
) -> None:
    store.servers.propose(people["Ann"], LAB)
    with connection_to(url) as connection:
        connection.execute(text("UPDATE server_proposal SET content = '{}'"))
    visiting("Root")
    app.run()
    assert "can&#x27;t be read" in written(app)
    assert "Accept" not in buttons(app)
    press(app, "Decline")
    assert store.servers.proposals(people["Root"]) == []
