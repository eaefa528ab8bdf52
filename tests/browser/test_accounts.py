"""People in the browser: invited, signed in through reloads and restarts, let in where they may go, and signed out."""

import re
import shutil
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from characterbox.accounts.login_throttle import key_of_name
from tests.browser.app import App, rests, run
from tests.browser.choosing import pick
from tests.browser.house import House
from tests.browser.menu import offered
from tests.fakes.mock_server import MockServer, mock_server, serving
from tests.fakes.oidc import CLIENT, SECRET, Provider

PASSWORD = "correct horse battery"
BELIEFS = 2 * 4
"""Calls before the first round of the scene that the stage offers first: two for each of its cast."""


@pytest.fixture
def guarded(tmp_path: Path, played: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """The running app, in which people sign in with passwords, on a copy of `played`."""
    app = App(Path(shutil.copyfile(played, tmp_path / "app.db")))
    monkeypatch.setenv("CHARACTERBOX_AUTH", "local")
    try:
        app.start()
        yield app
    finally:
        app.stop()


def invite(app: App, *words: str) -> str:
    """What the command line prints of an invitation."""
    return run(app.db, "invite", *words, CHARACTERBOX_URL=app.url).out.read_text(encoding="utf-8").strip()


def come_in(page: Page, link: str) -> None:
    """Use an invitation."""
    page.goto(link)
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat the new password").fill(PASSWORD)
    page.get_by_role("button", name="Set password and start").click()


def sign_in(page: Page, name: str, password: str) -> None:
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def expect_pages(page: Page, *titles: str) -> None:
    """The menu offers these pages and no others."""
    expect(page.locator(".cb-who")).to_be_visible()
    assert offered(page) == [*titles]


def invite_in_app(admin: Page, app: App, name: str, role: str) -> str:
    """Invite somebody on the Accounts page; gives the link."""
    admin.goto(f"{app.url}/admin?new=1")
    admin.get_by_label("Name", exact=True).fill(name)
    pick(admin, "Role", re.compile(role))
    admin.get_by_role("button", name="Invite").click()
    expect(admin).to_have_url(re.compile(r"/admin\?account=[0-9a-f]{12}$"))
    expect(admin.locator("code")).to_contain_text("/invitation/")
    return admin.locator("code").inner_text()


def test_people_are_invited_stay_in_and_are_shut_out(guarded: App, browser: Browser) -> None:
    admin_context, viewer_context = browser.new_context(), browser.new_context()
    admin, viewer = admin_context.new_page(), viewer_context.new_page()
    admin.goto(f"{guarded.url}/admin")
    expect(admin).to_have_url(re.compile("/sign-in"))
    expect(admin.get_by_text("characterbox invite NAME --role admin")).to_be_visible()

    come_in(admin, invite(guarded, "Root", "--role", "admin"))
    expect(admin.get_by_role("heading", name="Stage")).to_be_visible()
    expect_pages(
        admin,
        "Stage",
        "Playback",
        "Scenes",
        "Roles",
        "Campaigns",
        "Annotate",
        "Reliability and validity",
        "Leaderboard",
        "Sweeps",
        "Models",
        "Training",
        "Accounts",
    )
    link = invite_in_app(admin, guarded, "Vi <b>", "Viewer")
    come_in(viewer, link)
    expect(viewer).to_have_url(re.compile("/playback$"))
    expect(viewer.get_by_label("Search")).to_be_visible()
    expect(viewer.locator(".cb-who")).to_have_text("Vi <b>")
    with sqlite3.connect(guarded.db) as database:  # the command line, a route, and a page
        told = database.execute("SELECT actor_name, action, address FROM audit").fetchall()
    assert ("the command line", "invitation.make", None) in told
    assert ("Root", "invitation.use", "127.0.0.1") in told
    assert ("Root", "invitation.make", "127.0.0.1") in told

    guarded.stop()
    guarded.start()
    for page in (admin, viewer):
        page.reload()
        expect(page.locator(".cb-who")).to_be_visible()
    _reads_and_no_more(viewer, guarded)

    open_page = viewer_context.new_page()
    open_page.goto(f"{guarded.url}/playback")
    expect(open_page.get_by_label("Search")).to_be_visible()
    admin.get_by_role("button", name="Disable").click()
    expect(admin.get_by_text("disabled since")).to_be_visible()
    open_page.locator(".library .title").first.click()
    expect(open_page.get_by_text("You are signed out")).to_be_visible()
    viewer.goto(f"{guarded.url}/playback")
    sign_in(viewer, "Vi <b>", PASSWORD)
    expect(viewer.get_by_text("This account is disabled.")).to_be_visible()

    admin.locator(".cb-who").click()
    admin.get_by_role("button", name="Sign out").click()
    expect(admin).to_have_url(re.compile("/sign-in$"))
    admin.goto(guarded.url)
    expect(admin).to_have_url(re.compile("/sign-in"))
    for context in (admin_context, viewer_context):
        context.close()


def _reads_and_no_more(page: Page, app: App) -> None:
    """A viewer can read a story, and do nothing to it."""
    with sqlite3.connect(app.db) as database:
        (story,) = database.execute("select id from story order by created_at limit 1").fetchone()
    page.goto(f"{app.url}/playback?story={story}")
    rests(page)
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.get_by_role("button", name="Web page for offline playback (HTML)")).to_be_visible()
    expect(page.locator(".player .turns")).to_be_visible()
    for name in (
        "Branch from here",
        "Regenerate this reply",
        "Edit this reply",
        "Judge story",
        "Story file for import (JSON)",
    ):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    page.goto(f"{app.url}/playback?story={story}&view=judges")
    expect(page.locator(".player .turns")).to_be_visible()
    for name in ("Judge", "Judge story"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    page.goto(f"{app.url}/scenes?scene=bundled:pride-rain&edit=yes")
    expect(page.locator(".cb-scene")).to_be_visible()
    for name in ("Duplicate to edit", "Edit", "Archive"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    for address in ("new=scene", "crafting=new"):
        page.goto(f"{app.url}/scenes?{address}")
        expect(page.get_by_text("Only researchers and admins can write, import and generate scenes")).to_be_visible()
    for shut in ("stage", "sweeps", "models", "validity", "leaderboard", "annotate", "admin"):
        answer = page.goto(f"{app.url}/{shut}")
        assert answer is not None
        assert answer.status == 403
        expect(page.get_by_role("heading", name="Not available here")).to_be_visible()
        expect(page.get_by_role("link", name="Playback")).to_be_visible()


def test_what_somebody_writes_is_stored_under_the_account_which_lends_it_or_not(guarded: App, browser: Browser) -> None:
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context, mock_server() as server:
        page = context.new_page()
        come_in(page, invite(guarded, "Root", "--role", "admin"))
        expect(page.locator(".cb-who")).to_have_text("Root")
        run(guarded.db, "servers", "add", server.url, "--name", "Here")
        house = House(guarded, server, page)
        parent = house.played()
        house.use(parent, house.paths(parent).index("r1/ann/result") + 1, "Edit")
        page.get_by_role("dialog").get_by_label("What comes of it").fill("The lamp goes out.")
        edited = house.started(parent)
        whose = "select path, name from reply left join account on account.id = person where person is not null"
        assert house.stored(f"{whose} and story_id = ?", edited) == [("r1/ann/result", "Root")]

        people = house.story(people=("Ann",))
        house.open(people.id)
        house.press("Continue")
        for label in ("Who I am, where I am, and how I am doing", "What I want", "What I mean to do"):
            page.get_by_label(label).fill("So it is.")
        house.press("Play it")
        house.wait(lambda: house.stored(f"{whose} and story_id = ?", people.id) == [("r0/ann/self-belief", "Root")])

        page.locator(".cb-who").click()
        for button, state, lends in (
            ("Allow training use", "On: your writing may be used for training.", 1),
            ("Turn off training use", "Off: your writing is not used for training.", 0),
        ):
            page.get_by_role("button", name=button).click()
            expect(page.get_by_text(state)).to_be_visible()
            assert house.stored("select name, lends_writing from account") == [("Root", lends)]


@pytest.fixture
def server() -> Iterator[MockServer]:
    """It answers what everybody believes as the story begins, and more when it is told to."""
    with mock_server(answers=BELIEFS) as server:
        yield server


def test_a_viewer_watches_a_story_that_is_played_until_the_role_is_another(
    server: MockServer, guarded: App, browser: Browser
) -> None:
    with browser.new_context() as admin_context, browser.new_context() as viewer_context:
        admin, viewer = admin_context.new_page(), viewer_context.new_page()
        come_in(admin, invite(guarded, "Root", "--role", "admin"))
        come_in(viewer, invite(guarded, "Vi", "--role", "viewer"))
        run(guarded.db, "servers", "add", server.url, "--name", "Here")  # the app asks no other on this computer
        model = f"{server.url}#m"
        for seat in ("Narrator", "Characters"):
            pick(admin, seat, model, typed=model)
        admin.get_by_role("button", name="Start story").click()
        expect(admin).to_have_url(re.compile("story="))
        expect(viewer.locator(".cb-who")).to_be_visible()
        viewer.goto(f"{guarded.url}/playback?{admin.url.partition('?')[2]}")
        steps = viewer.locator(".player.stage .turns article, .player.stage .turns li, .player.stage .turns p")
        expect(steps.first).to_be_visible()
        seen = steps.count()
        server.answers = BELIEFS + 3
        expect(steps.nth(seen + 3)).to_be_attached()  # more comes without anybody doing anything
        for name in ("Pause", "Stop", "Casting"):
            expect(viewer.get_by_role("button", name=name)).to_have_count(0)
            expect(admin.get_by_role("button", name=name)).to_be_visible()

        admin.goto(f"{guarded.url}/admin")
        admin.get_by_role("button", name="Vi", exact=True).click()
        pick(admin, "Role", re.compile("Expert"))
        expect(admin.get_by_text("expert · signs in")).to_be_visible()
        live = f"{guarded.url}/stories/{viewer.url.partition('story=')[2]}/live"
        assert _status(viewer_context, live) == 403
        viewer.goto(guarded.url)
        expect(viewer).to_have_url(re.compile("/annotate$"))
    server.answers = None


def test_who_has_failed_too_often_waits_also_after_a_restart(guarded: App, browser: Browser) -> None:
    invite(guarded, "Root", "--role", "admin")
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{guarded.url}/models")
        sign_in(page, "Root", "wrong wrong wrong")
        expect(page.get_by_role("alert")).to_have_text("Wrong name or password.")
        with sqlite3.connect(guarded.db) as database:
            moment = datetime.now(UTC).replace(tzinfo=None).isoformat(" ")
            counted = "update throttle set failures = 16, last_at = ? where key = ?"
            assert database.execute(counted, (moment, key_of_name("Root"))).rowcount == 1
        guarded.stop()
        guarded.start()
        sign_in(page, "root", PASSWORD)
        expect(page.get_by_role("alert")).to_have_text("Too many failed attempts. Try again in 15 min.")


def test_a_rater_sees_the_rating_page_only(guarded: App, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        come_in(page, invite(guarded, "Ann", "--role", "expert"))
        expect(page).to_have_url(re.compile("/annotate$"))
        expect(page.locator(".cb-who")).to_have_text("Ann")
        assert offered(page) == ["Annotate"]
        with sqlite3.connect(guarded.db) as database:
            (story,) = database.execute("select id from story limit 1").fetchone()
        assert _status(context, f"{guarded.url}/stories/{story}/live") == 403
        assert _status(context, f"{guarded.url}/_stcore/metrics") == 403
        assert _status(context, f"{guarded.url}/_stcore/agent/openapi.json") == 403


def _status(context: BrowserContext, address: str) -> int:
    return context.request.get(address, headers={"Accept": "*/*"}).status


def test_nobody_else_gets_anything_of_the_running_app(guarded: App, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{guarded.url}/_stcore/health")
        for path in ("/", "/annotate", "/static/js/index.js", "/_stcore/host-config", "/media/1.png", "/account"):
            assert _status(context, guarded.url + path) == 401, path
        assert _status(context, f"{guarded.url}/_stcore/health") == 200
        socket = guarded.url.replace("http:", "ws:") + "/_stcore/stream"
        opened = f"() => new Promise(done => {{ const s = new WebSocket('{socket}');"
        opened += "s.onopen = () => done('open'); s.onclose = () => done('closed'); })"
        assert page.evaluate(opened) == "closed"


@pytest.fixture
def provider() -> Iterator[tuple[Provider, str]]:
    """A provider at which people sign in, and its address."""
    provider = Provider()
    with serving(provider.app) as address:
        yield provider, address


@pytest.fixture
def elsewhere(tmp_path: Path, provider: tuple[Provider, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """The running app, in which people sign in at the provider."""
    app = App(tmp_path / "app.db")
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(
        f'[auth]\nredirect_uri = "{app.url}/oauth2callback"\ncookie_secret = "{"c" * 40}"\nclient_id = "{CLIENT}"\n'
        f'client_secret = "{SECRET}"\nserver_metadata_url = "{provider[1]}/.well-known/openid-configuration"\n',
        encoding="utf-8",
    )
    monkeypatch.setenv("STREAMLIT_SECRETS_FILES", str(secrets))
    monkeypatch.setenv("CHARACTERBOX_AUTH", "oidc")
    try:
        app.start()
        yield app
    finally:
        app.stop()


def test_people_sign_in_elsewhere(elsewhere: App, provider: tuple[Provider, str], browser: Browser) -> None:
    assert invite(elsewhere, "Ann", "--role", "expert", "--email", "ann@example.org") == f"{elsewhere.url}/sign-in"
    with browser.new_context() as context:
        page = context.new_page()
        provider[0].person = {"sub": "66", "email": "eve@example.org", "email_verified": True}
        page.goto(f"{elsewhere.url}/annotate")
        page.get_by_role("link", name="Sign in with your organization").click()
        expect(page.get_by_role("alert")).to_contain_text("eve@example.org, but you have not been invited")
        assert _status(context, f"{elsewhere.url}/annotate") == 401

        page.get_by_role("link", name="Sign in with another account").click()
        provider[0].person = {"sub": "17", "email": "Ann@example.org", "email_verified": True}
        page.get_by_role("link", name="Sign in with your organization").click()
        expect(page).to_have_url(re.compile("/annotate$"))
        expect(page.locator(".cb-who")).to_have_text("Ann")
        page.reload()
        expect(page.locator(".cb-who")).to_have_text("Ann")

        page.goto(f"{elsewhere.url}/account")
        expect(page.get_by_label("New password")).to_have_count(0)
        page.get_by_role("button", name="Allow training use").click()
        expect(page.get_by_text("On: your writing may be used for training.")).to_be_visible()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("link", name="Sign in with your organization")).to_be_visible()
        assert _status(context, f"{elsewhere.url}/annotate") == 401


def test_who_signs_out_is_sent_to_a_provider_that_wants_to_know(
    elsewhere: App, provider: tuple[Provider, str], browser: Browser
) -> None:
    """Browsers let a form lead to this app alone, by whatever way it is sent on: Content-Security-Policy."""
    provider[0].person = {"sub": "17", "email": "ann@example.org", "email_verified": True}
    provider[0].signs_out = True
    invite(elsewhere, "Ann", "--role", "expert", "--email", "ann@example.org")
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{elsewhere.url}/account")
        page.get_by_role("link", name="Sign in with your organization").click()
        page.goto(f"{elsewhere.url}/account")
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("link", name="Sign in with your organization")).to_be_visible()
        assert provider[0].signed_out == 1
        assert _status(context, f"{elsewhere.url}/annotate") == 401
