"""The first screen of the oversight: how far each expert is, until when, and on what they disagree most."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from annotations.errors import Undefined
from characterbox.campaigns.oversight import Overseer
from characterbox.campaigns.pace import ends
from characterbox.store.campaigns import marks
from pages.oversight import links
from pages.oversight import overview as overview_module
from pages.oversight.overview import Viewer, disputed, overview
from tests.fakes.campaigns import rate, running
from tests.fakes.scenes import a_scene

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
HERE = ZoneInfo("Europe/Berlin")


def text_of(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


async def looked_at(store, monkeypatch, scores, **changes):
    """What is seen of a campaign in which Dee and Fay gave these scores to the first item, and Eve none."""
    monkeypatch.setattr(marks, "now", lambda: NOW - timedelta(days=1))
    for module in (links, overview_module):
        monkeypatch.setattr(module, "kept", dict)
    campaign, _, given = running(store, a_scene("Ann", "Bob"), "<b>Dee", "Eve", "Fay", **changes)
    for name, score in scores.items():
        await rate(store, given[name][0], score, *[3] * 6)
    known = Overseer(store).of(campaign)
    names = {given[name][0].rater: name for name in given}
    titles = {cell.item: "<i>Ann" for cell in disputed(known)}
    days = {names[rater]: day for rater, day in ends(known.board, NOW, HERE).items()}
    return overview(known, campaign, Viewer(NOW, HERE, names), titles), days


async def test_each_expert_has_a_bar_and_a_day_by_which_all_will_be_done(store, monkeypatch):
    deadline = NOW + timedelta(days=1)
    shown, days = await looked_at(store, monkeypatch, {"<b>Dee": 1, "Fay": 5}, deadline=deadline)
    assert days["Fay"].isoformat() == "2026-03-10", "one item in a day, and one is left"
    assert isinstance(days["Eve"], Undefined)
    told = text_of(shown)
    assert "2 of 6 ratings are done" in told
    assert "0 of 2 items have all their ratings; 1 has none yet" in told
    assert "&lt;b&gt;Dee 1 of 2 done by 10 Mar 2026 at this pace" in told
    assert "Eve 0 of 2 not started" in told
    assert "after the deadline" not in told
    assert "<b>Dee" not in shown.replace("<b>&lt;", "")
    assert shown.index("Eve") < shown.index("Fay"), "who has most left comes first"


@pytest.mark.parametrize("deadline", [NOW - timedelta(hours=1), datetime(2026, 3, 10, tzinfo=HERE)])
async def test_who_will_not_be_done_in_time_is_late_here_as_in_the_reminders(store, monkeypatch, deadline):
    shown, _ = await looked_at(store, monkeypatch, {"<b>Dee": 1, "Fay": 5}, deadline=deadline)
    assert text_of(shown).count("done by 10 Mar 2026 at this pace, after the deadline") == 2


async def test_the_greatest_disagreement_is_the_title_and_leads_to_its_item(store, monkeypatch):
    shown, _ = await looked_at(store, monkeypatch, {"<b>Dee": 1, "Fay": 5})
    told = text_of(shown)
    assert "Largest disagreement: Knowledge Accuracy of &lt;i&gt;Ann, 1 to 5" in told
    assert 'aria-label="&lt;b&gt;Dee 1, Fay 5"' in shown
    assert re.search(r'href="\?campaign=[^"]*metric=KA"', shown)
    assert "&lt;i&gt;Ann" in shown
    assert shown.count('class="ov-strip"') == 5


async def test_where_all_agree_and_where_nobody_has_rated_it_says_so(store, monkeypatch):
    shown, _ = await looked_at(store, monkeypatch, {"<b>Dee": 3, "Fay": 3})
    assert "Experts agree wherever two or more of them scored" in text_of(shown)


async def test_before_the_first_rating_it_says_what_will_stand_there(store, monkeypatch):
    shown, _ = await looked_at(store, monkeypatch, {})
    assert "once two experts have scored the same item" in text_of(shown)
