"""What a server said when it failed reaches admins alone, of all that the running app answers and draws."""

import asyncio
import json

import httpx2
import pytest

from characterbox.accounts.account import ROLES
from characterbox.crafting.request import Roles, Wish
from characterbox.llm.endpoint import Endpoint
from characterbox.pause_reasons import MOST_SAID
from characterbox.store.sweeps import Task
from characterbox.sweeps.sweep import cells_of
from tests.fakes.databases import store_in
from tests.fakes.reasons import a_reason
from tests.fakes.stories import a_story
from tests.fakes.sweeps import a_sweep
from tests.security.shared_server import PATIENCE, shared_server

pytestmark = [pytest.mark.process, pytest.mark.slow]

SAID = "SECRET-BODY" + "x" * 300
WHY = f"endpoint http://10.0.0.5/v1#m: HTTP 500: {SAID} (6 attempts)"
FULL = f"HTTP 500: {SAID[:MOST_SAID]} … (6 attempts)"
WITHHELD = "HTTP 500: details visible to admins only (6 attempts)"
MAY = {"playback": ("viewer", "researcher", "admin"), "stage": ("researcher", "admin"),
       "scenes": ("viewer", "researcher", "admin"), "sweeps": ("researcher", "admin")}  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with shared_server(tmp_path_factory.mktemp("words") / "app.db", "local") as server:
        yield server


@pytest.fixture(scope="module")
def failed(server):
    """A story, a sweep and a crafting that failed with what a server said: what follows the ? in their addresses."""
    store, sweep = store_in(server.app.db), a_sweep(name="failed")
    story = a_story(store)
    store.stories.move(story.id, "failed", a_reason(WHY))
    store.sweeps.put(sweep.name, sweep.model_dump(mode="json"), "command line")
    store.sweeps.rest(sweep.name, "paused")
    cell = next(iter(cells_of(sweep)))
    store.stories.create(cell.script, cell.casting, "sweep", id=cell.id)
    store.sweeps.failed(sweep.name, Task(cell.id), a_reason(WHY))
    at = Endpoint(url="http://10.0.0.5/v1", model="m")
    wish = Wish(way="generate", language="en", work="W", roles=Roles(screenwriter=at, director=at, evaluator=at))
    crafting = store.craftings.create(wish.model_dump(mode="json"), "command line", None)
    with store.craftings.claimed(crafting) as journal:
        asyncio.run(journal.move("paused", a_reason(WHY)))
    store.close()
    return {"story": f"story={story.id}", "sweep": f"sweep={sweep.name}", "crafting": f"crafting={crafting}"}


def story_of(failed):
    return failed["story"].partition("=")[2]


@pytest.mark.parametrize("who", ROLES)
def test_a_stream_tells_admins_alone(server, failed, who):
    headers, path = {"cookie": server.cookies[who]}, f"/stories/{story_of(failed)}/live"
    with (
        httpx2.Client(base_url=server.app.url, timeout=PATIENCE, trust_env=False, headers=headers) as client,
        client.stream("GET", path) as answer,
    ):
        if who == "expert":
            assert answer.status_code == 403
            return
        lines = answer.iter_lines()
        assert next(line for line in lines if line.startswith("event: ")) == "event: status"
        told = json.loads(next(lines).removeprefix("data: "))["reason"]
    assert told == f"endpoint http://10.0.0.5/v1#m: {FULL if who == 'admin' else WITHHELD}"


@pytest.mark.parametrize(
    ("page", "what"), [("playback", "story"), ("stage", "story"), ("sweeps", "sweep"), ("scenes", "crafting")]
)
@pytest.mark.parametrize("who", ROLES)
def test_a_page_tells_admins_alone(server, failed, who, page, what):
    with server.visit(who) as visit:
        pages = visit.open().pages
        assert (page in pages) == (who in MAY[page])
        if page not in pages:
            return
        drawn = visit.open(failed[what], pages[page])
    text = "\n".join(str(one) for one in drawn.elements)
    assert ("SECRET-BODY" in text) == (who == "admin")
    assert SAID not in text
    if who != "viewer" or what == "story":
        assert "HTTP 500" in text


@pytest.mark.parametrize("who", ["researcher", "admin"])
def test_what_is_behind_a_step_has_nothing_of_it(server, failed, who):
    answer = server.request(who, "GET", f"/stories/{story_of(failed)}/behind?path=r1/ann/action")
    assert answer.status_code == 200
    assert "SECRET" not in answer.text


@pytest.mark.parametrize("who", ROLES)
def test_no_list_or_other_view_tells_others(server, failed, who):
    ways = [("playback", ""), ("playback", f"compare={story_of(failed)}"), ("stage", ""), ("sweeps", ""),
            ("scenes", "crafting=new"), ("leaderboard", ""), ("campaigns", "new=1"), ("validity", "")]  # fmt: skip
    with server.visit(who) as visit:
        pages = visit.open().pages
        for page, query in ways:
            if page in pages:
                text = "\n".join(str(one) for one in visit.open(query, pages[page]).elements)
                assert who == "admin" or "SECRET-BODY" not in text, (page, query)
                assert SAID not in text, (page, query)
