"""How judges judge: the paper's three, one reply or one for each metric, orders, languages, temperature, versions."""

import json
import re

import pytest
from pydantic import ValidationError

from annotations.rubrics.rubric import load_rubric
from characterbox.judging.judge import Judge, known_judges, registered
from characterbox.judging.protocol import PRESETS, PROMPTS, Protocol
from characterbox.judging.subject import Narration, Opening, Part, Questions
from characterbox.judging.verdict import judge_work
from characterbox.llm.calls.call import options
from characterbox.llm.endpoint import Endpoint
from characterbox.pause_reasons import Reason
from characterbox.prompts import template
from tests.fakes.scenes import a_scene

RUBRIC = load_rubric()
GOOD = dict(zip(RUBRIC.keys, (4, 1, 3, 1, 2, 4, 5), strict=True))


class Bench:
    """A judge that gives GOOD; it keeps what it was asked."""

    def __init__(self):
        self.asked = []

    async def __call__(self, request):
        self.asked.append(request)
        if request.form is None:
            return "She is herself throughout."
        return json.dumps({key: GOOD[key] for key in request.form.schema["required"]})


async def judged(protocol, language="en"):
    bench = Bench()
    part = Part(a_scene(language=language), "Ann", [])
    assert await judge_work(bench, "J", protocol, part, RUBRIC) == GOOD
    return bench.asked


def steps(asked):
    return [request.path.removeprefix("judge/j/ann/") for request in asked]


async def test_the_papers_judges():
    assert steps(await judged(PRESETS["GPT-4"])) == ["critique", "scores"]
    trained, baseline = await judged(PRESETS["CharacterRM"]), await judged(PRESETS["ChatGLM"])
    assert steps(trained) == steps(baseline) == ["scores"]
    lengths = [len(asked[0].messages[0].content) for asked in (trained, baseline)]
    assert lengths[0] < 400 < lengths[1], "only the prompt of one that was trained is short"
    anchor = RUBRIC.metrics[0].anchors[0].text.en
    assert anchor in baseline[0].messages[0].content
    assert anchor not in trained[0].messages[0].content


@pytest.mark.parametrize("manner", ["critique", "direct", "brief"])
async def test_each_metric_can_have_a_reply_of_its_own(manner):
    *critique, last = await judged(Protocol(manner=manner, replies="each"))
    scoring = [one for one in (*critique, last) if "scores" in one.path]
    assert steps(scoring) == [f"scores/{key}" for key in RUBRIC.keys]
    for request, key in zip(scoring, RUBRIC.keys, strict=True):
        assert request.form.schema["required"] == [key]
        assert f'"{key}"' in request.messages[-1].content
        assert all(f'"{other}"' not in request.messages[-1].content for other in RUBRIC.keys if other != key)


async def test_a_number_alone_is_the_score_of_the_metric_that_was_asked_for():
    async def ask(_):
        return "4"

    protocol = Protocol(manner="brief", replies="each")
    verdict = await judge_work(ask, "J", protocol, Part(a_scene(), "Ann", []), RUBRIC)
    assert verdict == dict.fromkeys(RUBRIC.keys, 4)
    verdict = await judge_work(ask, "J", Protocol(manner="brief"), Part(a_scene(), "Ann", []), RUBRIC)
    assert all(isinstance(score, Reason) for score in verdict.values()), "which of seven is it?"


async def test_the_order_of_the_metrics_is_drawn_for_each_trajectory_and_always_the_same():
    protocol = Protocol(manner="direct", order="shuffled")
    [first], [again] = await judged(protocol), await judged(protocol)
    assert first.messages == again.messages
    order = first.form.schema["required"]
    assert sorted(order) == sorted(RUBRIC.keys)
    orders = {protocol.ordered(RUBRIC, f"watch/{name}") for name in ("ann", "bob", "cai", "dan")}
    assert len(orders) > 1
    assert tuple(order) == protocol.ordered(RUBRIC, "watch/ann")
    told = first.messages[0].content
    assert sorted(order, key=lambda key: told.index(f"\n{key} ")) == order


@pytest.mark.parametrize("manner", ["critique", "direct", "brief"])
async def test_a_chinese_scene_can_be_judged_with_english_prompts(manner):
    own, english = (
        await judged(Protocol(manner=manner), "zh"),
        await judged(Protocol(manner=manner, language="en"), "zh"),
    )
    for chinese, translated in zip(own, english, strict=True):
        assert "角色扮演" in chinese.messages[0].content
        assert "角色扮演" not in translated.messages[0].content
        assert (chinese.language, translated.language) == ("zh", "en")


async def test_a_temperature_is_asked_for_only_where_one_is_set():
    [usual], [cold] = await judged(Protocol(manner="direct")), await judged(Protocol(manner="direct", temperature=0))
    assert "temperature" not in options(usual, 1, 100, set(), streamed=False)
    assert options(cold, 1, 100, set(), streamed=False)["temperature"] == 0
    assert usual.digest(1) != cold.digest(1)


def test_new_judges_take_the_likeliest_words_and_those_of_before_what_their_endpoint_gives():
    judges = [Judge.parse(f"{name}=http://a/v1#m") for name in (*PRESETS, "Mine")]
    assert {judge.protocol.temperature for judge in judges} == {0}
    assert Protocol.model_validate({"manner": "brief"}).temperature is None


def test_a_protocol_that_there_is_not_is_refused():
    for wrong in ({"manner": "guess"}, {"temperature": 3}, {"language": "fr"}, {"order": None}):
        with pytest.raises(ValidationError):
            Protocol.model_validate(wrong)


@pytest.mark.parametrize("subject", ["character", "narrator", "scene"])
@pytest.mark.parametrize("manner", ["critique", "direct"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_judge_reads_the_whole_guide_that_experts_read(subject, manner, language):
    rubric = load_rubric(subject)
    work = {"character": Part(a_scene(), "Ann", []), "narrator": Narration(a_scene(), []), "scene": Opening(a_scene())}
    questions = Questions(work[subject], Protocol(manner=manner, language=language), rubric, rubric.keys)
    rules = (questions.critique() if manner == "critique" else questions.scores(rubric.keys, None))[0].content
    anchors = [anchor.text for metric in rubric.metrics for anchor in metric.anchors]
    named = [one.name for one in (*rubric.guide.fields, *rubric.metrics)]
    meanings = [field.meaning for field in rubric.guide.fields]
    asked = [metric.question for metric in rubric.metrics]
    told = [rubric.guide.background, *rubric.guide.steps, *named, *meanings, *asked, *anchors]
    assert [text for text in told if text.text(language) not in rules] == []


SEVERE = re.compile(
    r"strict|severe|harsh|lenient|generous|rare|whole scale|sparing|merely|praise nothing|flaw twice"
    r"|严格|严厉|苛|宽容|很少|少见|充分使用|不必夸奖|重复计算"
)


def test_no_judge_is_told_how_severe_to_be():
    """Neither the paper (section 3.3, appendix G) nor the experts' guide says so."""
    names = {name for prompts in PROMPTS.values() for manner in ("critique", "direct", "brief")
             for name in prompts.of(manner)}  # fmt: skip
    found = {(name, language, word) for name in names for language in ("en", "zh")
             for word in SEVERE.findall(template(name, language))}  # fmt: skip
    assert found == set()


def test_another_guide_makes_another_version_of_those_who_read_it():
    rubric = load_rubric()
    other = rubric.model_copy(update={"guide": rubric.guide.model_copy(update={"steps": rubric.guide.steps[:1]})})
    changed = {
        manner: Protocol(manner=manner).prompts_digest(rubric) != Protocol(manner=manner).prompts_digest(other)
        for manner in ("critique", "direct", "brief")
    }
    assert changed == {"critique": True, "direct": True, "brief": False}


def test_a_version_is_a_model_a_protocol_and_a_wording(store, monkeypatch):
    judge = Judge.parse("GPT-4=http://a/v1#gpt-4")
    first = registered(store, judge)
    assert (first.version, first.rater) == (1, "GPT-4")
    assert registered(store, judge) == first
    elsewhere = Judge.parse("GPT-4=http://b/v1#gpt-4")
    assert registered(store, elsewhere).version == 1, "where it is reached makes no version"
    other = registered(store, Judge.parse("GPT-4=http://a/v1#gpt-4o"))
    assert (other.version, other.rater) == (2, "GPT-4 v2")
    warm = judge.model_copy(update={"protocol": Protocol(temperature=None)})
    assert registered(store, warm).rater == "GPT-4 v3", "as judges of before, who are not mistaken for others"
    assert registered(store, judge).version == 1
    assert registered(store, Judge.parse("CharacterRM=http://a/v1#gpt-4")).version == 1
    monkeypatch.setattr(Protocol, "prompts_digest", lambda *_: "worded otherwise")
    assert registered(store, judge).version == 4
    assert [(one.name, one.protocol.manner) for one in known_judges(store)] == [
        ("CharacterRM", "brief"), ("GPT-4", "critique"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["GPT-4 v2", "x v10"])
def test_a_name_like_a_version_is_refused(name):
    with pytest.raises(ValidationError, match="which marks judge versions"):
        Judge(name=name, endpoint=Endpoint.parse("rehearsal"))
