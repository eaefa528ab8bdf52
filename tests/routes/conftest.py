"""The app's routes behind the guard, on a real database, for whoever signs in."""

from collections.abc import Iterator
from importlib import import_module

import pytest
from argon2 import PasswordHasher
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount
from starlette.testclient import TestClient

from characterbox.accounts.account import LOCAL, Account, Role
from characterbox.routes import ROUTES
from characterbox.routes.guard import NEEDS, GuardMiddleware
from characterbox.routes.language import TongueMiddleware
from characterbox.routes.login.authentication import extend_session, find_visitor
from characterbox.settings import settings
from characterbox.store import Store

ADDRESS = "http://127.0.0.1:8501"
OURS = {"Origin": ADDRESS, "Sec-Fetch-Site": "same-origin"}
"""What a browser says of a form of the app's own."""
PAGE = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
PASSWORD = "correct horse battery"


class FakeStage:
    """A stage on which nothing is played."""

    def __init__(self, store: Store) -> None:
        self.store = store


class People:
    """Invites people and signs them in."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def add(self, name: str, role: Role) -> Account:
        return self.store.accounts.add(LOCAL, name, role)

    def link(self, name: str, role: Role = "expert") -> str:
        account = self.store.accounts.named(name) or self.add(name, role)
        return f"/invitation/{self.store.invitations.make(LOCAL, str(account.id))}"


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords that cost next to nothing."""
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr("characterbox.accounts.credentials._HASHER", hasher)
    monkeypatch.setattr("characterbox.accounts.credentials._NOBODYS", hasher.hash("nobody's"))


@pytest.fixture
def people(store: Store) -> People:
    return People(store)


@pytest.fixture
def local(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """People sign in with passwords."""
    monkeypatch.setenv("CHARACTERBOX_AUTH", "local")
    settings.cache_clear()
    yield
    settings.cache_clear()


async def _page(request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"the app at {request.url.path}")


@pytest.fixture
def site(local: None, store: Store, monkeypatch: pytest.MonkeyPatch) -> Starlette:
    """The app with pages that say where they are."""
    for module in ("authentication", "sign_in", "own_account", "passkeys", "passkey_parts"):
        monkeypatch.setattr(
            import_module(f"characterbox.routes.login.{module}"), "open_stage", lambda: FakeStage(store)
        )

    async def pages(scope, receive, send):  # type: ignore[no-untyped-def]
        await (await _page(Request(scope)))(scope, receive, send)

    guard = Middleware(GuardMiddleware, find_visitor, NEEDS["local"], extend_session)
    return Starlette(routes=[*ROUTES, Mount("/", pages)], middleware=[Middleware(TongueMiddleware), guard])


@pytest.fixture
def browser_of(site: Starlette) -> Iterator[object]:
    """Browsers, each with cookies of its own."""
    clients = []

    def new() -> TestClient:
        client = TestClient(site, base_url=ADDRESS, follow_redirects=False, headers=PAGE)
        clients.append(client)
        return client

    yield new
    for client in clients:
        client.close()


@pytest.fixture
def client(browser_of) -> TestClient:  # type: ignore[no-untyped-def]
    return browser_of()
