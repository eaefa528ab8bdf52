"""A campaign in the browser, from its draft to a copy of it; and rubrics that are added, or refused."""

import re
import sqlite3

from playwright.sync_api import Browser, Page, expect

from pages.campaigns.rubrics import TEMPLATE
from tests.browser.app import App, rests
from tests.browser.fields import press, write

TELLING = "As an AI language model made by OpenAI, I <b>can't</b> do that."


def part(page: Page, name: str) -> None:
    rests(page)
    page.get_by_role("radio", name=re.compile(rf"^{name}( |$)")).click()
    expect(page).to_have_url(re.compile(f"={name.lower()}$"))
    rests(page)


def sees(page: Page, text: str | re.Pattern[str]) -> None:
    expect(page.get_by_test_id("stMain").get_by_text(text).first).to_be_visible()


def figure(page: Page, name: str, value: str) -> None:
    """That the plan has this figure."""
    shown = page.locator("dl.cb-facts dt", has_text=re.compile(f"^{name}$")).locator("xpath=following-sibling::dd[1]")
    expect(shown).to_have_text(value)
    expect(page.locator("dl.cb-facts").first).to_have_css("display", "grid")


def rows(app: App, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(app.db) as database:
        return database.execute(query).fetchall()


def give_away(app: App) -> None:
    """Have a model say what it is in the first action of the first story."""
    with sqlite3.connect(app.db) as database:
        database.execute(
            "update event set content = json_set(content, '$.text', ?) where rowid = (select event.rowid from event"
            " join story on story.id = story_id where kind = 'action' order by created_at, seq limit 1)",
            (TELLING,),
        )


def drafted(page: Page, app: App, *experts: str) -> None:
    """A draft with all stories and these experts, without practice; then its settings are shown."""
    page.goto(f"{app.url}/campaigns")
    press(page, "New campaign")
    expect(page).to_have_url(re.compile("campaign="))
    rests(page)
    page.get_by_text("Experts must pass the practice set first").click()
    expect(page.get_by_label("Attempts")).to_have_count(0)
    part(page, "Stories")
    press(page, "Select all 2 found")
    sees(page, "Selected: 2 stories")
    part(page, "Experts")
    for name in experts:
        write(page, "Expert name", name)
        press(page, "Add expert")
        sees(page, name)
    part(page, "Settings")


def start(page: Page) -> None:
    part(page, "Plan")
    press(page, "Start campaign")
    press(page, "Start")
    sees(page, re.compile("^Running"))


def test_a_draft_outlives_a_reload_and_says_what_it_fails_for(played_app: App, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{played_app.url}/campaigns")
        sees(page, "There are no campaigns yet.")
        drafted(page, played_app, "Ann <b>Lee</b>", "蔡")
        sees(page, re.compile("^Each item needs 3 raters, but only 2 of the raters read"))
        write(page, "Name", "Is *Zephyr-9B* good?")
        sees(page, "The name reveals a model (Zephyr-9B), and experts see this name.")
        write(page, "Raters per item", "0")
        sees(page, "Enter a whole number from 1 to 50. Not saved yet.")
        write(page, "Raters per item", "2")
        items = len(rows(played_app, "select * from campaign_item"))
        figure(page, "Items per expert", str(items))
        page.reload()
        expect(page.get_by_label("Name", exact=True)).to_have_value("Is *Zephyr-9B* good?")
        expect(page.get_by_label("Raters per item")).to_have_value("2")
        expect(page.get_by_role("radio", name=f"Stories ({items})")).to_be_visible()
        figure(page, "Ratings", str(2 * items))

        part(page, "Stories")
        write(page, "Search", "holmes")
        sees(page, "1 of 2 stories found.")
        press(page, "Deselect all 1 found")
        sees(page, "Selected: 1 story")
        rests(page)
        page.get_by_role("checkbox").locator("xpath=ancestor::label").click()
        sees(page, "Selected: 2 stories")
        page.reload()
        sees(page, "Selected: 2 stories")

        part(page, "Experts")
        english = page.get_by_role("button", name="English")
        english.first.click()
        sees(page, re.compile("^Each item needs 2 raters, but only 1 of the raters"))
        press(page, "Select all, in the languages of the items")
        figure(page, "Items per expert", str(items))
        part(page, "Plan")
        sees(page, re.compile(r"items have not been scanned for model names"))
        row = page.get_by_role("row").filter(has_text="Zephyr-9B")
        expect(row).to_contain_text("Zephyr-9B")
        expect(page.get_by_role("row").filter(has_text="Ann <b>Lee</b> and 蔡")).to_have_count(1)
        expect(page.get_by_role("button", name="Start campaign")).to_be_enabled()


def test_a_name_that_is_refused_stays_in_its_field_to_be_mended(played_app: App, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        drafted(page, played_app)
        part(page, "Experts")
        name = page.get_by_label("Expert name", exact=True)
        for _ in range(2):
            write(page, "Expert name", "Ann\u202eLee")
            press(page, "Add expert")
            sees(page, re.compile("control character"))
            rests(page)
            expect(name).to_have_value("Ann\u202eLee")
        write(page, "Expert name", "Ann Lee")
        press(page, "Add expert")
        expect(page.get_by_role("radio", name="Experts (1)")).to_be_visible()
        expect(name).to_have_value("")


def test_what_gives_a_model_away_is_shown_and_left_out(played_app: App, browser: Browser) -> None:
    give_away(played_app)
    with browser.new_context() as context:
        page = context.new_page()
        drafted(page, played_app, "Ann")
        items = len(rows(played_app, "select * from campaign_item"))
        part(page, "Blinding")
        press(page, f"Scan {items} items")
        sees(page, re.compile(rf"^{items} items scanned, \d to review\.$"))
        place = page.locator(".cb-found").first
        expect(place).to_contain_text("I <b>can't</b> do that.")
        expect(place.locator("mark")).to_contain_text("AI language model")
        expect(place.locator("b")).to_have_count(0)
        page.get_by_role("button", name="Exclude", exact=True).first.click()
        expect(page.get_by_role("button", name="Include again")).to_have_count(1)
        assert len(rows(played_app, "select * from campaign_item")) == items - 1
        press(page, "Include again")
        expect(page.get_by_role("button", name="Include again")).to_have_count(0)
        rests(page)
        page.get_by_role("button", name=re.compile("^Exclude all")).click()
        expect(page.locator(".cb-found")).to_have_count(0)
        sees(page, "Nothing found that reveals a model.")
        page.reload()
        sees(page, "Nothing found that reveals a model.")
        expect(page.locator(".cb-found")).to_have_count(0)
        assert len(rows(played_app, "select * from campaign_item where model = 'Zephyr-9B'")) == 0


def test_a_campaign_is_started_paused_extended_closed_reopened_and_copied(played_app: App, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        drafted(page, played_app, "Ann", "Bea")
        write(page, "Raters per item", "1")
        start(page)
        items = len(rows(played_app, "select * from campaign_item"))
        first = rows(played_app, "select id, rater, item, place from assignment order by id")
        assert len(first) == items
        page.reload()
        sees(page, re.compile("^Running"))
        press(page, "Pause")
        sees(page, re.compile("^Paused"))
        press(page, "Continue")
        sees(page, re.compile("^Running"))

        press(page, "Extend")
        write(page, "Raters per item", "2")
        figure(page, "New ratings", str(items))
        part(page, "Experts")
        write(page, "Expert name", "Cai")
        press(page, "Add expert")
        expect(page.get_by_role("radio", name="Experts (3)")).to_be_visible()
        page.reload()
        expect(page.get_by_role("radio", name="Experts (3)")).to_be_visible()
        part(page, "Plan")
        figure(page, "Ratings", str(2 * items))
        assert len(rows(played_app, "select * from campaign_rater")) == 2, "nothing is done before it is said"
        press(page, "Extend campaign")
        press(page, "Extend")
        sees(page, re.compile("^Running"))
        after = rows(played_app, "select id, rater, item, place from assignment order by id")
        assert len(after) == 2 * items
        assert set(first) < set(after)
        assert len(rows(played_app, "select * from campaign_rater")) == 3

        press(page, "Close")
        press(page, "Cancel")
        expect(page.get_by_role("dialog")).to_have_count(0)
        press(page, "Close")
        press(page, "Close campaign")
        sees(page, re.compile("^Closed"))
        press(page, "Reopen")
        sees(page, re.compile("^Running"))
        press(page, "Copy")
        sees(page, re.compile("^Draft by"))
        expect(page.get_by_label("Name", exact=True)).to_have_value(re.compile(r" \(copy\)$"))
        expect(page.get_by_role("radio", name=f"Stories ({items})")).to_be_visible()
        press(page, "All campaigns")
        sees(page, f"0 of {2 * items} ratings done (0%)")
        sees(page, re.compile(rf"^draft · character [\d.]+ · {items} items · 3 experts · no deadline$"))
        acts = [
            row[0] for row in rows(played_app, "select action from audit where action like 'campaign.%' order by id")
        ]
        told = [act.removeprefix("campaign.") for act in acts if act != "campaign.draft"]
        assert told == ["create", "start", "move", "move", "extend", "move", "move", "create"]


def test_a_rubric_is_added_and_a_faulty_one_is_refused_with_its_lines(app: App, browser: Browser) -> None:
    good = TEMPLATE.read_text(encoding="utf-8").replace("Clarity", "Clarity <b>&</b> *wit*")
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{app.url}/campaigns")
        press(page, "Rubrics")
        for name in ("character", "narrator", "scene", "neeko"):
            sees(page, re.compile(rf"^{name} [\d.]+, bundled"))
        press(page, "Add rubric")
        with page.expect_download() as download:
            press(page, "Download template")
        assert download.value.path().read_bytes() == TEMPLATE.read_bytes()
        write(page, "Or paste it here", good.replace("low = 1", "low = 9").replace("subject", "<i>subject</i>", 1))
        press(page, "Add rubric")
        sees(page, re.compile("^The rubric was not added"))
        write(page, "Or paste it here", good.replace("low = 1", "low = 9"))
        press(page, "Add rubric")
        reason = page.locator(".cb-reason").filter(has_text="must be less than high (5)")
        expect(reason).to_be_visible()
        assert rows(app, "select * from rubric") == []

        write(page, "Or paste it here", good)
        press(page, "Add rubric")
        expect(page.get_by_role("heading", name="My rubric", exact=True)).to_be_visible()
        sees(page, "CL · Clarity <b>&</b> *wit* · 清晰度")
        page.reload()
        sees(page, "看不出角色想要什么。")
        press(page, "All rubrics")
        sees(page, re.compile(r"^my-rubric 1\.0, custom"))
        press(page, "Add rubric")
        write(page, "Or paste it here", good.replace("wit", "charm"))
        press(page, "Add rubric")
        sees(page, re.compile("use a new version number"))
        assert len(rows(app, "select * from rubric")) == 1


def test_ratings_from_elsewhere_are_imported_but_for_those_that_are_refused(app: App, browser: Browser) -> None:
    table = (
        "item,scene,model,metric,rater,kind,score\n"
        "1,s,<b>m</b>,KA,{0},expert,4\n2,s,<b>m</b>,KA,{0},expert,3\n"
        "3,s,m,KA,{0},expert,9\n4,s,m,KA,{0},expert,3.5\n5,s,m,KA,{0},expert,many\n6,s,m,KA,{0},robot,3\n"
    )
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{app.url}/campaigns?datasets=all")
        press(page, "Import ratings")
        rests(page)
        page.locator("input[type=file]").set_input_files(
            {"name": "<i>pilot</i>.csv", "mimeType": "text/csv", "buffer": table.encode()}
        )
        sees(page, "KA 2")
        sees(page, "4 rows cannot be imported.")
        for rule in ("kind .*1 row", "score .*1 row"):
            sees(page, re.compile(rf"^{rule}$"))
        with page.expect_download() as download:
            press(page, "Download rows that cannot be imported (CSV)")
        assert len(download.value.path().read_text(encoding="utf-8").splitlines()) == 5
        write(page, "Dataset name", "Pilot <b>1</b> {0}")
        press(page, "Import 2 ratings and skip 4 rows")
        sees(page, "Pilot <b>1</b> {0}")
        sees(page, re.compile("^2 ratings · rubric character"))
        assert rows(app, "select name, ratings from dataset") == [("Pilot <b>1</b> {0}", 2)]


def test_an_address_without_a_campaign_says_so(standing_app: App, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{standing_app.url}/campaigns?campaign=<b>gone</b>")
        sees(page, re.compile("campaign .* does not exist"))
        press(page, "All campaigns")
        expect(page.get_by_role("button", name="New campaign")).to_be_visible()
        page.goto(f"{standing_app.url}/campaigns?rubric=gone")
        sees(page, re.compile("there is no rubric 'gone'"))
        page.goto(f"{standing_app.url}/language?to=zh")
        page.goto(f"{standing_app.url}/campaigns?campaign=gone")
        sees(page, "评分项目 'gone' 不存在；“专家评测”页面列出了全部项目")
