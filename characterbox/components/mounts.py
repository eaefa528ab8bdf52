"""Components with nothing but a mount: header, links, library of stories, stories side by side, form of a scene.

The header is given one JSON object::

    {"here": the place of the page one is on, "groups": [{"name", "pages": [{"name", "page", "address"}, ...]}, ...],
     "account": {"name", "label", "address"} or None, "language": {"name", "code", "address"},
     "words": {"pages", "go", "placeholder", "found", "close", "unreachable", "signedOut",
               "kinds": {kind: its name, ...}}}

What Streamlit's own `switch_page` does leaves an entry that was never seen: the old page with what the address of the
new one asks for.

What the browser is given is one JSON object::

    {"stories": [{"id", "title", "language", "label" or None, "about": [line, ...], "tags": [tag, ...],
                  "page": the address of its page, "cast": [name, ...], "influences": [[from, to], ...]}, ...],
     "words": {"stories": what the list is called, "moved": "{from} moved {to} {n} times", "nobody": ...}}

Every title is a link, so that it can be opened in another tab, too.

What the browser is given is one JSON object::

    {"scene": a Scene as JSON, "stories": [{"name": what it is called here, "events": [an Event as JSON, ...]}, ...],
     "equal": how many steps all begin with that are equal,
     "words": the words of the player, and "equal" and "allEqual", which tell of those steps}

What the browser is given is one JSON object::

    {"id": names what is written, "tongue": the language of the interface, "language": that of the scene,
     "fields": {name: {"label", "hint", "kind": "line" | "text" | "choice", "options": [[value, label], ...],
                       "half": whether two of them stand side by side}, ...},
     "notes": {"knowledge" | "unaware": {"label", "hint"}},
     "names": {"known_as" | "unseen_by": {"label", "hint"}},
     "words": {"add", "remove", "removed", "put_back", "up", "down", "character", "around", "note", "add_note",
               "remove_note", "hidden", "alias", "add_alias", "remove_alias", "by", "by_hint", "submit"},
     "values": a scene in house form to begin with,
     "faults": {field: {"text", "caution"}, ...} by their names in house form, such as `cast[0].name`,
     "tried": how often it was tried to store what has faults, "state": what is said of how it is kept,
     "problem": why it could not be stored, or None}

It tells each change as the state `draft`, and the press of the button as the trigger `save`; both are `{"id",
"values"}`. What is in the fields is never replaced while the same thing is written.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from annotations.i18n.translation import say, say_count
from characterbox.components.player.text import player_words
from characterbox.components.web import Component, Told, form_heard
from characterbox.scenes.scene import Scene

_HEADER = Component(
    "header",
    ("links/go.js", "player/nodes.js", "header/menu.js", "header/palette.js", "header/header.js"),
    ("theme.css", "header/header.css"),
)


def show_header(header: Mapping[str, Any]) -> None:
    """Put the header on the page: the menu, the command palette, the account and the other language."""
    kinds = {
        "page": say("Page"),
        "story": say("Story"),
        "scene": say("Scene"),
        "campaign": say("Campaign"),
        "judge": say("Judge"),
    }
    words = {
        "pages": say("Pages"),
        "go": say("Go to"),
        "placeholder": say("Page, story, scene, campaign, judge"),
        "found": say("Results"),
        "close": say("Close"),
        "unreachable": say("The app is not responding. Try again in a moment."),
        "signedOut": say("You have been signed out. Reload the page to sign in."),
        "kinds": kinds,
    }
    _HEADER.mount("header", {**header, "words": words})


_LINKS = Component("links", ("links/go.js", "links/linked.js"), isolated=False)


def go(address: str) -> None:
    """Have the browser go to an address of the app as soon as it hears of it."""
    _LINKS.mount("go", {"address": address})


def put_address(before: str, after: str) -> None:
    """Have the browser put another address in the place of that of the page, which shows what the new one names."""
    _LINKS.mount("address", {"before": before, "after": after})


def show_linked(html: str, key: str) -> None:
    """Put HTML on the page, in the page's own style; its links are addresses of the app."""
    _LINKS.mount(key, {"html": html})


_LIBRARY = Component(
    "library",
    ("links/go.js", "player/nodes.js", "player/influence_graph.js", "library/library.js"),
    ("theme.css", "library/library.css"),
)


def show_stories(stories: Sequence[Mapping[str, Any]], key: str) -> None:
    """Put the list on the page."""
    words = {
        "stories": say("Stories"),
        "tags": say("Tags"),
        "moved": say("Who influenced whom: "),
        "nobody": say("No influence between characters yet."),
        "comma": say(", "),
    }
    _LIBRARY.mount(key, {"stories": [*stories], "words": words})


_COMPARE = Component(
    "compare",
    ("player/nodes.js", "player/world.js", "player/forms.js", "compare/compare.js"),
    ("theme.css", "player/player.css", "compare/compare.css"),
)
"""Each step has the form that it has in the player."""


def show_comparison(scene: Scene, stories: Sequence[Mapping[str, Any]], equal: int, key: str) -> None:
    """Put the stories side by side on the page; the first steps of all, as many as are equal, stand there once."""
    words = player_words(event for story in stories for event in story["events"])
    words |= {
        "equal": say_count("{count:,} identical step", "{count:,} identical steps", equal),
        "allEqual": say("All steps so far are identical."),
    }
    _COMPARE.mount(key, {"scene": scene.model_dump(mode="json"), "stories": [*stories], "equal": equal, "words": words})


_SCENE_FORM = Component(
    "scene_form",
    ("player/nodes.js", "form.js", "scene_form/scene_form.js"),
    ("theme.css", "form.css", "scene_form/scene_form.css"),
)


def show_scene_form(data: Mapping[str, Any], key: str, *, on_draft: Told, on_save: Told) -> None:
    """Put the form on the page; `key` names this place of the page across reruns."""
    _SCENE_FORM.mount(key, data, draft=form_heard(on_draft), save=form_heard(on_save))
