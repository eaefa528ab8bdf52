"""Who is late, and what is written to them."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from annotations.marking.marks import Skip
from characterbox.accounts.account import LOCAL
from characterbox.campaigns.oversight import Overseer
from characterbox.campaigns.pace import Occasion, letter, nudges
from characterbox.store.campaigns import marks
from tests.fakes.campaigns import mark, running
from tests.fakes.scenes import a_scene

NOW = datetime(2026, 3, 10, 22, 30, tzinfo=UTC)
LINK = "https://rate.example.org/annotate?campaign=1"
SHANGHAI = Occasion(NOW, ZoneInfo("Asia/Shanghai"), LINK)


async def late_campaign(store, monkeypatch, **changes):
    """Dee was here three days ago, and has skipped one of two items; Eve never was; Fay is done."""
    campaign, _, assigned = running(store, a_scene("Ann", "Bob"), "Dee", "Eve", "Fay", **changes)
    monkeypatch.setattr(marks, "now", lambda: NOW - timedelta(days=3))
    for one in (assigned["Dee"][0], *assigned["Fay"]):
        await mark(store, one, Skip(reason="known"))
    return campaign, {assigned[name][0].rater: name for name in assigned}


def found(store, campaign):
    there = {account.id for account in store.accounts.all() if account.disabled_at is None}
    return nudges(Overseer(store).of(campaign).board, campaign, there, SHANGHAI)


async def test_who_is_late_and_why(store, monkeypatch):
    campaign, names = await late_campaign(store, monkeypatch)
    late = {names[nudge.line.rater]: nudge.late for nudge in found(store, campaign)}
    assert {name: (one.reasons, one.left) for name, one in late.items()} == {
        "Eve": (("not started",), 2), "Dee": (("away",), 1)
    }  # fmt: skip
    store.accounts.disable(LOCAL, next(id for id, name in names.items() if name == "Eve"))
    assert [names[nudge.line.rater] for nudge in found(store, campaign)] == ["Dee"], "who is gone is not written to"
    store.campaigns.move(campaign.id, "paused", LOCAL)
    assert found(store, store.campaigns.campaign(campaign.id)) == ()


@pytest.mark.parametrize(
    ("hours", "english", "chinese"),
    [
        (1, "The deadline is 2026-03-11 07:30 (Asia/Shanghai).", "截止时间为 2026-03-11 07:30 (Asia/Shanghai)。"),
        (-1, "The deadline was", "截止时间已过，为"),
    ],
)
async def test_a_letter_in_both_languages(store, monkeypatch, hours, english, chinese):
    deadline = NOW + timedelta(hours=hours)
    campaign, names = await late_campaign(store, monkeypatch, deadline=deadline, name="Pilot <b>“一”</b>")
    (nudge,) = (one for one in found(store, campaign) if names[one.line.rater] == "Dee")
    texts = {language: letter(nudge, "Dee", campaign, SHANGHAI, language) for language in ("en", "zh")}
    assert english in texts["en"]
    assert chinese in texts["zh"]
    for text in texts.values():
        assert "Dee" in text
        assert "Pilot <b>“一”</b>" in text
        assert LINK in text
        assert "2026-03-08" in text, "the day of the last mark, as it is called where the researcher is"
    assert "1 of your 2 items are finished, 1 are left" in texts["en"]
    assert "您的 2 项中已完成 1 项，还剩 1 项" in texts["zh"]


async def test_who_has_not_begun_is_told_so(store, monkeypatch):
    campaign, names = await late_campaign(store, monkeypatch)
    (nudge,) = (one for one in found(store, campaign) if names[one.line.rater] == "Eve")
    english, chinese = (letter(nudge, "Eve", campaign, SHANGHAI, language) for language in ("en", "zh"))
    assert "You have not begun yet: 2 items are waiting for you." in english
    assert "deadline" not in english
    assert "您尚未开始，共有 2 项待评。" in chinese
    assert "截止" not in chinese
