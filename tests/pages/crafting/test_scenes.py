"""The page of a crafting: a page of its scenes, and what may be paid for twice, and what is sent back."""

import asyncio
import time

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.accounts.account import LOCAL
from characterbox.accounts.session_user import Visitor
from characterbox.crafting.request import Roles, Wish
from characterbox.crafting.running import begin, run
from characterbox.llm.endpoint import REHEARSAL, Endpoint
from characterbox.stage.client import open_client
from pages.shared import current_user
from tests.fakes.app_stage import app_stage
from tests.fakes.crafting_models import Crew, written
from tests.fakes.databases import database_in
from tests.fakes.mock_server import serving
from tests.fakes.reasons import a_reason
from tests.fakes.scenes_page import page

pytestmark = pytest.mark.process


@pytest.fixture
def stage(tmp_path):
    with app_stage(database_in(tmp_path / "page.db")) as stage:
        yield stage


def crafted(store, **changes):
    """A crafting by the rehearsal, at its end."""
    roles = Roles(**dict.fromkeys(("screenwriter", "director", "evaluator"), Endpoint(url=REHEARSAL, model=REHEARSAL)))
    id = begin(store, Wish(**{"way": "generate", "language": "en", "work": "The Hotel", "roles": roles, **changes}))

    async def craft():
        client = open_client(store)
        try:
            await run(store, client, id)
        finally:
            await client.close()

    asyncio.run(craft())
    return id


def draw_in_chinese():
    from annotations.i18n.translation import speaking  # noqa: PLC0415
    from tests.fakes.scenes_page import draw  # noqa: PLC0415

    with speaking("zh"):
        draw()


def headings(app):
    return [one.value for one in app.subheader if one.value.startswith("Scene ")]


def texts(app):
    return "\n".join(element.proto.body for element in app.get("html"))


def test_ten_scenes_are_drawn_at_once(stage):
    id = crafted(stage.store, count=12, method="direct")
    app = page(crafting=id)
    assert headings(app) == [f"Scene {number}: accepted" for number in range(1, 11)]
    app.pagination(key="chosen-page").select(2).run()
    assert headings(app) == ["Scene 11: accepted", "Scene 12: accepted"]
    assert app.query_params["page"] == "2"


def test_why_it_stands_still_is_told_in_the_language_of_the_reader(stage):
    id = crafted(stage.store, method="direct")

    async def stand_still():
        with stage.store.craftings.claimed(id) as journal:
            await journal.move("paused", a_reason("endpoint http://h/v1#m: connection refused"))

    asyncio.run(stand_still())
    assert "connection refused" in texts(page(crafting=id))
    app = AppTest.from_function(draw_in_chinese, default_timeout=60)
    app.query_params["crafting"] = id
    told = texts(app.run())
    assert "模型接口 http://h/v1#m：连接被拒绝" in told


def test_why_a_reply_is_no_scene_is_told_in_the_language_of_the_reader(stage):
    crew = Crew(drafts=[written("A watch is missing", "Ann")], scores=[])
    with serving(crew.app()) as address:
        roles = ("screenwriter", "director", "evaluator")
        roles = Roles(**{one: Endpoint(url=f"{address}/v1", model=one) for one in roles})
        id = crafted(stage.store, roles=roles, method="direct")
    assert "the scene has 1 characters; it needs 2 to 4" in texts(page(crafting=id))
    app = AppTest.from_function(draw_in_chinese, default_timeout=60)
    app.query_params["crafting"] = id
    told = texts(app.run())
    assert "场景有 1 个角色，应为 2 至 4 个" in told
    assert "the scene has" not in told


def test_calls_without_a_reply_are_told(stage):
    id = crafted(stage.store, method="direct")
    assert "unanswered" not in texts(page(crafting=id))

    async def ask():
        with stage.store.craftings.claimed(id) as journal:
            await journal.asked("scene-1/1/screenwriter", 0)

    asyncio.run(ask())
    assert "1 call without reply, which may be charged twice" in texts(page(crafting=id))


def test_a_rejected_scene_is_sent_back_once_more(stage):
    id = crafted(stage.store, count=2, returns=0, threshold=5)
    app = page(crafting=id)
    assert headings(app) == ["Scene 1: rejected", "Scene 2: rejected"]
    app.button(key="craft-back-2").click().run()
    while stage.craftings.under_way(id):
        time.sleep(0.02)
    first, second = stage.craftings.look(id).scenes
    assert [step.attempt for step in first.steps] == [1, 1, 1]
    assert [step.attempt for step in second.steps] == [1, 1, 1, 2, 2, 2]
    assert stage.craftings.look(id).status == "ended"


def test_go_on_has_an_evaluation_asked_anew_that_could_not_be_read(stage):
    crew = Crew(drafts=[written("A watch is missing", "Ann", "Bea")], scores=[5], reasons="")
    with serving(crew.app()) as address:
        roles = ("screenwriter", "director", "evaluator")
        id = crafted(stage.store, roles=Roles(**{one: Endpoint(url=f"{address}/v1", model=one) for one in roles}))
        crew.reasons = "It is good."
        app = page(crafting=id)
        assert headings(app)[0].startswith("Scene 1: undecided")
        app.button(key="craft-on").click().run()
        while stage.craftings.under_way(id):
            time.sleep(0.02)
    assert stage.craftings.look(id).scenes[0].scene is not None
    assert [len(crew.asked(one)) for one in roles] == [1, 1, 3]


def edited(app, text=None):
    """The editor of the first draft, opened; with this written in it and sent, if anything is."""
    opening = [one for one in app.button if one.label == "Edit"]
    if opening:
        opening[0].click().run()
    if text is not None:
        app.text_area[0].set_value(text)
        next(one for one in app.button if one.label == "Save draft").click().run()
    return app


def test_what_is_wrong_with_an_edit_is_told_until_something_else_is_written(stage):
    id = crafted(stage.store, method="direct")
    app = edited(page(crafting=id), '{"title": ')
    told = "the draft: line 1, column 11: the JSON ends unexpectedly"
    assert told in texts(app)
    assert told in texts(app.run())
    app.text_area[0].set_value("[]").run()
    assert told not in texts(app)
    assert "the draft has 40,001 characters; the limit is 40,000; shorten it" in texts(edited(app, "x" * 40_001))


def test_an_edit_is_not_lost_where_another_one_came_first(stage):
    id = crafted(stage.store, method="direct")
    mine, other = edited(page(crafting=id)), edited(page(crafting=id))
    text = mine.text_area[0].value
    edited(other, text.replace('"title": "', '"title": "Theirs: ', 1))
    edited(mine, text.replace('"title": "', '"title": "Mine: ', 1))
    assert "the draft has changed in the meantime" in texts(mine)
    assert '"title": "Mine: ' in mine.text_area[0].value
    assert stage.craftings.look(id).scenes[0].steps[0].scene.title.startswith("Theirs: ")


def test_a_draft_that_is_edited_names_the_account_of_whoever_did(stage, monkeypatch):
    id = crafted(stage.store, method="direct")
    ann = stage.store.accounts.add(LOCAL, "Ann", "researcher")
    monkeypatch.setattr(current_user, "find_visitor", lambda _: Visitor(ann))
    app = edited(page(crafting=id))
    edited(app, app.text_area[0].value.replace('"title": "', '"title": "Hers: ', 1))
    assert [(one.author, one.person) for one in stage.store.craftings.journal(id) if one.person] == [("edit", ann.id)]


def test_a_crafting_that_is_deleted_is_told_as_such_in_every_window(stage):
    id = crafted(stage.store, method="direct")
    mine, other = page(crafting=id), page(crafting=id)
    mine.button(key="craft-delete").click().run()
    assert mine.query_params["crafting"] == "new"
    assert not mine.exception
    assert "there is no scene generation" in other.run().error[0].value


@pytest.mark.parametrize("place", ["new", "all"])
def test_the_form_comes_first_and_below_it_what_was_written_before(stage, place):
    nothing = page(crafting=place)
    assert [one.value for one in nothing.title] == ["Generate scenes"]
    id = crafted(stage.store, method="direct")
    app = page(crafting=place)
    assert [one.value for one in app.subheader] == ["Plan", "Earlier runs"]
    app.button(key=f"way-crafting={id}").click().run()
    assert app.query_params["crafting"] == id
    back = next(one for one in app.button if one.label == "Generate scenes")
    back.click().run()
    assert app.query_params["crafting"] == "new"
