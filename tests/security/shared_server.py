"""The real app as on a shared server, with somebody of each role signed in, asked as a browser asks it, or worse."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from characterbox.accounts.account import COMMAND_LINE, ROLES, Account
from characterbox.accounts.credentials import COOKIE
from characterbox.llm.server import Server as ModelServer
from characterbox.store import Store
from tests.browser.app import App
from tests.fakes.databases import database_in, store_in

NOBODY = "nobody"
HIDDEN = {"CharacterBox"}
"""The page that only leads on to the first one that is offered."""
PATIENCE = 60.0


@dataclass(frozen=True)
class Drawn:
    """What one run of a page has drawn."""

    pages: Mapping[str, str]
    """The pages that are offered: the hash by which each is asked for, by its place in the address."""
    page: str
    """The hash of the page that was drawn."""
    elements: Sequence[Any]
    """The elements, as Streamlit sends them."""

    def of(self, *kinds: str) -> list[Any]:
        """The elements of some kinds."""
        return [getattr(one, kind) for one in self.elements for kind in kinds if one.WhichOneof("type") == kind]


@dataclass
class Visit:
    """Somebody's connection to the pages."""

    socket: ClientConnection

    def ask(self, message: bytes) -> Drawn:
        """Send a message, and take what is drawn until that run of the page is over."""
        self.socket.send(message)
        pages: dict[str, str] = {}
        elements: list[Any] = []
        page = ""
        while True:
            told = ForwardMsg.FromString(self.socket.recv(PATIENCE))
            match told.WhichOneof("type"):
                case "navigation":
                    pages = {
                        one.url_pathname or "stage": one.page_script_hash
                        for one in told.navigation.app_pages
                        if one.page_name not in HIDDEN
                    }
                    page = told.navigation.page_script_hash
                case "delta" if told.delta.WhichOneof("type") == "new_element":
                    elements.append(told.delta.new_element)
                case "script_finished" if told.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    elements.clear()
                case "script_finished" if told.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                    return Drawn(pages, page, elements)

    def open(self, query: str = "", page: str = "", pressed: str | None = None) -> Drawn:
        """Have a page drawn: by its hash, with what follows the ? in its address, as after a button was pressed."""
        message = BackMsg()
        message.rerun_script.query_string = query
        message.rerun_script.page_script_hash = page
        if pressed is not None:
            message.rerun_script.widget_states.widgets.add(id=pressed, trigger_value=True)
        return self.ask(message.SerializeToString())


@dataclass(frozen=True)
class Server:
    """The running app, and the cookies of those who are signed in."""

    app: App
    cookies: dict[str, str]
    story: str
    """A story that has ended."""
    account: str
    """The account of a viewer; empty without accounts."""

    names: dict[str, str] = field(default_factory=lambda: {role: role.title() for role in ROLES})
    """The names of those who are signed in, by their roles."""

    def sign_in(self, who: str) -> None:
        """Sign somebody in anew."""
        if who in self.cookies and who in ROLES:
            store = store_in(self.app.db)
            self.cookies[who] = _cookie(store, store.accounts.named(self.names[who]))
            store.close()

    def relieve(self, number: int) -> None:
        """Have others do what they do: who asks so much is soon made to wait
        (characterbox/routes/limits/fair_share.py).
        """
        store = store_in(self.app.db)
        for role in ROLES:
            if role in self.cookies:
                self.names[role] = f"{role.title()} {number}"
                store.accounts.add(COMMAND_LINE, self.names[role], role)
        store.close()
        for role in ROLES:
            self.sign_in(role)

    def request(self, who: str, method: str, path: str, **more: Any) -> httpx2.Response:
        """The answer to a request; streams are left after their first bytes."""
        headers = {"cookie": self.cookies[who], **more.pop("headers", {})}
        with (
            httpx2.Client(base_url=self.app.url, timeout=PATIENCE, trust_env=False) as client,
            client.stream(method, path, headers=headers, **more) as answer,
        ):
            if not answer.headers.get("content-type", "").startswith("text/event-stream"):
                answer.read()
        return answer

    @contextmanager
    def visit(self, who: str) -> Iterator[Visit | None]:
        """A connection to the pages; None if there is none for this one."""
        address = f"{self.app.url.replace('http', 'ws', 1)}/_stcore/stream"
        headers = {"Cookie": self.cookies[who]}
        try:
            with connect(
                address, subprotocols=["streamlit"], additional_headers=headers, origin=self.app.url, max_size=None
            ) as socket:  # type: ignore[arg-type]
                yield Visit(socket)
        except InvalidStatus as refused:
            if refused.response.status_code not in (401, 403):
                raise
            yield None


@contextmanager
def shared_server(db: Path, auth: str) -> Iterator[Server]:
    """The app on a database, with the samples, and an account for each role (`auth` local), or with none (off).

    The researcher has proposed a server.
    """
    cookies = {NOBODY: ""}
    database_in(db)
    store = store_in(db)
    try:
        if auth == "local":
            for role in ROLES:
                account = store.accounts.add(COMMAND_LINE, role.title(), role)
                cookies[role] = _cookie(store, account)
                if role == "researcher":
                    store.servers.propose(account, ModelServer(url="https://lab.example/v1", name="Lab", kind="api"))
    finally:
        store.close()
    before = os.environ.get("CHARACTERBOX_AUTH")
    os.environ["CHARACTERBOX_AUTH"] = auth
    app = App(db, samples=True)
    try:
        app.start()
        store = store_in(db)
        story, viewer = store.stories.stories("ended")[0].id, store.accounts.named("Viewer")
        store.close()
        yield Server(app, cookies, story, "" if viewer is None else str(viewer.id))
    finally:
        app.stop()
        if before is None:
            del os.environ["CHARACTERBOX_AUTH"]
        else:
            os.environ["CHARACTERBOX_AUTH"] = before


def _cookie(store: Store, account: Account | None) -> str:
    if account is None:
        raise LookupError("there is no such account")
    return f"{COOKIE}={store.sessions.start(str(account.id), 'password')}"
