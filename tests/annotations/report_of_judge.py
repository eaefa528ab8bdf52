"""The report of one judge, as the page has it."""

import pandas as pd

from annotations.report.judge_report import JudgeReport, across_judges, judge_report
from annotations.report.report import Design


def report_of(frame: pd.DataFrame, judge: str, design: Design) -> JudgeReport:
    """Of one of the judges in these ratings."""
    return judge_report(frame, judge, design, across_judges(frame, design))
