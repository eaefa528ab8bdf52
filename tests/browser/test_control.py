"""The pace of a story on the Stage, in Chromium: stepped, paused, continued, stopped; left, found again, deleted."""

import re

from playwright.sync_api import expect

from tests.browser.app import rests
from tests.browser.house import ALL, BELIEFS, FIRST, House
from tests.browser.menu import to_page


def test_a_story_goes_by_calls_turns_and_rounds_is_paused_and_stopped(house: House) -> None:
    story = house.story()
    house.open(story.id)
    expect(house.page.locator(".status")).to_contain_text("Paused")
    house.step("One turn")
    house.wait(lambda: house.status(story.id) == "paused" and len(house.server.seen) == BELIEFS)
    house.step("One call")
    house.wait(lambda: house.status(story.id) == "paused" and len(house.server.seen) == BELIEFS + 1)
    expect(house.page.locator(".step.action")).to_be_visible()
    expect(house.page.locator(".step.dialogue")).to_be_visible()
    house.step("One turn")
    house.wait(lambda: house.status(story.id) == "paused" and len(house.server.seen) == FIRST)
    assert {path.split("/")[1] for path in house.paths(story.id) if path.startswith("r1")} == {"ann"}
    house.server.answers = FIRST + 1
    expect(house.page.get_by_role("button", name="Continue")).to_be_visible()
    house.press("Continue")
    house.wait(lambda: len(house.server.seen) > FIRST + 1)
    house.press("Pause")
    expect(house.page.get_by_text("waiting for pending replies")).to_be_visible()
    house.server.answers = None
    house.wait(lambda: house.status(story.id) == "paused")
    seen = len(house.server.seen)
    assert FIRST < seen < ALL
    expect(house.page.get_by_role("button", name="Continue")).to_be_visible()
    house.page.reload()
    expect(house.page.get_by_role("button", name="Continue")).to_be_visible()
    assert len(house.server.seen) == seen
    house.press("Stop")
    house.press("Stop story")
    house.wait(lambda: house.status(story.id) == "stopped")
    expect(house.page.get_by_text("stopped permanently").first).to_be_visible()
    expect(house.page.get_by_role("button", name="Continue")).to_have_count(0)
    house.open(story.id, "playback", 1)
    expect(house.page.get_by_role("button", name="Branch from here")).to_be_enabled()


def test_one_round_at_a_time_and_what_others_do_is_seen(house: House) -> None:
    story = house.story()
    house.open(story.id)
    other = house.page.context.new_page()
    other.goto(house.page.url)
    expect(other.get_by_role("button", name="Continue")).to_be_visible()
    house.step("One round")
    house.wait(lambda: house.status(story.id) == "paused" and len(house.server.seen) == BELIEFS)
    house.step("One round")
    house.wait(lambda: len(house.server.seen) == ALL)
    expect(other.locator(".step.environment_belief").first).to_be_visible()


def test_a_story_whose_endpoint_is_down_says_so_and_goes_on_by_itself_when_it_is_back(house: House) -> None:
    story = house.story()
    house.server.always = "500"
    house.open(story.id)
    house.press("Continue")
    house.wait(lambda: house.status(story.id) == "waiting")
    page = house.page
    expect(page.get_by_text("The story continues automatically when the endpoint is available again.")).to_be_visible()
    expect(page.get_by_text("HTTP 500")).to_have_count(1)  # the player does not say again what stands above it
    expect(page.locator(".status")).to_have_text("Waiting for an endpoint")
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
    house.server.always = None
    house.wait(lambda: house.status(story.id) == "ended")
    expect(page.locator(".status")).to_contain_text("Ended")


def test_a_story_that_is_played_has_no_tools_and_nothing_moves_when_it_rests(house: House) -> None:
    story, page = house.story(), house.page
    house.open(story.id)
    tool, costs = page.get_by_role("button", name="Regenerate"), page.locator(".costs")
    parts = [page.locator(part) for part in (".script", ".timeline", ".range")]
    expect(tool).to_be_visible()
    rests(page)
    before = [part.bounding_box() for part in parts]
    house.server.answers = FIRST
    house.press("Continue")
    expect(costs).to_be_visible()
    expect(tool).to_have_count(0)
    expect(page.locator(".step.reaction")).to_be_visible()
    rests(page)
    assert [part.bounding_box() for part in parts] == before
    house.press("Pause")
    expect(page.get_by_text("waiting for pending replies")).to_be_visible()
    assert [part.bounding_box() for part in parts] == before
    house.server.answers = None
    expect(tool).to_be_visible()
    rests(page)
    assert [part.bounding_box() for part in parts] == before
    house.press("Stop")
    house.press("Stop story")
    expect(page.locator(".status")).to_contain_text("Stopped permanently")
    expect(page.get_by_text("acting now").locator("visible=true")).to_have_count(0)


def test_back_on_the_stage_the_story_that_is_open_is_seen_and_a_way_to_another_scene(house: House) -> None:
    story, page = house.story(), house.page
    start = page.get_by_role("button", name="Start story")
    page.goto(house.app.url)
    expect(start).to_be_visible()
    house.open(story.id)
    rests(page)
    for _ in range(2):
        to_page(page, "Watch", "Scenes")
        expect(page).to_have_url(re.compile("/scenes$"))
        rests(page)
        to_page(page, "Watch", "Stage")
        expect(page).to_have_url(f"{house.app.url}/?story={story.id}")
        expect(page.locator(".player.stage")).to_be_visible()
        rests(page)
    page.go_back()
    expect(page).to_have_url(re.compile("/scenes$"))
    page.go_forward()
    expect(page.locator(".player.stage")).to_be_visible()
    rests(page)
    page.get_by_role("button", name="Start another story").click()
    expect(start).to_be_visible()
    expect(page).to_have_url(f"{house.app.url}/?new=1")
    page.reload()
    expect(start).to_be_visible()
    page.go_back()
    expect(page).to_have_url(f"{house.app.url}/?story={story.id}")
    expect(page.locator(".player.stage")).to_be_visible()
    rests(page)
    house.press("Stop")
    house.press("Stop story")
    house.wait(lambda: house.status(story.id) == "stopped")
    expect(page.get_by_role("button", name="Continue")).to_have_count(0)
    to_page(page, "Watch", "Scenes")
    rests(page)
    to_page(page, "Watch", "Stage")
    expect(start).to_be_visible()


def test_who_watches_a_story_that_somebody_deletes_is_told_so(house: House) -> None:
    story = house.story()
    house.open(story.id)
    there = house.page.context.new_page()
    there.goto(f"{house.app.url}/?story={story.id}")
    rests(there)
    there.get_by_role("button", name="Name or delete").click()
    there.get_by_role("button", name="Delete story").click()
    expect(house.page.get_by_text("there is no story")).to_be_visible()
    expect(house.page.get_by_role("link", name="All stories")).to_be_visible()
    there.close()
