"""What a judge of the narrator reads: each decision beside what it answers, and nothing that is private."""

import pytest

from characterbox.play.events import EnvironmentUpdate
from characterbox.play.trajectory import as_text, narration
from characterbox.play.world import Script
from characterbox.prompts import fill, words
from tests.fakes.asking import AnsweredAtOnce, played
from tests.fakes.replies import next_in, nobody
from tests.fakes.scenes import a_scene
from tests.play import masked_guest
from tests.play.test_masked_guest import told


def read(events, scene):
    """The narration as a judge reads it."""
    return as_text(narration(events, scene), scene.language)


async def events_of(scene, affects, **instead):
    script = Script(scene=scene, rounds=2)
    instead = {path.replace("__", "/"): text for path, text in instead.items()}
    return await played(script, AnsweredAtOnce(script, affects, instead))


async def test_every_decision_is_told_with_what_it_answers_in_the_order_of_the_story():
    scene = a_scene()
    text = read(await events_of(scene, next_in(scene)), scene)
    lines = text.splitlines()
    assert lines[0] == "Round 1"
    assert lines[1:9] == [
        "- Character: Ann acts: by Ann at r1/ann/action",
        "- Character: Ann says: by Ann at r1/ann/action",
        "- Narrator, influence: Effect on Bob: by the narrator at r1/ann/influence",
        "- Character: Bob reacts to Ann: by Bob at r1/ann/reaction/bob",
        "- Narrator, result: by the narrator at r1/ann/result Felt by Bob alone: by the narrator at r1/ann/result",
        "- Narrator, update: Ann | {0} | State: {0} | Seen by others: {0}".format("by the narrator at r1/ann/updates"),
        "- Narrator, update: Bob | {0} | State: {0} | Seen by others: {0}".format("by the narrator at r1/ann/updates"),
        "- Narrator, update: Time: by the narrator at r1/ann/updates",
    ]
    assert lines.count("Round 2") == 1
    assert "belief" not in text
    assert "self-belief" not in text


TEXTS = ("text", "felt", "position", "state", "time", "location", "description", "belief", "others")


def with_texts_of_its_own(event):
    """The event with its path in each text, also where one reply made several."""
    return event.model_copy(update={name: f"at {event.path}" for name in TEXTS if getattr(event, name, None)})


async def test_all_that_the_narrator_decided_is_there_and_no_belief():
    scene = a_scene("Ann", "Bob", "Cai")
    events = [with_texts_of_its_own(event) for event in await events_of(scene, next_in(scene))]
    text = read(events, scene)
    for event in events:
        told = f"at {event.path}" in text
        assert told == (event.kind not in {"self_belief", "environment_belief", "story_ended"}), event.path


async def test_what_could_not_be_read_is_told_as_such():
    scene = a_scene()
    bad = {"r1__ann__influence": "None", "r1__ann__influence__again": "{"}
    text = read(await events_of(scene, nobody, **bad), scene)
    [line] = [line for line in text.splitlines() if "could not be read" in line]
    assert line.startswith(
        "- Narrator, influence: Effect on nobody in particular: Ann's action affects nobody in particular."
    )


def test_surroundings_are_told_where_they_change():
    scene = a_scene(language="zh")
    same = {"path": "r1/ann/environment", "round": 1, "turn": "Ann", **scene.environment.model_dump()}
    other = {**same, "path": "r1/bob/environment", "turn": "Bob", "location": "街上", "concluded": True}
    text = read([EnvironmentUpdate(**same), EnvironmentUpdate(**other)], scene)
    assert text.splitlines() == [
        "第1轮", "- 叙述者·更新：环境一切照旧。", "- 叙述者·更新：地点：街上", "  故事到此结束。",
    ]  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_it_tells_who_perceives_what_who_is_recognised_and_who_comes_and_goes(language):
    _, events = await told(language)
    text, texts, narrated = (
        read(events, masked_guest.scene(language)),
        masked_guest.TEXTS[language],
        words(language).narration,
    )
    host, guest, steward, prisoner = (texts[who] for who in ("host", "guest", "steward", "prisoner"))
    for line in (
        fill(narrated.heard_by, names=steward),  # what was whispered
        fill(narrated.seen_by, names=words(language).blocks.nobody_affected),  # what the steward hid
        fill(words(language).blocks.recognition, name=host, who=guest),
    ):
        assert f"\n  {line}\n" in text, line
    [free] = [event for event in events if event.kind == "environment_update" and event.hidden is not None]
    everybody = words(language).blocks.comma.join((host, guest, steward, prisoner))
    assert fill(narrated.back, names=everybody) in text[text.index(free.description) :]
