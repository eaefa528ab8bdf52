"""Names as models write them: one is meant, or nobody is, or it is left open."""

import pytest

from characterbox.llm.replies.character_names import match_name, means_nobody


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("sherlock HOLMES", ("Sherlock Holmes", "Mycroft Holmes"), "Sherlock Holmes"),
        ("Holmes", ("Sherlock Holmes", "Mycroft Holmes"), None),
        ("Mr. Holmes", ("Sherlock Holmes", "Dr. Watson"), "Sherlock Holmes"),
        ("Doctor Watson", ("Sherlock Holmes", "Dr. Watson"), "Dr. Watson"),
        ("Ron's broom", ("Ron", "Harry"), None),
        ("Holmes’ dog", ("Holmes", "Watson"), None),
        ("the dog of Dr. Watson", ("Dr. Watson", "Holmes"), None),
        ("Watson's aunt", ("John Watson", "Holmes"), None),
        ("the Duke of York", ("Duke of York", "Ann"), "Duke of York"),
        ("Ann's Mother (asleep)", ("Ann", "Ann's Mother"), "Ann's Mother"),
        ("Dr. Watson, Holmes's friend", ("Watson", "Sherlock Holmes"), "Watson"),
        ("Watson, Holmes", ("Watson", "Holmes"), None),
        ("Holmes (Watson stands by)", ("Watson", "Holmes"), None),
        ("Nobody (Holmes is untouched)", ("Holmes", "Watson"), None),
        ("none of them, not even Holmes", ("Holmes", "Watson"), None),
        ("Nobody", ("Nobody", "Polyphemus"), "Nobody"),
        ("Nobody (asleep)", ("Nobody", "Polyphemus"), "Nobody"),
        ("None, the cook", ("None", "Ron"), "None"),
        ("无人（受惊）", ("无人", "林冲"), "无人"),
        ("没有人：", ("没有人", "林冲"), "没有人"),
        ("none of them", ("None", "Ron"), None),
        ("Nobody but Polyphemus", ("Nobody", "Polyphemus"), None),
        ("无人受影响", ("无人", "林冲"), None),
        ("Nobody", ("No One", "Ron"), None),
        ("[Prof. McGonagall]", ("Minerva McGonagall", "Ron"), "Minerva McGonagall"),
        ("Ron and Harry", ("Ron", "Harry"), None),
        ("Oracle", ("The Oracle", "Neo"), "The Oracle"),
        ("the Doctor", ("Doctor", "Rose"), "Doctor"),
        ("doctor", ("The Doctor", "Rose"), "The Doctor"),
        ("the guards", ("The Oracle", "Neo"), None),
        ("everyone in the room", ("The Oracle", "Neo"), None),
        ("Mr. Smith", ("Mr. Brown", "Neo"), None),
        ("Agent Brown", ("Agent Smith", "Neo"), None),
        ("Mary Smith", ("John Smith", "Neo"), None),
        ("悟空", ("孙悟空", "唐僧"), "孙悟空"),
        ("大圣孙悟空", ("孙悟空", "唐僧"), "孙悟空"),
        ("孙悟空和唐僧", ("孙悟空", "唐僧"), None),
        ("白骨精", ("孙悟空", "唐僧"), None),
        ("林冲的娘子", ("林冲", "林冲娘子"), None),
        ("林冲娘子（受惊）", ("林冲", "林冲娘子"), "林冲娘子"),
        ("林冲", ("林冲", "林冲娘子"), "林冲"),
        ("林冲教头", ("林冲", "鲁智深"), "林冲"),
        ("林冲夫人", ("林冲", "鲁智深"), None),
        ("师父唐僧", ("孙悟空", "唐僧"), "唐僧"),
        ("孙悟空师父", ("孙悟空", "唐僧"), None),
        ("唐僧的白马", ("孙悟空", "唐僧"), None),
        ("唐僧（骑着白马）", ("孙悟空", "唐僧"), "唐僧"),
        ("唐僧，取经人", ("孙悟空", "唐僧"), "唐僧"),
        ("孙悟空，唐僧", ("孙悟空", "唐僧"), None),
        ("空", ("孙悟空", "唐僧"), None),
        ("没有人，除了孙悟空", ("孙悟空", "唐僧"), None),
        ("", ("Ron",), None),
        ("?!", ("Ron",), None),
    ],
)
def test_a_name_is_matched_when_it_can_only_be_that_one(text, names, expected):
    assert match_name(text, names) == expected


@pytest.mark.parametrize("text", ["Nobody.", "no-one", "none of the guards", "无人受影响", "没有任何人"])
def test_words_for_nobody(text):
    assert means_nobody(text)


@pytest.mark.parametrize("text", ["Nora", "None other than Ron", "nobody except Ron", "没有人，除了他"])
def test_words_for_somebody(text):
    assert not means_nobody(text)
