"""Damaged replies of judges: what a careful reader can read is a score; the rest is missing, with its reason."""

import json
from dataclasses import dataclass, field

import pytest

from annotations.rubrics.rubric import load_rubric
from characterbox.errors import ReplyError
from characterbox.judging.protocol import Protocol, read_all_scores, read_scores
from characterbox.judging.subject import Part
from characterbox.judging.verdict import judge_work
from characterbox.llm.request import Request
from characterbox.pause_reasons import Reason
from tests.fakes.scenes import a_scene
from tests.play.damaged import DENIED, DENIED_ZH, PROSE_READ, PROSE_REFUSED, READ, REFUSED, TEXT, Whole, in_prose

RUBRIC = load_rubric()
GOOD = {"KA": 4, "BA": 5, "EE": 3, "PT": 1, "IM": 2, "AD": 4, "BC": 5}
WHOLE = Whole(GOOD, {metric.key: metric.name.zh for metric in RUBRIC.metrics})
NAMES = {metric.key: metric.name.en for metric in RUBRIC.metrics}
MISSING = "missing|is not a number|neither a JSON object|several scores"


def lines(form):
    """A line for each metric, as `form` has it."""
    return "\n".join(form.format(key=key, name=NAMES[key], zh=WHOLE.chinese[key], score=GOOD[key]) for key in GOOD)


@pytest.mark.parametrize("damage", READ, ids=[damage.name for damage in READ])
def test_what_a_careful_reader_can_read_is_read(damage):
    assert read_all_scores(damage.of(WHOLE), RUBRIC, RUBRIC.keys, "") == GOOD


@pytest.mark.parametrize("damage", REFUSED, ids=[damage.name for damage in REFUSED])
def test_what_would_be_a_guess_is_missing(damage):
    text = damage.of(WHOLE)
    with pytest.raises(ReplyError, match=MISSING) as caught:
        read_all_scores(text, RUBRIC, RUBRIC.keys, "")
    assert caught.value.reply == text
    verdict = read_scores(text, RUBRIC, RUBRIC.keys, "")
    assert list(verdict) == list(GOOD)
    assert all(score == GOOD[key] or isinstance(score, Reason) for key, score in verdict.items())
    assert any(isinstance(score, Reason) for score in verdict.values())


@pytest.mark.parametrize(
    "text",
    [
        lines("{key} {name}: {score}"),
        lines("{key} ({name}): {score}"),
        lines("{name} ({key}): {score}/5"),
        lines("{zh}（{key}）：{score}分"),
        lines("{key} {zh}：{score}"),
        lines("- **{key} ({name})**: {score} - played with care"),
        lines("{key}: {score} (good)"),
        lines("{key}: {score}, as said above"),
        lines("{key}：{score}分，演得不错"),
        lines("{key}: **{score}**"),
        lines("{key}: [{score}]"),
        lines("{key}: {score} out of 5"),
        lines("{key}: {score} points"),
        lines("{key}: {score}.0"),
        lines("| {key} | {score} | well played |"),
        lines("| {name} | {score}/5 |"),
        lines("### {name}\n{score}"),
        json.dumps({key: {"score": score, "reason": "At 10:30: so"} for key, score in GOOD.items()}),
        json.dumps(
            {WHOLE.chinese[key]: {"评分": score, "理由": "3次"} for key, score in GOOD.items()}, ensure_ascii=False
        ),
        json.dumps({f"{key} ({NAMES[key]})": score for key, score in GOOD.items()}),
        json.dumps({NAMES[key].replace(" ", "_").lower(): score for key, score in GOOD.items()}),
    ],
)
def test_scores_as_judges_write_them_are_read(text):
    assert read_all_scores(text, RUBRIC, RUBRIC.keys, "") == GOOD


@pytest.mark.parametrize(
    ("given", "score"),
    [(4, 4), (4.0, 4), ("4", 4), ("４", 4), ("4/5", 4), ("4 / 5", 4), ("4／5", 4), ("4分", 4), ("四", 4), ("四分", 4),
     ("four", 4), ("Four.", 4), ("**4**", 4), ("4 (good)", 4), ({"score": 4}, 4),
     ({"score": "4/5", "why": "3 slips"}, 4)],
)  # fmt: skip
def test_a_score_is_the_number_that_is_told(given, score):
    assert read_scores(json.dumps({**GOOD, "PT": given}), RUBRIC, RUBRIC.keys, "") == {**GOOD, "PT": score}


@pytest.mark.parametrize(
    "given",
    [45, "45", "45/50", "4/10", "4/4", 0, "zero", 6, "six", -4, "-4", 4.5, "4.5", "4½", "4-5", "4 or 5",
     "4, maybe five", "4 to 5", "4 is too much",
     "40%", "4e0", "4th", "good", "", " ", "None", None, True, False, [4], [4, 5], {}, {"score": 45},
     {"score": 4, "rating": 5}, {"low": 4}, 1e308, "NaN", "1" + "0" * 5000, "五十", "四五", "not 4"],
)  # fmt: skip
def test_what_is_no_score_on_the_scale_is_missing_and_the_others_stand(given):
    verdict = dict(read_scores(json.dumps({**GOOD, "PT": given}, ensure_ascii=False), RUBRIC, RUBRIC.keys, ""))
    reason = verdict.pop("PT")
    assert isinstance(reason, Reason)
    assert str(reason).startswith("PT: ")
    assert verdict == {key: score for key, score in GOOD.items() if key != "PT"}


@pytest.mark.parametrize("end", ['{"KA": 4, "BA": 5', '{"KA": 4, "BA": ', '{"KA": 4, "BA"', '{"KA": 4,'])
def test_of_a_reply_that_is_cut_off_the_scores_before_the_cut_stand(end):
    verdict = read_scores(end, RUBRIC, RUBRIC.keys, "")
    assert verdict["KA"] == 4
    assert {key for key, score in verdict.items() if isinstance(score, Reason)} == set(GOOD) - {"KA"}


@dataclass
class Bench:
    """Asks a judge that says what it is told to; the last of its replies again and again."""

    critiques: list[str]
    scores: list[str]
    asked: list[Request] = field(default_factory=list)

    async def __call__(self, request):
        self.asked.append(request)
        replies = self.scores if "/scores" in request.path else self.critiques
        return replies.pop(0) if len(replies) > 1 else replies[0]


async def judged(bench, language="en"):
    return await judge_work(bench, "GPT-4", Protocol(), Part(a_scene(language=language), "Ann", []), RUBRIC)


def paths(bench):
    return [request.path.removeprefix("judge/gpt-4/ann/") for request in bench.asked]


@pytest.mark.parametrize("damage", PROSE_READ)
async def test_a_critique_that_can_be_read_goes_into_the_scoring_prompt(damage):
    bench = Bench([in_prose(PROSE_READ[damage], "critique", "评语")], [json.dumps(GOOD)])
    assert await judged(bench) == GOOD
    assert paths(bench) == ["critique", "scores"]
    assert bench.asked[1].messages[-2].content == TEXT


@pytest.mark.parametrize("damage", PROSE_REFUSED)
async def test_without_a_critique_there_are_no_scores(damage):
    bench = Bench([in_prose(PROSE_REFUSED[damage], "critique", "评语")], [json.dumps(GOOD)])
    verdict = await judged(bench)
    assert paths(bench) == ["critique", "critique/again"]
    assert list(verdict) == list(GOOD)
    assert all(str(score).startswith("there is no critique to base scores on: the reply") for score in verdict.values())


@pytest.mark.parametrize("refusal", [DENIED, DENIED_ZH, "None", "45", "{}"])
async def test_a_second_reply_that_can_be_read_counts(refusal):
    bench = Bench([TEXT], [refusal, json.dumps(GOOD)])
    assert await judged(bench) == GOOD
    assert paths(bench) == ["critique", "scores", "scores/again"]
    *_, wrong, problem = bench.asked[-1].messages
    assert (wrong.role, wrong.content) == ("assistant", refusal)
    assert "neither a JSON object" in problem.content


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_what_is_wrong_twice_is_missing_with_its_reason_and_nothing_is_made_up(language):
    bench = Bench([TEXT], [json.dumps({**GOOD, "KA": 45}), json.dumps({**GOOD, "KA": 45, "BA": "high", "EE": None})])
    verdict = dict(await judged(bench, language))
    assert paths(bench) == ["critique", "scores", "scores/again"]
    assert "KA: 45 lies outside the scale" in bench.asked[-1].messages[-1].content
    reasons = {key: str(verdict.pop(key)) for key in ("KA", "BA", "EE")}
    assert reasons["KA"] == "KA: 45 is outside the scale; enter a whole number from 1 to 5"
    assert reasons["BA"] == "BA: 'high' is not a number; enter a whole number from 1 to 5"
    assert reasons["EE"] == "EE: None is not a number; enter a whole number from 1 to 5"
    assert verdict == {"PT": 1, "IM": 2, "AD": 4, "BC": 5}


async def test_only_the_second_of_two_replies_that_can_not_be_read_counts():
    bench = Bench([TEXT], [json.dumps({**GOOD, "KA": None}), json.dumps({"KA": 3})])
    verdict = await judged(bench)
    assert verdict["KA"] == 3
    assert all(str(verdict[key]) == f"{key}: the score is missing" for key in GOOD if key != "KA")
