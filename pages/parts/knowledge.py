"""What an agent is told, set to be read: the record, the present and the task of a prompt."""

import html
import re
from collections.abc import Iterator

from characterbox.llm.request import ChatMessage, Request

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
.cb-known .cb-act { font-size: 1.1875rem; margin: 0 0 .4rem; }
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
