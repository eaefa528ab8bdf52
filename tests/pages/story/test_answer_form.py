"""Which of the questions to people is shown: that of the seat that is picked, whatever characters are called."""

from streamlit.testing.v1 import AppTest

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
