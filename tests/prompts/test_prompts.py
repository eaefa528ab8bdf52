"""Prompts: equal in both languages, strict about their variables, and blind to what the values say."""

from importlib.resources import files
from string import Template

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from characterbox.prompts import fill, render, template, variables, words

VARIABLES = {
    "character": {"work", "title", "time", "location", "description", "cast"},
    "character_profile": {"name", "gender", "description"},
    "character_now": {
        "environment",
        "position",
        "state",
        "self_belief",
        "environment_belief",
        "others",
        "recalled",
    },
    "action": {"name"},
    "dialogue": {"name", "action"},
    "reaction": {"name", "actor", "action", "dialogue", "influence"},
    "self_belief": {"name"},
    "environment_belief": {"name"},
    "narrator": {"work", "title", "time", "location", "description", "cast"},
    "narrator_now": {"environment", "cast", "history"},
    "influence": {"actor", "action", "others"},
    "result": {"actor", "action", "dialogue", "affected", "influence", "reaction"},
    "character_update": {"name", "happened"},
    "environment_update": {"happened"},
    "again": {"problem"},
    "judge": {"rubric"},
    "critique": {"work", "title", "environment", "name", "profile", "trajectory"},
    "scores": {"name"},
}
WITHOUT_TASK = {"character", "character_profile", "character_now", "narrator", "narrator_now", "judge"}
LANGUAGES = ("en", "zh")


def paragraphs(value, path=""):
    """All strings of nested values, with their places."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paragraphs(inner, f"{path}.{key}")
    else:
        yield path, value


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_exactly_the_known_prompts(language):
    folder = files("characterbox.prompts").joinpath(language)
    assert {entry.name for entry in folder.iterdir()} == {f"{task}.md" for task in VARIABLES} | {"words.toml"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("task", VARIABLES)
def test_each_prompt_takes_exactly_its_variables_and_shows_their_values(task, language):
    assert variables(template(task, language)) == VARIABLES[task]
    text = render(task, language, **{name: f"<{name}>" for name in VARIABLES[task]})
    assert all(f"<{name}>" in text for name in VARIABLES[task])
    assert "$" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_task_begins_with_a_heading_of_its_own(language):
    headings = [template(task, language).splitlines()[0] for task in VARIABLES if task not in WITHOUT_TASK]
    assert all(heading.startswith("## ") for heading in headings)
    assert len(set(headings)) == len(headings)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("task", VARIABLES)
def test_every_tag_that_opens_is_closed(task, language):
    lines = template(task, language).splitlines()
    opened = [line[1:-1] for line in lines if line.startswith("<") and not line.startswith("</")]
    closed = [line[2:-1] for line in lines if line.startswith("</")]
    assert opened == closed


@pytest.mark.parametrize("task", VARIABLES)
def test_chinese_prompts_are_in_chinese_but_for_the_keys_of_json(task):
    allowed = {"JSON", "n", "null", "true", "false", "KA", "BA", "EE", "PT", "IM", "AD", "BC", "affected", "effect"}
    allowed |= {"importance", "result", "position", "state", "time", "location", "description", "concluded"}
    allowed |= {"belief", "desire", "intention", "others", "scene", "bearing"}
    text = Template(template(task, "zh")).substitute(dict.fromkeys(VARIABLES[task], ""))
    latin = "".join(letter if letter.isascii() and letter.isalpha() else " " for letter in text)
    assert set(latin.split()) <= allowed


@given(st.text())
def test_a_value_stays_as_it_is(value):
    assert f"<problem>\n{value}\n</problem>" in render("again", "en", problem=value)


def test_missing_and_unknown_variables_are_named():
    with pytest.raises(ValueError, match="prompt en/dialogue: no value for action"):
        render("dialogue", "en", name="Holmes")
    with pytest.raises(ValueError, match="prompt zh/action: it has no variable actor"):
        render("action", "zh", name="宝玉", actor="黛玉")
    with pytest.raises(ValueError, match="no value for text"):
        fill("$character: $text", character="Holmes")


def test_an_unknown_prompt_is_refused():
    with pytest.raises(ValueError, match="there is no prompt 'song' in language 'en'"):
        render("song", "en")


def test_words_have_equal_places_and_variables_in_both_languages():
    english, chinese = (dict(paragraphs(words(language).model_dump())) for language in LANGUAGES)
    assert english.keys() == chinese.keys()
    for place, phrase in english.items():
        assert phrase.strip(), place
        assert variables(phrase) == variables(chinese[place]), place


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_prompts_name_the_silence_that_the_words_name(language):
    silence = words(language).silence
    assert silence in template("character", language)
    assert silence in template("dialogue", language)


def test_words_cannot_be_changed():
    with pytest.raises(ValidationError, match="frozen"):
        words("en").silence = "..."
