"""A story as the player and a file of it get it."""

import json

from characterbox.play.world import Script
from characterbox.share.story_file import file_of
from characterbox.stage.live.player_data import player_data
from characterbox.stage.live.visibility import perspective_of
from characterbox.store.stories.stories import Branch
from tests.fakes.scenes import PLOT, a_scene, secret_of
from tests.fakes.stories import AT, a_reply, a_story, casting_at


async def test_a_file_of_a_story_tells_where_it_comes_from_who_played_and_what_it_took(store):
    parent = a_story(store)
    scene = a_scene()
    branch = Branch(parent=parent.id, at=3, anew="this")
    script = Script(scene=scene)
    story = store.stories.create(script, casting_at(AT, scene), "app", people=(None, "Ann"), branch=branch)
    with store.stories.claimed(story.id) as claimed:
        await claimed.answered(a_reply(origin=parent.id))
        await claimed.asked("r1/ann/dialogue", 0)
        await claimed.answered(a_reply("r1/ann/dialogue", dropped=("Result: it rains",), troubles=("HTTP 429",)))
        await claimed.answered(a_reply("r1/bob/action", author="human", price=None))
    told = json.loads(json.dumps(file_of(store.stories, store.stories.story(story.id))))
    assert told["story"]["branch"] == {"parent": parent.id, "at": 3, "anew": "this"}
    assert told["story"]["people"] == [None, "Ann"]
    replies = {reply["path"]: reply for reply in told["journal"]}
    assert replies["r1/ann/action"]["origin"] == parent.id
    assert replies["r1/ann/dialogue"]["dropped"] == ["Result: it rains"]
    assert replies["r1/ann/dialogue"]["troubles"] == ["HTTP 429"]
    assert replies["r1/ann/dialogue"]["price"] == 0.002
    costs = told["costs"]["story"]
    assert (costs["calls"], costs["reused"], costs["by_people"], costs["price"]) == (1, 1, 1, 0.002)
    assert costs["troubles"] == {"HTTP 429": 1}


def test_the_player_of_who_plays_is_given_nothing_private_of_the_others(store):
    story = a_story(store)
    shown = player_data(store.stories, story, "stage", perspective_of(["Ann", None]))
    told = json.dumps(shown)
    assert secret_of("Ann") in told
    for hidden in (secret_of("Bob"), "state of Bob", PLOT):
        assert hidden not in told
    assert shown["live"] == f"/stories/{story.id}/live?eyes=ann"
    assert player_data(store.stories, story, "stage")["live"] == f"/stories/{story.id}/live"


def test_names_of_any_script_can_stand_in_the_address(store):
    story = a_story(store, a_scene("沈掌柜", "阿青", language="zh"))
    shown = player_data(store.stories, story, "stage", perspective_of(["阿青"]))
    assert shown["live"].isascii()
