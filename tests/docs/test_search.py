"""The built site in Chromium, opened from its folder: it finds what one looks for, and asks no server."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from annotations.i18n.translation import Tongue
from tests.docs.test_site import built  # noqa: F401 - a fixture

WORDS: dict[Tongue, dict[str, str]] = {
    "en": {
        "cronbach": "Statistics",
        "sweep.toml": "Sweep",
        "passkeys": "Let others in",
        "restore": "Back up and restore",
        "blind": "A blind rating study",
        "CHARACTERBOX_AUTH": "Settings",
    },
    "zh": {
        "信度": "盲评研究",
        "评审模型": "评审模型的效度",
        "批量实验": "在自己的 vLLM 服务器上做批量实验",
        "内置演练": "第一个故事",
        "备份": "备份与恢复",
        "克龙巴赫": "统计量",
    },
}
"""What one looks for, and a page that has to be among what is found."""


@pytest.mark.parametrize("language", WORDS)
def test_the_search_finds_words(browser: Browser, built: Path, language: Tongue) -> None:  # noqa: F811 - as above
    home = built / ("" if language == "en" else "zh") / "index.html"
    asked: list[str] = []
    with browser.new_context() as context:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(home.as_uri())
        page.keyboard.press("Control+k")
        box = page.get_by_role("combobox")
        for word, found in WORDS[language].items():
            box.fill(word)
            expect(page.get_by_role("option").filter(has_text=found).first).to_be_visible()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
