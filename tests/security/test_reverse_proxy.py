"""The real server: behind a reverse proxy it sees where people come from, and what is damaged does it no harm."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from streamlit.proto.BackMsg_pb2 import BackMsg

from characterbox.routes.limits.fair_share import MOST_OF_ONE, WAIT
from characterbox.routes.limits.turns import PAGES
from tests.fakes.databases import store_in
from tests.fakes.mock_server import serving
from tests.fakes.stories import a_story
from tests.fakes.waiting import until
from tests.security.shared_server import Server, shared_server

pytestmark = [pytest.mark.process, pytest.mark.slow]

FORGED = "203.0.113.9"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with shared_server(tmp_path_factory.mktemp("served") / "app.db", "local") as server:
        yield server


@pytest.fixture(scope="module")
def proxy(server: Server) -> Iterator[str]:
    """The address of a reverse proxy before the app: it adds the one from which somebody comes to those it was told."""

    async def pass_on(request: Request) -> Response:
        assert request.client is not None
        told = ", ".join([*request.headers.getlist("x-forwarded-for"), request.client.host])
        headers = {**request.headers, "x-forwarded-for": told}
        async with httpx2.AsyncClient(trust_env=False) as client:
            sent = await request.body()
            answer = await client.request(
                request.method, f"{server.app.url}{request.url.path}", content=sent, headers=headers
            )
        return Response(answer.content, answer.status_code)

    with serving(Starlette(routes=[Route("/{path:path}", pass_on, methods=["GET", "POST"])])) as address:
        yield address


def fail_to_sign_in(at: str, address: str, forwarded: str | None = None) -> None:
    """Fail, coming from one of the addresses of this computer, and saying that one comes from another."""
    headers = {"Origin": at} | ({} if forwarded is None else {"X-Forwarded-For": forwarded})
    with httpx2.Client(transport=httpx2.HTTPTransport(local_address=address), base_url=at, timeout=60) as client:
        answer = client.post("/sign-in", json={"name": "Nobody", "password": "wrong"}, headers=headers)
    assert answer.status_code == 401, answer.text


def logged(server: Server) -> set[str]:
    """The addresses from which somebody failed to sign in, as the log of changes has them."""
    with sqlite3.connect(server.app.db) as database:
        return {address for (address,) in database.execute("SELECT address FROM audit WHERE action = 'sign-in.failed'")}


def test_the_log_has_the_address_that_a_trusted_proxy_tells(server: Server, proxy: str) -> None:
    fail_to_sign_in(proxy, "127.0.0.7")
    assert "127.0.0.7" in logged(server)


def test_what_somebody_forges_before_the_proxy_is_not_believed(server: Server, proxy: str) -> None:
    fail_to_sign_in(proxy, "127.0.0.8", FORGED)
    assert "127.0.0.8" in logged(server)
    assert FORGED not in logged(server)


def test_nobody_else_is_believed_of_where_others_come_from(server: Server) -> None:
    """127.0.0.1 alone is trusted, unless `FORWARDED_ALLOW_IPS` says otherwise."""
    fail_to_sign_in(server.app.url, "127.0.0.9", FORGED)
    assert "127.0.0.9" in logged(server)
    assert FORGED not in logged(server)


@pytest.mark.parametrize("who", ["viewer", "admin"])
def test_a_damaged_message_draws_the_first_page_and_no_trace_of_a_fault(server: Server, who: str) -> None:
    whole = BackMsg()
    whole.rerun_script.query_string = "story=1"
    whole.rerun_script.widget_states.widgets.add(id="stop", trigger_value=True)
    sound = whole.SerializeToString()
    with server.visit(who) as visit:
        assert visit is not None
        visit.socket.send(b"")  # a message of no kind: nothing comes of it
        for damaged in (b"no message at all", b"\xff" * 100, sound[:-1], sound[: len(sound) // 2]):
            drawn = visit.ask(damaged)
            assert drawn.of("exception") == []
            assert "stage" in drawn.pages or "playback" in drawn.pages
        assert visit.open().elements
    assert server.request(who, "GET", "/_stcore/health").status_code == 200
    log = server.app.db.with_suffix(".log").read_text(encoding="utf-8")
    assert "You can now view your Streamlit app" in log
    assert "Traceback" not in log


def test_an_account_has_so_many_streams_over_real_connections_and_each_that_is_left_makes_room(server: Server) -> None:
    store = store_in(server.app.db)
    live = f"/stories/{a_story(store).id}/live"  # never played, so that it never ends
    store.close()
    with httpx2.Client(base_url=server.app.url, timeout=60, trust_env=False) as client, ExitStack() as opened:

        def status(who: str) -> int:
            headers = {"cookie": server.cookies[who]}
            with client.stream("GET", live, headers=headers) as answer:
                assert answer.status_code != 429 or answer.headers["retry-after"] == str(WAIT)
                return answer.status_code

        headers = {"cookie": server.cookies["viewer"]}
        watched = [opened.enter_context(client.stream("GET", live, headers=headers)) for _ in range(MOST_OF_ONE)]
        assert [answer.status_code for answer in watched] == [200] * MOST_OF_ONE
        assert (status("viewer"), status("researcher")) == (429, 200)
        watched[0].close()
        until(lambda: status("viewer") == 200)


def test_an_account_has_so_many_pages_open_and_others_have_theirs(server: Server) -> None:
    with ExitStack() as opened:
        mine = [opened.enter_context(server.visit("viewer")) for _ in range(PAGES + 1)]
        (other,) = [opened.enter_context(server.visit("expert"))]
        assert [visit is not None for visit in mine] == [True] * PAGES + [False]
        assert other is not None
        assert other.open().pages
