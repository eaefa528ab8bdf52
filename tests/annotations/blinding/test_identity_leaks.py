"""Betrayals: what gives a model away, what does not, and where it stands."""

import json
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.blinding.identity_leaks import IdentityLeak, Why, identity_leaks
from tests.annotations.blinding.leaking_sentences import GIVEN_AWAY_EN, GIVEN_AWAY_ZH, HARMLESS_EN, HARMLESS_ZH
from tests.fakes.real_data import real

MODELS = ("Qwen/Qwen2.5-7B-Instruct", "mistralai/Mixtral-8x7B-Instruct-v0.1")
KNOWN = ("Claude Frollo", "The Hunchback of Notre-Dame")


def test_there_are_enough_sentences() -> None:
    for sentences in (GIVEN_AWAY_EN, GIVEN_AWAY_ZH, HARMLESS_EN, HARMLESS_ZH):
        assert len(set(sentences)) == len(sentences) >= 30


@pytest.mark.parametrize("sentence", [*GIVEN_AWAY_EN, *GIVEN_AWAY_ZH])
def test_models_that_give_themselves_away_are_found(sentence: str) -> None:
    assert identity_leaks(sentence, MODELS)
    assert identity_leaks(f"He bows.\n{sentence}\nShe laughs. 她笑了。", MODELS, ("Watson", "福尔摩斯"))


@pytest.mark.parametrize("sentence", [*HARMLESS_EN, *HARMLESS_ZH])
def test_ordinary_words_are_left_alone(sentence: str) -> None:
    assert identity_leaks(sentence, MODELS, KNOWN) == ()


@pytest.mark.parametrize(
    ("text", "words", "why"),
    [
        ("He said: as an AI language model, I can't.", "as an AI language model", ["says it is an AI"]),
        ("Well — I’m Gemini, hello.", "I’m Gemini", ["names itself"]),
        ("I'm a chatbot made by Google.", "I'm a chatbot made by Google", ["says it is an AI", "names its maker"]),
        ("他拿出ＧＰＴ－４ｏ。", "ＧＰＴ－４ｏ", ["names a model"]),
        ("the (Llama‑2‑7b‑chat) one", "Llama‑2‑7b‑chat", ["names a model"]),
        ("我是通\u200b义千问！", "我是通\u200b义千问", ["names itself", "names a model"]),
        (
            "I am Qwen2.5-7B.",
            "I am Qwen2.5-7B",
            ["names itself", "names a model of the campaign", "names a model"],
        ),
        ("OpenAI forbids it.", "OpenAI", ["names its maker"]),
    ],
)
def test_the_place_is_that_of_the_words_in_the_text_as_given(text: str, words: str, why: list[Why]) -> None:
    start = text.index(words)
    assert identity_leaks(text, MODELS) == (IdentityLeak(start, start + len(words), words, tuple(why)),)


def test_a_model_in_play_is_told_from_another_one() -> None:
    (found,) = identity_leaks("qwen 2.5 7b bows", MODELS)
    assert (found.words, found.why) == ("qwen 2.5 7b", ("names a model of the campaign", "names a model"))
    (other,) = identity_leaks("qwen 3 bows", ["acme/Zephyr-9B"])
    assert other.why == ("names a model",)


def test_places_are_in_order_and_apart() -> None:
    text = "I am Claude. As an AI language model made by Anthropic, I bow to GPT-4. 我是人工智能助手。"
    found = identity_leaks(text)
    assert [each.words for each in found] == [
        "I am Claude",
        "As an AI language model made by Anthropic",
        "GPT-4",
        "我是人工智能助手",
    ]
    assert all(before.end <= after.start for before, after in pairwise(found))


@pytest.mark.parametrize(
    ("model", "text"),
    [
        ("http://127.0.0.1:8000/v1#acme/Zephyr-9B-beta", "Zephyr 9B"),
        ("acme/Zephyr-9B-beta", "ZEPHYR‑9B‑BETA"),
        ("acme/zephyr_9b", "Zephyr9B"),
        ("zephyr9:latest", "Ｚｅｐｈｙｒ９"),
        ("月光-7B", "月光7B"),
        ("acme/Zephyr-9B-beta", "I am Zephyr"),
        ("acme/night-owl", "My name is Night Owl"),
        ("acme/Zephyr-9B-beta", "我叫Zephyr"),
        ("acme/月光", "我是月光"),
    ],
)
def test_models_in_play_are_known_under_the_names_they_go_by(model: str, text: str) -> None:
    assert [each.words for each in identity_leaks(f"… {text}.", [model])] == [text]
    assert identity_leaks(f"… {text}.", ["else/Otherwise-1B"]) == ()


@pytest.mark.parametrize(
    ("model", "text"),
    [
        ("acme/Zephyr-9B-beta", "A zephyr stirred the curtains. Zephyr, the west wind, sang."),
        ("acme/Zephyr-9B", "Zephyr 95 and Zephyr 9Bs and aZephyr-9B"),
        ("acme/Zephyr-2", "Zephyr 2.5 is another one"),
        ("happy-bot", "I am happy and my bot is happy."),
        ("the-narrator", "I am the narrator. The narrator speaks."),
        ("openai/o1", "O1 is a chess square; I am o1d."),
        ("(.*)+$", "Anything at all, I am anything."),
        ("", "I am nobody."),
        ("///", "I am nobody."),
    ],
)
def test_names_of_models_in_play_that_are_ordinary_words_are_left_alone(model: str, text: str) -> None:
    assert identity_leaks(text, [model]) == ()


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("I am Claude.", "Claude Frollo"),
        ("I'm Gemini, the twin.", "Gemini"),
        ("My name is GPT, said the robot.", "GPT"),
        ("He reads Qwen of the North.", "Qwen of the North"),
        ("I told Claude 3.", "Claude Frollo"),
        ("我是百川。", "百川"),
        ("我叫Kimi。", "Kimi"),
        ("Agent 47 draws.", "Agent 47"),
    ],
)
def test_names_of_the_cast_and_the_work_are_nobody_s_betrayal(text: str, known: str) -> None:
    models = ("acme/agent-47",)
    assert identity_leaks(text, models) != ()
    assert identity_leaks(text, models, [known]) == ()


@pytest.mark.parametrize("text", ["Claude 3.5 Sonnet spoke.", "I am Claude, made by Anthropic.", "claude-3 spoke."])
def test_a_claude_in_the_cast_hides_no_version_and_no_maker(text: str) -> None:
    assert identity_leaks(text, known=["Claude Frollo"]) != ()


def test_a_known_name_must_stand_in_full_to_hide_a_coined_one() -> None:
    assert identity_leaks("Qwen sang.", known=["Qwen of the North"]) != ()


def texts(content: object) -> Iterator[str]:
    """All text in a JSON document."""
    match content:
        case str():
            yield content
        case dict():
            for value in content.values():
                yield from texts(value)
        case list():
            for value in content:
                yield from texts(value)


def test_no_alarm_in_two_hundred_scenes_by_people_and_models() -> None:
    for file in sorted(real("scenes").glob("*.json")):
        text = "\n".join(texts(json.loads(file.read_text(encoding="utf-8"))))
        assert len(text) > 10_000
        assert identity_leaks(text, MODELS) == ()


@settings(max_examples=60, deadline=None)
@given(
    st.text(max_size=60),
    st.text(max_size=60),
    st.sampled_from(["GPT-4", "作为AI语言模型", "ChatGLM", "I am an AI language model,"]),
)
def test_whatever_stands_around_it_a_place_holds_its_words(before: str, after: str, words: str) -> None:
    text = f"{before}\n{words}\n{after}"
    found = identity_leaks(text, MODELS)
    assert all(text[each.start : each.end] == each.words and each.why for each in found)
    start = len(before) + 1
    assert any(each.start < start + len(words) and each.end > start for each in found)


@pytest.mark.parametrize(
    "piece", ["I am just, ", "as an ", "我仅仅", "作为的", "AI ", "GPT-", "\u200b", "我是的", "a-"]
)
def test_no_text_takes_long(piece: str) -> None:
    began = time.process_time()
    identity_leaks(piece * (20_000 // len(piece)), MODELS, KNOWN)
    assert time.process_time() - began < 2
