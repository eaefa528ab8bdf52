"""The leaderboard of what is stored: each part of it against loops over the ratings one by one."""

import random
import statistics
from collections import Counter

import pytest

from annotations.errors import UndefinedStatistic
from annotations.i18n.translation import speaking, translate
from annotations.rubrics.rubric import load_rubric
from characterbox.judging.judge import Judge, judge_story, registered
from characterbox.judging.leaderboard import (
    BY_PEOPLE,
    OF_BRANCHES,
    Wanted,
    board_of,
    left_out_of,
    provenance_of,
    ratings_behind,
    scenes_behind,
    scores_of,
    trajectories_in,
    whose_scores,
)
from characterbox.llm.calls.client import Client
from characterbox.store.stories.story import Branch
from tests.fakes.campaigns import rate, started
from tests.fakes.databases import store_in
from tests.fakes.leaderboards import judge, played, sweep
from tests.fakes.stories import a_reply

pytestmark = pytest.mark.slow

KEYS = load_rubric().keys
MODELS = ("alpha", "beta", "=cmd|' /C calc'!A0")


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """Two languages, two judges and a second version of one; a sweep with a part of the stories; none by experts."""
    store = store_in(tmp_path_factory.mktemp("board") / "board.db")
    english = played(store, MODELS, 7)
    chinese = played(store, MODELS[:2], 5, language="zh")
    for rater, seed in (("GPT-4", 1), ("GPT-4 v2", 2)):
        judge(store, [*english, *chinese], rater, seed)
    judge(store, english[:6], "GPT-4", 3)  # judged again: the last one counts
    judge(store, english[:9], "Mistral", 4)
    sweep(store, "pilot", english[:15])
    yield store
    store.close()


def by_hand(store, model, metric, *, language="en", rater="GPT-4", stories=None):
    """Mean, deviation over scenes, numbers of scenes and trajectories, with loops over `RatingStore.frame`."""
    scenes, items = {}, set()
    for row in store.ratings.frame().itertuples():
        mine = row.model == model and row.metric == metric and row.rater == rater and row.language == language
        if mine and row.score == row.score and (stories is None or row.item.partition(":")[0] in stories):
            scenes.setdefault(row.scene, []).append(row.score)
            items.add(row.item)
    means = [sum(scores) / len(scores) for scores in scenes.values()]
    return sum(means) / len(means), statistics.stdev(means), len(means), len(items)


@pytest.mark.parametrize("rater", ["GPT-4", "GPT-4 v2"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_board_is_of_one_judge_and_one_language_and_never_pools(filled, rater, language):
    board = board_of(scores_of(filled), Wanted("judge", language, rater))
    assert {one.model for one in board.standings} == {*MODELS[: 3 if language == "en" else 2]}
    for one in board.standings:
        if one.metric != "overall":
            expected = by_hand(filled, one.model, one.metric, language=language, rater=rater)
            assert (one.mean, one.sd, one.scenes, one.items) == pytest.approx(expected)


def test_a_board_tells_how_many_trajectories_of_each_model_lack_a_score(filled):
    lacking = Counter()
    frame = filled.ratings.frame().query("language == 'en' and rater == 'Mistral'")
    for _, rows in frame.groupby("item"):
        lacking[rows["model"].iloc[0]] += int(rows["score"].isna().any())
    board = board_of(scores_of(filled), Wanted("judge", "en", "Mistral"))
    assert board.unscored == dict(sorted(lacking.items()))
    assert sum(lacking.values()) > 0


def test_the_choices_are_those_that_there_are(filled):
    scores = scores_of(filled)
    assert scores.languages == ["en", "zh"]
    assert scores.judges("en") == ["GPT-4", "GPT-4 v2", "Mistral"]
    assert scores.judges("zh") == ["GPT-4", "GPT-4 v2"]
    assert not scores.has_experts("en")
    with pytest.raises(UndefinedStatistic):
        board_of(scores, Wanted("judge", "zh", "Mistral"))
    with pytest.raises(ValueError, match="experts"):
        Wanted("experts", "en", "GPT-4")


def test_a_sweep_has_its_own_stories_only(filled):
    board = board_of(scores_of(filled, "pilot"), Wanted("judge", "en", "GPT-4", "pilot"))
    stories = filled.scores.stories_of("pilot")
    for one in board.standings:
        if one.metric != "overall":
            expected = by_hand(filled, one.model, one.metric, stories=stories)
            assert (one.mean, one.sd, one.scenes, one.items) == pytest.approx(expected)
    behind = ratings_behind(filled, board.wanted)
    assert set(behind["item"].str.partition(":")[0]) == stories
    assert provenance_of(board).sweep == "pilot"


def test_a_board_is_of_one_narrator_where_one_is_wanted(tmp_path):
    store = store_in(tmp_path / "narrators.db")
    try:
        stories = {name: played(store, MODELS[:2], 6, narrator=name) for name in ("one", "two")}
        stories["odd"] = played(store, MODELS[:1], 2, language="zh", narrator="odd")
        judge(store, [story for of in stories.values() for story in of], "GPT-4", 1)
        store.stories.set_people(stories["two"][0].id, ("Ann",))
        scores, wanted = scores_of(store), Wanted("judge", "en", "GPT-4")
        assert scores.narrators(wanted) == ["one", "two"]
        assert scores.narrators(Wanted("experts", "en")) == []
        assert board_of(scores, Wanted("judge", "en", "GPT-4", narrator="one")).left_out == {}
        board = board_of(scores, Wanted("judge", "en", "GPT-4", narrator="two"))
        assert board.left_out == {BY_PEOPLE: 2}
        ids = {story.id for story in stories["two"][1:]}
        assert set(board.items["story"]) == ids
        assert set(ratings_behind(store, board.wanted)["item"]) == set(board.items["item"])
        for one in board.standings:
            if one.metric != "overall":
                expected = by_hand(store, one.model, one.metric, stories=ids)
                assert (one.mean, one.sd, one.scenes, one.items) == pytest.approx(expected)
        with pytest.raises(UndefinedStatistic):
            board_of(scores, Wanted("judge", "en", "GPT-4", narrator="odd"))
    finally:
        store.close()


def test_behind_a_figure_lie_the_scenes_it_is_the_mean_of_and_their_trajectories(filled):
    board = board_of(scores_of(filled), Wanted("judge", "en", "GPT-4"))
    for metric in ("KA", "overall"):
        one = board.of(metric)["beta"]
        scenes = scenes_behind(board, "beta", metric)
        assert scenes["mean"].mean() == pytest.approx(one.mean)
        assert len(scenes) == one.scenes
        assert scenes["mean"].is_monotonic_decreasing
    others = [one for one in MODELS if one != "beta"]
    scene = scenes_behind(board, "beta", "KA").iloc[0]
    slow = []
    for model in others:
        scores = trajectories_in(board, model, scene["scene"])["KA"].dropna()
        slow += [sum(scores) / len(scores)] if len(scores) else []
    assert scene["others"] == pytest.approx(sum(slow) / len(slow))
    items = trajectories_in(board, "beta", scene["scene"])
    assert items["KA"].mean() == pytest.approx(scene["mean"])
    assert items["KA"].count() == scene["n"]
    assert scenes_behind(board, "nobody", "KA").empty


async def test_experts_count_by_their_mean_and_correct_a_judge(tmp_path):
    store = store_in(tmp_path / "experts.db")
    try:
        stories = played(store, MODELS[:2], 12)
        judge(store, stories, "GPT-4", 1, missing=0)
        given, chance = {}, random.Random(3)
        for story in stories[:14]:
            _, _, assigned = started(store, story, "Max", "Mia")
            for assignments in assigned.values():
                for assignment in assignments:
                    scores = [chance.randint(1, 5) for _ in KEYS]
                    await rate(store, assignment, *scores)
                    given.setdefault(assignment.item, []).append(scores[0])
        scores = scores_of(store)
        assert scores.has_experts("en")
        experts = board_of(scores, Wanted("experts", "en"))
        for model in MODELS[:2]:
            scenes = {}
            for story in stories[:14]:
                for item, marks in given.items():
                    if item.startswith(story.id) and story.casting.characters["Ann"].model == model:
                        scenes.setdefault(story.script.scene.id, []).append(sum(marks) / len(marks))
            means = [sum(of) / len(of) for of in scenes.values()]
            one = experts.of("KA")[model]
            assert (one.mean, one.scenes) == (pytest.approx(sum(means) / len(means)), len(means))
        corrected = board_of(scores, Wanted("corrected", "en", "GPT-4"))
        for one in corrected.standings:
            assert one.low < one.mean < one.high
            assert (one.sd, one.best_rank <= one.rank <= one.worst_rank) == (None, True)
        assert [one.rank for one in corrected.of("overall").values()] == [1, 2]
        assert set(ratings_behind(store, corrected.wanted)["kind"]) == {"expert", "judge"}
        assert set(ratings_behind(store, experts.wanted)["rater"]) == {"Max", "Mia"}
    finally:
        store.close()


def test_what_cannot_be_corrected_says_why(filled):
    with pytest.raises(UndefinedStatistic, match="scored by both the experts and the judge"):
        board_of(scores_of(filled), Wanted("corrected", "en", "GPT-4"))


def test_what_the_rehearsal_played_is_marked_by_model(tmp_path):
    store = store_in(tmp_path / "mixed.db")
    try:
        judge(store, [*played(store, ["alpha"], 2), *played(store, ["beta"], 2, url="rehearsal")], "GPT-4", 1)
        board = board_of(scores_of(store), Wanted("judge", "en", "GPT-4"))
        assert board.improvised == {"beta": "story"}
        behind = ratings_behind(store, board.wanted)
        assert dict(zip(behind["model"], behind["improvised"], strict=True)) == {"alpha": "", "beta": "story"}
    finally:
        store.close()


async def test_scores_that_the_rehearsal_gave_are_headed_so_whatever_the_judge_is_called(tmp_path):
    store = store_in(tmp_path / "rehearsed.db")
    client = Client()
    try:
        (story,) = played(store, ["alpha"], 1)
        await judge_story(store, client, story, registered(store, Judge.parse("GPT-4=rehearsal")))
        scores = scores_of(store)
        board = board_of(scores, Wanted("judge", "en", "GPT-4"))
        assert scores.improvised_judges() == {"GPT-4"}
        assert str(whose_scores(board)) == "Rehearsal judge, GPT-4 protocol"
        with speaking("zh"):
            assert translate(whose_scores(board)) == "内置演练评审（GPT-4 评审方式）"
            assert provenance_of(board).scores == "Rehearsal judge, GPT-4 protocol", "files are in English"
    finally:
        await client.close()
        store.close()


def test_scores_that_a_model_gave_are_headed_by_the_name_of_the_judge(filled):
    scores = scores_of(filled)
    assert not scores.improvised_judges()
    assert whose_scores(board_of(scores, Wanted("judge", "en", "GPT-4 v2"))) == "GPT-4 v2"


async def test_what_people_wrote_is_no_models_and_branches_are_left_out_as_they_are_of_votes(tmp_path):
    store = store_in(tmp_path / "people.db")
    try:
        stories = played(store, ["alpha"], 6)
        seated, left, edited, branched, *others = stories
        store.stories.set_people(seated.id, ("Ann",))
        for story, replies in (
            (left, [a_reply("r1/ann/action", author="human")]),
            (edited, [a_reply("r1/ann/influence", author="edit", take=1)]),
            (others[0], [a_reply("judge/max/ann/scores", author="edit"), a_reply("check/max/r1", author="human")]),
        ):
            with store.stories.claimed(story.id) as claimed:
                for reply in replies:
                    await claimed.answered(reply)
        _, _, assigned = started(store, left, "Max")
        for assignments in assigned.values():
            for assignment in assignments:
                await rate(store, assignment, *(3 for _ in KEYS))
        branch = Branch(parent=others[0].id, at=2, anew="all")
        casting, script = branched.casting, branched.script
        child = store.stories.create(script, casting, "app", branch=branch)
        judge(store, [*stories, child], "GPT-4", 1, missing=0)
        board = board_of(scores_of(store), Wanted("judge", "en", "GPT-4"))
        assert set(board.items["story"]) == {branched.id, *(story.id for story in others)}
        assert set(ratings_behind(store, board.wanted)["item"]) == set(board.items["item"])
        sizes = [len(story.script.scene.names) for story in (seated, left, edited, child)]
        assert board.left_out == {BY_PEOPLE: sum(sizes[:3]), OF_BRANCHES: sizes[3]}
        with speaking("zh"):
            assert [told.split(" from ")[0] for told in provenance_of(board).left_out] == [
                str(count) for count in board.left_out.values()
            ]
        scores = scores_of(store)
        assert not scores.has_experts("en")
        assert left_out_of(scores.left_out) == board.left_out
    finally:
        store.close()


async def test_a_board_is_the_same_in_a_process_that_knows_it_and_in_a_new_one(tmp_path):
    file = tmp_path / "restart.db"
    store, wanted = store_in(file), Wanted("judge", "en", "GPT-4")

    def left_out(of):
        board = board_of(scores_of(of), wanted)
        assert set(ratings_behind(of, wanted)["item"]) == set(board.items["item"])
        return board.left_out, set(board.items["story"])

    def left_out_elsewhere():
        again = store_in(file)
        try:
            return left_out(again)
        finally:
            again.close()

    try:
        stories = played(store, ["alpha"], 4)
        judge(store, stories, "GPT-4", 1, missing=0)
        seated, edited, *others = stories
        assert left_out(store) == left_out_elsewhere() == ({}, {story.id for story in stories})
        assert scores_of(store) is scores_of(store)
        store.stories.set_people(seated.id, ("Ann",))
        assert left_out(store) == left_out_elsewhere() == ({BY_PEOPLE: 2}, {one.id for one in (edited, *others)})
        with store.stories.claimed(edited.id) as claimed:
            await claimed.answered(a_reply("r1/ann/influence", author="edit", take=1))
        assert left_out(store) == left_out_elsewhere() == ({BY_PEOPLE: 5}, {story.id for story in others})
        store.stories.set_people(seated.id, ())
        assert left_out(store) == left_out_elsewhere() == ({BY_PEOPLE: 3}, {one.id for one in (seated, *others)})
    finally:
        store.close()


async def test_a_story_that_nobody_rated_changes_no_board(tmp_path):
    store = store_in(tmp_path / "unrated.db")
    try:
        *rated, unrated, edited = played(store, ["alpha"], 4)
        judge(store, rated, "GPT-4", 1)
        sweep(store, "pilot", rated)
        before = scores_of(store), scores_of(store, "pilot")
        store.stories.set_people(unrated.id, ("Ann",))
        with store.stories.claimed(edited.id) as claimed:
            await claimed.answered(a_reply("r1/ann/influence", author="edit", take=1))
        store.sweeps.add("pilot", {unrated.id: 9})
        assert (scores_of(store), scores_of(store, "pilot")) == before
    finally:
        store.close()
