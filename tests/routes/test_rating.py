"""The route of a rater's click, on a real database."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from annotations.errors import RatingError
from annotations.marking.marks import MOST_TEXT
from characterbox.accounts.account import LOCAL, Account
from characterbox.accounts.session_user import Visitor
from characterbox.routes import ROUTES
from characterbox.routes.language import TongueMiddleware
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Assignment
from tests.fakes.campaigns import account, running
from tests.fakes.databases import store_in
from tests.fakes.scenes import a_scene

ADDRESS = "http://127.0.0.1:8501"
HEADERS = {"Content-Type": "application/json", "Origin": ADDRESS, "Sec-Fetch-Site": "same-origin"}
KEYS = ("KA", "BA", "EE", "PT", "IM", "AD", "BC")


class FakeStage:
    """A stage on which nothing is played."""

    def __init__(self, store: Store) -> None:
        self.store = store


class Asking:
    """Stands where the guard does, and says who asks."""

    account: Account = LOCAL

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["visitor"] = Visitor(self.account)
        await self._app(scope, receive, send)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    store = store_in(tmp_path / "marks.db")
    monkeypatch.setattr("characterbox.routes.rating.open_stage", lambda: FakeStage(store))
    monkeypatch.setattr(Asking, "account", LOCAL)
    yield store
    store.close()


@pytest.fixture
def given(store: Store) -> dict[str, list[Assignment]]:
    return running(store, a_scene("Ann", "Bob"), "Cai", "Dora", asks_model=True)[2]


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    with TestClient(Starlette(routes=ROUTES, middleware=[Middleware(Asking)]), base_url=ADDRESS) as client:
        yield client


def click(assignment: Assignment, mark: dict[str, Any] | None = None, **other: Any) -> dict[str, Any]:
    said = {"kind": "score", "metric": "KA", "score": 4} if mark is None else mark
    return {"item": assignment.id, "rater": assignment.rater, "click": str(uuid4()), "mark": said, **other}


def post(client: TestClient, body: object, **headers: str) -> tuple[int, dict[str, Any]]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = client.post("/marks", content=content, headers={**HEADERS, **headers})
    return response.status_code, response.json()


def score(metric: str, number: object) -> dict[str, object]:
    return {"kind": "score", "metric": metric, "score": number}


def test_a_click_is_there_when_it_is_acknowledged(client, store, given):
    [cai, _] = given["Cai"]
    status, answer = post(client, click(cai))
    assert (status, answer["revision"]) == (201, 1)
    [entry] = store.marks.entries(cai.id)
    assert (entry.mark.metric, entry.mark.score) == ("KA", 4)
    assert abs(answer["at"] - entry.at.timestamp() * 1000) < 60_000


def test_a_click_that_is_sent_again_is_one(client, store, given):
    said = click(given["Cai"][0])
    assert [post(client, said)[1]["revision"] for _ in range(3)] == [1, 1, 1]
    store.campaigns.move(given["Cai"][0].campaign, "closed", LOCAL)
    assert post(client, said)[0] == 201
    assert len(store.marks.entries(given["Cai"][0].id)) == 1


def test_a_click_that_somebody_else_sends_again_is_told_nothing(client, store, given, monkeypatch):
    said = click(given["Cai"][0])
    assert post(client, said)[0] == 201
    monkeypatch.setattr(Asking, "account", account(store, given["Dora"][0]))
    dora = given["Dora"][0].rater
    unknown = post(client, click(given["Cai"][0], rater=dora))
    for mark in (said["mark"], score("KA", 1)):
        assert post(client, {**said, "mark": mark, "rater": dora}) == unknown
    assert "you have no item" in unknown[1]["error"]


def test_an_item_is_its_raters_alone(client, store, given, monkeypatch):
    monkeypatch.setattr(Asking, "account", account(store, given["Dora"][0]))
    dora = given["Dora"][0].rater
    status, answer = post(client, click(given["Cai"][0], rater=dora))
    assert (status, "you have no item" in answer["error"]) == (409, True)
    assert answer == post(client, click(given["Cai"][0], item="f" * 12, rater=dora))[1] | {"error": answer["error"]}, (
        "whether there is such an item is not told"
    )
    assert post(client, click(given["Dora"][0]))[0] == 201
    assert store.marks.histories(given["Cai"][0].campaign).keys() == {given["Dora"][0].id}


@pytest.mark.parametrize(("status", "expected"), [("paused", 423), ("closed", 409)])
def test_a_campaign_that_does_not_run_takes_nothing(client, store, given, status, expected):
    store.campaigns.move(given["Cai"][0].campaign, status, LOCAL)
    got, answer = post(client, click(given["Cai"][0]))
    assert (got, status in answer["error"]) == (expected, True)
    assert store.marks.entries(given["Cai"][0].id) == []


def test_a_refusal_is_in_the_language_of_the_rater(store, given):
    store.campaigns.move(given["Cai"][0].campaign, "closed", LOCAL)
    app = Starlette(routes=ROUTES, middleware=[Middleware(TongueMiddleware), Middleware(Asking)])
    with TestClient(app, base_url=ADDRESS) as client:
        answers = [
            post(client, click(given["Cai"][0]), **{"Accept-Language": language})[1] for language in ("zh", "en")
        ]
    chinese, english = (answer["error"] for answer in answers)
    assert "closed" in english
    assert re.search("[\u4e00-\u9fff]", chinese)


def test_a_click_waits_while_the_rubric_can_not_be_read(client, store, given, monkeypatch):
    said, known = click(given["Cai"][0]), store.rubrics.rubric

    def unreadable(name, version):
        raise RatingError(f"there is no rubric {name!r} in version {version!r}")

    monkeypatch.setattr(store.rubrics, "rubric", unreadable)
    status, answer = post(client, said)
    assert (status, "the campaign's rubric cannot be read" in answer["error"]) == (503, True)
    monkeypatch.setattr(store.rubrics, "rubric", known)
    assert post(client, said)[0] == 201, "it is sent again, and taken"


def test_a_mark_is_never_taken_for_somebody_else_who_has_signed_in_since(client, store, given, monkeypatch):
    monkeypatch.setattr(Asking, "account", account(store, given["Dora"][0]))
    status, answer = post(client, click(given["Cai"][0]))
    assert (status, "another account is signed in" in answer["error"]) == (401, True)
    assert store.marks.entries(given["Cai"][0].id) == []


def test_a_click_is_one_mark_for_ever(client, store, given):
    said = click(given["Cai"][0])
    assert post(client, said)[0] == 201
    status, answer = post(client, {**said, "mark": score("KA", 5)})
    assert (status, "has already been used for a different entry" in answer["error"]) == (409, True)
    assert [entry.mark.score for entry in store.marks.entries(given["Cai"][0].id)] == [4]


def test_only_what_is_complete_is_submitted(client, given):
    [cai, _] = given["Cai"]
    for key in KEYS[:-1]:
        assert post(client, click(cai, score(key, 3)))[0] == 201
    status, answer = post(client, click(cai, {"kind": "submit"}))
    assert (status, "no score yet for BC" in answer["error"]) == (422, True)
    assert post(client, click(cai, {"kind": "guess", "model": None}))[0] == 422
    post(client, click(cai, score("BC", 3)))
    assert post(client, click(cai, {"kind": "submit"}))[0] == 201
    assert post(client, click(cai, {"kind": "guess", "model": None}))[0] == 201
    assert post(client, click(cai, score("BC", 5)))[0] == 201, "one can go back and change"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mark", "sentence"),
    [
        (score("KA", 0), "is outside the scale"),
        (score("KA", 9), "is outside the scale"),
        (score("KA", 10**400), ""),
        (score("KA", 3.5), "is not a whole number"),
        (score("KA", "4"), "mark.score"),
        (score("KA", True), "mark.score"),
        (score("KA", [4]), "mark.score"),
        (score("XX", 3), "no metric 'XX'"),
        (score("XX", None), "no metric 'XX'"),
        (score("", 3), "no metric ''"),
        (score(4, 3), "mark.score.metric"),
        ({"kind": "score", "metric": "KA"}, "mark.score.score"),
        ({"kind": "evidence", "metric": "KA", "steps": [-1]}, "mark.evidence.steps"),
        ({"kind": "comment", "text": "x" * (MOST_TEXT + 1)}, "mark.comment.text"),
        ({"kind": "comment", "text": "a\u0000b"}, "mark.comment.text"),
        ({"kind": "comment", "text": "a\ud800b"}, ""),
        ({"kind": "time", "reading": 600_001, "idle": 0}, "a reading time of 600001 ms in one entry"),
        ({"kind": "other"}, "mark"),
        ({"kind": "submit", "score": 5}, "mark.submit.score"),
        ("submit", "mark"),
    ],
)
def test_what_is_no_mark_is_refused(client, store, given, mark, sentence):
    got, answer = post(client, click(given["Cai"][0], mark))
    assert got == 422
    assert sentence in answer["error"]
    assert len(answer["error"].splitlines()) == 1
    assert store.marks.entries(given["Cai"][0].id) == []


@pytest.mark.parametrize("other", [{"click": "1"}, {"click": None}, {"item": 4}, {"item": ""}, {"rater": 4}, {"at": 0}])
def test_what_is_no_click_is_refused(client, given, other):
    assert post(client, click(given["Cai"][0], **other))[0] in (409, 422)


@pytest.mark.parametrize("body", [b"", b"nonsense", b"[]", b"{}", b"null", b"\xff\xfe", b"[" * 4000, b'{"score": NaN}'])
def test_what_is_no_json_of_a_click_is_refused(client, body):
    status, answer = post(client, body)
    assert (status, list(answer)) == (422, ["error"])


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "null"},
        {"Origin": ""},
    ],
)
def test_other_sites_cannot_mark(client, store, given, headers):
    assert post(client, click(given["Cai"][0]), **headers)[0] == 403
    assert store.marks.entries(given["Cai"][0].id) == []


def test_a_request_without_an_origin_is_refused(client, given):
    response = client.post("/marks", json=click(given["Cai"][0]))
    assert (response.status_code, "own pages" in response.json()["error"]) == (403, True)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"])
def test_only_json_is_read(client, given, kind):
    assert post(client, click(given["Cai"][0]), **{"Content-Type": kind})[0] == 415


def test_a_charset_may_be_given(client, given):
    assert post(client, click(given["Cai"][0]), **{"Content-Type": "application/json; charset=utf-8"})[0] == 201


def test_a_comment_of_the_longest_kind_fits_and_a_longer_body_does_not(client, given):
    longest = {"kind": "comment", "text": "好" * MOST_TEXT}
    assert post(client, click(given["Cai"][0], longest))[0] == 201
    assert post(client, b" " * 10_000_000)[0] == 413


def test_only_post_is_answered(client):
    assert client.get("/marks", headers=HEADERS).status_code == 405
