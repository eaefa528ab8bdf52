"""Campaigns in words and tables: names in place of ids, ranges and hours, and all text as data."""

from datetime import UTC, datetime

from annotations.blinding.identity_leaks import identity_leaks
from annotations.design.balance import Range
from annotations.design.plan import plan_campaign
from annotations.design.settings import Candidate, Design, Rater
from annotations.i18n.translation import say, speaking
from characterbox.accounts.account import LOCAL
from characterbox.campaigns.blinding_scan import Finding
from characterbox.campaigns.plan import Draft
from characterbox.store.campaigns.campaign import Campaign, CampaignItem
from characterbox.store.tables.ratings import Item
from pages.campaigns.plan import expert_table, figures, model_table, pair_table
from pages.campaigns.text import deadline, found_words, hours, maker, name_betrays, spread, table
from tests.fakes.campaigns import settings

ANN, BOB = "a" * 12, "b" * 12
NAMES = {ANN: "Ann <i>", BOB: "Bob"}


def a_plan(before=(), raters_per_item=2):
    items = [Candidate(f"i{n}", f"scene {n % 3}", "Ann", f"model <b>{n % 2}", "en") for n in range(6)]
    raters = [Rater(ANN, frozenset({"en"})), Rater(BOB, frozenset({"en", "zh"}))]
    return plan_campaign(items, raters, Design(raters_per_item, 1), before)


def test_numbers_ranges_hours_and_deadlines_read_well():
    assert [spread(Range(3, 3)), spread(Range(3, 1200))] == ["3", "3–1,200"]
    assert [hours(1.01, 1.04), hours(0.5, 12)] == ["1.0 h", "0.5–12.0 h"]
    assert deadline(None) == "no deadline"
    assert deadline(datetime(2030, 6, 1, 9, 5, tzinfo=UTC)) == "until 01 Jun 2030, 09:05 UTC"


def test_whoever_made_a_campaign_where_nobody_signs_in_is_said_in_the_readers_language():
    mine = Campaign(id="c", settings=settings(), status="draft", created_by=LOCAL.name, created_at=datetime.now(UTC))
    assert maker(mine) == "whoever sits at this computer"
    assert maker(mine.model_copy(update={"created_by": "Ann"})) == "Ann"
    with speaking("zh"):
        assert maker(mine) == say(LOCAL.name)


def test_a_name_that_tells_a_model_is_told():
    item = CampaignItem(
        identity=Item(kind="character", owner="i"),
        story_id="s",
        character="Ann",
        scene="s",
        model="Zephyr-9B",
        language="en",
    )
    assert name_betrays(Draft(settings(name="Pilot"), [item], [])) is None
    told = name_betrays(Draft(settings(name="Zephyr-9B against the rest"), [item], []))
    assert told == "The name tells of a model (Zephyr-9B), and the experts read it."


def test_the_plan_in_figures():
    balance = a_plan().balance
    assert figures(balance, 10) == {
        "Items": "6",
        "Ratings": "12",
        "Raters per item": "2",
        "Items per expert": "6",
        "Hours per expert": "1.0 h",
        "Total hours": "2.0 h",
        "Items shared by two experts": "6",
        "All experts linked by shared items": "yes",
    }


def test_an_extension_tells_what_is_new():
    first = a_plan(raters_per_item=1)
    balance = a_plan(before=first.assignments).balance
    shown = figures(balance, 10)
    assert (shown["Ratings"], shown["New ratings"], shown["Total hours, new items only"]) == ("12", "6", "1.0 h")
    assert '<th scope="col">New</th>' in expert_table(balance, NAMES, 10)
    assert '<th scope="col">New</th>' not in expert_table(a_plan().balance, NAMES, 10)


def test_figures_that_there_are_not_have_a_reason():
    raters = [Rater(ANN, frozenset({"en"})), Rater(BOB, frozenset({"zh"}))]
    balance = plan_campaign([Candidate("i", "s", "Ann", "m", "en")], raters, Design(1, 1)).balance
    assert figures(balance, 10)["Items shared by two experts"] == "no two experts read the same language"
    reason = "no item is in a language this expert reads"
    assert f'<td><span role="img" aria-label="{reason}" title="{reason}">–</span></td>' in expert_table(
        balance, NAMES, 10
    )


def test_names_of_people_and_models_are_data_in_tables():
    balance = a_plan().balance
    for shown in (model_table(balance), expert_table(balance, NAMES, 10), pair_table(balance, NAMES)):
        assert "<b>" not in shown
        assert "<i>" not in shown
    assert '<th scope="row">model &lt;b&gt;0</th><td>3</td><td>6</td><td>3</td>' in model_table(balance)
    assert '<th scope="row">Ann &lt;i&gt; and Bob</th><td>6</td>' in pair_table(balance, NAMES)
    assert "<td>1,200</td>" in table(("a", "b"), [("x", 1200)])


def test_the_words_that_give_a_model_away_are_marked_and_nothing_in_the_text_is_markup():
    text = "<script>x</script> I am ChatGPT & <b>proud</b>."
    [place] = identity_leaks(text)
    finding = Finding(3, text[: place.start], place.words, text[place.end :], place.why)
    shown = found_words(finding)
    assert f"<mark>{place.words}</mark>" in shown
    assert "&lt;script&gt;x&lt;/script&gt;" in shown
    assert "&amp; &lt;b&gt;proud" in shown
    assert "step 3" in shown
    assert "scene:" in found_words(Finding(0, "", "I am an AI", "", place.why))
