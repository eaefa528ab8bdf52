"""The test of a server in one click: what came of it, and what can be taken over into its settings."""

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, translate
from characterbox.llm.calls.call import Format
from characterbox.llm.endpoint_check import Part, Probe
from characterbox.llm.server import Server
from characterbox.pause_reasons import Reason
from characterbox.stage.jobs.vllm_jobs import Trial
from characterbox.stage.stage import Stage, open_stage
from pages.shared.current_user import allowed, current_user
from pages.shared.form import fault, pick_some
from pages.shared.links import go
from pages.shared.text import facts, quiet
from pages.story.actions import do

POLL = 0.5
"""Seconds between two looks at a test that is under way."""
LISTED = 12
"""Models that are named of those offered."""
WAYS: dict[Format, str] = {
    "json_schema": to_say("JSON schema (strictest)"),
    "json_object": to_say("JSON object without a schema"),
    "text": to_say("format described in the prompt, parsed leniently"),
}


def trial_button(server: Server, key: str, *, first: bool = False) -> None:
    """The button that starts the test, and shows it; the main one of its page if it is `first`."""
    st.button(say("Test"), key=key, type="primary" if first else "tertiary", on_click=_start, args=(server,))


def trial(stage: Stage, server: Server) -> None:
    """The last test of a server, followed while it is under way."""
    if len(server.models) > 1:
        st.selectbox(say("Model to test"), server.models, key=_model_key(server), width=420, persist_state="session")
    last = stage.jobs.last(Trial, server.url)
    if last is not None:
        running = not last.future.done()
        st.fragment(_trial, run_every=POLL if running else None)(stage, server, last, running)


def _trial(stage: Stage, server: Server, last: Trial, drawn_running: bool) -> None:
    st.subheader(say("Test"))
    if not last.future.done():
        told = say(
            "Testing for {seconds:.0f} s: available models, short call, streaming, structured reply.",
            seconds=last.seconds,
        )
        quiet(told)
        st.button(say("Stop test"), "stop-test", type="tertiary", on_click=stage.jobs.forget, args=(Trial, server.url))
        return
    if drawn_running:
        st.rerun()
    if error := last.future.exception():
        fault(translate(error))
    else:
        facts(findings(last.future.result()))
        if server.kind != "rehearsal" and allowed("administer"):
            # What can be taken over, each in a place of its own: nothing else moves when one of them goes
            found = last.future.result()
            window = found.context
            with st.container():
                if window not in (None, server.context) and st.button(
                    say("Set context window to {count:,} tokens", count=window), "take-window"
                ):
                    _change(stage, server, {"context": window})
            unlisted = [model for model in found.models or () if model not in server.models]
            if unlisted and server.kind != "started":
                with st.container(horizontal=True, vertical_alignment="bottom"):
                    key = f"offered-{server.url}"
                    chosen = pick_some(say("Offered models not yet in the list"), unlisted, key=key, width=420)
                    if st.button(say("Add to list"), "add-offered", disabled=not chosen):
                        _change(stage, server, {"models": (*server.models, *chosen)})


def findings(found: Probe) -> dict[str, str]:
    """What came of a test, ready to be read."""
    if not found.reachable:
        reasons = dict.fromkeys(_reason(found, part) for part in found.errors if part != "models")
        return {
            say("Model"): found.endpoint.model,
            say("Reachable"): say("no: {reason}", reason=say("; ").join(reasons)),
        }
    return {
        say("Model"): found.endpoint.model,
        say("Reachable"): say("yes"),
        say("Latency"): _told(found, "call", found.latency, to_say("{value:.2f} s for a short call")),
        say("Streaming"): _streaming(found),
        say("Speed"): _told(found, "stream", found.tokens_per_second, to_say("{value:,.1f} tokens per second")),
        say("Structured replies"): say(WAYS[found.structured]) if found.structured else _no(found, "structured"),
        say("Context window"): _told(found, "models", found.context, to_say("{value:,} tokens")),
        say("Models offered"): _offered(found),
    }


def _told(found: Probe, part: Part, value: float | None, words: str) -> str:
    """A value in words, or why there is none."""
    if value is not None:
        return say(words, value=value)
    return _no(found, part) if part in found.errors else say("not reported")


def _no(found: Probe, part: Part) -> str:
    return say("no: {reason}", reason=_reason(found, part))


def _streaming(found: Probe) -> str:
    if found.pieces is None or found.first_token is None:
        return _told(found, "stream", found.pieces, to_say("yes, in {value:,} chunks"))
    first = found.first_token
    return say("yes, in {count:,} chunks, the first after {first:.2f} s", count=found.pieces, first=first)


def _offered(found: Probe) -> str:
    if found.models is None:
        return _no(found, "models") if "models" in found.errors else say("not reported")
    more = len(found.models) - LISTED
    names = say(", ").join(found.models[:LISTED])
    return say("{names} and {count:,} more", names=names, count=more) if more > 0 else names or say("none")


def _reason(found: Probe, part: Part) -> str:
    """Why a part is missing; that it is an endpoint, and which, stands above."""
    reason = found.errors.get(part)
    if reason is None:
        return say("not reported")
    here = {str(found.endpoint), found.endpoint.url}
    if reason.code == "endpoint" and reason.values["endpoint"] in here:
        return translate(Reason.of(reason.values["what"]))
    return translate(reason)


def _change(stage: Stage, server: Server, update: dict[str, object]) -> None:
    stage.store.servers.save(current_user(), Server.model_validate(server.model_dump() | update))
    st.rerun()


def _start(server: Server) -> None:
    chosen = st.session_state.get(_model_key(server))
    model = chosen if chosen in server.models else next(iter(server.models), None)
    do(lambda: open_stage().jobs.start(Trial.by(current_user(), server.url, model)))
    go(server=server.url)


def _model_key(server: Server) -> str:
    return f"trial-{server.url}"
