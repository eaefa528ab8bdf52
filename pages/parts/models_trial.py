"""The test of a server in one click: what came of it, and what can be taken over into its settings."""

import streamlit as st

from characterbox.llm.options import Format
from characterbox.llm.probe import Part, Probe
from characterbox.llm.server import Server
from characterbox.stage.stage import Stage, open_stage
from characterbox.stage.trials import Trial
from pages.parts.look import quiet
from pages.parts.models_look import facts, fault
from pages.parts.models_ways import go

POLL = 0.5
"""Seconds between two looks at a test that is under way."""
LISTED = 12
"""Models that are named of those offered."""
WAYS: dict[Format, str] = {
    "json_schema": "by a JSON schema, which is the strictest way",
    "json_object": "as a JSON object without a schema",
    "text": "in words alone, which are read tolerantly",
}


def trial_button(server: Server, key: str, *, first: bool = False) -> None:
    """The button that starts the test, and shows it; the main one of its page if it is `first`."""
    st.button("Test", key=key, type="primary" if first else "tertiary", on_click=_start, args=(server,))


def trial(stage: Stage, server: Server) -> None:
    """The last test of a server, followed while it is under way."""
    if len(server.models) > 1:
        st.selectbox("Model to test", server.models, key=_model_key(server), width=420, persist_state="session")
    last = open_stage().trials.of(server.url)
    if last is not None:
        running = not last.future.done()
        st.fragment(_trial, run_every=POLL if running else None)(stage, server, last, running)


def _trial(stage: Stage, server: Server, last: Trial, drawn_running: bool) -> None:
    st.subheader("Test")
    if not last.future.done():
        quiet(f"Under way for {last.seconds:.0f} s: the models it offers, a short call, a stream, a structured reply.")
        st.button("Stop the test", type="tertiary", on_click=open_stage().trials.forget, args=(server.url,))
        return
    if drawn_running:
        st.rerun()
    if error := last.future.exception():
        fault(str(error))
    else:
        facts(findings(last.future.result()))
        if server.kind != "rehearsal":
            _take_over(stage, server, last.future.result())


def findings(found: Probe) -> dict[str, str]:
    """What came of a test, ready to be read."""
    if not found.reachable:
        reasons = dict.fromkeys(_reason(found, part) for part in found.errors)
        return {"Model": found.endpoint.model, "Reachable": f"no: {'; '.join(reasons)}"}
    return {
        "Model": found.endpoint.model,
        "Reachable": "yes",
        "Latency": _told(found, "call", found.latency, "{:.2f} s for a short call"),
        "Streaming": _told(found, "stream", found.pieces, "yes, in {:,} pieces") + _first(found),
        "Speed": _told(found, "stream", found.tokens_per_second, "{:,.1f} tokens a second"),
        "Structured replies": WAYS[found.structured] if found.structured else f"no: {_reason(found, 'structured')}",
        "Context window": _told(found, "models", found.context, "{:,} tokens"),
        "Models offered": _offered(found),
    }


def _told(found: Probe, part: Part, value: float | None, words: str) -> str:
    """A value in words, or why there is none."""
    if value is not None:
        return words.format(value)
    return f"no: {_reason(found, part)}" if part in found.errors else "not told"


def _first(found: Probe) -> str:
    return "" if found.first_token is None else f", the first after {found.first_token:.2f} s"


def _offered(found: Probe) -> str:
    if found.models is None:
        return _told(found, "models", None, "")
    more = len(found.models) - LISTED
    return (", ".join(found.models[:LISTED]) or "none") + (f" and {more:,} more" if more > 0 else "")


def _reason(found: Probe, part: Part) -> str:
    return found.errors.get(part, "not told").removeprefix(f"endpoint {found.endpoint}: ")


def _take_over(stage: Stage, server: Server, found: Probe) -> None:
    """What can be taken over, each in a place of its own: nothing else moves when one of them goes."""
    window = found.context
    with st.container():
        if window not in (None, server.context) and st.button(f"Take over the context window of {window:,} tokens"):
            _change(stage, server, {"context": window})
    unlisted = [model for model in found.models or () if model not in server.models]
    if unlisted and server.kind != "started":
        with st.container(horizontal=True, vertical_alignment="bottom"):
            key = f"offered-{server.url}"
            chosen = st.multiselect("Offered, and not in the list yet", unlisted, key=key, width=420)
            if st.button("Add to the list", disabled=not chosen):
                _change(stage, server, {"models": (*server.models, *chosen)})


def _change(stage: Stage, server: Server, update: dict[str, object]) -> None:
    stage.store.servers.save(Server.model_validate(server.model_dump() | update))
    st.rerun()


def _start(server: Server) -> None:
    chosen = st.session_state.get(_model_key(server))
    model = chosen if chosen in server.models else next(iter(server.models), None)
    open_stage().trials.start(server.url, model)
    go(server=server.url)


def _model_key(server: Server) -> str:
    return f"trial-{server.url}"
