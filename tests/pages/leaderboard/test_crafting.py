"""The board of how scenes are crafted: who scored them is asked of the database once, however many there are."""

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.crafting.request import RUBRIC
from characterbox.scenes.scene import Crafted
from characterbox.store import Store
from characterbox.store.ratings.scene_ratings import SceneRating, key_of
from tests.fakes.databases import database_in, listening
from tests.fakes.scenes import a_scene

pytestmark = pytest.mark.slow

SCENE = a_scene().model_copy(
    update={"origin": "generated", "crafted": Crafted(method="direct", screenwriter="http://h/v1#gpt")}
)


@pytest.fixture
def url(tmp_path):
    return database_in(tmp_path / "crafted.db")


@pytest.fixture
def store(url):
    store = Store(url)
    store.scenes.start(SCENE, None)
    yield store
    store.close()


def judged(store, rater, *, improvised):
    """Have a judge score the scene."""
    about = {"scene": key_of(SCENE), "rater": rater, "rubric_version": RUBRIC.version, "score": 4}
    store.scene_ratings.add([SceneRating(**about, metric=key, improvised=improvised) for key in RUBRIC.keys])


def draw(url):
    import streamlit as st  # noqa: PLC0415

    from characterbox.store import Store  # noqa: PLC0415
    from pages.leaderboard.crafting import show_scene_crafting  # noqa: PLC0415

    store = Store(url)
    show_scene_crafting(store, None, st.container())
    store.close()


def opened(url):
    """The board, and how many statements to the database it took."""
    with listening(url) as heard:
        app = AppTest.from_function(draw, args=(url,), default_timeout=60).run()
    assert not app.exception
    return app, len(heard)


def test_many_judges_are_asked_for_as_one_is_and_the_rehearsal_is_marked(store, url):
    judged(store, "GPT-4", improvised=False)
    _, alone = opened(url)
    for number in range(4):
        judged(store, f"critic {number}", improvised=number == 1)
    app, together = opened(url)
    assert together == alone
    (box,) = app.selectbox
    assert box.options == ["GPT-4", "critic 0", "Rehearsal judge, critic 1 protocol", "critic 2", "critic 3"]
