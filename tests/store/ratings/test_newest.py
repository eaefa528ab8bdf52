"""The state that all ratings are in is told by the numbers of the last mark and the last rating."""

from pathlib import Path

from characterbox.store import Store
from characterbox.store.engine import open_engine
from characterbox.store.ratings.ratings import Newest, newest, rating_of
from tests.fakes.campaigns import assigned, rate
from tests.fakes.stories import a_story


async def test_marks_and_ratings_are_counted_each_for_itself_whoever_writes_them(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/ratings.db"
    store, engine = Store(url), open_engine(url)
    try:
        assert newest(engine) == Newest(0, 0)
        story = a_story(store)
        (assignment, *_) = assigned(store, story, "Ann Lee")
        assert newest(engine) == Newest(0, 0)
        await rate(store, assignment, 3, 4)
        assert newest(engine) == Newest(mark=3, rating=0)  # two scores, and that they are submitted
        store.ratings.add([rating_of(story, "Ann", rater="J", metric="KA", score=3)])
        assert newest(engine) == Newest(mark=3, rating=1)
    finally:
        store.close()
        engine.dispose()
