"""What stands behind one line that opens: what limits figures, and how they are computed."""

from collections.abc import Sequence

import streamlit as st

from annotations.i18n.messages import Readable
from annotations.i18n.translation import say, say_count
from characterbox.components.figures.tables.captions import folded


def show_cautions(sentences: Sequence[Readable]) -> None:
    """What limits the figures below: the count, and the sentences behind it. Nothing where there are none."""
    if sentences:
        title = say_count("{count:,} caution", "{count:,} cautions", len(sentences))
        st.html(f'<div class="cb-cautions">{folded(title, sentences)}</div>')


def show_how(sentences: Sequence[Readable]) -> None:
    """How the figures above are computed. Nothing where there is nothing to say."""
    if sentences:
        st.html(folded(say("How this is computed"), sentences))
