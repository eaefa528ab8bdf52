"""The fields of a campaign: what stands in them is what is stored, and what can't be used is told in a sentence."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.design.settings import Settings
from pages.campaigns.settings_form import read_field, written_of
from pages.shared.form import FieldFaults
from tests.fakes.campaigns import settings


@given(
    st.builds(
        settings,
        raters_per_item=st.integers(1, 50),
        repeats=st.sampled_from([0, 0.05, 0.06, 0.07, 0.08, 0.09, 0.10]),
        threshold=st.integers(50, 100).map(lambda percent: percent / 100),
        deadline=st.none() | st.datetimes(timezones=st.just(UTC)),
        practice=st.booleans(),
    )
)
def test_what_stands_in_the_fields_is_what_was_stored(known: Settings):
    written = written_of(known)
    blank = settings(name="Another")
    fields = [field for field in written if field != "rubric_version"]
    for field in fields:
        blank = read_field(blank, field, written[field])
    assert blank == known


def test_shares_are_written_in_percent_and_the_deadline_in_utc():
    berlin = timezone(timedelta(hours=2))
    written = written_of(settings(repeats=0.05, threshold=0.8, deadline=datetime(2030, 6, 1, 12, tzinfo=berlin)))
    assert (written["repeats"], written["threshold"]) == (5, 80)
    assert written["deadline"] == datetime(2030, 6, 1, 10)
    assert written["rubric"] == ("character", settings().rubric_version)


@pytest.mark.parametrize(
    ("field", "written", "said"),
    [
        ("name", "  ", "Enter a name of at most 120 characters."),
        ("name", "N" * 121, "Enter a name of at most 120 characters."),
        ("raters_per_item", 0, "Enter a whole number from 1 to 50."),
        ("raters_per_item", None, "Enter a number."),
        ("seed", 2**31, "Enter a whole number from 0 to 2,147,483,647."),
        ("threshold", 49, "Enter a whole number from 50 to 100."),
        ("repeats", 11, "Choose none, or 5 to 10 %."),
        ("checks", -1, "Enter a whole number from 0 to 10."),
        ("attempts", 6, "Enter a whole number from 1 to 5."),
        ("minutes", 0, "Enter a number above 0, up to 120."),
    ],
)
def test_what_cannot_be_used_is_told_of_its_field(field, written, said):
    with pytest.raises(FieldFaults) as found:
        read_field(settings(), field, written)
    assert found.value.faults == {field: said}
