"""Texts are told in the names that their reader knows, and what is spoken stays as it was spoken."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.play.events import (
    Action,
    ActionInfluence,
    ByWhom,
    CharacterUpdate,
    Dialogue,
    EnvironmentUpdate,
    InteractionResult,
    Reaction,
)
from characterbox.play.names import Names
from characterbox.play.observations import company, line, standing, told
from characterbox.play.questions import Character
from characterbox.play.settings import Settings
from characterbox.play.world import Chronicle, World
from characterbox.scenes.scene import Alias, Scene
from tests.fakes.scenes import a_scene

NOBODY = frozenset()


def scene_of(language="en", **masks):
    """A scene of those who are named: of each what it is called, by whom (all others, where nobody is named), and its
    other names."""
    names = [name.replace("_", " ") for name in masks]
    scene = a_scene(*names, language=language)
    cast = []
    for profile, (known_as, other_names) in zip(scene.cast, masks.values(), strict=True):
        aliases = tuple(Alias(name=name, by=by) for name, by in known_as.items())
        cast.append(profile.model_copy(update={"known_as": aliases, "other_names": other_names}))
    return Scene.model_validate({**scene.model_dump(), "cast": [one.model_dump() for one in cast]})


ITHACA = scene_of(
    Odysseus=({"the beggar": ("Penelope", "Eurycleia"), "the old fool": ("Antinous",)}, ("the king", "Laertes' son")),
    Penelope=({}, ()),
    Eurycleia=({}, ()),
    Antinous=({"the loud one": ("Odysseus",)}, ()),
)
NAMES = Names(ITHACA)


def narrated(text, reader, learnt=NOBODY, names=NAMES):
    """What the narrator wrote, as the reader is told it."""
    return names.retold(text, None, reader, NOBODY, frozenset(learnt))


def test_each_knows_the_others_by_the_names_it_has():
    assert NAMES.name("Penelope", "Odysseus") == "the beggar"
    assert NAMES.name("Antinous", "Odysseus") == "the old fool"
    assert NAMES.name("Odysseus", "Antinous") == "the loud one"
    assert NAMES.name("Odysseus", "Odysseus") == "Odysseus"
    assert NAMES.name("Penelope", "Antinous") == "Antinous"
    assert NAMES.name(None, "Odysseus") == "Odysseus"
    assert NAMES.name("Penelope", "Odysseus", frozenset({"Odysseus"})) == "Odysseus"
    assert NAMES.name("Penelope", "Odysseus", frozenset({"Antinous"})) == "the beggar"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Penelope looks at Odysseus.", "Penelope looks at the beggar."),
        ("Odysseus's hand shakes, and ODYSSEUS turns.", "The beggar's hand shakes, and the beggar turns."),
        ("Odysseus’s scar", "The beggar’s scar"),
        ("Odysseus' bow hangs, and Odysseus’ arm rests.", "The beggar's bow hangs, and the beggar’s arm rests."),
        ("They call him 'Odysseus' and nod.", "They call him 'the beggar' and nod."),
        ("He stops. Odysseus sits.\nOdysseus rises!\n\nOdysseus?", "He stops. The beggar sits.\nThe beggar rises!\n\n"
         "The beggar?"),
        ('She laughs: "No." Odysseus waits; Odysseus, too.', 'She laughs: "No." The beggar waits; the beggar, too.'),
        ("Before the king, Laertes' son, she bows.", "Before the beggar, the beggar, she bows."),
        ("The king laughs.", "The beggar laughs."),
        ("(Odysseus)-and-Odysseus/Odysseus", "(the beggar)-and-the beggar/the beggar"),
        ("Odysseusian tales, McOdysseus and the kingdom stay.", "Odysseusian tales, McOdysseus and the kingdom stay."),
        ("", ""),
    ],
)  # fmt: skip
def test_what_the_narrator_writes_is_told_in_the_names_of_the_reader(text, told):
    assert narrated(text, "Penelope") == told
    assert narrated(text, "Odysseus") == narrated(text, None) == text, "who knows the name is told it as it is"
    assert narrated(text, "Penelope", {"Odysseus"}) == text


def test_what_somebody_writes_who_does_not_know_the_name_is_told_in_the_names_of_others():
    text = "Penelope washes the beggar's feet. The beggar smiles at Antinous."
    assert NAMES.retold(text, "Penelope", None, NOBODY, NOBODY) == (
        "Penelope washes Odysseus's feet. Odysseus smiles at Antinous."
    )
    assert NAMES.retold(text, "Penelope", "Antinous", NOBODY, NOBODY) == (
        "Penelope washes the old fool's feet. The old fool smiles at Antinous."
    )
    assert NAMES.retold(text, "Penelope", "Eurycleia", NOBODY, NOBODY) == text
    assert NAMES.retold(text, "Penelope", "Odysseus", NOBODY, NOBODY) == (
        "Penelope washes Odysseus's feet. Odysseus smiles at the loud one."
    )
    assert NAMES.retold(text, "Penelope", "Penelope", NOBODY, frozenset({"Odysseus"})) == text, "own words stay"


def test_parts_of_a_name_are_told_too_unless_they_are_anybodys():
    names = Names(
        scene_of(
            Captain_Aldo_Renn=({"the fox": ()}, ()),
            Vera_Renn=({}, ()),
            Lady_Ina_of_Weir=({"the widow": ("Vera Renn",)}, ()),
        )
    )
    text = "Aldo bows. Captain! A captain and Captain Aldo Renn. Renn and Vera Renn. Ina of Weir; a lady in a weir."
    assert narrated(text, "Vera Renn", names=names) == (
        "The fox bows. Captain! A captain and the fox. Renn and Vera Renn. The widow of the widow; a lady in a weir."
    )


CHINESE = Names(
    scene_of("zh", 鲁智深=({}, ()), 林教头=({"戴毡笠的汉子": ("鲁智深",)}, ("豹子头",)), 孙二娘=({"卖酒妇人": ()}, ()))
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("林教头举杯，望着鲁智深。", "戴毡笠的汉子举杯，望着鲁智深。"),
        ("鲁智深把碗推给林教头的手边。", "鲁智深把碗推给戴毡笠的汉子的手边。"),
        ("豹子头林教头坐下。", "戴毡笠的汉子戴毡笠的汉子坐下。"),
        ("那二娘扶着孙二娘的桌子。", "那卖酒妇人扶着卖酒妇人的桌子。"),
        ("树林里有人，教室空着。", "树林里有人，教室空着。"),
    ],
)
def test_chinese_names_are_found_without_spaces(text, told):
    assert narrated(text, "鲁智深", names=CHINESE) == told


def test_parts_of_a_name_with_a_dot_are_told_too():
    names = Names(scene_of("zh", 约翰·华生=({"那个军医": ()}, ()), 玛丽=({}, ())))
    assert narrated("华生打开窗，约翰·华生又关上。", "玛丽", names=names) == "那个军医打开窗，那个军医又关上。"


def test_a_given_name_that_is_somebody_elses_is_not_taken_for_the_one_who_is_masked():
    names = Names(scene_of("zh", 王小二=({"店伙计": ()}, ()), 小二=({}, ()), 林冲=({}, ())))
    assert narrated("小二看见王小二。", "林冲", names=names) == "小二看见店伙计。"


def test_a_name_within_the_name_of_somebody_else_is_left_there():
    names = Names(scene_of(Ann=({"the guest": ()}, ()), Mary_Ann=({}, ()), Bob=({}, ())))
    assert narrated("Mary Ann greets Ann.", "Bob", names=names) == "Mary Ann greets the guest."


LONDON = [
    one.model_copy(update={"gender": gender})
    for one, gender in zip(
        scene_of(Sherlock_Holmes=({"the old bookseller": ()}, ("Basil",)), Watson=({}, ())).cast,
        ("male", "male"),
        strict=True,
    )
]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Mr. Basil bows, and Mr Basil sits.", "The old bookseller bows, and the old bookseller sits."),
        ("Mr. Sherlock Holmes and Master Basil", "The old bookseller and the old bookseller"),
        ("Mrs. Basil and Miss Basil wait.", "Mrs. Basil and Miss Basil wait."),
        ("Mr. Holmes, Mr Holmes or Mrs Holmes may be a brother's.", "Mr. Holmes, Mr Holmes or Mrs Holmes may be a "
         "brother's."),
        ("They master Basil.", "They master the old bookseller."),
    ],
)  # fmt: skip
def test_a_whole_name_is_told_with_its_title_unless_it_is_somebody_elses(text, told):
    scene = a_scene("Sherlock Holmes", "Watson").model_copy(update={"cast": tuple(LONDON)})
    assert narrated(text, "Watson", names=Names(scene)) == told


@pytest.mark.parametrize("text", ["İris waits.", "IRİS", "ırıs", "ſam and Iris", "K is Iris"])
def test_letters_of_odd_cases_break_nothing(text):
    names = Names(scene_of(Iris=({"the guest": ()}, ("Sam", "K")), Bob=({}, ())))
    told = narrated(text, "Bob", names=names)
    assert "Iris" not in told


WORDS = st.sampled_from(["sits", "and", "stops.", "rises!", "near", "kings", "old", "said:", "\n", "—", "“No.”", "2"])
KNOWN = st.frozensets(st.sampled_from(ITHACA.names))


@settings(deadline=None)
@given(
    st.lists(WORDS | st.sampled_from(ITHACA.names), max_size=12),
    st.sampled_from([None, *ITHACA.names]),
    st.sampled_from([None, *ITHACA.names]),
    KNOWN,
    KNOWN,
)
def test_retold_there_and_back_a_text_is_what_it_was(words, author, reader, knows, learnt):
    text = " ".join(NAMES.name(author, word, knows) if word in ITHACA.names else word for word in words)
    there = NAMES.retold(text, author, reader, knows, learnt)
    back = NAMES.retold(there, reader, author, learnt, knows)
    assert back.casefold() == text.casefold(), "but for capitals where a sentence begins"
    assert NAMES.retold(there, author, reader, knows, learnt).casefold() == there.casefold() or author in (None, reader)


@settings(deadline=None)
@given(st.lists(WORDS | st.sampled_from(ITHACA.names), max_size=12), st.sampled_from(ITHACA.names), KNOWN)
def test_nobodys_name_is_told_to_who_does_not_know_it(words, reader, learnt):
    there = narrated(" ".join(words), reader, learnt)
    for (onlooker, who), alias in NAMES.hidden.items():
        if onlooker == reader and who not in learnt:
            assert who not in there
            assert there.casefold().count(alias) == words.count(who)


@settings(deadline=None)
@given(st.text(st.sampled_from("Odyseu thbgr.!\nİıſß 王"), max_size=40))
def test_any_text_whatever_can_be_retold(text):
    for reader in ITHACA.names:
        assert isinstance(narrated(text, reader), str)


@pytest.mark.parametrize("reader", ["Penelope", "Antinous", "Odysseus", None])
def test_where_nobody_is_masked_texts_stay_as_they_are(reader):
    names = Names(a_scene("Ann", "Bob"))
    assert names.retold("Ann and Bob.", "Ann", "Bob", NOBODY, NOBODY) == "Ann and Bob."
    assert not names.hidden


TURN = {"round": 1, "turn": "Odysseus"}


def events_about(name):
    """What can be told of somebody, each text with its name."""
    text = f"{name} sits. Beside {name} lies {name}'s bow."
    yield Action(path="p1", **TURN, character=name, text=text)
    yield Reaction(path="p2", **TURN, character="Penelope", to=name, text="Penelope rises.")
    yield ActionInfluence(path="p3", **TURN, character=name, affected="Penelope", text=text, importance=None)
    yield InteractionResult(
        path="p4",
        **TURN,
        character=name,
        affected="Penelope",
        text=text,
        importance=None,
        felt=f"{name} frightens her.",
    )
    yield CharacterUpdate(path="p5", **TURN, character="Antinous", position=f"behind {name}", state="x",
                          visible=f"{name}'s dust")  # fmt: skip
    yield CharacterUpdate(path="p6", **TURN, character=name, position="by the hearth", state=f"{name} is cold")
    yield EnvironmentUpdate(
        path="p7", **TURN, time="Night", location=f"{name}'s hall", description=f"A chair of {name}."
    )


def lines_to(onlooker, *of_turns):
    """All that an onlooker is told of these turns, and of how things stand after them."""
    chronicle, lines = Chronicle.opening(ITHACA), []
    for events in of_turns:
        chronicle = chronicle.turn(1)
        for event in events:
            chronicle = chronicle.after(event)
        lines += told(onlooker, chronicle.passage, "en")
    lines += standing(onlooker, chronicle.turn(2).passage, ITHACA)
    return [one.memory.text for one in lines]


def test_no_line_tells_a_name_to_who_does_not_know_it():
    events = list(events_about("Odysseus"))
    lines = lines_to("Penelope", events)
    assert len(lines) > 8
    assert not any("Odysseus" in one for one in [*lines, *company("Penelope", ITHACA)])
    assert sum("beggar" in one for one in lines) > 6
    assert any("Odysseus" in one for one in lines_to("Odysseus", events))
    assert any("Odysseus" in one for one in lines_to(None, events))
    assert not any("beggar" in one for one in lines_to(None, events))


def test_from_the_recognition_on_lines_tell_the_name():
    recognition = InteractionResult(
        path="p0", **TURN, character="Odysseus", affected="Penelope", text="Odysseus bends the bow.", importance=9,
        recognised=(ByWhom(who="Odysseus", by=("Penelope",)),),
    )  # fmt: skip
    lines = lines_to("Penelope", events_about("Odysseus"), [recognition, *events_about("Odysseus")])
    result = lines.index("Result: Odysseus bends the bow.")
    assert not any("Odysseus" in one for one in lines[:result])
    assert any("beggar" in one for one in lines[:result])
    learnt = "You know now that the beggar is Odysseus."
    assert learnt in lines[result:]
    assert not any("beggar" in one for one in lines[result:] if one != learnt)
    eurycleia = lines_to("Eurycleia", [recognition, *events_about("Odysseus")])
    assert not any("Odysseus" in one for one in eurycleia), "others do not know it for that"


@pytest.mark.parametrize("reader", [*ITHACA.names, None])
@pytest.mark.parametrize("to", [None, "Odysseus"])
def test_words_that_are_spoken_are_told_as_they_were_spoken(reader, to):
    said = "Odysseus, the beggar, the king and the loud one: Antinous!"
    event = Dialogue(path="p", **TURN, character="Antinous", text=said, to=to)
    told_so = line(event, "en", reader, World.opening(ITHACA))
    assert told_so.endswith(f": {said}")
    assert told_so.startswith(NAMES.name(reader, "Antinous"))
    assert to is None or f" to {NAMES.name(reader, to)}: " in told_so


def test_the_opening_is_told_in_the_names_that_a_character_knows():
    scene = masked("The king has left his bow.")
    penelope, odysseus = (Character(scene, name, Settings()) for name in ("Penelope", "Odysseus"))
    told = {}
    for one, name in ((penelope, "Penelope"), (odysseus, "Odysseus")):
        asked = one.request(f"r1/{name.lower()}/action", "action", Chronicle.opening(scene).turn(1))
        told[name] = "\n".join(message.content for message in asked.messages)
    assert "The beggar has left his bow." in told["Penelope"]
    assert "The king has left his bow." in told["Odysseus"]


def masked(description):
    """Ithaca, with this description of where they are."""
    around = ITHACA.environment.model_copy(update={"description": description})
    return ITHACA.model_copy(update={"environment": around})
