"""The loop of the paper closed: stories become datasets, datasets adapters, and these narrate, judge and play.

Base and adapters are served by the app's own vLLM, and compared on scenes that nothing was learnt from.
"""

import pytest

pytestmark = [pytest.mark.process, pytest.mark.slow, pytest.mark.xdist_group("end to end")]


def test_a_narrator_that_was_trained_can_be_read_and_agrees_with_its_teacher(evaluate):
    words = ("--teacher", "rehearsal", "--characters", "rehearsal", "--rounds", "1", "--seeds", "5")
    figures = evaluate("narrator", *words)
    assert figures["scenes"] == 10
    readable, agreement = figures["of"]["readable"], figures["of"]["agreement"]
    base, tuned = (readable[part]["estimate"] for part in ("base", "tuned"))
    print(f"readable at the first try: base {base:.2f}, tuned {tuned:.2f}; {figures['of']['readable_gain']}")
    assert tuned > 0.9
    assert figures["of"]["readable_gain"]["difference"]["interval"]["low"] > 0.1, "clearly above"
    same = {part: agreement[part]["affected"] for part in ("base", "tuned")}
    print(f"names whom the teacher names: {same}; {figures['of']['agreement_gain']}")
    assert figures["of"]["agreement_gain"]["interval"]["low"] > 0, "clearly above"


def test_a_judge_that_was_trained_correlates_with_its_teacher(evaluate):
    figures = evaluate("judge")
    found = figures["of"]["teacher"]
    overall = {part: found["r"][part]["overall"] for part in ("base", "tuned")}
    print(f"Pearson with the teacher: {overall}; {found['compared']['overall']}")
    assert overall["tuned"]["interval"]["low"] > 0, "the interval excludes 0"
    assert overall["tuned"]["interval"]["low"] > overall["base"]["estimate"], "clearly above the base"


@pytest.mark.parametrize("kind", ["guided", "reflective"])
def test_characters_that_were_trained_pass_through_all_stages(evaluate, kind):
    words = ("--teacher", "rehearsal", "--narrator", "rehearsal", "--judge", "GPT-4=rehearsal", "--rounds", "1")
    figures = evaluate(kind, *words)
    print(figures["status"], figures["said"][-2000:])
    (by_language,) = figures["of"]["scored"].values()
    scored = by_language["en"]
    assert set(scored["standings"]) == {"base", "tuned", "teacher"}
    assert {"tuned", "teacher"} <= set(scored["gains"])
