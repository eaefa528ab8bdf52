"""What is known of each rater, worked out by hand, and another attempt of the practice set."""

import pytest

from annotations.errors import Undefined
from annotations.marking.marks import Guess, Score, Submit, Time
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import LOCAL
from characterbox.campaigns.assignments import check_assignment, check_items, practice_assignments, practice_items
from characterbox.campaigns.oversight import Overseer, allow_attempt, repeats_by_rater
from characterbox.errors import CampaignError
from characterbox.store.campaigns.campaign import new_assignment
from tests.fakes.campaigns import mark, rate, running
from tests.fakes.in_english import in_english
from tests.fakes.scenes import a_scene

RUBRIC = load_rubric()


@pytest.fixture
def scene():
    return a_scene("Ann", "Bob", "Cleo")


def standings(store, campaign):
    return {one.line.rater: one for one in Overseer(store).of(campaign).standings}


async def test_severity_and_agreement(store, scene):
    campaign, _, assigned = running(store, scene, "Dee", "Eve", "Fay")
    for dee, eve in zip(assigned["Dee"], assigned["Eve"], strict=True):
        await rate(store, dee, 1, 2, 3, 1, 2, 3, 2)
        await rate(store, eve, 3, 4, 5, 3, 4, 5, 3)
    known = standings(store, campaign)
    dee = known[assigned["Dee"][0].rater].figures
    assert dee.severity.estimate == pytest.approx(-(6 * 2 + 1) / 7)
    assert (dee.severity.n, dee.severity.clusters) == (21, 1)
    too_few = "an interval needs at least 5 scenes; there are 1"
    assert in_english(dee.severity.interval) == Undefined(too_few)
    assert (dee.match.exact, dee.match.within_one, dee.match.n) == (0, pytest.approx(1 / 7), 21)
    assert (dee.most_used.scores, dee.most_used.share) == ((2,), pytest.approx(3 / 7))
    assert in_english(known[assigned["Fay"][0].rater].figures) == Undefined("this rater has not completed any item yet")


async def test_repeats_and_checks(store, scene):
    campaign, _, assigned = running(store, scene, "Dee", "Eve")
    first = assigned["Dee"][0]
    again = new_assignment(campaign.id, first.rater, first.item, place=8, take=1)
    checks = [check_assignment(campaign.id, first.rater, one.key, 9) for one in check_items(RUBRIC, ["en"])[:2]]
    store.campaigns.add([again, *checks], LOCAL)
    before = standings(store, campaign)[first.rater]
    assert in_english(before.checks) == Undefined("this rater has not completed any attention check yet")
    assert "7 repeated scores" in in_english(before.repeats.reason)
    await rate(store, first, 1, 2, 3, 4, 5, 1, 1)
    await rate(store, again, 1, 2, 3, 4, 4, 3, 1)
    for one, passes in zip(checks, (True, False), strict=True):
        gold = {each.metric: each.score for each in check_items(RUBRIC, ["en"])[checks.index(one)].gold}
        wrong = {key: 6 - gold.get(key, 3) for key in RUBRIC.keys}
        await rate(store, one, *((gold.get(key, 3) if passes else wrong[key]) for key in RUBRIC.keys))
    dee, eve = (standings(store, campaign)[assigned[name][0].rater] for name in ("Dee", "Eve"))
    assert (dee.checks.passed, dee.checks.n) == (1, 2)
    assert dee.repeats.overall.exact == pytest.approx(5 / 7)
    assert (dee.repeats.overall.within_one, dee.repeats.overall.n) == (pytest.approx(6 / 7), 7)
    assert in_english(eve.checks) == Undefined("this rater has no attention checks")
    assert in_english(eve.repeats) == Undefined("this rater has no hidden repeats")
    assert repeats_by_rater(store, RUBRIC.name) == {"Dee": dee.repeats}
    assert repeats_by_rater(store, "scene") == {}


async def test_guesses_of_the_model(store, scene):
    campaign, _, assigned = running(store, scene, "Dee", asks_model=True)
    seen = Overseer(store).of(campaign)
    assert "at least two models" in in_english(seen.blinded.blinding.reason)  # the fake has one
    items = [one.model_copy(update={"model": model}) for one, model in zip(seen.items.values(), "mmn", strict=True)]
    other = store.campaigns.create(campaign.settings, LOCAL)
    store.campaigns.draft(other.id, campaign.settings, items, store.campaigns.raters(campaign.id), LOCAL)
    dee = assigned["Dee"][0].rater
    given = [new_assignment(other.id, dee, item.item, place=place) for place, item in enumerate(items, 1)]
    store.campaigns.start(other.id, given, LOCAL)
    for assignment, guess in zip(given, ("m", None, "GPT-4"), strict=True):
        await rate(store, assignment, 1, 1, 1, 1, 1, 1, 1)
        await mark(store, assignment, Guess(model=guess))
    blinded = Overseer(store).of(store.campaigns.campaign(other.id)).blinded
    assert (blinded.unasked, blinded.strange) == (0, 1), "what is no model of the campaign is left out"
    assert (blinded.blinding.n, blinded.blinding.cannot_tell, blinded.blinding.raters) == (2, 1, 1)
    assert {one.model: (one.right, one.wrong, one.cannot_tell) for one in blinded.blinding.by_model} == {
        "m": (1, 0, 1), "n": (0, 0, 0)
    }  # fmt: skip
    assert blinded.blinding.right.estimate == 1


async def practised(store, scene, score):
    """A campaign in which Dee has gone through the practice set, giving this score throughout."""
    campaign, _, assigned = running(store, scene, "Dee", practice=True, attempts=1)
    dee = assigned["Dee"][0].rater
    attempt = practice_assignments(campaign.id, dee, practice_items(RUBRIC, ["en"]), 1)
    store.campaigns.add(attempt, LOCAL)
    for one in attempt:
        for metric in RUBRIC.keys:
            await mark(store, one, Score(metric=metric, score=score))
        await mark(store, one, Time(reading=1000, idle=0))
        await mark(store, one, Submit())
    return campaign, dee, len(attempt)


async def test_who_has_failed_may_be_allowed_another_attempt(store, scene):
    campaign, dee, items = await practised(store, scene, 3)
    line = Overseer(store).of(campaign).board.raters[0]
    assert (line.training.state, line.training.attempt) == ("failed", 1)
    assert line.count.total == 3, "practice is no work"
    assert line.reading == 0
    allow_attempt(store, campaign, dee, LOCAL)
    training = Overseer(store).of(campaign).board.raters[0].training
    assert (training.state, training.attempt, training.attempts) == ("open", 2, 1)
    assigned = store.campaigns.assignments(campaign=campaign.id, rater=dee)
    assert sum(one.purpose == "practice" and one.take == 2 for one in assigned) == items
    assert store.audit.read(1)[0].action == "campaign.assign"
    with pytest.raises(CampaignError, match="has not failed"):
        allow_attempt(store, campaign, dee, LOCAL)


async def test_another_attempt_is_for_campaigns_that_run(store, scene):
    campaign, dee, _ = await practised(store, scene, 3)
    store.campaigns.move(campaign.id, "paused", LOCAL)
    with pytest.raises(CampaignError, match="it is paused"):
        allow_attempt(store, store.campaigns.campaign(campaign.id), dee, LOCAL)
    with pytest.raises(CampaignError, match="has not failed"):
        allow_attempt(store, campaign, "ffffffffffff", LOCAL)
