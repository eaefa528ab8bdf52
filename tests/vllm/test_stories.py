"""A story of random text comes to its end, and tells nothing that no model said."""

import json

import pytest

from characterbox.llm.replies.reading import storable
from characterbox.play.events import ActionInfluence
from characterbox.play.paths import reply_path
from characterbox.play.world import World
from characterbox.prompts import fill, words
from characterbox.scenes.scene import slug_of
from tests.vllm.played import ROUNDS

pytestmark = pytest.mark.process

TOLD = ("text", "felt", "position", "state", "time", "location", "description", "belief", "desire", "intention")
TOLD += ("others", "scene", "bearing")
RENAMED = {
    "action_influence": {"text": "effect"},
    "interaction_result": {"text": "result"},
    "action": {"text": "action"},
    "dialogue": {"text": "dialogue"},
}
"""What the fields of an event are called in the reply."""


def texts(event):
    """What an event tells, by field."""
    return {field: getattr(event, field) for field in TOLD if hasattr(event, field)}


def said_of(story, event, said):
    """What the reply says that an event tells, by field: as a form names it, of the one affected otherwise."""
    names = RENAMED.get(event.kind, {})
    about_other = event.kind == "character_update" and event.character != event.turn
    return {field: said.get(f"other_{field}" if about_other else names.get(field, field)) for field in texts(event)}


def expected_paths(story):
    """The paths of all events, given who was affected."""
    affected = {event.path: event.affected for event in story.events if isinstance(event, ActionInfluence)}
    slugs = [slug_of(name) for name in story.scene.names]
    yield from (f"r0/{who}/{belief}-belief" for who in slugs for belief in ("self", "environment"))
    for number in range(1, ROUNDS + 1):
        for actor in slugs:
            place = f"r{number}/{actor}"
            yield from (f"{place}/{step}" for step in ("action", "dialogue", "influence", "environment"))
            yield f"{place}/update/{actor}"
            if who := affected[f"{place}/influence"]:
                yield from (f"{place}/{step}" for step in (f"reaction/{slug_of(who)}", "result"))
                yield f"{place}/update/{slug_of(who)}"
        yield from (f"r{number}/{who}/{belief}-belief" for who in slugs for belief in ("self", "environment"))
    yield "end"


def test_the_story_comes_to_its_end_with_every_event(story):
    assert story.status == "ended"
    last = story.events[-1]
    assert (last.kind, last.round, last.because) == ("story_ended", ROUNDS, "rounds")
    assert sorted(event.path for event in story.events) == sorted(expected_paths(story))


def test_an_action_touches_another_character_or_nobody(stories):
    touched = set()
    for story in stories.values():
        for event in story.events:
            if isinstance(event, ActionInfluence):
                assert event.affected in {*story.scene.names, None} - {event.character}
                assert event.reason is None or event.reason.code != "nobody_known"
                touched.add(event.affected)
    assert touched - {None}


def test_an_event_tells_what_its_reply_says(story):
    world, seen = World.opening(story.scene), set()
    for event in story.events:
        before = None
        if event.kind in ("character_update", "environment_update"):
            before = texts(
                world.environment if event.kind == "environment_update" else world.characters[event.character]
            )
        if not event.degraded and event.kind != "story_ended":
            raw = story.last_reply(reply_path(event.path, story.replies)).text
            if event.kind == "reaction":
                assert event.text in raw
            else:
                for field, said in said_of(story, event, json.loads(raw, strict=False)).items():
                    was = before[field] if before is not None else ""
                    assert texts(event)[field] in {storable(said).strip() if said else was, was}
                    seen.add(event.kind)
        world = world.after(event)
    assert {"action", "action_influence", "character_update", "environment_update", "self_belief"} <= seen


def test_an_unreadable_reply_is_kept_and_changes_nothing(story):
    neutral, world = words(story.scene.language).neutral, World.opening(story.scene)
    for event in story.events:
        if event.degraded:
            assert event.reason
            path = reply_path(event.path, story.replies)
            assert {path, f"{path}/again"} <= story.replies.keys()
            assert texts(event) == unchanged(event, world, neutral)
        else:
            assert event.reason is None
        world = world.after(event)


def unchanged(event, world, neutral):
    """What a degraded event may tell: a neutral phrase, or what was so before."""
    now = world.environment if event.kind == "environment_update" else world.characters[event.character]
    match event.kind:
        case "action" | "reaction":
            return {"text": fill(getattr(neutral, event.kind), name=event.character)}
        case "dialogue":
            return {"text": ""}
        case "action_influence":
            return {"text": fill(neutral.influence, name=event.character)}
        case "interaction_result":
            return {"text": neutral.result, "felt": ""}
        case "self_belief" | "environment_belief":
            before = getattr(now, event.kind)
            return dict.fromkeys(texts(event), neutral.belief) if before is None else texts(before)
    return {field: getattr(now, field) for field in texts(event)}


def test_each_reply_is_journaled_with_its_model_and_its_tokens(story):
    assert set(story.models.values()) == {"ann", "bob"}
    asked = {reply.endpoint.model for reply in story.replies.values()}
    assert asked == {"tiny", "ann", "bob"}
    for path, reply in story.replies.items():
        assert reply.endpoint.model == story.model_at(path)
        assert reply.author == "model"
        assert reply.finish_reason == "stop"
        assert reply.usage.prompt_tokens > reply.usage.cached_tokens >= 0
        assert reply.usage.completion_tokens > 0


def test_what_the_journal_says_of_the_cache_is_what_the_server_says(story):
    replies = story.replies.values()
    assert sum(reply.usage.prompt_tokens for reply in replies) == story.queries
    assert sum(reply.usage.cached_tokens for reply in replies) == story.hits


def test_three_quarters_of_all_prompt_tokens_come_from_the_prefix_cache(story, capsys):
    rate = story.hits / story.queries
    tokens = sum(reply.usage.completion_tokens for reply in story.replies.values())
    degraded = sum(event.degraded for event in story.events)
    reactions = sum(event.kind == "reaction" for event in story.events)
    with capsys.disabled():
        print(
            f"\n{story.scene.id}: prefix cache hit rate {rate:.1%} of {story.queries} prompt tokens, "
            f"{len(story.replies)} replies with {tokens} tokens in {story.seconds:.0f} s "
            f"({tokens / story.seconds:.0f} tokens/s), {len(story.events)} events, "
            f"{reactions} reactions, {degraded} degraded"
        )
    assert rate >= 0.75
