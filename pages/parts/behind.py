"""The reply behind a step: who wrote it, what it took, what was left out, and how it came."""

import streamlit as st

from characterbox.llm.journal import Reply
from characterbox.play.events import Event
from characterbox.stage.stage import Stage
from characterbox.store.stories import Story
from pages.parts.facts import facts
from pages.parts.knowledge import STYLE, prompt
from pages.parts.look import plain, quiet
from pages.parts.steps import step_title

AUTHORS = {"model": "a model", "human": "a person who played", "edit": "a person who edited it"}


def behind(stage: Stage, story: Story, event: Event) -> None:
    """Everything that the journal knows of a step: the reply that counts, and those before it."""
    stories = stage.store.stories
    takes = [*stories.takes(story.id, event.path), *stories.takes(story.id, f"{event.path}/again")]
    st.markdown(f"**{plain(step_title(event))}**")
    if event.degraded:
        quiet(f"Degraded: a neutral outcome stands for a reply that could not be read. {event.reason or ''}")
    if not takes:
        quiet("There is no reply behind this step.")
    for number, reply in reversed([*enumerate(takes, 1)]):
        if len(takes) > 1:
            st.caption(f"Reply {number} of {len(takes)}" + (" (asked again)" if reply.path.endswith("/again") else ""))
        _reply(reply, story)


def _reply(reply: Reply, story: Story) -> None:
    facts(told(reply))
    for memory in reply.dropped:
        quiet(f"Left out, as the context window is too small: {memory}")
    st.code(reply.text, language=None, wrap_lines=True)
    with st.expander("The prompt"):
        st.html(STYLE + prompt(reply.messages, story.script.scene.language))


def told(reply: Reply) -> dict[str, str]:
    """What is known of a reply, in words."""
    by_model = reply.author == "model"
    lines = {
        "Written by": AUTHORS[reply.author],
        "Model": str(reply.endpoint) if by_model else "",
        "Taken over from": f"story {reply.origin}" if reply.origin else "",
        "Attempts": f"{reply.attempts}" if by_model else "",
        "What went wrong": ", ".join(reply.troubles),
        "Time": f"{reply.latency:.2f} s" if by_model else "",
        "Tokens": _tokens(reply) if by_model else "",
        "Price": _price(reply) if by_model else "",
        "Left out": f"{len(reply.dropped)} memories" if reply.dropped else "",
        "Ended": reply.finish_reason or "",
    }
    return {name: what for name, what in lines.items() if what}


def _tokens(reply: Reply) -> str:
    if reply.prompt_tokens is None or reply.completion_tokens is None:
        return "not told by the endpoint"
    cached = f" ({reply.cached_tokens:,} from a cache)" if reply.cached_tokens else ""
    return f"{reply.prompt_tokens:,} in{cached}, {reply.completion_tokens:,} out"


def _price(reply: Reply) -> str:
    return f"no price known for {reply.endpoint.model}" if reply.price is None else f"${reply.price:.6g}"
