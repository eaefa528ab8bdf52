"""Whatever is told of a judge that was the rehearsal says so: no sentence names the model whose protocol it follows as
if that had judged."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import chain

import pandas as pd
import pytest

from annotations.caveats import Caveat
from annotations.improvised import IMPROVISED
from annotations.judge_report import judge_report, judges_beside
from annotations.report import Report, statistics
from annotations.undefined import Undefined
from annotations.wording import speaking
from tests.annotations.figures_sample import FEW, RUBRIC, ratings

pytestmark = pytest.mark.slow

CALLED = {"en": "Rehearsal judge, gpt protocol", "zh": "演练评审（gpt 评审方式）"}


def sentences(found: object) -> Iterator[str]:
    """Reasons and caveats within a result, however deep."""
    match found:
        case Undefined():
            yield found.reason
        case Caveat():
            yield found.sentence
        case dict():
            yield from chain.from_iterable(map(sentences, found.values()))
        case tuple() | list():
            yield from chain.from_iterable(map(sentences, found))
        case _ if is_dataclass(found):
            yield from chain.from_iterable(sentences(getattr(found, field.name)) for field in fields(found))


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    frame = ratings(("KA", "BA"), 4)
    return frame.assign(**{IMPROVISED: ["judge" if rater == "gpt" else "" for rater in frame["rater"]]})


def told(frame: pd.DataFrame) -> list[str]:
    report: Report = statistics(frame, RUBRIC, (1, 5), FEW)
    judges = report.design.judges
    return [
        report.as_text(),
        *sentences([report, *(judge_report(frame, judge, report.design) for judge in judges)]),
        *(sentences(judges_beside(frame, (judges[0], judges[1]), report.design)) if len(judges) > 1 else ()),
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_sentence_names_a_judge_that_was_the_rehearsal_by_its_protocol_alone(frame, language):
    parts = {
        "all": frame,
        "few items": frame[frame["item"].isin(["i0-0", "i0-1"])],
        "one score": frame.assign(score=3.0),
        "off the scale": frame.assign(score=[9.0 if n % 7 == 0 else s for n, s in enumerate(frame["score"])]),
        "outside the experts' range": frame.assign(
            score=[1.0 if k == "judge" else max(s, 2.0) for k, s in zip(frame["kind"], frame["score"], strict=True)]
        ),
    }
    with speaking(language):
        for name, part in parts.items():
            texts = told(part)
            bare = [text for text in texts if "gpt" in text.replace(CALLED[language], "")]
            assert bare == [], name
            assert any(CALLED[language] in text for text in texts), name
