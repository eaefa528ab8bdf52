"""What stands around the script: the whole cast in view, fields cut at the end of a line, hues that are seen."""

import re

import pytest
from playwright.sync_api import Browser, expect

from characterbox.components.player.html_file import story_page
from characterbox.scenes.library import bundled
from tests.components.opening import Opener, place
from tests.components.sample import ENGLISH_EVENTS, LIGHTHOUSE, TEAHOUSE, player_data

ALICE = next(scene for scene in bundled() if scene.id == "alice-tarts")
CONTRAST = """node => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const light = (color) => {
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) =>
            part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const paper = light(getComputedStyle(document.querySelector(".player")).backgroundColor);
    const ratio = (color) => (Math.max(light(color), paper) + 0.05) / (Math.min(light(color), paper) + 0.05);
    const name = node.querySelector(".name");
    return [ratio(getComputedStyle(node).borderInlineStartColor), ratio(getComputedStyle(name).color)];
}"""
"""How the rule beside a card, and the name on it, stand out from the paper (WCAG)."""

LINES = "all => all.map((one) => one.clientHeight / parseFloat(getComputedStyle(one).lineHeight))"
"""How many lines of each field are shown."""


def test_a_saved_page_begins_at_its_first_step(open_page: Opener) -> None:
    assert place(open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS), "")) == 1
    assert place(open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS), "?at=7")) == 7


def test_the_hues_of_a_cast_are_seen_on_dark_paper(browser: Browser) -> None:
    cast = tuple(LIGHTHOUSE.cast[0].model_copy(update={"name": f"Maud {number}"}) for number in range(7))
    page = browser.new_page(color_scheme="dark")
    page.set_content(story_page(player_data(LIGHTHOUSE.model_copy(update={"cast": cast}), [])))
    cards = page.locator(".cast .card")
    expect(cards).to_have_count(7)
    for number in range(7):
        rule, name = cards.nth(number).evaluate(CONTRAST)
        assert rule >= 3
        assert name >= 4.5
    page.close()


def test_a_cast_of_four_is_in_view(open_page: Opener) -> None:
    models = player_data(ALICE, [])["story"] | {"models": dict.fromkeys(ALICE.names, "m")}
    page = open_page(player_data(ALICE, [], story=models), height=760)
    column = page.locator(".cast").bounding_box()
    last = page.locator(".cast .card").last.bounding_box()
    assert column is not None
    assert last is not None
    assert last["y"] + last["height"] <= column["y"] + column["height"]
    expect(page.get_by_text("Characters: m", exact=True)).to_have_count(1)
    looks = page.locator(".cast .card").first.locator("details")
    expect(looks.locator(".words").first).to_be_hidden()
    looks.locator("summary").click()
    expect(looks.locator(".words").first).to_be_visible()


@pytest.mark.parametrize("height", [600, 760, 900])
def test_the_environment_is_cut_at_the_end_of_a_line_and_shown_whole_to_who_asks(
    open_page: Opener, height: int
) -> None:
    page = open_page(player_data(ALICE, []), height=height)
    card = page.locator(".environment")
    fields = card.locator("dd")
    lines = fields.evaluate_all(
        "all => all.map((one) => one.clientHeight / parseFloat(getComputedStyle(one).lineHeight))"
    )
    assert all(abs(one - round(one)) < 0.1 for one in lines)
    script = page.locator(".script").bounding_box()
    page.get_by_role("button", name="more").click()
    assert fields.last.evaluate("one => one.scrollHeight <= one.clientHeight + 1")
    assert page.locator(".script").bounding_box() == script
    page.get_by_role("button", name="less").click()
    expect(page.get_by_role("button", name="more")).to_have_attribute("aria-expanded", "false")


def test_what_is_short_has_nothing_more(open_page: Opener) -> None:
    short = TEAHOUSE.environment.model_copy(update={"description": "雨声。", "time": "夜里", "location": "茶馆"})
    page = open_page(player_data(TEAHOUSE.model_copy(update={"environment": short}), []))
    expect(page.locator(".environment")).to_contain_text(re.compile("雨声"))
    expect(page.locator(".environment .more")).to_be_hidden()
