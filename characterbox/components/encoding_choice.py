"""The encoding of a text file that somebody gave: where it is not certain, people choose it by how the file reads."""

import html

import streamlit as st
from streamlit.typing import UploadedFile

from annotations.exchange.decoding import Encoding, as_utf8, is_text, is_utf8, uncertain_readings
from annotations.i18n.translation import say, sentence, translate
from characterbox.errors import TooHeavy
from characterbox.processes.limited import run_limited_once

STYLE = """<style>
.cb-readings { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.5rem; margin: 0 !important;
  padding: 0 !important; max-width: var(--cb-reading); }
.cb-readings dt { opacity: .72; font-size: .875rem; }
.cb-readings dd { margin: 0; overflow-wrap: anywhere; white-space: pre-line; }
.cb-uncertain { margin: 0; }
</style>"""


def read_as_chosen(file: UploadedFile) -> bytes | None:
    """The bytes of the file; in UTF-8 where the encoding is not certain and was chosen for it, None until then, and
    where it takes too long or too much memory to find out, which is told then."""
    try:
        return _chosen(file)
    except TooHeavy as error:
        st.html(f'{STYLE}<p class="cb-uncertain" role="alert">{html.escape(f"{file.name}: {translate(error)}")}</p>')
        return None


def _chosen(file: UploadedFile) -> bytes | None:
    name, raw = file.name, file.getvalue()
    if not is_text(name, raw) or is_utf8(raw):
        return raw
    uncertain = run_limited_once(uncertain_readings, raw)
    if uncertain is None or not uncertain[0]:
        return raw
    possible, cuts = uncertain
    told = say("{name}: the encoding is uncertain. Choose the one that displays the text correctly:", name=name)
    rows = "".join(f"<dt>{one}</dt><dd>{html.escape(chr(10).join(lines))}</dd>" for one, lines in possible.items())
    cut = "".join(f'<p class="cb-uncertain">{sentence(one)}</p>' for one in cuts)
    st.html(f'{STYLE}<p class="cb-uncertain">{html.escape(told)}</p><dl class="cb-readings">{rows}</dl>{cut}')
    chosen: Encoding | None = st.segmented_control(
        say("Encoding of {name}", name=name), [*possible], key=f"encoding-{file.file_id}",
        label_visibility="collapsed",
    )  # fmt: skip
    return None if chosen is None else run_limited_once(as_utf8, name, raw, chosen)
