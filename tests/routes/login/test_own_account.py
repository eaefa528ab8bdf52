"""One's own account: who one is, and another password."""

import pytest

from tests.routes.conftest import OURS, PASSWORD

pytestmark = pytest.mark.usefixtures("light")

OTHER = "another horse entirely"


@pytest.fixture
def ann(client, people):
    """The browser in which Ann is signed in."""
    client.post(people.link("Ann"), data={"password": PASSWORD, "again": PASSWORD}, headers=OURS)
    return client


def change(client, now=PASSWORD, password=OTHER, again=OTHER):
    return client.post("/account", data={"now": now, "password": password, "again": again}, headers=OURS)


def sign_in(client, password):
    return client.post("/sign-in", data={"name": "Ann", "password": password}, headers=OURS)


def test_it_says_who_one_is(ann):
    page = ann.get("/account").text
    assert "You are signed in as Ann (expert)." in page
    assert 'action="/sign-out"' in page
    assert "您已登录：Ann（专家）" in ann.get("/account?language=zh").text


def test_another_password_signs_out_everywhere_else(ann, browser_of):
    elsewhere = browser_of()
    sign_in(elsewhere, PASSWORD)
    answer = change(ann)
    assert answer.status_code == 200
    assert "Your password has been changed." in answer.text
    assert ann.get("/annotate").status_code == 200
    assert elsewhere.get("/annotate").status_code == 303
    assert sign_in(elsewhere, PASSWORD).status_code == 401
    assert sign_in(elsewhere, OTHER).status_code == 303


@pytest.mark.parametrize(
    ("sent", "status", "told"),
    [
        ({"now": "wrong wrong wrong"}, 401, "Wrong name or password."),
        ({"now": "wrong wrong wrong", "password": "short"}, 401, "Wrong name or password."),
        ({"password": "short", "again": "short"}, 422, "must have at least 10"),
        ({"again": "another horse"}, 422, "The passwords do not match."),
    ],
)
def test_what_is_wrong_changes_nothing(ann, browser_of, sent, status, told):
    answer = change(ann, **sent)
    assert answer.status_code == status
    assert told in answer.text
    assert sign_in(browser_of(), PASSWORD).status_code == 303


def test_whoever_sits_at_an_open_browser_can_not_guess_the_password(ann):
    for _ in range(5):
        assert change(ann, now="wrong wrong wrong").status_code == 401
    answer = change(ann)
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= 1
