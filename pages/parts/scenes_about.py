"""What is known of a scene besides itself: where it comes from, how it was made, its pair in the other language."""

import html
from collections.abc import Sequence

from annotations.wording import say, say_moment
from characterbox.errors import AccountError
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.llm.crafters import crafter_of, is_improvised
from characterbox.scenes.finding import Heading
from characterbox.scenes.scene import Crafted, Scene
from characterbox.store import Store
from characterbox.store.scenes import SceneVersion
from characterbox.values import LANGUAGES
from pages.parts.scenes_ways import address_of_scene
from pages.parts.scenes_words import ORIGINS, crafted_told, passage_told


def about_scene(store: Store, scene: Scene, version: SceneVersion | None, headings: Sequence[Heading]) -> str:
    """Names and what they are, as HTML with links; all of it is data."""
    rows = [
        (say("Language"), _data(say(LANGUAGES[scene.language]))),
        (say("Origin"), _data(say(ORIGINS[scene.origin]))),
        (say("Characters"), str(len(scene.cast))),
    ]
    if scene.crafted is not None:
        rows.append((say("Crafted"), _data(crafted_told(scene.crafted)) + _mark(scene.crafted)))
    if scene.author is not None:
        rows.append((say("Author"), _data(scene.author)))
    if scene.passage is not None:
        rows.append((say("In its source"), _data(passage_told(scene.passage))))
    if pairs := pairs_of(scene, headings):
        rows.append((say("In the other language"), "<br>".join(map(_link, pairs))))
    if version is not None:
        made = say("version {number}, {moment}", number=version.version, moment=say_moment(version.created_at))
        rows.append((say("Stored"), _data(made + by_whom(store, version.made_by))))
    rows.append((say("Id"), _data(scene.id)))
    lines = "".join(f"<dt>{_data(name)}</dt><dd>{told}</dd>" for name, told in rows)
    return f'<dl class="cb-facts">{lines}</dl>'


def pairs_of(scene: Scene, headings: Sequence[Heading]) -> list[Heading]:
    """The scenes in the other language of which this one is the translation, or that are translations of it."""
    return [
        one
        for one in headings
        if one.language != scene.language and not one.away and (one.id == scene.pair or one.pair == scene.id)
    ]


def by_whom(store: Store, account: str | None) -> str:
    """Who made something, to be put behind it; nothing where nobody signed in."""
    if account is None:
        return ""
    try:
        return say(", by {name}", name=store.accounts.find(account).name)
    except AccountError:
        return ""


def _link(one: Heading) -> str:
    return f'<a href="{_data(address_of_scene(one.place))}" lang="{one.language}">{_data(one.title)}</a>'


def _mark(crafted: Crafted) -> str:
    """Whether a role was played without a language model."""
    return f"<br><em>{_data(say(DEMO_NOTE))}</em>" if is_improvised(crafter_of(crafted)) else ""


def _data(text: str) -> str:
    return html.escape(text)
