"""What the browser is told for rating: by opaque names, and never which model it was."""

import json
import re
from collections import Counter
from dataclasses import fields
from importlib.resources import files
from typing import get_args

import pytest

from annotations.marking.marks import Comment, Evidence, Score, Skip, Submit, Time
from characterbox.accounts.account import LOCAL, Account
from characterbox.campaigns.workload import open_workload, workload_of, workloads_of
from characterbox.components.rubric_panel import desk_data, item_data, list_data
from characterbox.errors import CampaignError
from characterbox.judging.presentation import Person
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.events import Action, Dialogue, Event, Reaction
from characterbox.play.trajectory import RatedKind
from characterbox.play.world import Script
from characterbox.scenes.scene import Environment, Profile, Scene
from characterbox.store import Store
from characterbox.store.campaigns.campaign import new_assignment
from characterbox.store.stories.stories import Story
from characterbox.store.tables.ratings import Item
from pages.oversight.item import KINDS
from tests.components.sample import LIGHTHOUSE
from tests.fakes.campaigns import campaign_item, mark, rate, running, started
from tests.fakes.reasons import a_reason
from tests.fakes.scenes import a_scene

FORD = Scene(
    id="ford",
    title="渡口",
    work="渡口故事",
    language="zh",
    origin="original",
    author="Writer-7B",
    environment=Environment(time="黄昏", location="渡口", description="渡船将要离岸。"),
    cast=(Profile(name="艄公", description="撑船的老人。", position="船头", state="平静"),),
)


@pytest.fixture
def cai(store: Store) -> Account:
    return store.accounts.expert_named("Cai")


async def ended(store: Store, scene: Scene) -> Story:
    endpoint = Endpoint(url="http://models.example/v1", model="Zephyr-9B")
    casting = Casting(narrator=endpoint, characters=dict.fromkeys(scene.names, endpoint))
    story = store.stories.create(Script(scene=scene), casting, "app")
    first, last = scene.names[0], scene.names[-1]
    events: list[Event] = [
        Action(path="a", round=1, character=first, text="He bows."),
        Dialogue(path="b", round=1, character=first, text="", degraded=True, reason=a_reason("Zephyr-9B gave no text")),
        Reaction(path="c", round=2, character=last, to=first, text="He nods."),
    ]
    with store.stories.claimed(story.id) as claimed:
        for seq, event in enumerate(events, 1):
            await claimed.record(seq, event)
        await claimed.move("ended")
    return store.stories.story(story.id)


@pytest.mark.slow
async def test_where_nobody_signs_in_every_part_of_every_ended_story_is_there_the_oldest_first(store, cai):
    first, second = await ended(store, LIGHTHOUSE), await ended(store, FORD)
    store.stories.move((await ended(store, FORD)).id, "failed")
    desk = open_workload(store, cai)
    assert [row.assignment.item.partition(":")[0] for row in desk.work] == [first.id] * len(LIGHTHOUSE.names) + [
        second.id
    ]
    ids = [row.assignment.id for row in desk.work]
    third = await ended(store, FORD)
    again = open_workload(store, cai)
    assert [row.assignment.id for row in again.work][: len(ids)] == ids, "an item keeps its name and its place"
    assert again.work[-1].assignment.item.startswith(third.id)
    assert open_workload(store, store.accounts.expert_named("Dora")).work[0].assignment.id not in ids


async def test_a_story_leads_to_its_first_part_that_is_not_rated(store, cai):
    await ended(store, LIGHTHOUSE)
    story = await ended(store, FORD)
    desk = open_workload(store, cai)
    assert desk.of_story(story.id) == desk.work[-1].assignment.id
    assert desk.of_story("0123456789ab") is None
    await rate(store, desk.work[-1].assignment, 1, 2, 3, 4, 5, 4, 3)
    assert open_workload(store, cai).of_story(story.id) is None


async def test_the_list_tells_how_far_the_rater_is(store, cai):
    _, _, given = running(store, a_scene("Ann", "Bob", "Eve"), "Cai")
    ann, bob, eve = given["Cai"]
    await rate(store, ann, 1, 2, 3, 4, 5, 4, 3)
    await mark(store, bob, Score(metric="KA", score=2))
    await mark(store, bob, Score(metric="BA", score=2))
    await mark(store, bob, Score(metric="BA", score=None))
    await mark(store, eve, Skip(reason="no time"))
    [desk] = workloads_of(store, cai)
    told = list_data(store, cai, desk, "en", alone=True, local=False)
    assert [(row["place"], row["scored"], row["state"]) for row in told["rows"]] == [
        (1, 7, "done"),
        (2, 1, "begun"),
        (3, 0, "skipped"),
    ]
    assert {row["title"] for row in told["rows"]} == {None}, "what an item is of is not told before it is opened"
    assert (told["done"], told["skipped"], told["total"]) == (2, 1, 3)
    assert (told["onward"], told["left"]) == (bob.id, None)
    [row] = desk_data(cai, [desk], "en", local=False)["campaigns"]
    assert (row["name"], row["status"]) == ("Pilot", "running")
    assert (row["done"], row["skipped"], row["total"]) == (2, 1, 3)


async def test_an_item_is_told_in_full(store, cai):
    await ended(store, LIGHTHOUSE)
    story = await ended(store, FORD)
    _, _, given = started(store, story, "Cai")
    [assignment] = given["Cai"]
    await mark(store, assignment, Score(metric="EE", score=2))
    await mark(store, assignment, Evidence(metric="EE", steps=(0, 2)))
    await mark(store, assignment, Comment(text="<b>好</b>"))
    [desk] = workloads_of(store, cai)
    data = item_data(store, cai, desk, desk.row(assignment.id), "zh", local=False)
    assert (data["place"], data["count"], data["previous"], data["next"], data["onward"]) == (1, 1, None, None, None)
    assert (data["shown"]["scene"]["title"], data["language"]) == ("渡口", "zh")
    english = item_data(store, cai, desk, desk.row(assignment.id), "en", local=False)
    assert (english["language"], english["shown"]) == ("en", data["shown"]), "what is read stays in its own language"
    assert data["shown"]["character"]["state"] == "平静"
    assert (data["sheet"]["scores"], data["sheet"]["evidence"]) == ({"EE": 2}, {"EE": [0, 2]})
    assert (data["sheet"]["comment"], data["sheet"]["submitted"]) == ("<b>好</b>", False)
    kinds = [(step["round"], step["kind"], step["degraded"]) for step in data["shown"]["steps"]]
    assert kinds == [(1, "action", False), (1, "dialogue", True), (2, "reaction", False)]


def test_all_that_is_told_of_a_character_has_a_label_in_both_languages():
    source = (files("characterbox.components") / "rubric_panel" / "words.js").read_text(encoding="utf-8")
    labels = Counter(re.findall(r"^    (\w+): ", source, re.MULTILINE))
    told = [field.name for field in fields(Person) if field.name not in {"name", "description"}]
    assert [(name, labels[name]) for name in told] == [(name, 2) for name in told]


def test_each_kind_of_step_has_a_label_in_both_languages_and_where_scores_are_looked_at():
    source = (files("characterbox.components") / "rubric_panel" / "words.js").read_text(encoding="utf-8")
    tables = re.findall(r"^    kinds: {([^}]*)}", source, re.MULTILINE)
    kinds = [*get_args(RatedKind)]
    assert [re.findall(r"^ +(\w+): ", table, re.MULTILINE) for table in tables] == [kinds, kinds]
    assert [*KINDS] == kinds


async def test_what_comes_next_is_what_is_not_done_from_the_top_again_at_the_end(store, cai):
    _, _, given = running(store, a_scene("Ann", "Bob", "Eve"), "Cai")
    ann, bob, eve = given["Cai"]
    await rate(store, bob, 1, 2, 3, 4, 5, 4, 3)
    [desk] = workloads_of(store, cai)
    assert [desk.onward(after) for after in (None, ann.id, bob.id, eve.id)] == [ann.id, eve.id, eve.id, ann.id]
    await rate(store, ann, 1, 2, 3, 4, 5, 4, 3)
    [desk] = workloads_of(store, cai)
    assert desk.onward(eve.id) is None
    store.campaigns.move(desk.campaign.id, "closed", LOCAL)
    [desk] = workloads_of(store, cai)
    assert desk.onward() is None


async def test_the_time_left_is_at_the_raters_own_pace(store, cai):
    _, _, given = running(store, a_scene("Ann", "Bob", "Eve"), "Cai")
    for assignment, reading in zip(given["Cai"][:2], (60_000, 100_000), strict=True):
        await mark(store, assignment, Time(reading=reading, idle=999_000))
        await rate(store, assignment, 1, 2, 3, 4, 5, 4, 3)
    [desk] = workloads_of(store, cai)
    assert list_data(store, cai, desk, "en", alone=True, local=False)["left"] == 80.0


async def test_no_model_and_no_item_is_named(store, cai):
    for scene in (LIGHTHOUSE, FORD):
        await ended(store, scene)
    desk = open_workload(store, cai)
    told = [list_data(store, cai, desk, "zh", alone=True, local=True), desk_data(cai, [desk], "en", local=True)]
    told += [item_data(store, cai, desk, row, "en", local=True) for row in desk.work]
    text = json.dumps(told, ensure_ascii=False)
    assert LIGHTHOUSE.title in text
    for name in ("Zephyr-9B", "Writer-7B", "models.example", *(row.assignment.item for row in desk.work)):
        assert name not in text


async def test_the_models_are_named_only_where_they_are_to_be_guessed_and_not_which(store, cai):
    story = await ended(store, FORD)
    _, _, given = started(store, story, "Cai", asks_model=True)
    [desk] = workloads_of(store, cai)
    data = item_data(store, cai, desk, desk.row(given["Cai"][0].id), "en", local=False)
    assert (data["asks_model"], data["models"]) == (True, None), "they come after the item is submitted"
    await rate(store, given["Cai"][0], 1, 2, 3, 4, 5, 4, 3)
    [desk] = workloads_of(store, cai)
    data = item_data(store, cai, desk, desk.row(given["Cai"][0].id), "en", local=False)
    assert data["models"] == ["Zephyr-9B"]
    assert "Zephyr-9B" not in json.dumps({**data, "models": None}, ensure_ascii=False)


@pytest.mark.slow
async def test_the_models_to_guess_from_stand_in_another_order_for_each_item(store, cai):
    story = await ended(store, FORD)
    campaign, _, given = started(store, story, "Cai", asks_model=True)
    names = ["gpt-4-0613", "gpt-4-1106", "Zephyr-9B"]
    items = [
        campaign_item(story, "艄公").model_copy(update={"identity": Item(kind="character", owner=name), "model": name})
        for name in names
    ]
    new = [new_assignment(campaign.id, str(cai.id), names[0], place=place, take=place) for place in range(9, 69)]
    store.campaigns.extend(campaign.id, campaign.settings, (items, [], new), (campaign.settings, given["Cai"]), LOCAL)
    for assignment in new:
        await rate(store, assignment, 1, 2, 3, 4, 5, 4, 3)
    [desk] = workloads_of(store, cai)
    told = [item_data(store, cai, desk, desk.row(one.id), "en", local=False)["models"] for one in new]
    assert {tuple(sorted(models)) for models in told} == {tuple(sorted(names))}
    first = [models.index("gpt-4-0613") < models.index("gpt-4-1106") for models in told]
    assert 15 < sum(first) < 45
    [again] = workloads_of(store, cai)
    assert item_data(store, cai, again, again.row(new[0].id), "en", local=False)["models"] == told[0]


async def test_what_is_not_on_the_desk_is_not_found(store, cai):
    _, _, given = running(store, a_scene("Ann"), "Dora")
    campaign, _, _ = running(store, a_scene("Ann"), "Cai")
    desk = workload_of(store, campaign, cai)
    for item in ("", "nowhere", given["Dora"][0].id):
        with pytest.raises(CampaignError, match="you have no item"):
            desk.row(item)
    assert [desk.campaign.id for desk in workloads_of(store, cai)] == [campaign.id]
    with pytest.raises(CampaignError, match="only accounts have items to rate"):
        workloads_of(store, LOCAL)


async def test_an_item_can_be_submitted_and_changed(store, cai):
    _, _, given = running(store, a_scene("Ann"), "Cai")
    await rate(store, given["Cai"][0], 1, 2, 3, 4, 5, 4, 3)
    await mark(store, given["Cai"][0], Score(metric="KA", score=None))
    [desk] = workloads_of(store, cai)
    assert desk.work[0].state(desk.rubric) == "begun"
    await mark(store, given["Cai"][0], Score(metric="KA", score=5))
    await mark(store, given["Cai"][0], Submit())
    [desk] = workloads_of(store, cai)
    assert desk.work[0].state(desk.rubric) == "done"
