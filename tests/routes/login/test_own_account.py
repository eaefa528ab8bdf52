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


def lend(client, headers=OURS, **sent):
    return client.post("/account/writing", data=sent, headers=headers)


def test_one_allows_training_on_ones_writing_and_takes_it_back(ann, people):
    assert "Off: your writing is not used for training." in ann.get("/account").text
    for lends, told in (("yes", "On: your writing may be used for training."), ("no", "Off: your writing is not used")):
        answer = lend(ann, lends=lends)
        assert (answer.status_code, answer.headers["location"]) == (303, "/account")
        assert told in ann.get("/account").text
        assert people.store.accounts.named("Ann").lends_writing is (lends == "yes")
        assert [one.name for one in people.store.accounts.all() if one.lends_writing] == ["Ann"] * (lends == "yes")
    assert "当前：不允许将您写的内容用于训练。" in ann.get("/account?language=zh").text


@pytest.mark.parametrize(
    ("sent", "headers", "status"),
    [
        ({"name": "yes"}, OURS, 422),
        ({"lends": "maybe"}, OURS, 422),
        ({"lends": "yes"}, {"Origin": "https://elsewhere.example.org", "Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
def test_nothing_else_changes_whether_writing_may_be_used(ann, people, sent, headers, status):
    assert lend(ann, headers, **sent).status_code == status
    assert people.store.accounts.lenders() == frozenset()


def test_who_is_signed_out_lends_nothing(client, people):
    people.add("Ann", "expert")
    assert lend(client, lends="yes").status_code == 401
    assert people.store.accounts.lenders() == frozenset()


def test_whoever_sits_at_an_open_browser_can_not_guess_the_password(ann):
    for _ in range(5):
        assert change(ann, now="wrong wrong wrong").status_code == 401
    answer = change(ann)
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= 1
