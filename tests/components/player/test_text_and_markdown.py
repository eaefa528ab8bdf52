"""A story as plain text and as Markdown: all of it is there, and whatever stands in it stays text."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from characterbox.components.player.markdown import markdown
from characterbox.components.player.screenplay import screenplay
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.llm.sampling import Sampling
from characterbox.play.events import Action, ActionInfluence, Dialogue, Reaction
from characterbox.play.settings import Settings, with_settings
from tests.components.masked import masked_events
from tests.components.sample import CHINESE_EVENTS, ENGLISH_EVENTS, LIGHTHOUSE, TEAHOUSE
from tests.play.masked_guest import TEXTS, scene

MODEL = Endpoint(url="http://127.0.0.1:8000/v1", model="m")
MODELS = Casting(narrator=MODEL, characters={})
SETTINGS, NOTHING = Settings(), {}
STORIES = [(LIGHTHOUSE, ENGLISH_EVENTS), (TEAHOUSE, CHINESE_EVENTS)]
NASTY = st.text(st.sampled_from(string.punctuation + "ab1 \n雨#-*_`<>[]()!&"), min_size=1, max_size=60).filter(
    str.strip
)


def in_markdown(scene, events, casting, settings=SETTINGS, refused=NOTHING):
    return markdown(scene, events, casting, settings, refused)


def read(text):
    """Markdown as a reader sees it: the text, and the kinds of what it is made of."""
    tokens = MarkdownIt("commonmark").parse(text)
    inline = [child for token in tokens for child in token.children or []]
    shown = "".join(child.content if child.type == "text" else "\n" for child in inline)
    return shown, [token.type for token in tokens], {child.type for child in inline}


@pytest.mark.parametrize(("scene", "events"), STORIES)
def test_a_screenplay_has_what_is_seen_and_heard_in_order(scene, events):
    text, at = screenplay(scene, events, MODELS), 0
    for event in events:
        if isinstance(event, Action | Dialogue | Reaction) and event.text:
            at = text.index(event.text, at) + len(event.text)


@pytest.mark.parametrize(
    ("scene", "events", "words"),
    [(LIGHTHOUSE, ENGLISH_EVENTS, " (meant to go unnoticed)"), (TEAHOUSE, CHINESE_EVENTS, "（不想让人察觉）")],
)
def test_a_screenplay_tells_what_is_done_in_secret(scene, events, words):
    act = next(event for event in events if isinstance(event, Action))
    assert f"{act.text}{words}" in screenplay(scene, [act.model_copy(update={"unseen": True})], MODELS)
    assert words not in screenplay(scene, [act], MODELS)


@pytest.mark.parametrize(("scene", "events"), STORIES)
def test_a_screenplay_has_nothing_that_nobody_on_a_stage_sees(scene, events):
    text = screenplay(scene, events, MODELS)
    for event in events:
        hidden = [event.text] if isinstance(event, ActionInfluence) else []
        hidden += [
            getattr(event, name, None) for name in ("state", "belief", "desire", "intention", "others", "bearing")
        ]
        assert not [one for one in hidden if one and one in text]


@pytest.mark.parametrize(("scene", "events"), STORIES)
def test_markdown_has_every_text_of_the_story(scene, events):
    shown, _, _ = read(in_markdown(scene, events, MODELS))
    shown = " ".join(shown.split())
    for event in events:
        for name in ("text", "position", "state", "time", "location", "description", "belief", "desire", "bearing"):
            if text := getattr(event, name, None):
                assert " ".join(text.split()) in shown


@pytest.mark.parametrize("language", ["en", "zh"])
def test_texts_tell_for_whom_words_are_and_who_is_recognised(language):
    t, told = TEXTS[language], (scene(language), masked_events(language), MODELS)
    whispered, recognised = {
        "en": ("(whispers to Tomas)", "Aldo Renn is recognized by Vera Lund."),
        "zh": ("（低声对 老田）", "柳夫人 认出了 沈越舟。"),
    }[language]
    text, (shown, _, _) = screenplay(*told), read(in_markdown(*told))
    for one in (text, shown):
        assert one.index(whispered) < one.index(t["guest whispers"])
        assert one.index(t["recognition"]) < one.index(recognised)
    assert t["guest felt"] not in text
    for one in (t["guest felt"], t["tears"], {"en": "heard by Tomas", "zh": "听见的角色：老田"}[language]):
        assert one in shown
    assert shown.count({"en": "can be seen and heard again", "zh": "其他人又能看见并听见"}[language]) == 1


def test_what_is_believed_before_the_first_round_has_a_heading_of_its_own():
    for language, heading in (("en", "## Before the first round"), ("zh", "## 第一轮之前")):
        told = (scene(language), masked_events(language), MODELS)
        assert in_markdown(*told).count(heading) == 1
        assert not {"## Round 0", "## 第 0 轮"} & {*in_markdown(*told).splitlines()}
        assert "0" not in screenplay(*told)
    assert "Before the first round" not in in_markdown(LIGHTHOUSE, ENGLISH_EVENTS, MODELS)


def test_texts_are_in_the_language_of_the_scene():
    assert "ROUND 1" in screenplay(LIGHTHOUSE, ENGLISH_EVENTS, MODELS)
    assert "第 1 轮" in screenplay(TEAHOUSE, CHINESE_EVENTS, MODELS)
    assert "## Round 1" in in_markdown(LIGHTHOUSE, ENGLISH_EVENTS, MODELS)
    assert "## 第 1 轮" in in_markdown(TEAHOUSE, CHINESE_EVENTS, MODELS)


@pytest.mark.parametrize("text_of", [screenplay, in_markdown])
def test_what_no_language_model_wrote_says_so_whatever_the_model_is_called(text_of):
    def told(scene, events, *urls):
        narrator, *others = (Endpoint(url=url, model="gpt-4") for url in urls)
        casting = Casting(narrator=narrator, characters=dict(zip(scene.names, others, strict=False)))
        return set(text_of(scene, events, casting).splitlines()) - set(text_of(scene, events, MODELS).splitlines())

    english, chinese = (LIGHTHOUSE, ENGLISH_EVENTS), (TEAHOUSE, CHINESE_EVENTS)
    assert told(*english, MODEL.url) == set()
    assert told(*english, "rehearsal") == {"Demo output from the built-in rehearsal (no language model)."}
    assert told(*english, "rehearsal", MODEL.url) == {
        "Partly demo output from the built-in rehearsal (no language model)."
    }
    assert told(*english, "handwritten") == {"Sample story written by hand for CharacterBox (no language model)."}
    (line,) = told(*chinese, "rehearsal")
    assert not line.isascii()


def test_markdown_tells_the_settings_and_what_models_did_not_take():
    settings = Settings(narrator=Sampling(temperature=0.2), last_beliefs=False)
    shown, _, _ = read(in_markdown(LIGHTHOUSE, ENGLISH_EVENTS, MODELS, settings, {"gpt_5": ("temperature", "seed")}))
    assert "Narrator: temperature 0.2, top-p 1" in shown
    assert "Characters: temperature 0.5, top-p 1" in shown
    assert "Beliefs after the last round: left out" in shown
    assert "gpt_5 does not support temperature or seed" in shown
    before = Settings.model_validate(with_settings({})["settings"])
    assert "Narrator: set by the endpoint" in in_markdown(LIGHTHOUSE, ENGLISH_EVENTS, MODELS, before)
    by_hand = Casting(narrator=Endpoint(url="handwritten", model="handwritten"), characters={})
    assert "temperature" not in in_markdown(LIGHTHOUSE, ENGLISH_EVENTS, by_hand)


@given(NASTY)
def test_marks_in_a_story_stay_text(text):
    event = Action(path="r1/a/action", round=1, turn=LIGHTHOUSE.names[0], character=LIGHTHOUSE.names[0], text=text)
    plain, nasty = (
        in_markdown(LIGHTHOUSE, [event.model_copy(update={"text": one})], MODELS) for one in ("plain", text)
    )
    shown, kinds, inline = read(nasty)
    _, kinds_of_plain, inline_of_plain = read(plain)
    added = {kind for kind in kinds if kind not in ("paragraph_open", "paragraph_close", "inline")}
    assert added == {kind for kind in kinds_of_plain if kind not in ("paragraph_open", "paragraph_close", "inline")}
    assert inline <= inline_of_plain | {"softbreak", "text", "hardbreak"}
    assert "".join(text.split()) in "".join(shown.split())
