"""What an empty list shows: a small example of what will stand there, marked as one, stored nowhere, with no links."""

from collections.abc import Sequence
from html import escape

import streamlit as st

from annotations.i18n.messages import Readable
from annotations.i18n.translation import say, tongue, translate
from characterbox.scenes.library import bundled
from characterbox.scenes.scene import Scene

STYLE = """
<style>
.cb-example { position: relative; max-width: var(--cb-reading); padding: .6rem 5.5rem .6rem 1rem; user-select: none;
  border: 1px dashed color-mix(in srgb, currentColor 40%, transparent); border-radius: 4px;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.cb-example > * { opacity: .72; }
.cb-example p { margin: 0; font-size: .875rem; }
.cb-example p.cb-what { font-size: 1rem; }
.cb-example ul { margin: 0; }
.cb-example + p { margin-top: .5rem; }
.cb-example .cb-badge { position: absolute; top: .6rem; right: 1rem; opacity: 1; font-size: .8125rem; }
</style>
"""


def example_html(told: str, inner: str) -> str:
    """HTML marked as an example; who hears the page is told it in one sentence, and nothing in it can be pressed."""
    heard, badge = escape(say("Example: {what}", what=told)), escape(say("Example"))
    return (
        f'{STYLE}<div class="cb-example" role="img" aria-label="{heard}"><p class="cb-badge">{badge}</p>{inner}</div>'
    )


def show_example(what: Readable, about: Sequence[Readable]) -> None:
    """One line of a list as it will be: what it is called, and quiet lines about it."""
    texts = [translate(what), *map(translate, about)]
    first, *others = map(escape, texts)
    lines = "".join(f"<p>{line}</p>" for line in others)
    st.html(example_html("; ".join(texts), f'<p class="cb-what">{first}</p>{lines}'))


def example_scene() -> Scene:
    """A scene in the language of the interface."""
    return next(scene for scene in bundled() if scene.language == tongue())
