"""The form of a person who plays: what the agent knows, what it is to do, and the fields for it.

What is written is kept at every change, so that a reload, another browser or a restart of the app shows it again.
"""

import hashlib
import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

import streamlit as st

from annotations.i18n.translation import say, translate
from characterbox.components.answer_form import show_form
from characterbox.components.answer_form.blank import Blank
from characterbox.components.answer_form.labels import SUBMIT
from characterbox.errors import CharacterBoxError, ReplyError
from characterbox.llm.request import ChatMessage, Request
from characterbox.play.events import Event, StoryEnded
from characterbox.play.observations import memories
from characterbox.play.paths import NARRATED, parse_path, reply_paths
from characterbox.play.world import Passage, world_after
from characterbox.scenes.scene import Scene, slug_of
from characterbox.scenes.validation import EMPTY_FIELD
from characterbox.stage.stage import Stage
from characterbox.store.stories.stories import Story
from characterbox.store.stories.story import OVER
from pages.shared.current_user import current_user
from pages.shared.text import plain, quiet
from pages.story.actions import do
from pages.story.casting import NARRATOR

STYLE = """
<style>
.cb-known { font-family: "Source Serif 4", Georgia, "Songti SC", "Noto Serif CJK SC", serif; line-height: 1.6;
  max-width: var(--cb-story); overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.cb-known h4 { font: 600 .8125rem/1.5 system-ui, sans-serif; opacity: .72; margin: 1rem 0 .2rem; padding: 0; }
.cb-known > :first-child { margin-top: 0; }
.cb-known p { margin: 0 0 .4rem; white-space: pre-line; }
.cb-known ul { list-style: none; margin: 0 0 .6rem; padding: 0; }
.cb-known li { margin: 0 0 .35rem; padding: 0 0 0 .75rem; white-space: pre-line;
  border-left: 1px solid color-mix(in srgb, currentColor 22%, transparent); }
.cb-known summary { cursor: pointer; font: .875rem/1.5 system-ui, sans-serif; opacity: .72; }
.cb-known details { margin: 1rem 0 .8rem; }
</style>
"""

_OPENS = re.compile(r"^<([^/<>]+)>$")
_CLOSES = re.compile(r"^</[^<>]+>$")
_TASK = "\n## "
_FORM = re.compile(r"(?<=[?？])[^?？\n]*\bJSON\b.*")
"""What a task says of the form of its reply, behind the question: a person has fields for that."""


def told(request: Request) -> tuple[str, str]:
    """What the agent knows, and what it is to do now: each as HTML, in which all text is data."""
    system, *rest = request.messages
    if not rest:  # a person in a dialogue: what was said last is all that they are asked
        return "", _article(as_reading(system.content), request)
    asked, *again = (message.content for message in rest)
    known, heading, task = asked.rpartition(_TASK)
    # The contract of a system message, and the material of the story that follows in tags
    lines = system.content.splitlines()
    first = next((number for number, line in enumerate(lines) if _OPENS.match(line)), len(lines))
    contract, opening = "\n".join(lines[:first]), "\n".join(lines[first:])
    rules = "The rules of the part" if request.language == "en" else "这个角色的规则"
    folded = f"<details><summary>{rules}</summary>{as_reading(contract, strong=True)}</details>"
    # The first line of the task only names it: the fields say the same to a person, in whole words.
    task = _FORM.sub("", task.partition("\n")[2], count=1) if heading else asked
    problem = "".join(as_reading(content) for content in again)
    knows = as_reading(known) + as_reading(opening) + folded
    return _article(knows, request), _article(as_reading(task) + problem, request)


_ON_TURN = (*NARRATED, "dialogue", "reaction")
"""The steps that follow from what has happened on a turn before."""


def turn_so_far(scene: Scene, before: Sequence[Event], question: Request) -> list[str]:
    """What has happened on the turn in which a question is asked, as far as the one who is asked perceives it."""
    place, _ = parse_path(question.path)
    if place.step not in _ON_TURN:
        return []
    turn = tuple(one for one in before if one.turn and (one.round, slug_of(one.turn)) == (place.round, place.turn))
    opening = Passage(place.round, 0, world_after(scene, before[: len(before) - len(turn)]))
    passage = reduce(Passage.after, turn, opening)
    return [one.text for one in memories(question.agent, passage, scene.language)]


def prompt(messages: tuple[ChatMessage, ...], language: str) -> str:
    """A whole prompt as HTML, message by message, as a model was given it."""
    parts = (f"<h4>{message.role}</h4>{as_reading(message.content, strong=True)}" for message in messages)
    return f'<article class="cb-known" lang="{language}">{"".join(parts)}</article>'


def as_reading(text: str, *, strong: bool = False) -> str:
    """The text of a prompt as HTML: its tags and headings become headings, its lists lists. `strong`: `**` is bold."""
    return "".join(_blocks(text, strong=strong))


def _article(content: str, request: Request) -> str:
    return f'<article class="cb-known" lang="{request.language}">{content}</article>'


def _blocks(text: str, *, strong: bool) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", text):
        lines: list[str] = []
        for line in block.splitlines():
            opens, heading = _OPENS.match(line), line.startswith("## ")
            if opens or heading or _CLOSES.match(line):
                yield from _runs(lines, strong=strong)
                lines = []
            if opens or heading:
                title = opens[1].replace("-", " ") if opens else line[3:]
                yield f"<h4>{html.escape(title[:1].upper() + title[1:])}</h4>"
            elif not _CLOSES.match(line):
                lines.append(line)
        yield from _runs(lines, strong=strong)


def _runs(lines: list[str], *, strong: bool) -> Iterator[str]:
    """Paragraphs and lists: an item begins with a dash, and goes on in lines that are moved in."""
    items: list[list[str]] = []
    for line in lines:
        if line.startswith("- "):
            items.append([line[2:]])
        elif items and line.startswith("  "):
            items[-1].append(line.strip())
        else:
            yield _list(items)
            items = []
            text = html.escape(line)
            if strong:
                text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
            yield f"<p>{text}</p>" if text.strip() else ""
    yield _list(items)


def _list(items: list[list[str]]) -> str:
    """A list whose items are given line by line."""
    told = (html.escape("\n".join(item)) for item in items)
    return f"<ul>{''.join(f'<li>{item}</li>' for item in told)}</ul>" if items else ""


Written = dict[tuple[str, str], str | None]
"""What is being written in this session, by story and path; None where the answer was sent."""


def note_unsent(story: str, path: str, values: Mapping[str, Any]) -> None:
    """Remember what is being written, unless it was sent already."""
    text = "\n\n".join(text for text in values.values() if isinstance(text, str) and text.strip())
    if text and not was_sent(story, path):
        _written()[story, path] = text


def was_sent(story: str, path: str) -> bool:
    """Whether the answer was sent from this session."""
    return _written().get((story, path), "") is None


def forget_unsent(story: str, path: str) -> None:
    """It was taken back, or put away."""
    _written().pop((story, path), None)


def tell_unsent(stage: Stage, story: Story) -> None:
    """Show what was being written as answers that somebody else has given meanwhile, until it is put away.

    Also where nobody will answer any more, as the story is over.
    """
    texts = _texts(story.id)
    if not texts:
        return
    events = stage.store.stories.events(story.id)
    past = {*_answered(events)}
    for path, text in texts.items():
        if path in past:
            _tell(story.id, path, text, say("This has already been answered, in another window or by someone else."))
        elif story.status in OVER:
            _tell(story.id, path, text, say("The story has ended in the meantime."))


def tell_unsent_of_gone(id: str) -> None:
    """The same for a story that is not there any more."""
    for path, text in _texts(id).items():
        _tell(id, path, text, say("The story has been deleted in the meantime."))


def _tell(id: str, path: str, text: str, why: str) -> None:
    st.warning(say("{why} Your text was not sent:", why=why))
    st.code(text, None, wrap_lines=True)
    st.button(say("Dismiss"), key=f"away-{_form_id(id, path)}", on_click=forget_unsent, args=(id, path))


def _answered(events: Sequence[Event]) -> Iterator[str]:
    """Where the replies behind these events can stand."""
    for event in events:
        if not isinstance(event, StoryEnded):
            yield from reply_paths(event.path)


def _form_id(id: str, path: str) -> str:
    """The name of a form in the browser: a path would say whose turn it is, which not all who play know."""
    return hashlib.blake2b(f"{id}/{path}".encode(), digest_size=9).hexdigest()


def _texts(id: str) -> dict[str, str]:
    return {path: text for (story, path), text in _written().items() if story == id and text is not None}


def _written() -> Written:
    written: Written = st.session_state.setdefault("unsent", {})
    return written


_NARRATOR = ""
"""Among names, none of which is empty."""
_WIDE = """
<style>
.st-key-answer { position: sticky; top: 4.5rem; }
@media (max-width: 640px) { .st-key-answering .stHorizontalBlock { flex-direction: column-reverse; }
  .st-key-answer { position: static; } }
</style>
"""


def chosen_question(asked: Sequence[Request]) -> Request | None:
    """The question to be answered first: of the seat that the person picks, where several are asked."""
    agents = list(dict.fromkeys(request.agent for request in asked))
    if not agents:
        return None
    agent = agents[0]
    if len(agents) > 1:
        seats = [agent or _NARRATOR for agent in agents]
        narrator = say(NARRATOR) if say(NARRATOR) not in agents else f"*{say(NARRATOR)}*"
        chosen = st.segmented_control(
            say("You play"),
            seats,
            format_func=lambda seat: narrator if seat == _NARRATOR else plain(seat),  # choices are told apart by it
            default=seats[0],
            required=True,
            key="seat",
        )
        agent = agents[seats.index(chosen)] if chosen in seats else agents[0]
    return next(request for request in asked if request.agent == agent)


def nobody_asked(stage: Stage, story: Story) -> None:
    """The way out where a story waits for an answer that has been given: the app ended before it could go on."""
    quiet(say("Everybody has answered."))
    st.button(say("Continue"), key="all-answered", type="primary", on_click=do, args=(lambda: stage.resume(story.id),))


def answering(stage: Stage, story: Story, question: Request, asked: Sequence[Request]) -> None:
    """The form for a question: what the agent knows on the left, and its task with the fields on the right."""
    own = [request.path for request in asked if request.agent == question.agent]
    batch = st.session_state.get("batch", ())
    if not set(own) <= set(batch):
        batch = st.session_state["batch"] = tuple(own)
    known, task = told(question)
    happened = turn_so_far(story.script.scene, stage.store.stories.events(story.id), question)
    st.html(STYLE + _WIDE)
    with st.container(key="answering"):
        reading, form = st.columns([6, 5], gap="large")
        with reading:
            st.html(known)
        with form, st.container(key="answer"):
            name = say(NARRATOR) if question.agent is None else question.agent
            st.subheader(plain(name), anchor=False)
            if len(batch) > 1:
                st.caption(say("{number} of {count}", number=len(batch) - len(own) + 1, count=len(batch)))
            if happened:  # which what is known ends with, far from here on a narrow screen
                st.html(_article(_list([one.splitlines() for one in happened]), question))
            st.html(task)
            st.fragment(_form)(stage, story, question.path)


def _form(stage: Stage, story: Story, path: str) -> None:
    if st.session_state.pop("moved-on", None) == path:
        st.rerun()
    drafts, events = stage.store.drafts, stage.store.stories.events(story.id)
    blank, shown = Blank.at(path, story.script, events), _form_id(story.id, path)
    before = [*_answered(events), *st.session_state.get("batch", ())]
    earlier = {_form_id(story.id, one): one for one in before}
    draft = drafts.find(story.id, path)
    kept = {} if draft is None else blank.read_draft(draft)
    begin = blank.begin
    problem = st.session_state.get("answer-problem", {})

    def keep(id: str, values: dict[str, Any]) -> None:
        told = path if id == shown else earlier.get(id)
        if told is None or was_sent(story.id, told):
            return
        if told != path:  # of the form that this one took the place of
            note_unsent(story.id, told, values)
        elif values and values != begin:
            note_unsent(story.id, path, {name: value for name, value in values.items() if value != begin.get(name)})
            drafts.save(story.id, path, json.dumps(values, ensure_ascii=False))
        else:
            forget_unsent(story.id, path)
            drafts.drop(story.id, path)

    def answer(id: str, values: dict[str, Any]) -> None:
        if id == shown:
            keep(id, values)
            st.session_state["answer-problem"] = _problem(stage, story, blank, values)

    show_form(
        {
            "id": shown,
            "language": blank.scene.language,
            "submit": SUBMIT[blank.scene.language],
            "fields": blank.fields,
            "values": kept or begin,
            "kept": kept,
            "problem": problem.get("told") if problem.get("of") == (story.id, path) else None,
        },
        key=f"answer-{story.id}",
        on_draft=keep,
        on_answer=answer,
    )


def _problem(stage: Stage, story: Story, blank: Blank, values: dict[str, Any]) -> dict[str, Any]:
    """Answer, and give what is wrong with it, if anything is."""
    path, writing = blank.path, _written()
    if (empty := blank.first_empty(values)) is not None:
        return {"of": (story.id, path), "told": {"field": empty, "text": translate(EMPTY_FIELD)}}
    try:
        stage.answer(story.id, path, blank.written(values), person=current_user().id)
        writing[story.id, path] = None  # first: a look at the session ends this where the page is to be drawn anew
    except ReplyError as error:
        return {"of": (story.id, path), "told": {"field": blank.field_at_fault(error), "text": translate(error)}}
    except CharacterBoxError as error:
        st.session_state["moved-on"] = path
        return {"of": (story.id, path), "told": {"field": None, "text": translate(error)}}
    st.session_state["moved-on"] = path
    return {}
