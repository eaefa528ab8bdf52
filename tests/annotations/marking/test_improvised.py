"""Whatever people read of a judge that is the rehearsal says so: caveats, reasons of undefined figures, and reports."""

from collections.abc import Callable, Iterator
from itertools import combinations

import pandas as pd
import pytest

from annotations.i18n.translation import Tongue, speaking, translate
from annotations.marking.rating import JUDGE, raters_called
from annotations.report.all_figures import every_figure, usable_ratings
from annotations.report.judge_report import judges_beside
from annotations.report.per_metric import consistencies, rater_caveats
from annotations.report.report import Report, statistics
from annotations.validity.halo import Halo
from tests.annotations.report_of_judge import report_of
from tests.annotations.tables import frame_of, rating
from tests.fakes.in_english import in_english

pytestmark = pytest.mark.slow

SHOWN: dict[Tongue, str] = {"en": "Rehearsal judge, GPT-4 protocol", "zh": "内置演练评审（GPT-4 评审方式）"}
Score = Callable[[str, int, int], float | None]
"""What a rater gives an item on the metric of a number."""


def ratings(items: int, score: Score, metrics: tuple[str, ...] = ("KA", "BA")) -> pd.DataFrame:
    """Scores of two experts, of GPT-4, which is the rehearsal, and of two judges that are what they are called."""
    kinds = {"ann": "expert", "bo": "expert", "GPT-4": "judge", "CharacterRM": "judge", "GLM": "judge"}
    return frame_of(
        rating(
            item=f"i{item}",
            scene=f"s{item % 6}",
            model=f"m{item // 6}",
            metric=metric,
            rater=rater,
            kind=kind,
            score=given,
            improvised=JUDGE if rater == "GPT-4" else "",
        )
        for item in range(items)
        for number, metric in enumerate(metrics)
        for rater, kind in kinds.items()
        if (given := score(rater, item, number)) is not None
    )


def varied(rater: str, item: int, number: int) -> float:
    return 1 + (item * (3 + number) + len(rater)) % 5


FRAMES: dict[str, pd.DataFrame] = {
    "scores that vary": ratings(24, varied),
    "too few items": ratings(2, varied),
    "one score for all": ratings(
        24, lambda rater, item, number: 3 if rater == "GPT-4" else varied(rater, item, number)
    ),
    "nothing that an expert scored": ratings(
        24, lambda rater, item, number: None if rater in ("ann", "bo") and item % 7 else varied(rater, item, number)
    ),
    "some beyond the experts' scores": ratings(
        24, lambda rater, item, number: -1 if rater == "GPT-4" and item == 0 else varied(rater, item, number)
    ),
    "judges that are alike": ratings(
        24, lambda rater, item, number: varied("ann" if rater in ("ann", "bo") else "x" * (item % 3), item, number)
    ),
    "metrics against each other": ratings(
        24, lambda _, item, number: 1 + item % 5 if number else 5 - item % 5
    ),
}  # fmt: skip


def sentences(frame: pd.DataFrame) -> Iterator[str]:
    """All that is said of the ratings."""
    report = statistics(frame)
    design, usable = report.design, usable_ratings(frame, None)
    yield report.as_text()
    yield from (figure.undefined for figure in every_figure(frame, report) if figure.undefined)
    caveats = [*rater_caveats(usable, design, consistencies(usable, design))]
    for judge in design.judges:
        found = report_of(usable, judge, design)
        caveats += found.caveats
        if isinstance(found.halo, Halo):
            yield from (found.halo.verdict, found.halo.convergence_verdict)
    for pair in combinations(design.judges, 2):
        both = judges_beside(usable, pair, design)
        caveats += both.caveats
        yield both.pair.verdict
    for caveat in caveats:
        yield from (caveat.of, caveat.sentence)


@pytest.mark.parametrize(("name", "language"), [*((name, "en") for name in FRAMES), ("too few items", "zh")])
def test_no_sentence_names_the_model_alone_that_the_rehearsal_stands_for(name: str, language: Tongue) -> None:
    with speaking(language):
        told = [translate(sentence) for sentence in sentences(FRAMES[name])]
    assert any(SHOWN[language] in sentence for sentence in told)
    bare = [one for one in told if "GPT-4" in one.replace(SHOWN[language], "").replace(SHOWN["en"], "")]
    assert not bare


def test_nobody_was_trained_on_scores_of_the_rehearsal() -> None:
    frame = FRAMES["scores that vary"]
    design = statistics(frame).design
    assert "was trained on" not in in_english(judges_beside(frame, ("CharacterRM", "GPT-4"), design).pair.verdict)
    modelled = frame.assign(improvised="")
    assert "CharacterRM was trained on scores of GPT-4" in in_english(
        (judges_beside(modelled, ("CharacterRM", "GPT-4"), statistics(modelled).design)).pair.verdict
    )


def test_identifiers_stay_what_they_are() -> None:
    report: Report = statistics(FRAMES["scores that vary"])
    assert set(report.validity) == {"GPT-4", "CharacterRM", "GLM"}
    called = raters_called(FRAMES["scores that vary"])
    assert in_english([called(rater) for rater in ("GPT-4", "GLM", "ann")]) == [SHOWN["en"], "GLM", "ann"]
