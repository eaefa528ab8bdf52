"""The roles that come with the project: eight of them, whole, checked, in the language they say."""

from collections import Counter
from importlib.resources import files

import pytest

from annotations.blinding.folded_text import han_share, latin_share
from characterbox.errors import RoleError
from characterbox.roles.library import bundled_role, bundled_roles, open_roles
from characterbox.roles.retrieval import examples_of
from characterbox.roles.role import DISTINCT, FEWEST_TURNS, Role
from characterbox.roles.role_files import as_json, read_roles
from characterbox.roles.words import words_of

FOLDER = files("characterbox.roles") / "bundled"
each_role = pytest.mark.parametrize("role", bundled_roles(), ids=lambda role: role.id)
EVERYDAY = {
    "en": (
        "What shall we have for dinner?",
        "I have no money left.",
        "Are you afraid of anything?",
        "It is cold to-day.",
    ),
    "zh": ("今天吃什么好？", "我没有银子了。", "你怕什么？", "外面下雪了，好冷。"),
}


def texts(role: Role) -> list[str]:
    turns = [turn.text for one in role.rounds for turn in one.turns]
    phrases = [one.text for one in role.catchphrases]
    assert role.description
    assert role.distinctiveness
    return [role.description.text, role.distinctiveness.reason, *phrases, *turns]


def size(text: str, role: Role) -> int:
    """In words; in Chinese in characters."""
    return sum(sign.isalpha() for sign in text) if role.language == "zh" else len(text.split())


def test_four_in_each_language_in_a_steady_order() -> None:
    roles = bundled_roles()
    assert [role.language for role in roles] == ["en"] * 4 + ["zh"] * 4
    assert list(roles) == sorted(roles, key=lambda role: (role.language, role.name))
    assert len({role.id for role in roles}) == len({role.name for role in roles}) == len(roles)
    assert bundled_roles() is roles


def test_every_file_is_named_after_its_role_and_written_as_roles_are() -> None:
    for file in FOLDER.iterdir():
        (role,) = read_roles(file.name, file.read_bytes())
        assert file.name == f"{role.id}.json"
        assert role.id.startswith(f"{role.language}-")
        assert file.read_bytes() == as_json([role])


@each_role
def test_every_part_is_there_and_checked(role: Role) -> None:
    assert role.verified
    assert role.author
    assert role.category
    assert role.work_category
    assert 2 <= len(role.catchphrases) <= 6
    assert role.distinctiveness
    assert role.distinctiveness.level >= DISTINCT


@each_role
def test_speaks_often_to_many_and_in_several_episodes(role: Role) -> None:
    assert role.turns >= max(FEWEST_TURNS, 32)
    speakers = Counter(turn.speaker for one in role.rounds for turn in one.before)
    assert len(speakers) >= 6
    assert speakers[None] >= 4
    assert sum(len(one.before) > 1 for one in role.rounds) >= 4
    acts = [one.act for one in role.rounds]
    assert acts == sorted(acts)
    assert {*acts} == {*range(1, max(acts) + 1)}
    assert max(acts) >= 4


@each_role
def test_turns_and_the_description_are_of_a_length_to_learn_from(role: Role) -> None:
    least, most = (10, 120) if role.language == "zh" else (8, 80)
    for one in role.rounds:
        assert one.before
        assert all(least <= size(turn.text, role) <= most for turn in one.turns)
    assert role.description
    low, high = (120, 250) if role.language == "zh" else (80, 140)
    assert low <= size(role.description.text, role) <= high


@pytest.mark.slow
@each_role
def test_no_two_rounds_are_alike(role: Role) -> None:
    """What two answers have in common are words that everybody uses, and never most of those of the shorter one."""
    said = [frozenset(words_of(one.answer, role.language)) for one in role.rounds]
    for place, one in enumerate(said):
        assert all(len(one & other) < 0.6 * min(len(one), len(other)) for other in said[:place])


@each_role
def test_the_description_speaks_to_the_role_and_does_not_name_it(role: Role) -> None:
    assert role.description
    text = role.description.text
    assert text.startswith("你是" if role.language == "zh" else "You are ")
    assert not [name for name in (role.name, *role.other_names) if name in text]


@each_role
def test_texts_are_in_the_language_of_the_role_with_its_punctuation(role: Role) -> None:
    share = han_share if role.language == "zh" else latin_share
    assert all(share(text) >= 0.99 for text in texts(role))
    if role.language == "zh":
        assert not [sign for text in texts(role) for sign in text if sign.isascii()]
    else:
        assert not [text for text in texts(role) if "  " in text or "\n" in text or not text.isascii()]


@pytest.mark.slow
@each_role
def test_finds_something_to_answer_everyday_questions_with(role: Role) -> None:
    for question in EVERYDAY[role.language]:
        assert examples_of(role).nearest(question), question


def test_an_unknown_id_is_answered_with_the_ids_there_are() -> None:
    assert bundled_role("zh-li-kui").name == "李逵"
    with pytest.raises(RoleError, match="bundled:hamlet: there is no bundled role with this id") as caught:
        bundled_role("hamlet")
    assert all(role.id in str(caught.value) for role in bundled_roles())


def test_roles_are_opened_by_name_or_from_a_file_of_one_or_several(tmp_path):
    holmes, ahab = (bundled_role(f"en-{name}") for name in ("sherlock-holmes", "captain-ahab"))
    assert open_roles("bundled:en-captain-ahab") == (ahab,)
    (tmp_path / "both.json").write_bytes(as_json([holmes, ahab]))
    assert open_roles(str(tmp_path / "both.json")) == (holmes, ahab)
    with pytest.raises(RoleError, match="give a JSON file of roles, or bundled:ID"):
        open_roles(str(tmp_path / "none.json"))
    with pytest.raises(RoleError, match="there is no bundled role"):
        open_roles("bundled:nobody")
