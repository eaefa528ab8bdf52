"""A tutorial, walked through in the running app as its text says it.

What a tutorial has in bold is a label of the interface; what it has in `code`, something to type, choose or see; a
block of code, a file or a command. The walk takes them out of the text in their order, so that it fails where the two
differ, and takes the pictures where the text has them.
"""

import io
import os
import re
import shlex
from functools import cache
from pathlib import Path

from PIL import Image
from playwright.sync_api import FloatRect, Locator, Page, ViewportSize, expect

from annotations.i18n.translation import Tongue, say, say_count, speaking
from tests.browser.app import App, rests, run
from tests.browser.choosing import pick
from tests.browser.tables import WAIT
from tests.docs.site import DOCS, REPOSITORY, Kind, Piece, pieces, told

WINDOW: ViewportSize = {"width": 1280, "height": 800}
PICTURES = os.environ.get("CHARACTERBOX_PICTURES")
"""The folder that pictures are written into: docs, or none (`make docs-pictures` says it)."""
SHOWN_AS_TOLD = """pairs => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode())
        for (const [used, told] of pairs)
            if (text.data.includes(used)) text.data = text.data.replaceAll(used, told);
}"""
"""Has a page show, for a picture, what its reader types, where the walk has typed something in its place."""
QUALITY = 82
"""Of the pictures, in WebP: text stays sharp, and few are larger than 60 KB."""


_PANEL = REPOSITORY / "characterbox/components/rubric_panel/words.js"


@cache
def _panel_words() -> dict[str, str]:
    """The labels around the rubric, which stand in the browser's part: Chinese by English."""
    english, chinese = _PANEL.read_text(encoding="utf-8").split("\n  zh: {")
    of = dict(re.findall(r'^    (\w+): "([^"]+)",', chinese, re.MULTILINE))
    return {text: of[key] for key, text in re.findall(r'^    (\w+): "([^"]+)",', english, re.MULTILINE) if key in of}


def shown(english: str, language: Tongue, **values: object) -> str:
    """A label of the interface in a language; one with a `count` has its plural beside it: `one|many`."""
    with speaking(language):
        if "|" in english:
            one, many = english.split("|")
            return say_count(one, many, **values)  # type: ignore[arg-type]
        text = say(english, **values)
    return _panel_words().get(english, text) if language == "zh" and text == english else text


class Walk:
    """What has been done of a tutorial so far, and hands on the page of the app."""

    def __init__(self, page: Page, app: App, tutorial: str, language: Tongue) -> None:
        self.page = page
        self.app = app
        self.language: Tongue = language
        self.stand_ins: dict[str, str] = {}
        """What is typed in the place of what the text has, such as the address of a server."""
        self._text = DOCS / language / "tutorials" / f"{tutorial}.md"
        self._left = [*pieces(self._text)]

    @property
    def main(self) -> Locator:
        """The page below the header."""
        return self.page.locator(".stMain")

    def open(self, path: str = "/") -> None:
        """Open a page of the app by its address."""
        self.page.goto(f"{self.app.url}{path}")
        rests(self.page)

    def shown(self, english: str, **values: object) -> str:
        """A label in the language of the tutorial, which the text does not have here."""
        return shown(english, self.language, **values)

    def label(self, english: str, **values: object) -> str:
        """The next words in bold, which are this label of the interface in the language of the tutorial."""
        text = self.shown(english, **values)
        piece = self._next("label", text)
        assert piece.text == text, self._differs(piece, f"the app has {text!r} there")
        return text

    def value(self) -> str:
        """The next thing to type or choose."""
        return self._stood_in(self._next("value", "something to type or choose").text)

    def block(self, name: str = "") -> str:
        """The next block of code; the one that is a file of this name, if it has one."""
        piece = self._next("block", name or "a block of code")
        assert piece.name == name, self._differs(piece, f"the walk wants the block {name!r}")
        return self._stood_in(piece.text)

    def _stood_in(self, text: str) -> str:
        for told_there, used in self.stand_ins.items():
            text = text.replace(told_there, used)
        return text

    def heading(self, english: str) -> None:
        """See the heading of a page, or of a part of it."""
        expect(self.page.get_by_role("heading", name=self.label(english), exact=True).first).to_be_visible(timeout=WAIT)

    def see(self, english: str, **values: object) -> None:
        """See a text."""
        text = re.compile(re.escape(self.label(english, **values)))
        expect(self.page.get_by_text(text).locator("visible=true").first).to_be_visible(timeout=WAIT)

    def press(self, english: str, role: str = "button", **values: object) -> None:
        """Press a button, or what else is pressed: a link, a tab, a choice."""
        text = self.label(english, **values)
        rests(self.page)
        found = self.page.get_by_role(role, name=text, exact=True).locator("visible=true")  # type: ignore[arg-type]
        found.first.click(timeout=WAIT)

    def switch_to(self, english: str) -> None:
        """Choose a part of a page from the row of its parts, which may say how much is in it."""
        text = self.label(english)
        rests(self.page)
        self.page.get_by_role("radio", name=re.compile(rf"^{re.escape(text)}( ?[(（]|$)")).first.click(timeout=WAIT)
        rests(self.page)

    def go_to(self, group: str, page: str) -> None:
        """Open a page by the menu: first its group, then the page."""
        self.page.get_by_role("button", name=re.compile(f"^{re.escape(self.label(group))}")).click()
        self.page.get_by_role("link", name=self.label(page), exact=True).first.click()
        rests(self.page)

    def write(self, english: str) -> str:
        """Fill in a field: its label, and what to write, stand in the text one after the other."""
        label, value = self.label(english), self.value()
        rests(self.page)
        box = self.page.get_by_label(label, exact=True).locator("visible=true").first
        box.fill(value)
        box.press("Tab")
        rests(self.page)
        return value

    def toggle(self, english: str) -> None:
        """Put a switch over."""
        text = self.label(english)
        rests(self.page)
        self.page.locator("label").filter(has_text=text).locator("visible=true").first.click()
        rests(self.page)

    def run(self) -> str:
        """Run the command of the next block of code on the app's database, in its folder, and give what it prints."""
        folder = self.app.db.parent
        called, *words = shlex.split(self.block())
        assert called == ".venv/bin/characterbox"
        return run(self.app.db, *words, folder=folder).out.read_text(encoding="utf-8")

    def open_part(self, title: str | re.Pattern[str]) -> None:
        """Unfold the part of the page that has this title."""
        rests(self.page)
        self.main.locator("summary").filter(has_text=title).first.click(timeout=WAIT)
        rests(self.page)

    def open_named(self) -> None:
        """Open what the text names next, by the link of that name."""
        self.page.get_by_role("link", name=self.value(), exact=True).first.click()

    def choose(self, english: str) -> str:
        """Choose from a box: its label, and what to choose, stand in the text one after the other."""
        label, value = self.label(english), self.value()
        pick(self.page, label, value, typed=value)
        rests(self.page)
        expect(self.page.get_by_role("combobox", name=label)).to_have_value(value)
        return value

    def upload(self, name: str, content: str) -> None:
        """Give a file to the page, which the text names here; what is in it stood in a block of code."""
        assert self.value() == name
        self.page.locator("input[type=file]").first.set_input_files(
            [{"name": name, "mimeType": "application/octet-stream", "buffer": content.encode()}]
        )
        rests(self.page)

    def story_rests(self) -> None:
        """Wait until the story that is shown is paused, and its page has heard of it."""
        paused = self.page.get_by_role("button", name=self.shown("Continue"), exact=True)
        expect(self.page.locator('.acts[aria-busy="false"]')).to_be_visible()
        expect(paused).to_be_enabled()

    def picture(self, name: str, part: Locator | None = None, height: int = WINDOW["height"]) -> None:
        """Take a picture of the window, or of its upper part, or of a part of the page, where the text has it."""
        piece = self._next("picture", name)
        assert piece.text == f"../pictures/{name}.webp", self._differs(piece, f"the walk takes {name!r} there")
        if PICTURES is None:
            return
        rests(self.page)
        self.page.mouse.move(0, 0)
        self.page.evaluate(SHOWN_AS_TOLD, [[used, told_there] for told_there, used in self.stand_ins.items()])
        upper: FloatRect = {"x": 0, "y": 0, "width": WINDOW["width"], "height": height}
        taken = (
            self.page.screenshot(animations="disabled", caret="hide", clip=upper)
            if part is None
            else part.screenshot(animations="disabled", caret="hide")
        )
        file = Path(PICTURES) / self.language / "pictures" / f"{name}.webp"
        Image.open(io.BytesIO(taken)).save(file, quality=QUALITY, method=6)

    def end(self) -> None:
        """All that the text has was done."""
        assert not self._left, self._differs(self._left[0], "the walk ends before it")

    def _next(self, kind: Kind, wanted: str) -> Piece:
        assert self._left, f"{told(self._text)}: the text ends, and the walk goes on with {wanted!r}"
        piece = self._left.pop(0)
        assert piece.kind == kind, self._differs(piece, f"the walk goes on with {wanted!r} ({kind})")
        return piece

    def _differs(self, piece: Piece, why: str) -> str:
        return f"{told(self._text)}, line {piece.line}: there is {piece.text[:80]!r} ({piece.kind}); {why}"
