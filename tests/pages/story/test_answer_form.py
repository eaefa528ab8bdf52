"""Which of the questions to people is shown: that of the seat that is picked, whatever characters are called; and what
is told of what was written and not sent."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.components.answer_form.blank import Blank
from characterbox.play.events import EnvironmentUpdate, StoryEnded
from characterbox.play.world import Script
from pages.story import answer_form
from tests.fakes.scenes import a_scene

CAST = ("The narrator", "Ann")


def draw(cast):
    import streamlit as st  # noqa: PLC0415

    from characterbox.llm.request import ChatMessage, Request  # noqa: PLC0415
    from pages.story.answer_form import chosen_question  # noqa: PLC0415

    asked = [Request(f"of {agent!r}", agent, "en", (ChatMessage("user", "-"),)) for agent in (None, *cast)]
    st.text(chosen_question(asked).path)


def test_a_character_called_the_narrator_has_a_seat_beside_the_narrators():
    shown = AppTest.from_function(draw, args=(CAST,), default_timeout=60).run()
    for seat, agent in (("The narrator", "The narrator"), ("Ann", "Ann"), ("", None)):
        [seats] = shown.button_group
        seats.set_value(seat)
        shown = shown.run()
        assert not shown.exception
        assert [text.value for text in shown.text] == [f"of {agent!r}"], seat
    assert len({*shown.button_group[0].options}) == 3


class Redrawn(BaseException):
    """What Streamlit raises at a look at the session when the page is to be drawn anew."""


class Ending(dict):
    """A session in which nothing can be noted any more."""

    def __setitem__(self, name, value):
        raise Redrawn


def test_what_was_sent_counts_so_even_if_the_page_is_drawn_anew_in_the_same_moment(monkeypatch):
    session = {}
    monkeypatch.setattr(answer_form.st, "session_state", session)

    class Answered:
        def answer(self, *_):
            monkeypatch.setattr(answer_form.st, "session_state", Ending(session))

    script = Script(scene=a_scene())
    blank, story = Blank.at("r1/ann/action", script, []), SimpleNamespace(id="s", script=script)
    answer_form.note_unsent("s", blank.path, {"action": "Ann bows."})
    with pytest.raises(Redrawn):
        answer_form._problem(Answered(), story, blank, {"action": "Ann bows."})
    assert session["unsent"] == {("s", blank.path): None}


def test_what_was_written_as_an_update_that_somebody_else_gave_is_told(monkeypatch):
    monkeypatch.setattr(answer_form.st, "session_state", {})
    told = []
    monkeypatch.setattr(answer_form, "_tell", lambda story, path, text, why: told.append((path, text)))
    answer_form.note_unsent("s", "r1/ann/updates", {"position": "at the door"})
    at = {"path": "r1/ann/environment", "round": 1, "turn": "Ann"}
    event = EnvironmentUpdate(time="t", location="l", description="d", **at)
    ended = StoryEnded(path="end", round=1, because="rounds")
    for events, expected in (([], []), ([event, ended], [("r1/ann/updates", "at the door")])):
        stories = SimpleNamespace(events=lambda _, events=events: events)
        stage = SimpleNamespace(store=SimpleNamespace(stories=stories))
        answer_form.tell_unsent(stage, SimpleNamespace(id="s", status="running"))
        assert told == expected
