"""The settings of a story in words, in both languages: what is sent, left to the endpoint, and not taken."""

import pytest

from annotations.i18n.translation import speaking
from characterbox.components.settings_text import played_with, refusals, temperatures
from characterbox.llm.sampling import Sampling
from characterbox.play.settings import FIRST, MemorySettings, Settings

MIXED = Settings(narrator=Sampling(temperature=0.0), characters=Sampling(temperature=None))


@pytest.mark.parametrize(
    ("settings", "english", "chinese"),
    [
        (Settings(), "temperature 0.5", "温度 0.5"),
        (FIRST, "temperature set by the endpoint", "温度 由模型接口决定"),
        (
            MIXED,
            "temperature 0 (narrator), set by the endpoint (characters)",
            "温度 0（叙述者）、由模型接口决定（角色）",
        ),
    ],
)
def test_temperatures_are_told_shortly(settings, english, chinese):
    assert temperatures(settings) == english
    with speaking("zh"):
        assert temperatures(settings) == chinese


def test_all_settings_are_told_line_by_line():
    assert played_with(Settings(), {}) == [
        "Narrator: temperature 0.5, top-p 1",
        "Characters: temperature 0.5, top-p 1",
        "Memory: up to 40 tokens of earlier rounds, 5 memories recalled; weights: relevance 1, recency 1,"
        " importance 0.1; half-life 6 turns",
        "Recall: by wording",
        "Beliefs after the last round: updated",
        f"Prompts: version {Settings().prompts}",
    ]
    one = Settings(memory=MemorySettings(record_tokens=1, recalled=1, half_life=1))
    assert "up to 1 token of earlier rounds, 1 memory recalled; " in played_with(one, {})[2]
    assert played_with(one, {})[2].endswith("half-life 1 turn")
    assert played_with(FIRST, {})[:3] == [
        "Narrator: set by the endpoint",
        "Characters: set by the endpoint",
        "Memory: the previous one or two rounds, 6 memories recalled; weights: relevance 1, recency 1, importance 1;"
        " half-life 6.58 turns",
    ]


def test_each_model_has_one_sentence_on_what_it_does_not_take():
    refused = {"gpt-5": ("temperature", "top_p"), "m": ("seed",)}
    assert refusals(refused) == [
        "gpt-5 does not support temperature or top-p; the model default applies.",
        "m does not support seed; the model default applies.",
    ]
    assert played_with(Settings(), refused)[-2:] == refusals(refused)
    with speaking("zh"):
        assert refusals(refused)[0] == "gpt-5 不支持以下设置，采用模型默认值：温度、top-p。"
