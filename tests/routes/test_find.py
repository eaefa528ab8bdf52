"""What the command palette finds: by all words of a name, and of nothing that the one who asks may not open."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from characterbox.accounts.account import LOCAL, Account, Role
from characterbox.accounts.permissions import PAGES, TITLES
from characterbox.accounts.session_user import Visitor
from characterbox.routes.find import MOST, find_named
from characterbox.routes.language import TongueMiddleware
from characterbox.scenes.library import bundled
from characterbox.store import Store
from characterbox.store.ratings.ratings import rating_of
from tests.fakes.campaigns import settings
from tests.fakes.databases import listening
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story
from tests.routes.conftest import FakeStage

Found = list[dict[str, Any]]
Asks = Callable[..., Found]


class Asking:
    """Stands where the guard does, and says who asks."""

    account: Account = LOCAL

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["visitor"] = Visitor(self.account)
        await self._app(scope, receive, send)


@pytest.fixture
def client(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr("characterbox.routes.find.open_stage", lambda: FakeStage(store))
    layers = [Middleware(TongueMiddleware), Middleware(Asking)]
    with TestClient(Starlette(routes=[Route("/find", find_named)], middleware=layers)) as client:
        yield client


@pytest.fixture
def asks(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> Asks:
    """What somebody of a role finds."""

    def ask(text: str, role: Role | None = None) -> Found:
        account = LOCAL if role is None else Account(id="0123456789ab", name="Ann", role=role)
        monkeypatch.setattr(Asking, "account", account)
        answer = client.get("/find", params={"text": text})
        assert answer.headers["Cache-Control"] == "no-store"
        return list(answer.json()["found"])

    return ask


@pytest.fixture
def filled(store: Store) -> str:
    """A story that runs, a scene, a campaign and a judge, of one name; gives the id of the story."""
    scene = a_scene().model_copy(update={"title": "Zebra <b>at dusk</b>"})
    story = a_story(store, scene)
    store.scenes.add([scene])
    store.campaigns.create(settings(name="Zebra, spring"), LOCAL)
    for key in ("one", "two", "has scored nothing"):
        store.judges.version("Zebra-4", "character", key, {})
    for rater in ("Zebra-4", "Zebra-4 v2"):
        store.ratings.add([rating_of(story, scene.names[0], rater=rater, metric="KA", score=4)])
    return story.id


def names(found: Found) -> list[tuple[str, str]]:
    return [(hit["kind"], hit["name"]) for hit in found]


STORY, SCENE = ("story", "Zebra <b>at dusk</b>"), ("scene", "Zebra <b>at dusk</b>")
OTHERS = [("campaign", "Zebra, spring"), ("judge", "Zebra-4"), ("judge", "Zebra-4 v2")]


def test_directors_find_all_viewers_what_is_read_and_experts_no_name(asks: Asks, filled: str) -> None:
    assert names(asks("ZEBRA", "admin")) == names(asks("zebra", "researcher")) == [STORY, SCENE, *OTHERS]
    assert names(asks("zebra", "viewer")) == [STORY, SCENE]
    for text in ("zebra", "", "e", filled, "hotel"):
        assert {kind for kind, _ in names(asks(text, "expert"))} <= {"page"}, text


def test_each_leads_to_where_the_one_who_asks_can_open_it(asks: Asks, filled: str, store: Store) -> None:
    addresses = [hit["address"] for hit in asks("zebra")]
    assert addresses[0] == f"/?story={filled}"
    assert addresses[1].startswith("/scenes?scene=")
    assert addresses[2].startswith("/campaigns?campaign=")
    assert addresses[3:] == [f"/validity?view=Single+judge&judge=Zebra-4{version}" for version in ("", "+v2")]
    assert asks("zebra", "viewer")[0]["address"] == f"/playback?story={filled}"
    store.stories.move(filled, "ended")
    assert asks("zebra")[0]["address"] == f"/playback?story={filled}"


@pytest.mark.parametrize(
    ("role", "pages"),
    [
        ("viewer", ["Playback", "Scenes", "Roles"]),
        ("expert", ["Annotate"]),
        (
            "researcher",
            [TITLES[page] for page in PAGES if page != "admin"],
        ),
    ],
)
def test_with_no_words_the_pages_of_a_role_come_first(asks: Asks, filled: str, role: Role, pages: list[str]) -> None:
    found = names(asks("  ", role))
    assert found[: len(pages)] == [("page", name) for name in pages]
    assert found[len(pages) :] == ([] if role == "expert" else [STORY])


def test_pages_are_found_by_their_names_in_both_languages_and_by_their_group(asks: Asks) -> None:
    pages = [hit for hit in asks("排行榜") if hit["kind"] == "page"]
    assert [(hit["name"], hit["about"], hit["address"]) for hit in pages] == [
        ("Leaderboard", "Measure", "/leaderboard")
    ]
    assert ("page", "Sweeps") in names(asks("measure"))
    assert ("page", "Reliability and validity") in names(asks("validity RELIA"))
    assert asks("stage")[0]["address"] == "/"


def test_words_stand_in_any_order_and_all_of_them(asks: Asks, filled: str) -> None:
    assert names(asks("dusk zebra")) == [STORY, SCENE]
    assert asks("dusk zebra okapi") == []
    chinese = next(scene for scene in bundled() if scene.language == "zh")
    assert ("scene", chinese.title) in names(asks(f"{chinese.title[2:]} {chinese.work}")), "bundled scenes, too"


def test_the_answer_says_how_many_and_that_there_are_more(client: TestClient, store: Store, filled: str) -> None:
    told = {text: client.get("/find", params={"text": text}).json()["told"] for text in ("zebra dusk", "okapi", "e")}
    assert told == {
        "zebra dusk": "2 found",
        "okapi": "No matching names.",
        "e": f"First {MOST} results; add words to narrow the search.",
    }


@pytest.mark.parametrize("text", ["x" * 201, "a " * 21])
def test_more_than_can_be_searched_for_is_refused_in_a_sentence(client: TestClient, text: str) -> None:
    answer = client.get("/find", params={"text": text})
    assert answer.status_code == 400
    assert answer.json()["found"] == []
    assert "at most" in answer.json()["told"]


@pytest.mark.parametrize("text", ["\x00", "%", "_", "'", '"; DROP TABLE story; --', "\\"])
def test_signs_of_queries_are_letters_like_others(asks: Asks, filled: str, text: str) -> None:
    assert all(text.strip("\x00") in f"{hit['name']} {hit['about']}" for hit in asks(text))
    assert STORY in names(asks("zebra"))


def test_a_scene_that_was_put_away_is_not_offered(asks: Asks, filled: str, store: Store) -> None:
    store.scenes.put_away(LOCAL, store.scenes.headings()[0].place)
    assert SCENE not in names(asks("zebra"))


def test_of_many_of_one_kind_there_is_room_for_the_others(asks: Asks, filled: str, store: Store) -> None:
    for number in range(2 * MOST):
        a_story(store, a_scene().model_copy(update={"title": f"Zebra {number}"}))
    found = names(asks("zebra"))
    assert len(found) == MOST
    assert {*OTHERS, SCENE} <= {*found}
    assert found[0] == ("story", f"Zebra {2 * MOST - 1}"), "the newest first"


def test_it_takes_as_few_queries_for_many_stories_as_for_one(asks: Asks, filled: str, store: Store, url: str) -> None:
    with listening(url) as few:
        asks("zebra")
    for _ in range(3 * MOST):
        a_story(store)
    with listening(url) as many:
        asks("watch")
    assert len(many) == len(few) - 1 == 4, "one asks which of the judges that are found have scored"
    assert not any("event" in statement or "reply" in statement for statement in many)
    assert all("LIMIT" in statement for statement in many if "FROM story" in statement or "scene_chain" in statement)
