"""Who gets to what: every route of the real app, ours and Streamlit's, and every page, for everybody."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit.proto.BackMsg_pb2 import BackMsg

from characterbox.accounts.account import LOCAL, ROLES, Account
from characterbox.accounts.session_user import Visitor
from characterbox.routes.guard import NEEDS, GuardMiddleware
from tests.fakes.built_app import built_app
from tests.routes.conftest import ADDRESS, PAGE

pytestmark = pytest.mark.slow

EVERYBODY = {"anonymous", *ROLES}
ANY_ACCOUNT = set(ROLES)
DIRECTORS = {"admin", "researcher"}
WATCHERS = {*DIRECTORS, "viewer"}
RATERS = {*DIRECTORS, "expert"}
NOBODY: set[str] = set()

ALLOWED = {
    "/stage": DIRECTORS,
    "/stories/{story}/live": WATCHERS,
    "/stories/{story}/behind": DIRECTORS,
    "/items/{item}": RATERS,
    "/marks": RATERS,
    "/find": ANY_ACCOUNT,
    "/sign-in": EVERYBODY,
    "/language": EVERYBODY,
    "/fonts/{name}": EVERYBODY,
    "/sign-out": ANY_ACCOUNT,
    "/account": ANY_ACCOUNT,
    "/invitation/{token}": EVERYBODY,
    "/passkeys.js": EVERYBODY,
    "/passkeys/ask": EVERYBODY,
    "/passkeys/sign-in": EVERYBODY,
    "/account/writing": ANY_ACCOUNT,
    "/account/passkeys": ANY_ACCOUNT,
    "/account/passkeys/ask": ANY_ACCOUNT,
    "/account/passkeys/remove": ANY_ACCOUNT,
    "/_stcore/health": EVERYBODY,
    "/_stcore/metrics": {"admin"},
    "/_stcore/host-config": ANY_ACCOUNT,
    "/media/{file_id:path}": WATCHERS,
    "/_stcore/upload_file/{session_id}/{file_id}": DIRECTORS,
    "/component/{path:path}": ANY_ACCOUNT,
    "/_stcore/bidi-components/{path:path}": ANY_ACCOUNT,
    "/_stcore/stream": ANY_ACCOUNT,
    "/auth/login": NOBODY,
    "/auth/logout": NOBODY,
    "/oauth2callback": NOBODY,
    "/_stcore/agent/interact": NOBODY,
    "/_stcore/agent/openapi.json": NOBODY,
    "/_stcore/agent/mcp": NOBODY,
    "": ANY_ACCOUNT,
}
"""Who may ask what, where people sign in with passwords: written out here once more, by people."""
WITH_OIDC = {**ALLOWED, **dict.fromkeys(("/auth/login", "/auth/logout", "/oauth2callback"), EVERYBODY)}
WITH_OIDC |= {path: NOBODY for path in ALLOWED if "passkeys" in path or path == "/invitation/{token}"}
PAGES = {
    "stage": DIRECTORS,
    "playback": WATCHERS,
    "scenes": WATCHERS,
    "sweeps": DIRECTORS,
    "models": DIRECTORS,
    "campaigns": DIRECTORS,
    "annotate": RATERS,
    "validity": DIRECTORS,
    "leaderboard": DIRECTORS,
    "admin": {"admin"},
}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
BLANKS = {
    "{name}": "font.woff2",
    "{story}": "1",
    "{item}": "1",
    "{token}": "1",
    "{session_id}": "1",
    "{file_id}": "1",
    "{file_id:path}": "1",
    "{path:path}": "1",
}


async def through(_):
    return PlainTextResponse("through")


async def through_socket(socket: WebSocket):
    await socket.accept()
    await socket.close()


@pytest.fixture(scope="module")
def routes():
    """The paths of all routes of the app, as it is built, in order, with endpoints that only say that one got there."""
    stubs = []
    for route in built_app().routes:
        if isinstance(route, WebSocketRoute):
            stubs.append(WebSocketRoute(route.path, through_socket))
        elif isinstance(route, Mount):
            stubs.append(Mount(route.path, PlainTextResponse("through")))
        else:
            stubs.append(Route(route.path, through, methods=METHODS))
    return stubs


def client_of(who, routes, auth="local"):
    """A client of the app for an account with this role, or for nobody."""
    account = Account(id="0123456789ab", name="Ann", role=who) if who in ROLES else None
    visitor = None if account is None else Visitor(account)
    guard = Middleware(GuardMiddleware, lambda cookies: visitor, NEEDS[auth], lambda session: "")
    site = Starlette(routes=routes, middleware=[guard])
    return TestClient(site, base_url=ADDRESS, follow_redirects=False)


def gets_there(client, path, method="GET", headers=None):
    answer = client.request(method, path, headers=headers or {})
    if answer.status_code == 200:
        assert method == "HEAD" or answer.text == "through"
        return True
    assert answer.status_code in (401, 403), (method, path)
    assert method == "HEAD" or answer.json()["error"]
    return False


def opens(client, path):
    try:
        with client.websocket_connect(path):
            return True
    except WebSocketDisconnect:
        return False


def address(path):
    for blank, filled in BLANKS.items():
        path = path.replace(blank, filled)
    assert "{" not in path
    return path or "/"


def test_all_routes_of_the_app_are_written_out_here(routes):
    assert {route.path for route in routes} == ALLOWED.keys()


@pytest.mark.parametrize("who", sorted(EVERYBODY))
@pytest.mark.parametrize(("auth", "allowed"), [("local", ALLOWED), ("oidc", WITH_OIDC)])
def test_each_route_is_for_those_whom_it_is_for(routes, who, auth, allowed):
    client = client_of(who, routes, auth)
    for route in routes:
        if isinstance(route, WebSocketRoute):
            assert opens(client, address(route.path)) == (who in allowed[route.path]), route.path
        else:
            for method in METHODS:
                there = gets_there(client, address(route.path), method)
                assert there == (who in allowed[route.path]), (method, route.path)


@pytest.mark.parametrize("who", sorted(EVERYBODY))
def test_each_page_is_for_those_whom_it_is_for(routes, who):
    client = client_of(who, routes)
    for page, allowed in PAGES.items():
        for path in (f"/{page}", f"/{page}/", f"/{page}/deeper", f"/{page}?story=1"):
            assert gets_there(client, path) == (who in allowed), path


def test_without_accounts_everything_is_open_but_what_needs_them(routes):
    guard = Middleware(GuardMiddleware, lambda cookies: Visitor(LOCAL), NEEDS["off"], lambda session: "")
    client = TestClient(Starlette(routes=routes, middleware=[guard]), base_url=ADDRESS)
    shut = {route.path for route in routes if isinstance(route, Route) and not gets_there(client, address(route.path))}
    needing = {"/sign-out", "/account", "/account/writing", "/invitation/{token}"} | {
        path for path in ALLOWED if "passkeys" in path
    }
    assert shut == needing | {path for path, allowed in ALLOWED.items() if allowed == NOBODY}
    assert opens(client, "/_stcore/stream")


def test_a_route_that_is_not_listed_is_for_nobody(routes):
    new = Route("/new", through)
    for who in sorted(EVERYBODY):
        assert not gets_there(client_of(who, [new, *routes]), "/new")


def test_where_there_is_no_route_nobody_gets(routes):
    for who in sorted(EVERYBODY):
        assert not gets_there(client_of(who, routes[:-1]), "/nowhere")


@pytest.mark.parametrize("path", ["/annotate?campaign=1&item=%E5%94%90", "/", "/account", "/nowhere", "/static/a.js"])
def test_who_asks_for_a_page_is_shown_the_way_to_sign_in(routes, path):
    answer = client_of("anonymous", routes).get(path, headers=PAGE)
    assert answer.status_code == 303
    way = TestClient(Starlette(routes=[Route("/sign-in", echo_next)])).get(answer.headers["location"])
    assert way.text == path


async def echo_next(request):
    return PlainTextResponse(request.query_params["next"])


def test_who_may_not_see_a_page_is_told_which_ones_are_for_them(routes):
    answer = client_of("expert", routes).get("/validity", headers={**PAGE, "Accept-Language": "en"})
    assert answer.status_code == 403
    assert "You are signed in as Ann (expert)." in answer.text
    assert '<a href="/annotate">Annotate</a>' in answer.text
    assert "/playback" not in answer.text


def test_a_name_is_no_markup(routes):
    visitor = Visitor(Account(id="0123456789ab", name="<script>alert(1)</script>", role="viewer"))
    guard = Middleware(GuardMiddleware, lambda cookies: visitor, NEEDS["local"], lambda session: "")
    answer = TestClient(Starlette(routes=routes, middleware=[guard]), base_url=ADDRESS).get("/stage", headers=PAGE)
    assert answer.status_code == 403
    assert "<script" not in answer.text
    assert "&lt;script&gt;" in answer.text


class Socket:
    """An app with one web socket that sends back what it is sent, and says which protocols it was offered."""

    def __init__(self):
        self.visitor = Visitor(Account(id="0123456789ab", name="Ann", role="researcher"))
        guard = Middleware(GuardMiddleware, lambda cookies: self.visitor, NEEDS["local"], lambda session: "")
        routes = [WebSocketRoute("/_stcore/stream", self.echo)]
        self.client = TestClient(Starlette(routes=routes, middleware=[guard]), base_url=ADDRESS)

    async def echo(self, socket):
        self.offered = socket.headers["sec-websocket-protocol"]
        await socket.accept(subprotocol="streamlit")
        try:
            while True:
                await socket.send_bytes(await socket.receive_bytes())
        except WebSocketDisconnect:
            pass

    def connect(self):
        return self.client.websocket_connect("/_stcore/stream", subprotocols=["streamlit", "token", "a-session"])


def test_who_is_signed_out_gets_nothing_done_and_sees_the_page_anew():
    press = BackMsg()
    press.rerun_script.query_string = "story=1"
    press.rerun_script.fragment_id = "a fragment"
    press.rerun_script.widget_states.widgets.add(id="stop", trigger_value=True)
    site = Socket()
    with site.connect() as socket:
        socket.send_bytes(press.SerializeToString())
        assert BackMsg.FromString(socket.receive_bytes()) == press
        site.visitor = None
        for sent in (press.SerializeToString(), b"no message at all"):
            socket.send_bytes(sent)
            again = BackMsg.FromString(socket.receive_bytes())
            assert again.WhichOneof("type") == "rerun_script"
            assert not again.rerun_script.HasField("widget_states")
            assert not again.rerun_script.fragment_id
        assert again.rerun_script.query_string == ""


@pytest.mark.parametrize("other", [{"role": "viewer"}, {"id": "ba9876543210"}])
def test_with_another_role_or_account_one_has_to_come_anew(other):
    site = Socket()
    with site.connect() as socket:
        site.visitor = Visitor(site.visitor.account.model_copy(update=other))
        socket.send_bytes(b"press")
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_bytes()
        assert closed.value.code == 1008


def test_nobody_takes_up_a_page_that_another_left():
    site = Socket()
    with site.connect():
        assert site.offered == "streamlit, token"


def test_a_name_that_was_changed_in_between_is_no_reason_to_come_anew():
    site = Socket()
    with site.connect() as socket:
        site.visitor = Visitor(site.visitor.account.model_copy(update={"email": "ann@example.org"}))
        socket.send_bytes(b"press")
        assert socket.receive_bytes() == b"press"
