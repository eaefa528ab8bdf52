"""In the Chinese interface, Streamlit's own words are Chinese, too; what people have written stays as it is."""

import pytest
from playwright.sync_api import Page, expect

from annotations.i18n.translation import say, speaking
from characterbox.scenes.library import bundled
from tests.browser.app import App, rests

SLANTED = """() => {
    const all = (root) => [...root.querySelectorAll("*")].flatMap((node) =>
        [node, ...(node.shadowRoot ? all(node.shadowRoot) : [])]);
    const own = (node) => [...node.childNodes].filter((one) => one.nodeType === 3).map((one) => one.data).join("");
    return all(document.body).filter((node) => /\\p{Script=Han}/u.test(own(node)) && node.checkVisibility())
        .filter((node) => getComputedStyle(node).fontStyle !== "normal").map((node) => own(node).slice(0, 40));
}"""
"""Chinese that is set in italics."""


def said(word: str) -> str:
    with speaking("zh"):
        return say(word)


def test_a_file_is_chosen_in_chinese(page: Page, sampled_app: App) -> None:
    page.set_extra_http_headers({"Accept-Language": "zh-CN"})
    page.goto(f"{sampled_app.url}/scenes?new=import")
    rests(page)
    field = page.get_by_test_id("stFileUploader")
    expect(field.locator("button")).to_contain_text(said("Upload"))
    expect(field).to_contain_text(said("{size} per file").replace("{size}", "50MB"))
    expect(field).to_contain_text("YAML")


def test_a_list_without_a_match_says_so_in_chinese_and_options_stay(page: Page, sampled_app: App) -> None:
    page.set_extra_http_headers({"Accept-Language": "zh-CN"})
    page.goto(f"{sampled_app.url}/sweeps?new=yes")
    rests(page)
    box = page.locator(".st-key-sweep-scenes input[role=combobox]")
    box.press_sequentially("zzzz")
    expect(page.get_by_text(said("No results"), exact=True)).to_be_visible()
    box.fill("burnt")
    expect(page.get_by_role("option")).to_have_text(
        ["A burnt worktop, a shared deposit and the agent at eleven (DISC at home)"]
    )
    page.goto(f"{sampled_app.url}/scenes")
    rests(page)
    expect(page.get_by_role("button", name=said("Next page"))).to_be_visible()
    expect(page.get_by_role("button", name=said("Page {number}").replace("{number}", "2"))).to_be_visible()


@pytest.mark.parametrize("tongue", ["zh-CN", "en-US"])
def test_lists_of_scenes_begin_with_those_in_the_language_of_the_interface(
    page: Page, sampled_app: App, tongue: str
) -> None:
    page.set_extra_http_headers({"Accept-Language": tongue})
    page.goto(f"{sampled_app.url}/scenes")
    rests(page)
    code = tongue[:2]
    expect(page.locator(".cb-scenes [lang]").first).to_have_attribute("lang", code)
    page.goto(f"{sampled_app.url}/sweeps?new=yes")
    rests(page)
    page.locator(".st-key-sweep-scenes input[role=combobox]").click()
    first = next(scene for scene in bundled() if scene.language == code)
    expect(page.get_by_role("option").first).to_contain_text(first.title)


@pytest.mark.parametrize("tongue", ["zh-CN", "en-US"])
def test_chinese_is_not_slanted(page: Page, sampled_app: App, tongue: str) -> None:
    page.set_extra_http_headers({"Accept-Language": tongue})
    story, scene = "playback?story=samplehongloushigao&at=94", "scenes?scene=bundled:xiyou-shiqiao"
    for place in (story, scene, "leaderboard?view=Published+(paper)"):
        page.goto(f"{sampled_app.url}/{place}")
        rests(page)
        assert page.evaluate(SLANTED) == []
