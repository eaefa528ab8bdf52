"""People who play a character or the narrator, in Chromium: what they are shown, and what they write."""

import json

from playwright.sync_api import Page, expect

from tests.browser.app import rests
from tests.browser.house import BELIEFS, EVENTS, FIRST, House
from tests.fakes.scenes import secret_of


def test_a_person_takes_over_answers_from_what_the_character_knows_and_gives_back(house: House) -> None:
    story = house.story()
    house.open(story.id)
    for calls in (BELIEFS, FIRST):
        house.step("One turn")
        house.wait(lambda calls=calls: house.status(story.id) == "paused" and len(house.server.seen) == calls)
    expect(house.page.locator(".environment_update")).to_be_visible()
    assert "state of Ann" in everything_on(house.page)
    expect(house.page.get_by_role("button", name="Continue")).to_be_visible()
    rests(house.page)
    house.press("Casting")
    house.page.get_by_role("button", name="Take over").last.click()
    expect(house.page.get_by_text("played by a person")).to_have_count(1)
    house.press("Continue")
    house.wait(lambda: house.status(story.id) == "cued")
    field = house.page.get_by_label("What Bob does next")
    expect(field).to_be_visible()
    knows_only_bob(house, story.id)
    for name in ("Branch from here", "Regenerate", "Edit", "Change model from here", "Compare", "Share"):
        expect(house.page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    assert house.page.get_by_role("link", name="Compare the two").count() == 0
    field.press_sequentially("Bob opens the ")
    expect(house.page.get_by_text("Draft kept")).to_be_visible()
    house.app.kill()
    house.app.start()
    house.open(story.id)
    expect(field).to_have_value("Bob opens the ")
    field.press_sequentially("drawer.")
    house.page.get_by_label("What Bob says with it").fill("Empty.")
    house.press("Play it")
    house.wait(lambda: "r1/bob/dialogue" in house.paths(story.id))
    [[content]] = house.stored(f"{EVENTS} and path = 'r1/bob/dialogue'".replace("path, ", ""), story.id)
    assert json.loads(content)["text"] == "Empty."
    query = "select author, text from reply where story_id = ? and path = 'r1/bob/action'"
    [[author, text]] = house.stored(query, story.id)
    assert (author, json.loads(text)["action"]) == ("human", "Bob opens the drawer.")
    house.wait(lambda: house.status(story.id) == "cued")
    rests(house.page)
    house.press("Casting")
    house.press("Hand back to model")
    house.wait(lambda: house.status(story.id) == "ended")
    expect(house.page.locator(".status")).to_contain_text("Ended")
    expect(house.page.get_by_text("1 written by people")).to_be_visible()
    bob = house.stored("select path from reply where story_id = ? and author = 'human'", story.id)
    assert bob == [("r1/bob/action",)]


def everything_on(page: Page) -> str:
    """All text and markup of the page, with what its components hold."""
    inside = "[...document.querySelectorAll('*')].map(node => node.shadowRoot?.textContent ?? '').join(' ')"
    return page.content() + str(page.evaluate(inside))


def knows_only_bob(house: House, story: str) -> None:
    """The page shows what Bob knows, and nothing that is Ann's own."""
    page = house.page
    expect(page.get_by_text(secret_of("Bob")).first).to_be_visible()
    query = "select content from event where story_id = ? and path = 'r1/ann/influence'"
    influence = json.loads(house.stored(query, story)[0][0])["text"]  # it was Bob whom Ann affected
    house.wait(lambda: influence in (now := everything_on(page)) and "state of Ann" not in now)  # the player follows
    whole = everything_on(page)
    assert secret_of("Ann") not in whole
    assert "state of Ann" not in whole
    assert "PLOT-MARK" not in whole


def test_what_is_being_written_is_not_lost_when_another_window_answers(house: House) -> None:
    story = house.story(people=("Ann",))
    house.open(story.id)
    house.press("Continue")
    here, there = house.page, house.page.context.new_page()
    believes(house)
    field = here.get_by_label("What Ann does next")
    expect(field).to_be_visible()
    there.goto(f"{house.app.url}/?story={story.id}")
    expect(there.get_by_label("What Ann does next")).to_be_visible()
    field.press_sequentially("Ann waits at the window")
    expect(here.get_by_text("Draft kept")).to_be_visible()
    there.get_by_label("What Ann does next").fill("Ann leaves.")
    there.get_by_role("button", name="Play it").click()
    expect(here.get_by_text("Your text was not sent")).to_be_visible()
    expect(here.get_by_test_id("stCode")).to_have_text("Ann waits at the window")
    reaction = here.get_by_label("How Ann reacts")  # to what Bob does, whose turn it is now
    expect(here.locator(".st-key-answer .cb-known li").first).to_contain_text("Bob")
    expect(reaction).to_have_value("")
    reaction.press_sequentially("Ann")
    expect(here.get_by_text("Draft kept")).to_be_visible()
    expect(here.get_by_test_id("stCode")).to_have_text("Ann waits at the window")
    here.get_by_role("button", name="Dismiss").click()
    expect(here.get_by_test_id("stCode")).to_have_count(0)
    there.close()


def believes(house: House) -> None:
    """Answer what a character believes before the first round."""
    for labels in (
        ("Who I am, where I am, and how I am doing", "What I want", "What I mean to do"),
        ("What I make of the others", "What the situation means to me", "What follows from this for how I act"),
    ):
        for label in labels:
            house.page.get_by_label(label).fill("So it is.")
        house.press("Play it")


def test_who_plays_the_narrator_fills_the_fields_of_its_forms(house: House) -> None:
    story = house.story(people=(None,))
    house.open(story.id)
    house.press("Continue")
    house.wait(lambda: house.status(story.id) == "cued")
    page = house.page
    expect(page.get_by_text(secret_of("Ann")).first).to_be_visible()
    page.get_by_role("radio", name="Bob").check()
    house.press("Play it")
    expect(page.get_by_role("alert").filter(has_text="Required")).to_be_visible()
    page.get_by_label("What it does to them").fill("Bob's lamp goes out.")
    house.press("Play it")
    expect(page.get_by_label("What comes of it")).to_be_visible()
    page.get_by_label("What comes of it").fill("It is dark.")
    page.get_by_label("What only Bob feels of it").fill("Cold fingers at the neck.")
    page.get_by_role("radio", name="4", exact=True).check()
    house.press("Play it")
    expect(page.get_by_label("Where Ann is now")).to_have_value("place of Ann")
    expect(page.get_by_label("Where Bob is now")).to_have_value("place of Bob")
    expect(page.get_by_label("What the place is like now")).to_have_value("An open safe.")
    expect(page.get_by_label("Bob neither sees nor hears Ann")).not_to_be_visible()
    page.get_by_text("Somebody came, left or hid").click()
    page.get_by_label("Bob neither sees nor hears Ann").check()
    page.get_by_label("Where Ann is now").fill("behind the curtain")
    house.press("Play it")
    house.wait(lambda: house.status(story.id) == "cued" and "r1/ann/environment" in house.paths(story.id))
    events = {path: json.loads(content) for path, content in house.stored(EVENTS, story.id)}
    assert (events["r1/ann/result"]["text"], events["r1/ann/result"]["felt"]) == (
        "It is dark.",
        "Cold fingers at the neck.",
    )
    assert events["r1/ann/update/ann"]["position"] == "behind the curtain"
    assert events["r1/ann/update/bob"]["position"] == "place of Bob"
    assert events["r1/ann/environment"]["hidden"] == [{"who": "Ann", "by": ["Bob"]}]
    assert not any(event.get("degraded") for event in events.values())
