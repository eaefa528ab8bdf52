"""Forms as models really give them, in JSON or behind labels: what can be read is read, what can't is refused."""

from functools import partial

import pytest

from characterbox.errors import ReplyError
from characterbox.play.replies import forms
from characterbox.play.replies.form_reading import is_form, label_before, labels_of, read_form

character_update = partial(read_form, model=forms.CharacterUpdateReply)
environment_update = partial(read_form, model=forms.EnvironmentUpdateReply)
self_belief = partial(read_form, model=forms.SelfBeliefReply)
environment_belief = partial(read_form, model=forms.EnvironmentBeliefReply)
DOOR = ("By the door", "Angry; at 10:30: tired")


@pytest.mark.parametrize(
    "text",
    [
        '{"position": "By the door", "state": "Angry; at 10:30: tired"}',
        '{"Position": "By the door", "State": "Angry; at 10:30: tired", "note": "x"}',
        '```\n{"position": " By the door ", "state": "Angry; at 10:30: tired"}\n```',
        "Position: By the door\nState: Angry; at 10:30: tired",
        "Position: By the door; State: Angry; at 10:30: tired",
        "POSITION : [By the door]\nstate: [Angry; at 10:30: tired]",
        "**Position:** By the door\n**State:** Angry; at 10:30: tired",
        "- Position： By the door\n- State： Angry; at 10:30: tired",
        "位置：By the door\n状态：Angry; at 10:30: tired",
        "【位置】：By the door；【状态】：Angry; at 10:30: tired",
        '{"位置": "By the door", "状态": "Angry; at 10:30: tired"}',
        "Here is the update:\nPosition: By the door\nState: Angry; at 10:30: tired",
    ],
)
def test_character_updates_that_can_be_read(text):
    reply = character_update(text)
    assert (reply.position, reply.state) == DOOR


@pytest.mark.parametrize(
    "text",
    ["", "None", "{}", "He stays where he is.", "Position: By the door", "Position: None\nState: calm",
     '{"position": "By the door", "state": "无"}', '{"position": "By the door", "state": {"mood": "calm"}}',
     '{"position": "By the door", "sta', "[]", "Position:\nState:"],
)  # fmt: skip
def test_character_updates_that_are_refused(text):
    with pytest.raises(ReplyError):
        character_update(text)


@pytest.mark.parametrize(
    ("text", "concluded"),
    [
        ('{"time": "10:30", "location": "Hall", "description": "Dark: very.", "concluded": true}', True),
        ('{"time": "10:30", "location": "Hall", "description": "Dark: very."}', False),
        ("Time: 10:30\nLocation: Hall\nDescription: Dark: very.\nConcluded: No.", False),
        ("Time: 10:30\nPlace: Hall\nDescription: Dark: very.\nStory concluded: yes", True),
        ("时间：10:30\n地点：Hall\n描述：Dark: very.\n是否结束：否", False),
        ("时间：10:30\n地点：Hall\n描述：Dark: very.\n是否结束：是。", True),
    ],
)
def test_environment_updates_that_can_be_read(text, concluded):
    reply = environment_update(text)
    assert (reply.time, reply.location, reply.description) == ("10:30", "Hall", "Dark: very.")
    assert reply.concluded is concluded


@pytest.mark.parametrize(
    ("text", "description"),
    [
        (
            "Time: 9:00\nLocation: Hall\nDescription: Dark. A clock on the wall. Time: it shows 10:30.",
            "Dark. A clock on the wall. Time: it shows 10:30.",
        ),
        ("Location: Hall\nDescription: Dark. Time: it flies.\nTime: 9:00", "Dark. Time: it flies."),
        ("Time: 9:00; Location: Hall; Description: Dark.\nTime: it flies.", "Dark.\nTime: it flies."),
        ("时间：9:00\n地点：Hall\n描述：暗。时间：停了。", "暗。时间：停了。"),
    ],
)
def test_a_label_that_comes_again_belongs_to_the_text_it_stands_in(text, description):
    reply = environment_update(text)
    assert (reply.time, reply.location, reply.description) == ("9:00", "Hall", description)


@pytest.mark.parametrize(
    "text",
    ["", "It is late.", "Time: 10:30\nLocation: Hall",
     '{"time": "10:30", "location": "Hall", "description": "Dark.", "concluded": "perhaps"}',
     '{"time": "10:30", "location": "Hall", "description": "Dark.", "concluded": [1]}'],
)  # fmt: skip
def test_environment_updates_that_are_refused(text):
    with pytest.raises(ReplyError):
        environment_update(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"belief": "I am late.", "desire": "To sleep.", "intention": "I go."}',
        "Belief: I am late.\nDesire: To sleep.\nIntention: I go.",
        "**Beliefs**: I am late. **Desires**: To sleep. **Intentions**: I go.",
        "信念：I am late.\n欲望：To sleep.\n意图：I go.",
    ],
)
def test_self_beliefs_that_can_be_read(text):
    reply = self_belief(text)
    assert (reply.belief, reply.desire, reply.intention) == ("I am late.", "To sleep.", "I go.")


@pytest.mark.parametrize(
    "text",
    [
        '{"others": "They hide.", "scene": "A trap.", "bearing": "I wait."}',
        "Perception of Others: They hide.\nUnderstanding of the Scene: A trap.\nInfluence on Behavior: I wait.",
        "对他人的感知：They hide.\n对场景的理解：A trap.\n对行为的影响：I wait.",
    ],
)
def test_environment_beliefs_that_can_be_read(text):
    reply = environment_belief(text)
    assert (reply.others, reply.scene, reply.bearing) == ("They hide.", "A trap.", "I wait.")


@pytest.mark.parametrize("read", [self_belief, environment_belief])
@pytest.mark.parametrize("text", ["", "None", "I feel fine.", '{"belief": "I am', '{"others": "a", "scene": "b"}'])
def test_beliefs_that_are_refused(read, text):
    with pytest.raises(ReplyError):
        read(text)


def test_a_word_for_several_fields_belongs_to_the_first():
    assert labels_of(forms.UpdatesReply)["position"][0] == "位置"
    assert "位置" not in labels_of(forms.UpdatesReply)["location"]
    assert "位置" in labels_of(forms.EnvironmentUpdateReply)["location"]


@pytest.mark.parametrize(
    "text", ['{"felt": "Cold."}', 'So: {"result": "They part."}', "Result: They part.", "So it is.\n结果：他们分开了。"]
)
def test_json_and_what_tells_the_main_field_is_a_form(text):
    assert is_form(text, forms.ResultReply, "result")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Felt: Cold.", "felt"),
        ("**Seen by**: Ron", "seen_by"),
        ("重要程度：3", "importance"),
        ("They felt: cold.", None),
    ],
)
def test_all_else_is_prose_though_it_may_begin_with_the_label_of_another_field(text, label):
    assert not is_form(text, forms.ResultReply, "result")
    assert label_before(text, forms.ResultReply) == label
