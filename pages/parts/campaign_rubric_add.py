"""Adding a rubric: from a file or pasted; a faulty one is refused with each reason beside its line."""

import html
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import streamlit as st

from annotations.decoding import decode
from annotations.errors import EncodingError, RatingError
from annotations.rubric import parse_rubric
from annotations.toml_file import Fault, FaultyFile
from annotations.wording import say, say_count, translate
from characterbox.campaigns.life import add_rubric as keep_rubric
from characterbox.errors import AccountError, TooHeavy
from characterbox.limited_once import run_limited_once
from characterbox.store import Store
from pages.parts.form import MOST_PASTED, fault
from pages.parts.ways import go, way_to
from pages.parts.who import who

TEMPLATE = Path(__file__).parent / "campaign_rubric.toml"
AROUND = 1
"""Lines that are shown before and after a faulty one."""
WIDEST = 160
"""Characters of a line that are shown."""
STYLE = """
<style>
.cb-lines { border-collapse: collapse; width: 100%;
  font: .8125rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.cb-lines td { border: 0; padding: 0 .8rem 0 0; vertical-align: top; white-space: pre-wrap; overflow-wrap: anywhere; }
.cb-lines td:first-child { text-align: right; opacity: .6; user-select: none; width: 3.5rem; white-space: nowrap; }
.cb-lines .cb-reason td { font-family: "Source Sans", sans-serif; font-size: .875rem; padding-bottom: .4rem;
  color: light-dark(#9a3b26, #e08a72); }
.cb-lines .cb-gap td { opacity: .6; }
</style>
"""


def add_rubric(store: Store) -> None:
    """The form, and what is wrong with what was written."""
    st.title(say("Add a rubric"))
    st.caption(
        say(
            "A rubric is a TOML file with all its texts in English and Chinese. Once added, a version stays as it is,"
            " since ratings name it: whatever changes is a new version."
        )
    )
    st.download_button(
        say("Download a template"),
        TEMPLATE.read_bytes,
        "rubric.toml",
        "application/toml",
        key="rubric-template",
        on_click="ignore",
    )
    given = st.file_uploader(say("File"), type="toml", max_upload_size=1, key="rubric-file")
    written = st.text_area(
        say("Or paste it here"), height=320, key="rubric-text", max_chars=MOST_PASTED, persist_state="session"
    )
    content = written.encode() if given is None else given.getvalue()
    pressed = st.button(say("Add the rubric"), type="primary", key="rubric-add")
    if pressed:
        _add(store, content, say("the text") if given is None else given.name)
    way_to(say("All rubrics"), ":material/arrow_back:", rubrics="all")


def _add(store: Store, content: bytes, file: str) -> None:
    try:
        text, _ = decode(content, "UTF-8")
    except EncodingError as error:
        fault(say("The rubric is not added: {error}.", error=error))
        return
    if not text.strip():
        fault(say("Choose a file, or paste the text of one."))
        return
    try:
        run_limited_once(partial(parse_rubric, text, file=file))  # what takes too long is not read here
        rubric = keep_rubric(store, who(), text, file)
    except FaultyFile as faulty:
        fault(
            say_count(
                "The rubric is not added: {count:,} thing is wrong with {file}.",
                "The rubric is not added: {count:,} things are wrong with {file}.",
                len(faulty.faults),
                file=file,
            )
        )
        st.html(STYLE + faults_as_html(text, faulty.faults))
    except (AccountError, RatingError, TooHeavy) as error:
        fault(say("The rubric is not added: {error}.", error=error))
    else:
        st.session_state.pop("rubric-text", None)
        go(rubric=rubric.name, version=rubric.version)
        st.rerun()


def faults_as_html(text: str, faults: Sequence[Fault]) -> str:
    """The faulty lines with those around them, numbered, and each reason under its line. All of it is data."""
    lines = text.removeprefix("\ufeff").split("\n")
    reasons: dict[int, list[Fault]] = defaultdict(list)
    for one in faults:
        reasons[min(one.line, len(lines))].append(one)
    shown = sorted(
        {near for line in reasons for near in range(line - AROUND, line + AROUND + 1) if 0 < near <= len(lines)}
    )
    rows = []
    for before, line in zip([0, *shown], shown, strict=False):
        if line > before + 1:
            rows.append('<tr class="cb-gap"><td></td><td>…</td></tr>')
        told = lines[line - 1].rstrip("\r")
        cut = told if len(told) <= WIDEST else f"{told[:WIDEST]} …"
        rows.append(f"<tr><td>{line}</td><td>{html.escape(cut)}</td></tr>")
        for one in reasons.get(line, []):
            said = f"{one.field}: {translate(one.reason)}" if one.field else translate(one.reason)
            rows.append(f'<tr class="cb-reason" role="alert"><td></td><td>{html.escape(said)}</td></tr>')
    return f'<table class="cb-lines"><tbody>{"".join(rows)}</tbody></table>'
