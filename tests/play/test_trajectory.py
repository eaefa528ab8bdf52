"""A trajectory: what one character observed, did and said, and nothing that it could not know."""

from characterbox.play.trajectory import as_text, trajectory
from characterbox.play.world import Script
from tests.fakes.asking import AnsweredAtOnce, played
from tests.fakes.replies import mark
from tests.fakes.scenes import a_scene

SCRIPT = Script(scene=a_scene("Ann", "Bob", "Cid"), rounds=1)


async def test_the_slice_of_the_affected_one_and_of_a_bystander():
    touches = {"Ann": "Bob", "Bob": None, "Cid": None}
    instead = {"r1/cid/action": '{"action": "Cid waits.", "dialogue": "(silent)"}'}
    events = await played(SCRIPT, AnsweredAtOnce(SCRIPT, touches.get, instead))
    bob = [(step.kind, step.text) for step in trajectory(events, "Bob", SCRIPT.scene)]
    assert bob[:5] == [
        ("observation", f"Ann acts: {mark('r1/ann/action', 'Ann')}"),
        ("observation", f"Ann says: {mark('r1/ann/action', 'Ann')}"),
        ("observation", f"Effect on Bob: {mark('r1/ann/influence', None)}"),
        ("reaction", mark("r1/ann/reaction/bob", "Bob")),
        ("observation", f"Result: {mark('r1/ann/result', None)} Felt by Bob alone: {mark('r1/ann/result', None)}"),
    ]
    assert [kind for kind, _ in bob[5:]] == ["action", "dialogue", *["observation"] * 4]
    assert ("observation", f"Result: {mark('r1/bob/influence', None)}") in bob, "what visibly happens"
    cid = trajectory(events, "Cid", SCRIPT.scene)
    assert not any("Effect on Bob" in step.text or "Felt by" in step.text for step in cid)
    assert ("observation", f"Result: {mark('r1/ann/result', None)}") in [(step.kind, step.text) for step in cid]
    assert cid[-2].text == "(silent)"
    assert as_text(cid, "en").splitlines()[:2] == [
        "Round 1",
        f"- Observation: Ann acts: {mark('r1/ann/action', 'Ann')}",
    ]
