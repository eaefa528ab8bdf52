"""A word that is longer than a line, as an address is, is broken where it is read, and stays within its column."""

import json
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Page

from characterbox.scenes.scene import Scene
from tests.browser.app import App, play, rests, running
from tests.fakes.databases import store_in
from tests.fakes.scenes import a_scene

LONG = "Wolkenkratzerfensterputzer" * 9
ADDRESS = f"https://example.org/{'a-b_c' * 50}"

OUTSIDE = """() => {
    const all = (root) => [...root.querySelectorAll("*")].flatMap((node) =>
        [node, ...(node.shadowRoot ? all(node.shadowRoot) : [])]);
    const up = (node) => node.parentElement ?? node.getRootNode().host;
    const clipped = (node) => {
        for (let one = node; one; one = up(one)) {
            const { overflowX, position } = getComputedStyle(one);
            if (overflowX === "hidden" || overflowX === "clip" || overflowX === "auto") return !one.matches(".stMain");
        }
        return false;
    };
    const column = (node) => node.closest(".stColumn, .stMainBlockContainer")
        ?? column(node.getRootNode().host);
    return all(document.querySelector(".stMainBlockContainer"))
        .filter((node) => node.checkVisibility())
        .filter((node) => [...node.childNodes].some((one) => one.nodeType === 3 && one.data.trim()))
        .filter((node) => {
            const range = document.createRange();
            range.selectNodeContents(node);
            const edge = Math.min(column(node).getBoundingClientRect().right, innerWidth);
            return [...range.getClientRects()].some((box) => box.width > 1 && box.right > edge + 1) && !clipped(node);
        })
        .map((node) => `${node.localName}.${node.className}: ${node.textContent.trim().slice(0, 40)}`);
}"""
"""What is set beyond the column in which it stands."""


class Wide(NamedTuple):
    """The app, and what is to be seen in it."""

    app: App
    scene: str
    story: str


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wide]:
    """A scene of long words, with a second version, and its story."""
    folder = tmp_path_factory.mktemp("wide")
    fields = a_scene().model_dump(mode="json")
    fields["title"], fields["work"] = f"At {ADDRESS}"[:190], LONG[:190]
    fields["environment"] = dict.fromkeys(("time", "location", "description"), f"See {ADDRESS} and {LONG}.")
    for name in ("description", "position", "state", "public_face"):
        fields["cast"][0][name] = f"{LONG} {ADDRESS}"
    fields["cast"][0]["knowledge"] = fields["cast"][0]["unaware"] = [ADDRESS]
    fields["cast"][0]["known_as"] = [{"name": LONG[:60], "by": []}]
    scene = Scene.model_validate(fields)
    db = folder / "wide.db"
    (folder / "wide.json").write_text(json.dumps(scene.model_dump(mode="json")), encoding="utf-8")
    store = store_in(db)
    chain = store.scenes.start(scene, None)
    other = scene.model_copy(update={"title": f"{scene.title[:-9]}z"})
    store.scenes.save(chain, other, after=1, made_by=None)
    store.close()
    story = play(db, str(folder / "wide.json"), "--rounds", "1")
    with running(db) as app:
        yield Wide(app, chain, story)


@pytest.mark.parametrize("width", [390, 1440])
def test_long_words_stay_within_their_column(page: Page, wide: Wide, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for place in (
        f"scenes?scene={wide.scene}", f"scenes?scene={wide.scene}&view=Versions", f"scenes?scene={wide.scene}&edit=yes",
        "?language=en&scene=watch", f"?story={wide.story}", f"playback?story={wide.story}",
    ):  # fmt: skip
        page.goto(f"{wide.app.url}/{place}")
        rests(page)
        assert page.evaluate(OUTSIDE) == [], place
        assert page.evaluate("document.querySelector('.stMain').scrollWidth <= innerWidth"), place
