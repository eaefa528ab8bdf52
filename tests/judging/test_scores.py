"""Scores in a judge's reply are read as they stand, or are missing with a reason: never rounded, cut or made up."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.rubrics.rubric import load_rubric
from characterbox.errors import ReplyError
from characterbox.judging.protocol import read_all_scores, read_scores, rubric_text, scores_form
from characterbox.pause_reasons import Reason

RUBRIC = load_rubric()
GOOD = {"KA": 4, "BA": 5, "EE": 3, "PT": 1, "IM": 2, "AD": 4, "BC": 5}
ROWS = "\n".join


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(GOOD),
        f"```json\n{json.dumps(GOOD)}\n```",
        f"<think>KA: 1</think>Here: {json.dumps(GOOD)} as you wished.",
        json.dumps({key: str(score) for key, score in GOOD.items()}),
        json.dumps({key: f"{score}/5" for key, score in GOOD.items()}),
        json.dumps({key: float(score) for key, score in GOOD.items()}),
        json.dumps({key.lower(): score for key, score in GOOD.items()}),
        json.dumps({metric.name.en: GOOD[metric.key] for metric in RUBRIC.metrics}),
        json.dumps({metric.name.zh: GOOD[metric.key] for metric in RUBRIC.metrics}),
        ROWS(f"{key}: {score}" for key, score in GOOD.items()),
        ROWS(f"**{key}**： {score} / 5" for key, score in GOOD.items()),
        ROWS(f"- {metric.name.en}: {GOOD[metric.key]}." for metric in RUBRIC.metrics),
        ROWS(f"{metric.name.zh}：{GOOD[metric.key]}分" for metric in RUBRIC.metrics),
        json.dumps({"scores": GOOD}),
        json.dumps({"character": "Ann", "scores": {metric.name.en: GOOD[metric.key] for metric in RUBRIC.metrics}}),
        f"Draft: {json.dumps(GOOD)} Final: {json.dumps(GOOD)}",
        f"{ROWS(f'{key}: well done' for key in GOOD)}\n{json.dumps(GOOD)}",
        ROWS(json.dumps({key: score}) for key, score in GOOD.items()),
    ],
)
def test_scores_that_can_be_read(text):
    assert read_all_scores(text, RUBRIC, RUBRIC.keys, "") == GOOD


@pytest.mark.parametrize(
    ("given", "problem"),
    [(45, "outside the scale"), (0, "outside the scale"), (-1, "outside the scale"), (4.5, "not a whole number"),
     ("4.5", "not a number"), ("45", "outside the scale"), ("good", "not a number"), (True, "not a number"),
     ("4-5", "not a number"), ("8/10", "not a number"), (None, "not a number"), ([4], "not a number")],
)  # fmt: skip
def test_a_score_that_can_not_be_used_is_missing_with_its_reason_and_the_others_stand(given, problem):
    text = json.dumps({**GOOD, "PT": given})
    verdict = read_scores(text, RUBRIC, RUBRIC.keys, "")
    assert {key: verdict[key] for key in GOOD if key != "PT"} == {key: GOOD[key] for key in GOOD if key != "PT"}
    assert isinstance(verdict["PT"], Reason)
    assert "PT" in str(verdict["PT"])
    assert problem in str(verdict["PT"])
    with pytest.raises(ReplyError, match=problem):
        read_all_scores(text, RUBRIC, RUBRIC.keys, "")


def test_a_score_that_is_not_there_is_missing():
    verdict = read_scores(json.dumps({key: GOOD[key] for key in GOOD if key != "AD"}), RUBRIC, RUBRIC.keys, "")
    assert verdict == {**GOOD, "AD": Reason("score_missing", metric="AD")}


FINAL = {**GOOD, "KA": 2, "BC": 3}


@pytest.mark.parametrize(
    "text",
    [
        f"Draft: {json.dumps(GOOD)}\nFinal: {json.dumps(FINAL)}",
        json.dumps({"draft": GOOD, "final": FINAL}),
        f"{json.dumps(GOOD)}\nOn reflection: {json.dumps({'KA': 2, 'BC': 3})}",
        f"{json.dumps(GOOD)}\n\nKA: 2\nBC: 3",
    ],
)
def test_of_scores_that_differ_none_is_chosen(text):
    verdict = read_scores(text, RUBRIC, RUBRIC.keys, "")
    differ = {key: verdict.pop(key) for key in ("KA", "BC")}
    assert verdict == {key: GOOD[key] for key in GOOD if key not in differ}
    for key, reason in differ.items():
        assert f"{key}: the reply gives several scores" in str(reason)
    with pytest.raises(ReplyError, match="several scores"):
        read_all_scores(text, RUBRIC, RUBRIC.keys, "")


@pytest.mark.parametrize("text", ["", "None", "He is played well.", '{"KA', "<think>KA: 4", "{}"])
def test_a_reply_without_scores_leaves_all_missing(text):
    verdict = read_scores(text, RUBRIC, RUBRIC.keys, "")
    assert list(verdict) == list(RUBRIC.keys)
    assert all(isinstance(score, Reason) and str(score) for score in verdict.values())
    with pytest.raises(ReplyError) as caught:
        read_all_scores(text, RUBRIC, RUBRIC.keys, "")
    assert caught.value.reply == text


@given(st.dictionaries(st.sampled_from(RUBRIC.keys), st.integers() | st.floats() | st.text() | st.none()))
def test_whatever_the_values_a_score_is_on_the_scale_or_missing(values):
    for key, score in read_scores(json.dumps(values), RUBRIC, RUBRIC.keys, "").items():
        assert isinstance(score, Reason) or (score in range(1, 6) and not isinstance(score, bool))
        if not isinstance(score, Reason) and isinstance(values[key], int | float):
            assert score == values[key]


def test_the_form_asks_for_one_whole_number_per_metric():
    schema = scores_form(RUBRIC, RUBRIC.keys).schema
    assert schema["required"] == list(GOOD)
    assert schema["properties"]["KA"] == {"type": "integer", "minimum": 1, "maximum": 5}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_rubric_is_shown_with_every_anchor(language):
    text = rubric_text(RUBRIC, language, RUBRIC.keys)
    for metric in RUBRIC.metrics:
        assert metric.question.text(language) in text
        assert all(anchor.text.text(language) in text for anchor in metric.anchors)
