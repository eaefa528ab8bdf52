"""Experts and judges are shown the same: field by field, and nothing that is private to one side."""

import json
import re
from collections.abc import Iterator

import pytest

from annotations.rubrics.rubric import load_rubric
from characterbox.campaigns.blinded_item import reading_of, shown_item
from characterbox.campaigns.item_selection import Offers
from characterbox.campaigns.workload import workloads_of
from characterbox.components.rubric_panel import item_data
from characterbox.judging.presentation import judged_person, person, person_text
from characterbox.judging.protocol import PROMPTS, Protocol
from characterbox.judging.subject import Narration, Part, Questions, works_of
from characterbox.llm.endpoint import Endpoint
from characterbox.play.events import Action, Dialogue, EnvironmentUpdate, InteractionResult
from characterbox.play.observations import retold
from characterbox.play.world import moments
from characterbox.prompts import template, words
from characterbox.scenes.library import bundled_scene
from characterbox.scenes.scene import Alias, Scene
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from tests.fakes.campaigns import campaign_item, started
from tests.fakes.scenes import PLOT, a_scene
from tests.fakes.stories import a_story, casting_at

SCENES = {"en": "holmes-study", "zh": "shuihu-xuedian"}
EACH_LANGUAGE = pytest.mark.parametrize("language", SCENES)
NEVER_SHOWN = {"language", "kind", "hue", "round", "degraded"}
"""What the page makes labels and colours of."""


def disguised(scene: Scene) -> Scene:
    """The scene, in which the first of the cast has all that a profile may have, and the last lacks a gender."""
    first, *rest = scene.cast
    told = {"public_face": "A FACE in the crowd", "known_as": (Alias(name="the ALIAS", by=(rest[-1].name,)),)}
    told |= {"unseen_by": (rest[0].name,), "knowledge": ("KNOWS it",), "unaware": ("UNAWARE of it",)}
    cast = (first.model_copy(update=told), *rest[:-1], rest[-1].model_copy(update={"gender": None}))
    return scene.model_copy(update={"cast": cast, "plot": PLOT})


@pytest.fixture
async def play(store, client):
    """Plays a bundled scene for a round, improvised."""

    async def play(language):
        story = a_story(store, disguised(bundled_scene(SCENES[language])), rounds=1)
        store.stories.recast(story.id, casting_at(Endpoint.parse("rehearsal"), story.script.scene))
        await perform(store.stories, client, store.stories.story(story.id), PlaybackControl(), on_event=lambda *_: None)
        return store.stories.story(story.id)

    return play


def asked(work, manner) -> str:
    """What a judge is shown, in whatever manner it judges."""
    rubric = load_rubric(work.subject)
    questions = Questions(work, Protocol(manner=manner), rubric, rubric.keys)
    messages = questions.critique() if manner == "critique" else questions.scores(rubric.keys, None)
    return messages[-1].content


def lines(shown: object, key: str = "") -> Iterator[str]:
    """All lines that an expert reads."""
    if isinstance(shown, dict):
        for inner, value in shown.items():
            yield from lines(value, inner)
    elif isinstance(shown, list):
        for value in shown:
            yield from lines(value, key)
    elif isinstance(shown, str) and key not in NEVER_SHOWN:
        yield from shown.splitlines()


def left(text: str, told: set[str]) -> set[str]:
    """What is left of a text without what was told."""
    for line in sorted(told, key=len, reverse=True):
        text = text.replace(line, " ")
    return set(re.findall(r"[^\W\d_]+", text))


def own_words(subject, language) -> str:
    """The words of the prompts themselves, and their labels."""
    prompts = [template(name, language) for name in (PROMPTS[subject].critique, PROMPTS[subject].at_once)]
    return "\n".join([*prompts, words(language).model_dump_json(), " ".join(load_rubric(subject).keys)])


def shown_to_experts(store, story) -> dict[str, dict]:
    """The items of a story as the rating page gets them, by who is judged."""
    _, _, given = started(store, story, "Cai")
    cai = store.accounts.expert_named("Cai")
    [desk] = workloads_of(store, cai)
    rows = [desk.row(one.id) for one in given["Cai"]]
    items = [item_data(store, cai, desk, row, "en", local=False)["shown"] for row in rows]
    return {item["character"]["name"]: item for item in items}


@pytest.mark.slow
@EACH_LANGUAGE
async def test_a_judge_of_a_character_is_shown_what_the_rating_page_shows_and_nothing_else(store, play, language):
    story = await play(language)
    shown = shown_to_experts(store, story)
    for work in works_of(story.script.scene, store.stories.events(story.id), "character"):
        told = {*lines(shown[work.name])}
        for manner in ("critique", "direct", "brief"):
            prompt = asked(work, manner)
            assert [line for line in told if line not in prompt] == []
            known = own_words("character", language)
            assert [word for word in left(prompt, told) if word not in known] == []
            assert PLOT not in prompt
            assert PLOT not in json.dumps(shown[work.name])
    for profile in story.script.scene.cast:
        fields = {"name", "position", "state", "gender", "public_face"}
        known = {**profile.model_dump(include=fields), "description": profile.account}
        assert shown[profile.name]["character"].items() >= known.items()
    first = shown[story.script.scene.names[0]]["character"]
    assert first["public_face"] == "A FACE in the crowd"
    assert first["description"].splitlines()[-2:] == ["KNOWS it", "UNAWARE of it"]
    assert "the ALIAS" in first["called"]


@pytest.mark.slow
@EACH_LANGUAGE
async def test_a_judge_of_a_scene_is_shown_what_experts_are_and_not_how_the_source_goes_on(store, play, language):
    story = await play(language)
    [item] = Offers(store).items([story.id], rubric := load_rubric("scene"))
    told = {*lines(shown_item(store, item, rubric))}
    [work] = works_of(story.script.scene, (), "scene")
    for manner in ("critique", "direct", "brief"):
        prompt = asked(work, manner)
        assert [line for line in told if line not in prompt] == []
        assert [word for word in left(prompt, told) if word not in own_words("scene", language)] == []


def as_the_narrator_reads(events, scene):
    """All but beliefs, in the names that the narrator has: it knows everybody's."""
    for event, then, _ in moments(events, scene):
        if event.kind not in {"self_belief", "environment_belief", "story_ended"}:
            told = event.model_dump(mode="json", exclude={"path", "reason", "turn"})
            if event.kind in {"action", "reaction"}:
                told["text"] = retold(event.text, event, None, then)
            yield told


@pytest.mark.slow
@EACH_LANGUAGE
async def test_a_judge_of_a_narrator_is_shown_the_decisions_that_experts_are(store, play, language):
    story = await play(language)
    [item] = Offers(store).items([story.id], rubric := load_rubric("narrator"))
    shown = shown_item(store, item, rubric)
    events = store.stories.events(story.id)
    decided = {*lines([*as_the_narrator_reads(events, story.script.scene)])}
    told = {*lines(shown)}
    [work] = works_of(story.script.scene, events, "narrator")
    known = own_words("narrator", language)
    for manner in ("critique", "brief"):
        prompt = asked(work, manner)
        assert [line for line in decided | told if line not in prompt] == []
        assert [word for word in left(prompt, told) if word not in known] == []
    scene = {*lines({key: shown[key] for key in ("scene", "cast")})}
    assert [word for word in left("\n".join(told), decided | scene) if word not in known] == []


def test_both_are_told_where_a_reply_could_not_be_read(store):
    story = a_story(store)
    acts = {"round": 1, "turn": "Ann", "character": "Ann"}
    events = [
        Action(path="r1/ann/action", text="Ann waits.", degraded=True, **acts),
        Dialogue(path="r1/ann/dialogue", text="Well?", **acts),
    ]
    store.stories.events = lambda id: events
    shown = shown_item(store, campaign_item(story, "Ann"), load_rubric())
    assert [step["degraded"] for step in shown["steps"]] == [True, False]
    for text in (asked(Part(story.script.scene, "Ann", events), "critique"), reading_of(shown).trajectory):
        [waits] = [line for line in text.splitlines() if "Ann waits." in line]
        assert "could not be read" in waits
        assert text.count("could not be read") == 1


def test_both_are_told_what_only_the_affected_one_feels(store):
    story = a_story(store)
    came = {"text": "The lamp falls.", "felt": "His hand burns.", "importance": 4}
    result = InteractionResult(path="r1/ann/result", round=1, turn="Ann", character="Ann", affected="Bob", **came)
    store.stories.events = lambda id: [result]
    item = campaign_item(story, "Ann").model_copy(update={"character": None})
    shown = shown_item(store, item, load_rubric("narrator"))
    for text in (asked(Narration(story.script.scene, [result]), "critique"), shown["steps"][0]["text"]):
        assert "The lamp falls." in text
        assert "His hand burns." in text


def test_both_are_told_that_the_narrator_ended_the_story(store):
    story = a_story(store)
    end = EnvironmentUpdate(
        path="r1/ann/environment", round=1, turn="Ann", concluded=True, **story.script.scene.environment.model_dump()
    )
    store.stories.events = lambda id: [end]
    item = campaign_item(story, "Ann").model_copy(update={"character": None})
    shown = shown_item(store, item, load_rubric("narrator"))
    told = words("en").narration.concluded
    assert told in shown["steps"][0]["text"]
    assert told in asked(Narration(story.script.scene, [end]), "direct")


def test_aliases_are_told_of_whoever_has_them_and_to_whoever_meets_them():
    ann, bob, cai = a_scene("Ann", "Bob", "Cai").cast
    ann = ann.model_copy(update={"known_as": (Alias(name="the beggar", by=("Bob",)),), "unseen_by": ("Cai",)})
    cai = cai.model_copy(update={"known_as": (Alias(name="the guest"),)})
    scene = a_scene().model_copy(update={"cast": (ann, bob, cai)})
    told = {name: judged_person(scene, name) for name in ("Ann", "Bob", "Cai")}
    assert {name: who.called for name, who in told.items()} == {
        "Ann": "Bob: the beggar",
        "Bob": None,
        "Cai": "the guest",
    }
    assert told["Bob"].calls == "Ann: the beggar; Cai: the guest"
    assert (told["Cai"].calls, person(ann, "en").calls) == (None, None)
    assert person_text(told["Ann"], "en", ["Bob", "Cai"]).splitlines() == [
        "Profile: SECRET-MARK-OF-ANN", "Called by others: Bob: the beggar", "Calls others: Cai: the guest",
        "Not perceived by: Cai", "Position: place of Ann", "State: state of Ann", "Others on stage: Bob, Cai",
    ]  # fmt: skip
