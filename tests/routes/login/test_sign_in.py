"""Signing in and out, as a browser and as a program do it."""

import time
from datetime import timedelta

import pytest
from argon2 import PasswordHasher, extract_parameters

from annotations.i18n.translation import speaking
from characterbox.accounts.account import LOCAL
from characterbox.accounts.credentials import COOKIE
from characterbox.accounts.session_user import DEVICE_COOKIE
from characterbox.routes.login.html_pages import HEADERS
from characterbox.routes.login.sign_in import Refusal, in_words
from characterbox.settings import settings
from tests.routes.conftest import OURS, PASSWORD

pytestmark = pytest.mark.usefixtures("light")

PAIR = {"password": PASSWORD, "again": PASSWORD}


@pytest.fixture
def ann(people, browser_of):
    """Ann has an account and a password, and is signed in nowhere."""
    browser = browser_of()
    assert browser.post(people.link("Ann"), data=PAIR, headers=OURS).status_code == 303
    return people.store.accounts.named("Ann")


def sign_in(client, name="Ann", password=PASSWORD, query="", headers=OURS):
    return client.post(f"/sign-in{query}", data={"name": name, "password": password}, headers=headers)


def as_program(client, headers=OURS, **fields):
    return client.post("/sign-in", json=fields, headers=headers)


def test_a_form_signs_in_and_goes_on(client, ann):
    assert client.get("/annotate").headers["location"] == "/sign-in?next=/annotate"
    page = client.get("/sign-in?next=/annotate")
    assert page.status_code == 200
    assert 'name="password" type="password" autocomplete="current-password"' in page.text
    answer = sign_in(client, query="?next=/annotate?item=%2B1")
    assert (answer.status_code, answer.headers["location"]) == (303, "/annotate?item=+1")
    assert client.get("/annotate").text == "the app at /annotate"
    again = client.get("/sign-in?next=/annotate")
    assert (again.status_code, again.headers["location"]) == (303, "/annotate")


def test_the_cookies_are_the_servers_alone(client, ann):
    session, device = sign_in(client).headers.get_list("set-cookie")
    for cookie, name, seconds in ((session, COOKIE, 2_592_000), (device, DEVICE_COOKIE, 34_560_000)):
        value, *attributes = cookie.split("; ")
        assert value.startswith(f"{name}=")
        assert sorted(attributes) == ["HttpOnly", f"Max-Age={seconds}", "Path=/", "SameSite=Lax"]


def test_where_there_is_https_the_cookie_needs_it_and_no_other_host_can_set_it(client, ann, monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_URL", "https://rate.example.org")
    settings.cache_clear()
    session, device = sign_in(client).headers.get_list("set-cookie")
    for cookie in (session, device):
        assert cookie.startswith("__Host-")
        assert cookie.endswith("; Secure")
    name, value = session.partition(";")[0].split("=", 1)
    assert name == f"__Host-{COOKIE}"
    client.cookies.clear()
    assert client.get("/annotate", headers={"Cookie": f"{name}={value}"}).status_code == 200
    assert client.get("/annotate", headers={"Cookie": f"{COOKIE}={value}"}).status_code == 303


def test_a_program_signs_in_without_a_page(client, ann):
    answer = as_program(client, name="ANN", password=PASSWORD)
    assert (answer.status_code, answer.content) == (204, b"")
    assert client.get("/annotate").status_code == 200


@pytest.mark.parametrize(
    ("name", "password"),
    [("Ann", "wrong"), ("Bob", PASSWORD), ("", ""), ("A" * 5000, "x" * 5000), ("Ann\x00", PASSWORD)],
)
def test_what_is_wrong_is_refused_in_the_same_words(client, ann, name, password):
    answer = sign_in(client, name, password)
    assert answer.status_code == 401
    assert "Wrong name or password." in answer.text
    assert COOKIE not in answer.headers.get("set-cookie", "")
    program = as_program(client, name=name, password=password)
    assert (program.status_code, program.json()) == (401, {"error": "Wrong name or password."})
    assert client.get("/annotate").status_code == 303


def test_an_unknown_name_takes_the_work_of_a_wrong_password(client, ann, monkeypatch):
    worked = []

    class Counting(PasswordHasher):
        def verify(self, kept, password):
            worked.append(extract_parameters(kept))
            return super().verify(kept, password)

    monkeypatch.setattr("characterbox.accounts.credentials._HASHER", Counting())
    for name in ("Ann", "Nobody"):
        assert sign_in(client, name, "wrong wrong").status_code == 401
    assert len(worked) == 2
    assert worked[0] == worked[1]


def test_who_has_no_password_yet_can_not_sign_in(client, people):
    people.add("Bob", "expert")
    assert sign_in(client, "Bob", "").status_code == 401


def test_failures_are_slowed_down_whoever_is_asked_for(client, ann):
    for name in ("Ann", "Nobody"):
        for _ in range(5):
            assert as_program(client, name=name, password="wrong").status_code == 401
        refused = as_program(client, name=name, password=PASSWORD)
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
        assert refused.json() == {"error": "Too many attempts failed. Try again in 1 s."}
        page = sign_in(client, name)
        assert (page.status_code, page.headers["retry-after"]) == (429, "1")
        assert "Try again in 1 s." in page.text


def test_blanks_and_case_make_no_other_name(client, people, browser_of):
    assert browser_of().post(people.link("Ann \u00c9lan"), data=PAIR, headers=OURS).status_code == 303
    for name in ("ann  \u00e9lan", " ANN E\u0301LAN", "Ann\u3000\u00c9lan "):
        assert as_program(client, name=name, password=PASSWORD).status_code == 204
    stranger = browser_of()
    for name in ("Ann \u00c9lan", "ann  \u00e9lan", " ANN E\u0301LAN", "Ann\u3000\u00c9lan ", "ANN\t\u00c9LAN"):
        assert as_program(stranger, name=name, password="wrong").status_code == 401
    assert as_program(stranger, name="Ann   \u00c9lan", password=PASSWORD).status_code == 429


@pytest.mark.process
def test_one_can_sign_in_after_the_wait_and_counts_anew(client, ann):
    for _ in range(5):
        as_program(client, name="Ann", password="wrong")
    time.sleep(1.05)
    assert as_program(client, name="Ann", password=PASSWORD).status_code == 204
    for _ in range(5):
        assert as_program(client, name="Ann", password="wrong").status_code == 401


def test_a_long_wait_is_told_in_minutes():
    with speaking("zh"):
        told = in_words(Refusal("wait", timedelta(seconds=61)))
    assert told == "失败次数过多，请在 2 分钟 后重试。"


def test_who_is_disabled_is_told_only_with_the_right_password(client, ann, people):
    people.add("Root", "admin")
    people.store.accounts.disable(LOCAL, ann.id)
    assert "disabled" not in sign_in(client, "Ann", "wrong").text
    answer = sign_in(client)
    assert answer.status_code == 401
    assert "This account is disabled." in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {**OURS, "Sec-Fetch-Site": "cross-site"},
        {**OURS, "Sec-Fetch-Site": "same-site"},
    ],
)
def test_forms_of_other_sites_are_refused(client, ann, people, headers):
    assert sign_in(client, headers=headers).status_code == 403
    assert as_program(client, headers=headers, name="Ann", password=PASSWORD).status_code == 403
    assert client.post(people.link("Bob"), data=PAIR, headers=headers).status_code == 403
    sign_in(client)
    assert client.post("/account", data={"now": PASSWORD, **PAIR}, headers=headers).status_code == 403
    assert client.post("/sign-out", headers=headers).status_code == 403
    assert client.get("/annotate").status_code == 200


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "/%0d%0aSet-Cookie:a=b",
        "javascript:alert(1)",
        "annotate",
        " /annotate",
        "",
        "http:annotate",
    ],
)
def test_it_never_leads_off_the_site(client, ann, wanted):
    answer = client.post("/sign-in", params={"next": wanted}, data={"name": "Ann", "password": PASSWORD}, headers=OURS)
    assert answer.status_code == 303
    assert answer.headers["location"] in ("/", "/%250d%250aSet-Cookie:a=b", "/%0d%0aSet-Cookie:a=b")
    assert len(answer.headers.get_list("set-cookie")) == 2


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"name=Ann&password=\xff", "application/x-www-form-urlencoded", 422),
        (b"name=%FF&password=x", "application/x-www-form-urlencoded", 422),
        (b"&".join(b"a=1" for _ in range(50)), "application/x-www-form-urlencoded", 422),
        (b"{", "application/json", 422),
        (b"[]", "application/json", 422),
        (b"[" * 16_000, "application/json", 422),
        (b'{"name": 1}', "application/json", 422),
        (b"name=Ann", "text/plain", 415),
        (b"name=Ann", "", 415),
        (b"x" * 20_000, "application/json", 413),
    ],
)
def test_what_is_no_form_is_refused(client, ann, content, kind, status):
    answer = client.post("/sign-in", content=content, headers={**OURS, "Content-Type": kind})
    assert answer.status_code == status


def test_half_a_letter_is_no_name_and_no_password(client, ann):
    for body in ('{"name": "Ann", "password": "\\ud800"}', f'{{"name": "Ann\\ud800", "password": "{PASSWORD}"}}'):
        answer = client.post("/sign-in", content=body, headers={**OURS, "Content-Type": "application/json"})
        assert answer.status_code == 401


def test_signing_out_ends_this_session_only(browser_of, ann):
    here, there = browser_of(), browser_of()
    cookie = sign_in(here).headers["set-cookie"].partition(";")[0]
    sign_in(there)
    out = here.post("/sign-out", headers=OURS)
    assert (out.status_code, out.headers["location"]) == (303, "/sign-in")
    assert "Max-Age=0" in out.headers["set-cookie"]
    assert here.get("/annotate").status_code == 303
    assert here.get("/annotate", headers={"Cookie": cookie}).status_code == 303  # whoever kept it
    assert there.get("/annotate").status_code == 200


def test_nothing_is_kept_or_joined_from_elsewhere(client, ann):
    for answer in (client.get("/sign-in"), sign_in(client, password="wrong"), client.get("/invitation/1")):
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert "<script" not in answer.text
    assert sign_in(client).headers["cache-control"] == "no-store"


def test_the_first_one_is_told_how_to_come_in(client, people):
    assert "characterbox invite NAME --role admin" in client.get("/sign-in").text
    people.add("Ann", "admin")
    assert "characterbox invite" not in client.get("/sign-in").text


@pytest.mark.parametrize(
    ("query", "liked", "language"),
    [
        ("", "", "en"),
        ("", "zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("", "en-GB,en;q=0.9,zh;q=0.8", "en"),
        ("", "de,zh;q=0.5,en;q=0.3", "zh"),
        ("", "zh;q=nonsense", "en"),
        ("?language=zh", "en", "zh"),
        ("?language=en", "zh", "en"),
        ("?language=xx", "zh", "zh"),
    ],
)
def test_pages_speak_the_language_of_their_readers(client, people, query, liked, language):
    people.add("Ann", "admin")
    page = client.get(f"/sign-in{query}", headers={"Accept-Language": liked}).text
    assert f'<html lang="{language}">' in page
    assert ("登录" in page) == (language == "zh")


def test_the_other_language_is_one_click_away_and_keeps_the_place(client, people):
    page = client.get("/sign-in?next=/annotate%3Fitem%3D1").text
    assert 'href="/language?to=zh"' in page


def test_who_comes_every_month_stays_signed_in(client, ann, people, monkeypatch):
    sign_in(client)
    assert "set-cookie" not in client.get("/annotate").headers
    monkeypatch.setattr("characterbox.store.accounts.sessions._EXTENDED_AFTER", -timedelta(days=1))
    renewed = client.get("/annotate")
    assert renewed.headers["set-cookie"].startswith(f"{COOKIE}=")
    assert "Max-Age=2592000" in renewed.headers["set-cookie"]
    out = client.post("/sign-out", headers=OURS)
    assert out.headers.get_list("set-cookie") == [f"{COOKIE}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"]


def test_what_a_request_changes_is_logged_with_its_address(client, people):
    link = people.link("Ann")
    client.post(link, data=PAIR, headers=OURS)
    started, used, made, *_ = people.store.audit.read(9)
    assert (started.action, started.detail["by"]) == ("session.started", "invitation")
    assert (used.action, used.address) == ("invitation.use", "testclient")
    assert (made.action, made.address) == ("invitation.make", None)


def test_signing_in_and_out_and_failing_to_are_logged_without_what_was_typed(client, ann, people):
    sign_in(client, "hunter2 is my secret", "x")
    sign_in(client, "ANN", "wrong")
    sign_in(client)
    client.post("/sign-out", headers=OURS)
    entries = people.store.audit.read(4)[::-1]
    assert [(entry.actor, entry.action, entry.subject) for entry in entries] == [
        (None, "sign-in.failed", ""),
        (None, "sign-in.failed", ann.id),
        (ann.id, "session.started", ann.id),
        (ann.id, "session.ended", ann.id),
    ]
    assert [entry.detail for entry in entries[:3]] == [
        {"tries": 1},
        {"name": "Ann", "tries": 1},
        {"name": "Ann", "by": "password"},
    ]
    assert {entry.address for entry in entries} == {"testclient"}
    assert "hunter2" not in str(people.store.audit.read(99))
