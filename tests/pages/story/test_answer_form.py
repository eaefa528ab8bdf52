"""Which of the questions to people is shown: that of the seat that is picked, whatever characters are called; and what
is told of what was written and not sent."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.accounts.account import Account
from characterbox.components.answer_form.blank import Blank
from characterbox.llm.request import Request
from characterbox.play.events import EnvironmentUpdate, StoryEnded
from characterbox.play.world import Script
from pages.story import answer_form
from tests.components.masked import masked_events
from tests.fakes.scenes import a_scene
from tests.play.masked_guest import scene

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
    ann = Account(id="0123456789ab", name="Ann", role="researcher")
    monkeypatch.setattr(answer_form, "current_user", lambda: ann)
    told = []

    class Answered:
        def answer(self, *_, person):
            told.append(person)
            monkeypatch.setattr(answer_form.st, "session_state", Ending(session))

    script = Script(scene=a_scene())
    blank, story = Blank.at("r1/ann/action", script, []), SimpleNamespace(id="s", script=script)
    answer_form.note_unsent("s", blank.path, {"action": "Ann bows."})
    with pytest.raises(Redrawn):
        answer_form._problem(Answered(), story, blank, {"action": "Ann bows."})
    assert session["unsent"] == {("s", blank.path): None}
    assert told == [ann.id]


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


def asked(events, number, agent):
    event = events[number]
    return answer_form.turn_so_far(scene("en"), events[:number], Request(event.path, agent, "en", ()))


def test_who_reacts_is_shown_what_to_as_far_as_it_perceives_it_and_in_the_names_that_it_has():
    events = masked_events("en")
    reactions = [number for number, event in enumerate(events) if event.kind == "reaction"]
    shown = {events[number].path: asked(events, number, events[number].character) for number in reactions}
    assert shown["r1/vera-lund/reaction/aldo-renn"] == [
        "Vera Lund fills the glass of Aldo Renn to the brim.",
        "Vera Lund says: One hour, and we shall see who drinks my wine.",
        "Effect on Aldo Renn: The wine runs over his glove.",
    ]
    behind_the_door = ["Mila says: Let me out!", "Effect on Tomas: Dull blows come from behind the sideboard."]
    assert shown["r1/mila/reaction/tomas"] == behind_the_door
    assert shown["r2/aldo-renn/reaction/mila"] == [
        "the guest in the fox mask says: Come out, whoever you are.",
        "Effect on Mila: Light falls on the steps.",
    ]


def test_the_narrator_is_shown_the_turn_and_who_begins_one_nothing():
    events = masked_events("en")
    for number, event in enumerate(events):
        if event.kind in ("action", "self_belief", "environment_belief"):
            assert asked(events, number, event.character) == []
        if event.kind == "action_influence":
            assert len(asked(events, number, None)) == sum(
                one.turn == event.turn and one.round == event.round for one in events[:number]
            )
