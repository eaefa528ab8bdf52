"""A story as one HTML document that needs nothing else, also made in a process under limits: with what is
behind its steps, a story of 10,000 events takes three seconds of a processor, in which Python does little else.
"""

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping
from typing import Any

from annotations.i18n.translation import TONGUES, speaking
from characterbox.components.player import PLAYER
from characterbox.components.player.text import player_words
from characterbox.components.settings_text import played_with
from characterbox.components.web import font_css
from characterbox.play.settings import Settings
from characterbox.processes.limited import run_limited
from characterbox.share.story_file import file_of
from characterbox.stage.live.player_data import packed_journal, player_data
from characterbox.store import Store

PAGE_CSS = """
body{margin:0;padding:0 1rem;background:#fbf9f4;color:#23201b}.frame{--player-height:100dvh}
#other{position:fixed;z-index:2;top:.5rem;right:.75rem;padding:.25rem .5rem;border:0;background:none;color:inherit;
font:.8125rem/1.5 system-ui,sans-serif;text-decoration:underline;text-underline-offset:.25em;cursor:pointer}
"""
DARK_CSS = "@media (prefers-color-scheme:dark){body{background:#1a1815;color:#e6e0d4}}"
START_JS = """
const data = JSON.parse(document.getElementById("data").textContent);
const { words, ...story } = data;
const query = new URLSearchParams(location.search);
const asked = Number(query.get("at"));
if (Number.isInteger(asked) && asked > 0) story.at = asked;
const other = document.getElementById("other");
function speak(tongue) {
  document.documentElement.lang = tongue === "zh" ? "zh-CN" : "en";
  const next = Object.keys(words).find((one) => one !== tongue);
  Object.assign(other, { textContent: words[next].own, lang: next, onclick: () => speak(next) });
  showStory({ data: { ...story, words: words[tongue] }, parentElement: document.getElementById("story") });
}
speak(query.get("language") in words ? query.get("language") : story.scene.language);
"""


def story_page(data: Mapping[str, Any]) -> str:
    """The HTML document in which a story can be read and played back offline.

    `data` is what the player is given (see `characterbox.components.player`); the document is always in playback, from
    the first step on, and never live. Its content security policy allows its own script and style alone, and no request
    at all.
    """
    style = font_css(embedded=True) + PLAYER.css + PAGE_CSS + DARK_CSS
    script = PLAYER.js + START_JS
    policy = (
        f"default-src 'none'; font-src data:; script-src {_digest(script)}; style-src {_digest(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    language = "zh-CN" if data["scene"]["language"] == "zh" else "en"
    title = html.escape(str(data["story"]["title"]).encode("utf-8", "replace").decode("utf-8"))
    return f"""<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<button id="other" type="button"></button>
<main id="story"></main>
<script id="data" type="application/json">{embedded(_offline(data))}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def _offline(data: Mapping[str, Any]) -> dict[str, Any]:
    """The story for a reader who has this page and nothing else, in whichever language the page then speaks."""
    words = {}
    told, refused = Settings.model_validate(data["story"]["settings"]), data["story"]["refused"]
    for language in TONGUES:
        with speaking(language):
            words[language] = player_words([data["story"], *data["events"]]) | {
                "playedWith": played_with(told, refused, data["story"]["embedder"])
            }
    begin = {"at": data["at"] or 1, "live": None, "mode": "playback", "tools": False, "transport": None}
    return {**data, **begin, "words": words}


def embedded(value: object) -> str:
    """JSON that may stand inside a script element: nothing in it can end the element or break a line of script."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def saved_page(db: str, story: str, *, with_journal: bool) -> bytes:
    """The page that plays a story of the database offline; `with_journal`, it holds what is behind the steps, too.

    Raises TooHeavy if it takes more than it may.
    """
    return run_limited(_page, db, story, with_journal)


def saved_file(db: str, story: str) -> bytes:
    """The file of a story of the database that can be imported again. Raises TooHeavy if it takes too much."""
    return run_limited(_file, db, story)


def _page(db: str, id: str, with_journal: bool) -> bytes:
    store = Store(db)
    story = store.stories.story(id)
    data = player_data(store.stories, story, "playback")
    if with_journal:
        data = {**data, "journal": packed_journal(store.stories, story)}
    return story_page(data).encode("utf-8", "replace")


def _file(db: str, id: str) -> bytes:
    store = Store(db)
    file = file_of(store.stories, store.stories.story(id))
    return json.dumps(file, ensure_ascii=False, indent=1).encode("utf-8", "replace")
