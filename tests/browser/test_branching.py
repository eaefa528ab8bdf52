"""Branches of a story, in Chromium: asked anew, edited, regenerated, played on by another model."""

import json
import re
from collections import Counter

from playwright.sync_api import expect

from characterbox.llm.endpoint import Endpoint
from tests.browser.house import ALL, BELIEFS, EVENTS, FIRST, House
from tests.fakes.mock_server import key_of

EDITED = "select path from reply where story_id = ? and author = 'edit'"


def test_a_branch_takes_over_what_it_says_and_asks_only_the_rest(house: House) -> None:
    parent = house.played()
    at = house.paths(parent).index("r1/bob/action") + 1
    house.use(parent, at, "Branch from here")
    dialog = house.page.get_by_role("dialog")
    expect(dialog.get_by_text(f"{FIRST} of {ALL} replies are reused; the rest are regenerated.")).to_be_visible()
    before = [key_of(body["messages"]) for body in house.server.seen]
    house.started(parent)
    after = Counter(key_of(body["messages"]) for body in house.server.seen[len(before) :])
    assert after == Counter(before[FIRST:])
    house.page.get_by_role("link", name=f"A watch goes missing, step {at}").click()
    expect(house.page.get_by_role("heading", name="Branches")).to_be_visible()
    expect(house.page.get_by_role("slider", name="Timeline")).to_have_value(str(at))


def test_a_story_that_rests_is_edited_on_the_stage_and_compared_from_the_first_difference(house: House) -> None:
    story, page = house.story(), house.page
    house.open(story.id)
    expect(page.get_by_role("button", name="Branch from here")).to_be_disabled()
    for calls in (BELIEFS, FIRST):
        house.step("One turn")
        house.wait(lambda calls=calls: house.status(story.id) == "paused" and len(house.server.seen) == calls)
    at = house.paths(story.id).index("r1/ann/result") + 1
    house.use(story.id, at, "Edit", "")
    page.get_by_role("dialog").get_by_label("What comes of it").fill("The lamp goes out.")
    id = house.started(story.id)
    page.get_by_role("link", name="Compare the two").click()
    place = re.compile(rf"/playback\?compare={story.id}%2C{id}$")
    expect(page).to_have_url(place)
    heads = page.locator(".comparison .heads h3")
    for _ in range(2):
        expect(heads).to_have_text(["Original story · paused", f"Edited at step {at}"])
        expect(page.locator(".equal summary")).to_have_text(f"{at - 1} identical steps")
        expect(page.locator(".comparison > .row .step").first).to_have_class(re.compile("interaction_result"))
        expect(page.get_by_text("The lamp goes out.")).to_be_visible()
        expect(page.locator(".equal .step").first).to_be_hidden()
        page.reload()
    page.locator(".equal summary").click()
    expect(page.locator(".equal .step:visible")).to_have_count(at - 1)
    page.go_back()
    expect(page.locator(".player.stage")).to_be_visible()
    expect(page).to_have_url(re.compile(rf"/\?story={id}$"))


def test_an_edited_reply_takes_the_place_of_the_old_one(house: House) -> None:
    parent = house.played()
    at = house.paths(parent).index("r1/ann/result") + 1
    house.use(parent, at, "Edit")
    dialog = house.page.get_by_role("dialog")
    field = dialog.get_by_label("What comes of it")
    expect(field).to_have_value(re.compile("^mark-"))
    expect(dialog.get_by_text(f"At least {BELIEFS + 3} of {ALL} replies are reused")).to_be_visible()  # as below
    field.fill("")
    dialog.get_by_role("button", name="Start new story").click()
    expect(dialog.get_by_role("alert").filter(has_text=re.compile("."))).to_be_visible()
    field.fill("The lamp goes out.")
    expect(dialog.get_by_text(f"{BELIEFS + 3} of {ALL} replies are reused")).to_be_visible()
    id = house.started(parent)
    asked = house.stored("select path, author, text from reply where story_id = ? and origin is null", id)
    edited = [(path, author) for path, author, text in asked if "The lamp goes out." in text]
    assert edited == [("r1/ann/result", "edit")]
    assert len(house.server.seen) == ALL + len(asked) - 1
    (taken,) = house.stored("select count(*) from reply where story_id = ? and origin = ?", id, parent)
    assert taken[0] + len(asked) == ALL
    expect(house.page.locator(".interaction_result").first).to_contain_text("The lamp goes out.")


def test_the_words_alone_are_edited_in_the_one_reply_that_tells_them(house: House) -> None:
    parent = house.played()
    at = house.paths(parent).index("r1/ann/dialogue") + 1
    house.use(parent, at, "Edit")
    dialog = house.page.get_by_role("dialog")
    action = dialog.get_by_label("What Ann does next")
    expect(action).to_have_value(re.compile("^mark-"))
    told = action.input_value()
    expect(dialog.get_by_label("What Ann says with it")).to_have_value(told)
    expect(dialog.get_by_role("radio", name="everybody")).to_be_checked()
    dialog.get_by_label("What Ann says with it").fill("Only you know.")
    dialog.get_by_role("radio", name="Bob").check()
    dialog.get_by_text("More", exact=True).click()
    dialog.get_by_label("Said so low that nobody else hears it").check()
    expect(dialog.get_by_text(f"{BELIEFS} of {ALL} replies are reused")).to_be_visible()
    id = house.started(parent)
    events = {path: json.loads(content) for path, content in house.stored(EVENTS, id)}
    assert events["r1/ann/action"]["text"] == told
    words = events["r1/ann/dialogue"]
    assert (words["text"], words["to"], words["whispered"]) == ("Only you know.", "Bob", True)
    assert house.stored(EDITED, id) == [("r1/ann/action",)]


def test_one_of_the_updates_of_a_turn_is_edited_and_the_others_stay(house: House) -> None:
    parent = house.played()
    before = {path: json.loads(content) for path, content in house.stored(EVENTS, parent)}
    at = house.paths(parent).index("r1/ann/update/bob") + 1
    house.use(parent, at, "Edit")
    dialog = house.page.get_by_role("dialog")
    bob = dialog.get_by_role("group", name="Bob")
    expect(bob.get_by_label("How Bob is now", exact=True)).to_have_value("calm")
    bob.get_by_label("How Bob is now", exact=True).fill("furious")
    bob.get_by_label("What others see of how Bob is").fill("A red face.")
    id = house.started(parent)
    events = {path: json.loads(content) for path, content in house.stored(EVENTS, id)}
    changed = events["r1/ann/update/bob"]
    assert (changed["state"], changed["visible"]) == ("furious", "A red face.")
    assert changed["position"] == before["r1/ann/update/bob"]["position"]
    for path in ("r1/ann/update/ann", "r1/ann/environment"):
        assert events[path] == before[path]
    assert house.stored(EDITED, id) == [("r1/ann/updates",)]


def test_a_regenerated_reply_is_asked_once_and_only_it_while_it_says_the_same(house: House) -> None:
    parent = house.played()
    at = house.paths(parent).index("r1/ann/dialogue") + 1
    house.use(parent, at, "Regenerate")
    house.started(parent)
    assert house.server.tasks()["action"] == 3
    assert len(house.server.seen) == ALL + 1


def choose_model(house: House, name: str, model: str) -> None:
    """Have a model of the story's server take what the field of this name in the dialog is for."""
    box = house.page.get_by_role("dialog").get_by_role("combobox", name=name)
    box.click()
    box.fill(f"{house.server.url}#{model}")
    house.page.keyboard.press("Enter")


def test_another_model_for_one_character_asks_only_its_calls(house: House) -> None:
    parent = house.played()
    at = house.paths(parent).index("r1/bob/action") + 1
    house.use(parent, at, "Change model from here")
    dialog = house.page.get_by_role("dialog")
    expect(dialog.get_by_text(f"All {ALL} replies are reused.")).to_be_visible()
    choose_model(house, "Bob", "other")
    expect(dialog.get_by_text(f"At least {FIRST} of {ALL} replies are reused")).to_be_visible()
    house.started(parent)
    new = house.server.seen[ALL:]
    assert {body["model"] for body in new} == {"other"}
    assert len(new) == 3  # what Bob does and says, and his two beliefs


def test_a_new_story_recalls_by_an_embedding_model_that_is_chosen_for_it(house: House) -> None:
    parent = house.played()
    at = house.paths(parent).index("r1/bob/action") + 1
    house.use(parent, at, "Change model from here")
    recall = house.page.get_by_role("dialog").get_by_role("combobox", name="Recall")
    expect(recall).to_have_value("by wording (built in)")
    choose_model(house, "Recall", "e")
    expect(recall).to_have_value(f"{house.server.url}#e")
    id = house.started(parent)
    ((casting,),) = house.stored("select casting from story where id = ?", id)
    assert Endpoint.model_validate(json.loads(casting)["memory"]) == Endpoint(url=house.server.url, model="e")
