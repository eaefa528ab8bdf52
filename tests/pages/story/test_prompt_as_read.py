"""A prompt set to be read: its structure is kept, and all text in it is data."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as some

from characterbox.llm.request import ChatMessage, Request
from characterbox.prompts import render
from characterbox.values import Language
from pages.story.answer_form import as_reading, told

PROMPT = """You are Ann.

<profile>
A watchmaker.
</profile>

<this-record>
Round 1
- Ann acts: she bows.
  Then she waits.
- Result: nothing.
</this-record>

## Task: action
What does Ann do next?"""


def request(*contents: str) -> Request:
    roles = ("system", "user", "assistant", "user")
    messages = tuple(ChatMessage(role, content) for role, content in zip(roles, contents, strict=False))
    return Request("r1/ann/action", "Ann", "en", messages)


def test_headings_lists_and_paragraphs():
    assert as_reading(PROMPT) == (
        "<p>You are Ann.</p><h4>Profile</h4><p>A watchmaker.</p><h4>This record</h4><p>Round 1</p>"
        "<ul><li>Ann acts: she bows.\nThen she waits.</li><li>Result: nothing.</li></ul>"
        "<h4>Task: action</h4><p>What does Ann do next?</p>"
    )


def test_the_task_stands_apart_and_the_contract_is_folded_away():
    known, task = told(request("**Action.** One act.\n\n<scene>\nTime: noon\n</scene>", PROMPT))
    assert "What does Ann do next?" in task
    assert "What does Ann do next?" not in known
    folded = known[known.index("<details>") : known.index("</details>")]
    assert "<strong>Action.</strong> One act." in folded
    assert "Time: noon" not in folded
    assert known.index("A watchmaker.") < known.index("Time: noon") < known.index("<details>")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("task", "names"),
    [
        ("action", ("name",)),
        ("influence", ("actor",)),
        ("result", ("actor", "affected")),
        ("updates", ("actor", "affected")),
        ("character_update", ("name",)),
        ("environment_update", ()),
        ("self_belief", ("name",)),
        ("environment_belief", ("name",)),
    ],
)
def test_the_form_of_the_reply_is_nothing_for_a_person(task: str, names: Sequence[str], language: Language) -> None:
    asked = render(task, language, **dict.fromkeys(names, "Ann"))
    known, shown = told(request("Rules.", f"<record>\nJSON\n</record>\n\n{asked}"))
    assert "JSON" in asked
    assert "JSON" in known
    assert "JSON" not in shown
    assert re.search("[?？]</p>", shown)


def test_what_was_wrong_with_the_answer_before_is_told_with_the_task():
    _, task = told(request("Rules.", PROMPT, "Hm.", "There is no text in it."))
    assert "There is no text in it." in task


@pytest.mark.parametrize("strong", [True, False])
@given(some.text(some.sampled_from(list("<>/&\"'ab-# \n*|")), max_size=80))
def test_no_text_becomes_markup(strong: bool, text: str) -> None:
    shown = as_reading(text, strong=strong)
    assert set(re.findall("<[^>]*>", shown)) <= {
        "<p>", "</p>", "<h4>", "</h4>", "<ul>", "</ul>", "<li>", "</li>", "<strong>", "</strong>",
    }  # fmt: skip
