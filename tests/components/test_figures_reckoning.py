"""What is worked out beside the app: small, once for the same ratings, and of the ratings that were asked for."""

import pickle
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pandas as pd
import pytest

from annotations.errors import RatingError
from annotations.rating import read_ratings
from annotations.report import statistics
from annotations.rubric import load_rubric
from characterbox.components.figures.export import dropped_csv, figures_csv, ratings_csv
from characterbox.components.figures.reckoning import (
    KEPT,
    Gone,
    Stored,
    Uploaded,
    dropped_file,
    figures_file,
    figures_of,
    overview,
    pairs,
    points_of,
    ratings_file,
    take_file,
)
from characterbox.llm.endpoint import Endpoint
from characterbox.store import Store
from characterbox.store.newest import Newest
from characterbox.store.ratings import rating_of
from characterbox.store.stories import Story
from tests.components.ratings_sample import KEYS, campaign
from tests.fakes.campaigns import assigned, rate
from tests.fakes.stories import a_story, casting_at

RUBRIC = load_rubric()
numbers = count()


def sent(frame: pd.DataFrame) -> Uploaded:
    """A file that no other test has sent."""
    source = Uploaded(f"file {next(numbers)}")
    take_file(source, frame.to_csv(index=False).encode())
    return source


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(f"sqlite:///{tmp_path}/ratings.db")
    yield store
    store.close()


def judge_all(store: Store, story: Story, score: int) -> None:
    store.ratings.add([rating_of(story, "Ann", rater="J", metric=key, score=score) for key in KEYS])


def test_the_figures_are_those_of_the_statistics_without_the_long_lists() -> None:
    frame = campaign()
    frame.loc[frame["rater"] == "bo", "score"] = 9
    source = sent(frame)
    for language, part in ((None, frame), ("zh", frame[frame["language"] == "zh"])):
        report = statistics(part, RUBRIC, (1, 5))
        figures = figures_of(source, language)
        assert {**report.as_json(), "dropped": []} == figures.report.as_json()
        assert figures.dropped == len(report.dropped) > 50
        assert "outside the scale 1 to 5</b>: bo, AD:" in figures.dropped_list
        assert b"outside the scale" not in pickle.dumps(figures.report)
    assert overview(source).count == len(frame)
    assert overview(source).summary.startswith(f'<p class="cb-said">{len(frame)} ratings, 24 items')


def test_the_points_are_on_the_scale_and_of_the_language() -> None:
    frame = campaign()
    frame.loc[(frame["item"] == "zh-0-m0") & (frame["kind"] == "judge"), "score"] = 9
    chinese = frame[frame["language"] == "zh"]
    points = points_of(sent(frame), "zh", "GPT-4", "overall")
    design = statistics(chinese, RUBRIC).design
    expected = pairs(chinese[chinese["score"] <= 5], design, "GPT-4", "overall")
    pd.testing.assert_frame_equal(points.table, expected)
    assert len(points.table) == 11
    assert not points.improvised


@pytest.mark.parametrize(("improvised", "marked"), [("judge", {"GPT-4"}), ("story", set())])
def test_what_the_rehearsal_did_is_told_with_the_figures(improvised: str, marked: set[str]) -> None:
    frame = campaign()
    frame["improvised"] = [
        improvised if (rater == "GPT-4" or improvised == "story") and language == "en" else ""
        for rater, language in zip(frame["rater"], frame["language"], strict=True)
    ]
    source = sent(frame)
    for language, told in ((None, True), ("en", True), ("zh", False)):
        figures = figures_of(source, language)
        assert figures.improvised_judges == (marked if told else set())
        assert figures.improvised_items == (told and improvised == "story")
        assert points_of(source, language, "GPT-4", "KA").improvised == told
    assert points_of(source, "en", "Same <b>", "KA").improvised == (improvised == "story")


def test_the_files_are_those_of_all_ratings() -> None:
    frame = read_ratings(campaign().to_csv(index=False))
    source = sent(frame)
    whole, english = statistics(frame, RUBRIC, (1, 5)), statistics(frame[frame["language"] == "en"], RUBRIC, (1, 5))
    assert ratings_file(source) == ratings_csv(frame)
    assert figures_file(source, "en") == figures_csv(whole, english, "en", frame)
    assert dropped_file(source, "en") == dropped_csv(english.dropped)


def test_a_file_that_was_not_sent_is_asked_for_and_so_is_one_that_was_long_ago() -> None:
    with pytest.raises(Gone):
        overview(Uploaded("never sent"))
    first = sent(campaign(("en",)))
    others = [sent(campaign(("en",))) for _ in range(KEPT)]
    for work in (overview, ratings_file):
        with pytest.raises(Gone, match="in this file are not at hand any more; load the page again"):
            work(first)
    assert overview(others[0]).count == overview(others[-1]).count == len(campaign(("en",)))


def test_a_file_that_cannot_be_used_is_refused_and_not_kept() -> None:
    source = Uploaded("a faulty file")
    with pytest.raises(RatingError, match="line 1: the header has no column"):
        take_file(source, b"item\n1")
    with pytest.raises(Gone):
        overview(source)


def test_the_same_cells_under_other_names_are_other_ratings() -> None:
    frame = campaign(("en",))
    one = figures_of(sent(frame), None)
    other = figures_of(sent(frame.rename(columns={"scene": "model", "model": "scene"})), None)
    assert one.report.validity["GPT-4"]["KA"] != other.report.validity["GPT-4"]["KA"]


async def test_the_database_is_read_once_for_each_state(store: Store, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/ratings.db"
    story = a_story(store)
    assert overview(Stored(url, Newest(0, 0))).count == 0
    judge_all(store, story, 3)
    assert overview(Stored(url, Newest(0, 0))).count == 0
    assert overview(Stored(url, Newest(0, 7))).count == 7
    for assignment in assigned(store, story, "Ann Lee"):
        await rate(store, assignment, *[2] * 7)
    assert overview(Stored(url, Newest(0, 7))).count == 7
    assert overview(Stored(url, Newest(16, 7))).count == 21


def test_statistics_are_worked_out_once_for_the_same_ratings_in_another_state(store: Store, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/ratings.db"
    judge_all(store, a_story(store), 3)
    states = [Stored(url, Newest(mark, 7)) for mark in (1, 2)]
    assert [overview(state).count for state in states] == [7, 7]
    first, second = (figures_of(state, None).report.reliability for state in states)
    assert first is second


def test_what_is_gone_of_the_database_is_read_anew_for_files_only(store: Store, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/ratings.db"
    story = a_story(store)
    judge_all(store, story, 3)
    page = Stored(url, Newest(0, 7))
    with pytest.raises(Gone, match="in the app"):
        figures_of(page, None)
    overview(page)
    figures_of(page, None)
    for _ in range(KEPT):
        sent(campaign(("en",)))
    for work in (lambda: figures_of(page, None), lambda: points_of(page, None, "J", "KA")):
        with pytest.raises(Gone):
            work()
    judge_all(store, story, 4)
    assert ratings_file(page).count(b",4.0") == 7


def test_stories_of_the_rehearsal_are_told_of_in_the_overview(store: Store, tmp_path: Path) -> None:
    story = a_story(store)
    store.stories.recast(story.id, casting_at(Endpoint(url="rehearsal", model="m"), story.script.scene))
    judge_all(store, story, 3)
    source = Stored(f"sqlite:///{tmp_path}/ratings.db", Newest(0, 7))
    assert "All rated items are improvised without a language model" in overview(source).summary
