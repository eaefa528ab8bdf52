"""The route of a rater's click, on a real database."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.script import Script
from characterbox.routes import ROUTES
from characterbox.scenes.scene import Environment, Profile, Scene
from characterbox.settings import database_url
from characterbox.store import Store
from characterbox.store.ratings import rating_of
from characterbox.store.stories import Story

HARBOUR = Scene(
    id="harbour",
    title="The Last Ferry",
    work="Harbour Tales",
    language="en",
    origin="original",
    environment=Environment(time="Dusk", location="A pier", description="The ferry is about to leave."),
    cast=(
        Profile(name="Ada Quill", description="A pilot.", position="On the pier", state="Calm"),
        Profile(name="Bo", description="A boy.", position="On deck", state="Afraid"),
    ),
)
ADDRESS = "http://127.0.0.1:8501"
HEADERS = {"Content-Type": "application/json", "Origin": ADDRESS, "Sec-Fetch-Site": "same-origin"}


class FakeStage:
    """A stage on which nothing is played."""

    def __init__(self, store: Store) -> None:
        self.store = store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    store = Store(database_url(tmp_path / "ratings.db"))
    monkeypatch.setattr("characterbox.routes.ratings.open_stage", lambda: FakeStage(store))
    yield store
    store.close()


@pytest.fixture
def story(store: Store) -> Story:
    endpoint = Endpoint(url="rehearsal", model="Zephyr-9B")
    casting = Casting(narrator=endpoint, characters=dict.fromkeys(HARBOUR.names, endpoint))
    story = store.stories.create(Script(scene=HARBOUR), casting, "app")
    store.stories.move(story.id, "ended")
    return store.stories.story(story.id)


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    with TestClient(Starlette(routes=ROUTES), base_url=ADDRESS) as client:
        yield client


def click(story: Story, **other: Any) -> dict[str, Any]:
    return {"item": f"{story.id}:ada-quill", "rater": "Ann", "metric": "KA", "score": 4, **other}


def post(client: TestClient, body: object, **headers: str) -> tuple[int, dict[str, Any]]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = client.post("/ratings", content=content, headers={**HEADERS, **headers})
    return response.status_code, response.json()


def test_a_click_is_stored_with_what_it_is_about(client: TestClient, store: Store, story: Story) -> None:
    status, answer = post(client, click(story))
    assert status == 201
    assert answer.pop("at") > story.created_at.timestamp() * 1000
    assert answer == click(story)
    rating = store.ratings.of_rater(f"{story.id}:ada-quill", "Ann", "expert")["KA"]
    assert (rating.score, rating.scene, rating.language) == (4, "Harbour Tales: harbour", "en")
    assert (rating.model, rating.rubric, rating.reason) == ("Zephyr-9B", "character", None)
    assert "Zephyr-9B" not in json.dumps(answer)


def test_the_last_click_counts_and_each_rater_for_himself(client: TestClient, store: Store, story: Story) -> None:
    for rater, score in (("Ann", 1), ("Bob", 2), ("Ann", 5)):
        assert post(client, click(story, rater=rater, score=score))[0] == 201
    frame = store.ratings.frame()
    assert dict(zip(frame["rater"], frame["score"], strict=True)) == {"Bob": 2, "Ann": 5}


def test_a_score_can_be_withdrawn(client: TestClient, store: Store, story: Story) -> None:
    assert post(client, click(story))[0] == 201
    assert post(client, click(story, score=None))[0] == 201
    rating = store.ratings.of_rater(f"{story.id}:ada-quill", "Ann", "expert")["KA"]
    assert (rating.score, rating.reason) == (None, "withdrawn by the rater")


def test_a_name_is_stored_in_one_form(client: TestClient, store: Store, story: Story) -> None:
    assert post(client, click(story, rater=" Jose\u0301   Marti\u0301 "))[1]["rater"] == "José Martí"
    assert store.ratings.frame()["rater"].tolist() == ["José Martí"]


@pytest.mark.parametrize(
    ("wrong", "status", "sentence"),
    [
        ({"score": 0}, 422, "lies outside the scale"),
        ({"score": 6}, 422, "lies outside the scale"),
        ({"score": "4"}, 422, "score: "),
        ({"score": True}, 422, "score: "),
        ({"score": 3.5}, 422, "score: "),
        ({"score": 4.0}, 422, "score: "),
        ({"score": [4]}, 422, "score: "),
        ({"score": 10**400}, 422, "lies outside the scale"),
        ({"metric": "XX"}, 422, "no metric 'XX'"),
        ({"metric": "XX", "score": None}, 422, "no metric 'XX'"),
        ({"metric": 4}, 422, "metric: "),
        ({"rater": ""}, 422, "the name is missing"),
        ({"rater": " \u3000 "}, 422, "the name is missing"),
        ({"rater": "A" * 81}, 422, "81 characters"),
        ({"rater": "An\nn"}, 422, "control character"),
        ({"rater": "An\u0000n"}, 422, "control character"),
        ({"rater": "An\u202en"}, 422, "control character"),
        ({"rater": "An\ud800n"}, 422, ""),
        ({"rater": None}, 422, "rater: "),
        ({"item": "nowhere:ada-quill"}, 404, "none with this id"),
        ({"item": ""}, 404, "none with this id"),
        ({"item": "\u0000:ada-quill"}, 404, "choose one from the list"),
        ({"kind": "judge"}, 422, "kind: "),
    ],
)
def test_what_is_no_score_is_refused(
    client: TestClient, store: Store, story: Story, wrong: dict[str, Any], status: int, sentence: str
) -> None:
    got, answer = post(client, click(story, **wrong))
    assert got == status
    assert sentence in answer["error"]
    assert len(answer["error"].splitlines()) == 1
    assert store.ratings.frame().empty


@pytest.mark.parametrize("body", [b"", b"nonsense", b"[]", b"{}", b"null", b"\xff\xfe", b"[" * 4000, b'{"score": NaN}'])
def test_what_is_no_json_of_a_click_is_refused(client: TestClient, store: Store, body: bytes) -> None:
    status, answer = post(client, body)
    assert (status, list(answer)) == (422, ["error"])
    assert store.ratings.frame().empty


def test_nobody_of_that_name_and_a_story_that_plays_are_refused(client: TestClient, store: Store, story: Story) -> None:
    assert post(client, click(story, item=f"{story.id}:nobody"))[0] == 404
    for status in ("running", "paused", "failed"):
        store.stories.move(story.id, status)
        got, answer = post(client, click(story))
        assert (got, "has not ended" in answer["error"]) == (404, True)
    assert store.ratings.frame().empty


def test_the_name_of_a_judge_is_refused(client: TestClient, store: Store, story: Story) -> None:
    store.ratings.add([rating_of(story, "Ada Quill", rater="GPT-4", kind="judge", metric="KA", score=3)])
    status, answer = post(client, click(story, rater="GPT-4"))
    assert (status, "use another name" in answer["error"]) == (422, True)


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
def test_other_sites_cannot_score(client: TestClient, store: Store, story: Story, headers: dict[str, str]) -> None:
    assert post(client, click(story), **headers)[0] == 403
    assert store.ratings.frame().empty


def test_a_request_without_an_origin_is_refused(client: TestClient, story: Story) -> None:
    response = client.post("/ratings", json=click(story))
    assert (response.status_code, "Annotate page" in response.json()["error"]) == (403, True)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"])
def test_only_json_is_read(client: TestClient, store: Store, story: Story, kind: str) -> None:
    assert post(client, click(story), **{"Content-Type": kind})[0] == 415
    assert store.ratings.frame().empty


def test_a_charset_may_be_given(client: TestClient, story: Story) -> None:
    assert post(client, click(story), **{"Content-Type": "application/json; charset=utf-8"})[0] == 201


def test_a_body_is_read_up_to_a_limit(client: TestClient, store: Store, story: Story) -> None:
    assert post(client, click(story, rater="A" * 5000))[0] == 413
    assert post(client, b" " * 10_000_000)[0] == 413
    assert store.ratings.frame().empty


def test_only_post_is_answered(client: TestClient) -> None:
    assert client.get("/ratings", headers=HEADERS).status_code == 405
