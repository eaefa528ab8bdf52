"""Files of what was rated: every acknowledged score is there, and what was not asked for is not."""

import csv
import io
import json
import tracemalloc
from datetime import UTC, datetime
from uuid import uuid4

import pandas as pd
import pytest
from sqlalchemy import insert

from annotations.design.practice import load_practice
from annotations.exchange.intake import dry_run
from annotations.marking.marks import Comment, Evidence, Score, Skip, Time
from annotations.marking.rating import read_ratings
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import LOCAL
from characterbox.campaigns import export
from characterbox.campaigns.assignments import check_assignment, practice_assignments
from characterbox.campaigns.export import FORMATS, Export, exported
from characterbox.errors import CampaignError, StoryError
from characterbox.llm.endpoint import Endpoint
from characterbox.store.campaigns import records
from characterbox.store.campaigns.campaign import new_assignment
from characterbox.store.campaigns.marks import MARK
from characterbox.store.campaigns.verdicts import Ruling
from characterbox.store.ratings.ratings import item_of, rating_of
from characterbox.store.tables.ratings import ITEM_COLUMNS
from tests.campaigns.played import played
from tests.fakes.campaigns import mark, rate, running, started
from tests.fakes.databases import connection_to
from tests.fakes.reasons import a_reason
from tests.fakes.scenes import a_scene
from tests.fakes.sheets import fold_all
from tests.fakes.stories import a_reply, a_story, casting_at

SCENE = a_scene("Ann", "Bob")


def file_of(store, campaign, format, *, pseudonyms=False, repeats=False):
    """The whole file."""
    return b"".join(exported(store, campaign, Export(format, pseudonyms, repeats)))


def rows(content):
    """The rows of a CSV file."""
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def lines(content):
    """The lines of a JSONL file."""
    return [json.loads(line) for line in content.decode().splitlines()]


def plain(frame):
    """The rows of a table, None where there is nothing."""
    return frame.astype(object).where(frame.notna(), None).values.tolist()


async def test_every_score_that_stands_is_in_the_table(store):
    campaign, story, assigned = running(store, SCENE, "Max", "Eve")
    await rate(store, assigned["Max"][0], 1, 2, 3, 4, 5, 1, 2)
    await mark(store, assigned["Max"][1], Score(metric="KA", score=5))
    await mark(store, assigned["Eve"][0], Score(metric="KA", score=2))
    await mark(store, assigned["Eve"][0], Score(metric="KA", score=4))
    await mark(store, assigned["Eve"][0], Score(metric="BA", score=3))
    await mark(store, assigned["Eve"][0], Skip(reason="=too long"))
    store.ratings.add([rating_of(story, "Ann", rater="GPT-4", metric="KA", score=None, reason=a_reason("no reply"))])
    found = rows(file_of(store, campaign.id, "csv"))
    told = {
        (row["rater"], row["item"], row["metric"]): (row["score"], row["submitted"], row["skipped"]) for row in found
    }
    ann, bob = item_of(story, "Ann").label, item_of(story, "Bob").label
    assert told == {
        **{
            ("Max", ann, metric): (str(score), "true", "false")
            for metric, score in zip(load_rubric().keys, (1, 2, 3, 4, 5, 1, 2), strict=True)
        },
        ("Max", bob, "KA"): ("5", "false", "false"),
        ("Eve", ann, "KA"): ("4", "false", "true"),
        ("Eve", ann, "BA"): ("3", "false", "true"),
        ("GPT-4", ann, "KA"): ("", "", ""),
    }
    assert {row["reason"] for row in found} == {"", "'=too long", "no reply"}
    assert read_ratings(file_of(store, campaign.id, "csv"))["kind"].value_counts().to_dict() == {
        "expert": 10,
        "judge": 1,
    }
    frame = pd.read_parquet(io.BytesIO(file_of(store, campaign.id, "parquet")))
    assert frame["score"].sum() == 18 + 5 + 4 + 3


@pytest.mark.parametrize("format", ["csv", "parquet"])
async def test_what_the_rehearsal_gave_is_told_row_by_row_whatever_it_is_called(store, format, monkeypatch):
    monkeypatch.setattr(export, "_PORTION", 2)
    campaign, story, assigned = running(store, SCENE, "Max")
    for assignment in assigned["Max"]:
        await rate(store, assignment, *[3] * 7)
    rehearsed = Endpoint(url="rehearsal", model="gpt-4")
    with store.stories.writing_replies(story.id, "gpt-4") as journal:
        await journal.answered(a_reply("judge/gpt-4/ann/scores", endpoint=rehearsed))
    store.ratings.add([rating_of(story, name, rater="GPT-4", metric="KA", score=3) for name in ("Ann", "Bob")])

    def told():
        content = file_of(store, campaign.id, format)
        frame = pd.read_csv(io.BytesIO(content)) if format == "csv" else pd.read_parquet(io.BytesIO(content))
        return dict(zip(zip(frame["rater"], frame["item"], strict=True), frame["improvised"].fillna(""), strict=True))

    ann, bob = item_of(story, "Ann").label, item_of(story, "Bob").label
    expected = {("Max", ann): "", ("Max", bob): "", ("GPT-4", ann): "judge", ("GPT-4", bob): ""}
    assert told() == expected
    store.stories.recast(story.id, casting_at(rehearsed, SCENE))
    assert told() == {key: "story and judge" if mark else "story" for key, mark in expected.items()}


@pytest.mark.slow
async def test_what_counts_comes_back_as_a_dataset(store):
    campaign, story, assigned = running(store, SCENE, "王 '=x", "Eve")
    await rate(store, assigned["王 '=x"][0], 1, 2, 3, 4, 5, 1, 2)
    await rate(store, assigned["Eve"][0], 2, 2, 2, 2, 2, 2, 2)
    await mark(store, assigned["Eve"][1], Score(metric="KA", score=2))
    store.ratings.add([rating_of(story, "Ann", rater="GPT-4", metric="KA", score=3)])
    key = ["item", "metric", "rater"]
    counted = store.ratings.frame(campaign=campaign.id).drop(columns=[*ITEM_COLUMNS])
    counted = counted.sort_values(key, ignore_index=True)
    for format in ("csv", "parquet", "label-studio"):
        trial = dry_run(file_of(store, campaign.id, format), load_rubric())
        back = store.datasets.frame(store.datasets.add(format, trial, LOCAL).id).sort_values(key, ignore_index=True)
        expected = counted[counted["kind"] == "expert"].reset_index(drop=True) if format == "label-studio" else counted
        assert plain(back.drop(columns="improvised")) == plain(expected)


async def test_repeats_have_a_file_of_their_own(store):
    campaign, story, assigned = running(store, SCENE, "Max")
    first = assigned["Max"][0]
    again = new_assignment(campaign.id, first.rater, first.item, place=3, take=1)
    practice = new_assignment(campaign.id, first.rater, "p", place=1, purpose="practice", take=1)
    check = new_assignment(campaign.id, first.rater, "c", place=4, purpose="check")
    store.campaigns.add([again, practice, check], LOCAL)
    for one, score in ((first, 1), (again, 2), (practice, 3), (check, 4)):
        await rate(store, one, *[score] * 7)
    store.ratings.add([rating_of(story, "Ann", rater="GPT-4", metric="KA", score=3)])
    table = rows(file_of(store, campaign.id, "csv"))
    assert {(row["take"], row["score"]) for row in table} == {("0", "1"), ("", "3")}
    repeats = rows(file_of(store, campaign.id, "csv", repeats=True))
    assert [(row["take"], row["score"]) for row in repeats] == [("1", "2")] * 7
    whole = [(line["purpose"], line["take"]) for line in lines(file_of(store, campaign.id, "jsonl"))]
    assert sorted(whole) == [("check", 0), ("practice", 1), ("rate", 0), ("rate", 0), ("rate", 1)]
    [task] = json.loads(file_of(store, campaign.id, "label-studio", repeats=True))
    assert [result["value"].get("number") for result in task["annotations"][0]["result"]] == [2] * 7 + [None]


async def test_the_whole_holds_all_campaigns_and_all_judges(store):
    one, story, assigned = running(store, SCENE, "Max")
    other, _, elsewhere = started(store, story, "Eve")
    apart = a_story(store, SCENE)
    for given in (assigned["Max"][0], elsewhere["Eve"][0]):
        await rate(store, given, 3)
    store.ratings.add([rating_of(apart, "Ann", rater="GPT-4", metric="KA", score=3)])
    found = [(row["campaign"], row["rater"]) for row in rows(file_of(store, None, "csv"))]
    assert found == [(one.id, "Max"), (other.id, "Eve"), ("", "GPT-4")]
    assert [row["rater"] for row in rows(file_of(store, one.id, "csv"))] == ["Max"]


async def test_a_line_tells_of_evidence_consensus_and_history(store):
    campaign, story, assigned = started(store, await played(store, SCENE), "Max")
    given = assigned["Max"][0]
    for said in (
        Score(metric="KA", score=2),
        Score(metric="KA", score=4),
        Evidence(metric="KA", steps=(0, 1)),
        Comment(text="hm\n"),
        Time(reading=1000, idle=0),
    ):
        await mark(store, given, said)
    store.verdicts.add(campaign.id, Ruling(item=given.item, metric="KA", score=3, reason="she errs"), LOCAL)
    line, other = sorted(lines(file_of(store, campaign.id, "jsonl")), key=lambda line: line["assignment"] != given.id)
    assert line["item"] == given.item == item_of(story, "Ann").label
    assert line["sheet"]["evidence"] == {"KA": [{"step": 0, "text": "Ann bows."}, {"step": 1, "text": "你好"}]}
    assert line["sheet"]["comment"] == "hm"
    assert [entry["mark"]["kind"] for entry in line["history"]] == ["score", "score", "evidence", "comment", "time"]
    assert line["history"][1]["click"] == str(store.marks.entries(given.id)[1].click)
    verdict = line["verdict"]["KA"]
    assert (verdict["score"], verdict["reason"], verdict["adjudicator"]) == (3, "she errs", LOCAL.name)
    assert (other["verdict"], other["history"], other["sheet"]["revision"]) == (None, [], 0)


async def test_the_steps_of_practice_and_checks_are_told_too(store):
    campaign, _, assigned = running(store, SCENE, "Max")
    rater, practice = assigned["Max"][0].rater, load_practice(load_rubric())
    items = {"practice": practice.items_in("en")[0], "check": practice.checks_in("zh")[0]}
    given = [
        practice_assignments(campaign.id, rater, [items["practice"]], 1)[0],
        check_assignment(campaign.id, rater, items["check"].key, 2),
    ]
    store.campaigns.add(given, LOCAL)
    for one in given:
        await mark(store, one, Evidence(metric="KA", steps=(1,)))
    told = {line["purpose"]: line for line in lines(file_of(store, campaign.id, "jsonl")) if line["history"]}
    assert told.keys() == items.keys()
    for purpose, item in items.items():
        assert told[purpose]["sheet"]["evidence"] == {"KA": [{"step": 1, "text": item.steps[1].text}]}
        assert told[purpose]["model"] is None


async def test_what_cannot_be_read_any_more_is_told_without_its_texts(store, monkeypatch):
    campaign, _, assigned = started(store, await played(store, SCENE), "Max")
    gone = new_assignment(campaign.id, assigned["Max"][0].rater, "gone", place=9, purpose="practice", take=1)
    store.campaigns.add([gone], LOCAL)
    for given in (assigned["Max"][0], gone):
        await mark(store, given, Evidence(metric="KA", steps=(0,)))

    def unreadable(id):
        raise StoryError(f"story {id}: it cannot be read")

    monkeypatch.setattr(store.stories, "story", unreadable)
    told = lines(file_of(store, campaign.id, "jsonl"))
    assert [line["sheet"]["evidence"].get("KA") for line in told if line["history"]] == [
        [{"step": 0, "text": None}]
    ] * 2
    with pytest.raises(StoryError, match="cannot be read"):
        file_of(store, campaign.id, "label-studio")


async def test_label_studio_gets_what_there_is_to_read(store):
    campaign, _, assigned = started(store, await played(store, SCENE), "Max", "Eve")
    await rate(store, assigned["Max"][0], 1, 2, 3, 4, 5, 1, 2)
    await rate(store, assigned["Eve"][0], 1, 2, 3, 4, 5, 1, 2)
    tasks = json.loads(file_of(store, campaign.id, "label-studio"))
    assert [len(task["annotations"]) for task in tasks] == [2, 0]
    data = tasks[0]["data"]
    assert data["scene"].splitlines()[0] == "The Hotel · A watch goes missing"
    assert "An open safe." in data["scene"]
    assert data["character"].startswith("Ann")
    assert data["trajectory"].splitlines()[1:] == ["- Action: Ann bows.", "- Dialogue: 你好"]
    config = file_of(store, campaign.id, "label-studio-config").decode()
    assert "Knowledge Accuracy" in config


async def test_pseudonyms_stand_for_people_in_every_format(store):
    campaign, _, assigned = started(store, await played(store, SCENE), "Max Mustermann", "Eve Example")
    await rate(store, assigned["Eve Example"][0], 1, 2, 3, 4, 5, 1, 2)
    await rate(store, assigned["Max Mustermann"][0], 2, 2, 3, 4, 5, 1, 2)
    given = assigned["Max Mustermann"][0]
    store.verdicts.add(campaign.id, Ruling(item=given.item, metric="KA", score=3, reason="so"), LOCAL)
    for format in FORMATS:
        content = file_of(store, campaign.id, format, pseudonyms=True)
        for name in ("Max", "Eve", LOCAL.name, given.rater):
            assert name.encode() not in content, format
    table = rows(file_of(store, campaign.id, "csv", pseudonyms=True))
    assert {(row["rater"], row["score"]) for row in table if row["metric"] == "KA"} == {
        ("rater-1", "1"),
        ("rater-2", "2"),
    }
    told = {
        line["rater"]: line for line in lines(file_of(store, campaign.id, "jsonl", pseudonyms=True)) if line["history"]
    }
    assert told.keys() == {"rater-1", "rater-2"}
    assert told["rater-2"]["assignment"] == given.id
    assert told["rater-2"]["verdict"]["KA"]["adjudicator"] is None


async def test_pseudonyms_stay_when_others_begin(store):
    campaign, _, assigned = running(store, SCENE, "A", "B", "C")
    await rate(store, assigned["C"][0], 1)
    before = rows(file_of(store, campaign.id, "csv", pseudonyms=True))
    await rate(store, assigned["A"][0], 2)
    after = rows(file_of(store, campaign.id, "csv", pseudonyms=True))
    assert {(row["score"], row["rater"]) for row in before} == {("1", "rater-1")}
    assert {(row["score"], row["rater"]) for row in after} == {("1", "rater-1"), ("2", "rater-2")}


@pytest.mark.parametrize("format", FORMATS)
def test_what_cannot_be_written_is_refused_at_once(store, format):
    with pytest.raises(CampaignError, match="campaign 'none' does not exist"):
        exported(store, "none", Export(format, pseudonyms=False))
    if format not in ("csv", "parquet"):
        with pytest.raises(CampaignError, match="holds one campaign; name the campaign"):
            exported(store, None, Export(format, pseudonyms=False))
    if format in ("jsonl", "label-studio-config"):
        with pytest.raises(CampaignError, match="hidden repeats cannot be exported separately"):
            exported(store, "none", Export(format, pseudonyms=False, repeats=True))


def test_files_have_names_and_types():
    names = {format: Export(format, pseudonyms=True).file_name("c1") for format in FORMATS}
    assert names == {
        "csv": "ratings-c1.csv",
        "parquet": "ratings-c1.parquet",
        "jsonl": "ratings-c1.jsonl",
        "label-studio": "ratings-c1-label-studio.json",
        "label-studio-config": "ratings-c1-label-studio.xml",
    }
    assert Export("csv", pseudonyms=False, repeats=True).file_name(None) == "ratings-all-repeats.csv"
    assert Export("csv", pseudonyms=False).media_type == "text/csv; charset=utf-8"


def filled(url, store, raters, marks):
    """A campaign in which each of so many raters has made so many marks, with a submission."""
    campaign, _, assigned = running(store, SCENE, *[f"r{number}" for number in range(raters)])
    at = datetime(2026, 1, 1, tzinfo=UTC)
    for given in assigned.values():
        log = [
            {"assignment": given[0].id, "revision": number, "click": str(uuid4()), "kind": "score", "at": at,
             "metric": "KA", "score": float(number % 5 + 1), "content": None}
            for number in range(1, marks)
        ]  # fmt: skip
        log.append(
            {**log[-1], "revision": marks, "click": str(uuid4()), "kind": "submit", "metric": None, "score": None}
        )
        with connection_to(url) as connection:
            connection.execute(insert(MARK), log)
            fold_all(connection)
    return campaign


@pytest.mark.slow
@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_memory_does_not_grow_with_what_is_written(url, store, format, monkeypatch):
    """Beyond a portion, that is; the real one holds more assignments than there are here."""
    for module in (records, export):
        monkeypatch.setattr(module, "_PORTION", 4)
    few = filled(url, store, 8, 60)
    many = filled(url, store, 32, 60)
    peaks = []
    for campaign in (few, few, many):
        tracemalloc.start()
        size = sum(map(len, exported(store, campaign.id, Export(format, pseudonyms=False))))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert size
    assert peaks[2] < 1.5 * peaks[1]
