"""No name of a character is taken for a step, a round or a question that is put once more, whatever the name is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from characterbox.components.answer_form.blank import Blank
from characterbox.errors import ReplyError
from characterbox.llm.journal import Inheritance
from characterbox.llm.request import ChatMessage, Request
from characterbox.play.paths import KINDS, Place, asked_at, parse_path, path_of
from characterbox.play.world import Script
from characterbox.scenes.scene import slug_of
from characterbox.stage.live.notices import asking_notice
from tests.fakes.scenes import a_scene

AWKWARD = (
    *("Action", "Reaction", "Result", "Environment", "Influence", "Dialogue", "Narrator", "Update", "Self-Belief"),
    *(
        "Environment belief",
        "Again",
        "R1",
        "r2",
        "Judge",
        "Check",
        "End",
        "行动",
        "反应",
        "旁白",
        "孙悟空",
        "Ａｃｔｉｏｎ２",
    ),
)
ABOUT_OTHERS = ("reaction", "update")
NAMES = st.sampled_from(AWKWARD) | st.text(st.characters(categories=("L", "N")), min_size=1, max_size=6)
CASTS = st.lists(NAMES.filter(slug_of), min_size=2, max_size=4, unique_by=slug_of)


@settings(max_examples=60, deadline=None)
@given(cast=CASTS, data=st.data())
def test_a_path_tells_its_parts_whatever_the_cast_is_called(cast, data):
    scene = a_scene(*cast)
    script = Script(scene=scene)
    actor, other = data.draw(st.permutations(cast))[:2]
    for step, kind in KINDS.items():
        about = other if step in ABOUT_OTHERS else None
        path = path_of(2, actor, step, about)
        place = Place(2, slug_of(actor), step, None if about is None else slug_of(about))
        assert parse_path(path) == (place, False)
        assert parse_path(f"{path}/again") == (place, True)
        assert asked_at(path) == asked_at(f"{path}/again")
        concerned = actor if about is None else about
        told = asking_notice(scene, Request(path, None, "en", ())).content
        assert told == {"path": path, "kind": kind, "character": concerned}
        assert asking_notice(scene, Request(f"{path}/again", None, "en", (), problem="-")).content == told
        assert Blank.at(path, script, []).fields == Blank.at(f"{path}/again", script, []).fields
    label = Blank.at(path_of(2, actor, "action"), script, []).fields[0]["label"]
    assert label == f"What {actor} does next"
    now = Blank.at(path_of(2, actor, "update", other), script, []).begin
    assert now == {"position": f"place of {other}", "state": f"state of {other}"}


@pytest.mark.parametrize(
    "path",
    ["", "r1", "r1/ann", "r1/ann/bows", "judge/x/ann/action", "r1/ann/reaction", "r1/ann/action/bob", "end",
     "rx/ann/action", "r1/ann/update/bob/again/again", "r1/ann/action/again/again"],
)  # fmt: skip
def test_what_is_no_path_of_a_step_is_not_read(path):
    with pytest.raises(ValueError, match="no path of a step"):
        parse_path(path)


@pytest.mark.parametrize("other", ["again", "bob"])
def test_a_branch_takes_over_what_stands_before_it_also_of_a_character_called_again(other):
    path = f"r1/ann/reaction/{other}"
    parent = Inheritance("0" * 12, {}, frozenset({path}), "r1/ann/result", "all")
    question = Request(path, "Again", "en", (ChatMessage("user", "-"),))
    assert parent.keeps(question)
    assert parent.keeps(question.again(ReplyError("has no text", reply="")))
    assert not parent.keeps(Request("r1/ann/update/again", None, "en", ()))


@pytest.mark.parametrize(
    ("one", "other"), [("Action", "action"), ("Mr. Bob", "mr-bob"), ("ＡＮＮ", "Ann"), ("孙 悟空", "孙-悟空")]
)
def test_names_that_make_one_path_are_refused_together(one, other):
    with pytest.raises(ValidationError, match="too similar to tell apart"):
        a_scene(one, other)


@pytest.mark.parametrize("name", ["…", "？！", "__"])
def test_a_name_that_makes_no_path_is_refused(name):
    with pytest.raises(ValidationError, match="no letter or digit"):
        a_scene(name, "Bob")
