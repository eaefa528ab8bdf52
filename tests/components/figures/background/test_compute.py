"""What is worked out beside the app: small, once for the same ratings, and of the ratings that were asked for."""

import pickle
from itertools import combinations, islice
from typing import get_args

import pandas as pd
import pytest

from annotations.errors import RatingError
from annotations.marking.marks import Score
from annotations.marking.rating import packed_ratings
from annotations.report.all_figures import every_figure
from annotations.report.report import design_of, statistics
from annotations.resampling.jackknife import Drawn
from annotations.rubrics.rubric import load_rubric
from characterbox.components.figures.background.compute import (
    KEPT,
    LISTS,
    REPORTS,
    Figures,
    Gone,
    Stored,
    Uploaded,
    at_hand,
    figures_of,
    overview,
    pairs,
    place_of,
    points_of,
    take_file,
)
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.files.downloads import ratings_file
from characterbox.llm.endpoint import Endpoint
from characterbox.play.events import Action, Event, Reaction
from characterbox.store import Store
from characterbox.store.ratings.ratings import Newest, rating_of
from characterbox.store.stories.stories import Story
from tests.components.figures.ratings_sample import EVERYTHING, KEYS, campaign, sent
from tests.fakes.campaigns import assigned, mark, rate
from tests.fakes.pingouin_estimates import take_from_pingouin_in
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story, casting_at

pytestmark = pytest.mark.slow

RUBRIC = load_rubric()
CHINESE = Selection("zh")


def two_metrics(languages: tuple[str, ...] = ("en", "zh")) -> pd.DataFrame:
    """Which take less time than seven."""
    return campaign(languages).query("metric in ('KA', 'BA')").reset_index(drop=True)


def judge_all(store: Store, story: Story, score: int) -> None:
    store.ratings.add([rating_of(story, "Ann", rater="J", metric=key, score=score) for key in KEYS])


def unusable(figures: Figures) -> tuple[float, float]:
    """How many ratings there are, and how many no statistic could use, as the caveat says."""
    [told] = [caveat.numbers for caveat in figures.caveats if str(caveat.of) == "all statistics"]
    return told["ratings"], told["dropped"]


@pytest.mark.parametrize(
    ("selection", "chosen"),
    [
        (EVERYTHING, "score == score"),
        (CHINESE, "language == 'zh'"),
        (Selection(models=("m1",)), "model == 'm1'"),
        (Selection("en", ("m0", "m1"), "independent items"), "language == 'en'"),
    ],
)
def test_the_figures_are_those_of_the_statistics_without_the_long_lists(selection: Selection, chosen: str) -> None:
    frame = campaign().query("rater != 'Same <b>'")
    frame.loc[frame["rater"] == "bo", "score"] = 9
    part = frame.query(chosen)
    report = statistics(part, RUBRIC, (1, 5), selection.drawn)
    figures = figures_of(sent(frame), selection)
    assert {**report.as_json(), "dropped": []} == figures.report.as_json()
    assert figures.report.design == report.design
    assert figures.dropped == len(report.dropped) > 50
    assert "outside the scale 1 to 5</b>: bo, AD:" in figures.dropped_list
    assert b"outside the scale" not in pickle.dumps(figures.report)
    assert unusable(figures) == (len(part), len(part) // 4)


def test_ratings_without_a_score_are_unusable_too_but_not_those_off_a_scale_that_nobody_knows() -> None:
    frame = campaign(("en",)).drop(columns="language")
    frame.loc[frame.index[:3], "score"] = float("nan")
    frame.loc[frame.index[3:7], "score"] = 9
    assert unusable(figures_of(sent(frame), EVERYTHING)) == (len(frame), 7)
    other = frame.replace({"metric": {"KA": "knowledge"}})
    assert unusable(figures_of(sent(other), EVERYTHING)) == (len(frame), 3)


def test_the_overview_counts_and_names_what_can_be_selected() -> None:
    frame = campaign()
    found = overview(sent(frame.sample(frac=1, random_state=0)))
    assert (found.count, found.languages, found.models) == (len(frame), ("en", "zh"), ("m0", "m1"))
    assert overview(sent(frame.drop(columns="language"))).languages == ()


def test_what_limits_whole_raters_is_told() -> None:
    frame = two_metrics().assign(metric=lambda all: all["metric"].str.lower())  # of no rubric, and so on no known scale
    low = (frame["kind"] == "judge") & (frame["scene"] == frame["scene"].iloc[0])
    frame.loc[low, "score"] = -1.0
    frame.loc[(frame["rater"] == "ann") & frame["scene"].isin(frame["scene"].unique()[:3]), "score"] = float("nan")
    found = figures_of(sent(frame), EVERYTHING)
    told = {(caveat.kind, str(caveat.of)) for caveat in found.caveats}
    assert {("dropped", "all statistics"), ("dropped", "ann"), ("outside the experts' range", "GPT-4")} <= told
    assert ("dropped", "bo") not in told
    assert found.selection == EVERYTHING


def test_the_points_are_on_the_scale_and_of_the_selection() -> None:
    frame = campaign()
    frame.loc[(frame["item"] == "zh-0-m0") & (frame["kind"] == "judge"), "score"] = 9
    chinese = frame[frame["language"] == "zh"]
    source = sent(frame)
    points = points_of(source, CHINESE, "GPT-4", "overall")
    design = design_of(chinese, RUBRIC)
    expected = pairs(chinese[chinese["score"] <= 5], design, "GPT-4", "overall")
    pd.testing.assert_frame_equal(points.table, expected)
    assert len(points.table) == 11
    assert not points.improvised
    one = points_of(source, Selection("zh", ("m0",)), "GPT-4", "overall").table
    pd.testing.assert_frame_equal(one, expected[expected["model"] == "m0"].reset_index(drop=True))


@pytest.mark.parametrize(("improvised", "marked"), [("judge", {"GPT-4"}), ("story", set())])
def test_what_the_rehearsal_did_is_told_with_the_figures(improvised: str, marked: set[str]) -> None:
    frame = two_metrics()
    frame["improvised"] = [
        improvised if (rater == "GPT-4" or improvised == "story") and language == "en" else ""
        for rater, language in zip(frame["rater"], frame["language"], strict=True)
    ]
    source = sent(frame)
    english = Selection("en")
    for selection, told in ((EVERYTHING, True), (english, True), (CHINESE, False)):
        figures = figures_of(source, selection)
        assert figures.improvised_judges == (marked if told else set())
        assert figures.improvised_items == (told and improvised == "story")
        assert points_of(source, selection, "GPT-4", "KA").improvised == told
    assert points_of(source, english, "Same <b>", "KA").improvised == (improvised == "story")


def test_the_statistics_of_a_selection_are_worked_out_once_while_they_are_kept() -> None:
    frame = two_metrics(("en",)).drop(columns="language").query("kind == 'expert'")
    frame["model"] += frame["scene"]
    pairs_of_models = combinations(frame["model"].unique(), 2)
    selections = [Selection(models=models) for models in islice(pairs_of_models, REPORTS + 1)]
    table = at_hand(sent(frame))
    first = table.report(selections[0])
    assert table.report(Selection(models=selections[0].models)) is first
    for selection in selections[1:]:
        assert table.report(selection) == statistics(selection.of(frame), RUBRIC, (1, 5))
    again = table.report(selections[0])
    assert again is not first
    assert again == first


@pytest.mark.process
def test_all_figures_of_a_selection_are_worked_out_once_while_they_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    take_from_pingouin_in(monkeypatch)
    frame = two_metrics(("en",)).drop(columns="language")
    table = at_hand(sent(frame))
    selections = [Selection(drawn=way) for way in get_args(Drawn)][: LISTS + 1]
    first = table.every_figure(selections[0])
    assert first == every_figure(frame, statistics(frame, RUBRIC, drawn=selections[0].drawn))
    assert table.every_figure(selections[0]) is first
    for selection in selections[1:]:
        assert table.every_figure(selection) != first
    assert table.every_figure(selections[0]) is not first


def test_a_file_that_was_not_sent_is_asked_for_and_so_is_one_that_was_long_ago() -> None:
    with pytest.raises(Gone):
        overview(Uploaded("never sent"))
    first = sent(campaign(("en",)))
    others = [sent(campaign(("en",))) for _ in range(KEPT)]
    for work in (lambda: overview(first), lambda: figures_of(first, EVERYTHING)):
        with pytest.raises(Gone, match="from this file are no longer loaded; reload the page"):
            work()
    assert overview(others[0]).count == overview(others[-1]).count == len(campaign(("en",)))


def test_a_file_that_cannot_be_used_is_refused_and_not_kept() -> None:
    source = Uploaded("a faulty file")
    with pytest.raises(RatingError, match="line 1: the header has no column"):
        take_file(source, packed_ratings(b"item\n1"))
    with pytest.raises(Gone):
        overview(source)


def test_the_same_cells_under_other_names_are_other_ratings() -> None:
    frame = two_metrics(("en",))
    one = figures_of(sent(frame), EVERYTHING)
    other = figures_of(sent(frame.rename(columns={"scene": "model", "model": "scene"})), EVERYTHING)
    assert one.report.validity["GPT-4"]["KA"] != other.report.validity["GPT-4"]["KA"]


async def test_the_database_is_read_once_for_each_state(store: Store, url: str) -> None:
    story = a_story(store)
    assert overview(Stored(url, Newest(0, 0))).count == 0
    judge_all(store, story, 3)
    assert overview(Stored(url, Newest(0, 0))).count == 0
    assert overview(Stored(url, Newest(0, 7))).count == 7
    for assignment in assigned(store, story, "Ann Lee"):
        await rate(store, assignment, *[2] * 7)
    assert overview(Stored(url, Newest(0, 7))).count == 7
    assert overview(Stored(url, Newest(16, 7))).count == 21


async def test_statistics_are_worked_out_once_for_the_same_ratings_in_another_state(store: Store, url: str) -> None:
    story = a_story(store)
    judge_all(store, story, 3)
    before = Stored(url, store.newest())
    assert overview(before).count == 7
    await mark(store, assigned(store, story, "Ann Lee")[0], Score(metric="KA", score=2))  # which counts when submitted
    after = Stored(url, store.newest())
    assert after.newest.mark == before.newest.mark + 1
    assert overview(after).count == 7
    first, second = (figures_of(state, EVERYTHING).report.reliability for state in (before, after))
    assert first is second


def test_what_is_gone_of_the_database_is_read_anew_for_files_only(store: Store, url: str) -> None:
    story = a_story(store)
    judge_all(store, story, 3)
    page = Stored(url, Newest(0, 7))
    with pytest.raises(Gone, match="in the app"):
        figures_of(page, EVERYTHING)
    overview(page)
    figures_of(page, EVERYTHING)
    for _ in range(KEPT):
        sent(campaign(("en",)))
    for work in (lambda: figures_of(page, EVERYTHING), lambda: points_of(page, EVERYTHING, "J", "KA")):
        with pytest.raises(Gone):
            work()
    judge_all(store, story, 4)
    assert ratings_file(page, EVERYTHING).count(b",4.0") == 7
    with pytest.raises(Gone):
        at_hand(page)  # newer ratings never pass for those of the page
    assert at_hand(Stored(url, store.newest())).frame["score"].eq(4).sum() == 7


def test_the_summary_is_of_what_is_selected() -> None:
    frame = two_metrics()
    source = sent(frame)
    assert figures_of(source, EVERYTHING).summary.startswith(f'<p class="cb-said">{len(frame)} ratings, 24 items')
    assert figures_of(source, CHINESE).summary.startswith(f'<p class="cb-said">{len(frame) // 2} ratings, 12 items')


def test_stories_of_the_rehearsal_are_told_of_in_the_summary(store: Store, url: str) -> None:
    story = a_story(store)
    store.stories.recast(story.id, casting_at(Endpoint(url="rehearsal", model="m"), story.script.scene))
    judge_all(store, story, 3)
    source = Stored(url, Newest(0, 7))
    overview(source)
    assert "All rated items are demo output (no language model)" in figures_of(source, EVERYTHING).summary


async def test_the_place_of_an_item_is_the_first_step_of_its_character(store: Store, url: str) -> None:
    story = a_story(store, a_scene("Ann", "Bob", "Ann-Bob"))
    events: list[Event] = [
        Action(path="r1/ann/action", round=1, turn="Ann", character="Ann", text="Ann bows."),
        Reaction(path="r1/ann/reaction/bob", round=1, turn="Ann", character="Bob", to="Ann", text="Bob bows."),
        Action(path="r1/bob/action", round=1, turn="Bob", character="Bob", text="Bob leaves."),
    ]
    with store.stories.claimed(story.id) as claimed:
        for number, event in enumerate(events, 1):
            await claimed.record(number, event)
    rated = [rating_of(story, name, rater="J", metric="KA", score=3) for name in ("Ann", "Bob", "Ann-Bob")]
    store.ratings.add(rated)
    source = Stored(url, Newest(0, 0))
    assert place_of(source, f"{story.id}:ann") == {"story": story.id, "at": "1"}
    assert place_of(source, f"{story.id}:bob") == {"story": story.id, "at": "2"}
    for item in (f"{story.id}:ann-bob", f"{story.id}:an", f"{story.id}:", story.id, "nosuch:ann", ""):
        assert place_of(source, item) is None
    assert place_of(Uploaded("a file"), f"{story.id}:ann") is None
