"""Widgets that show what is stored leave alone what somebody chooses meanwhile."""

from streamlit.testing.v1 import AppTest


def script(stored):
    import streamlit as st  # noqa: PLC0415 - the script is run by itself

    from pages.shared.form import show_stored  # noqa: PLC0415

    for name in ("a", "b"):
        show_stored(name, name in stored)
        st.checkbox(name, key=name, on_change=lambda name=name: stored.add(name))


def test_only_what_differs_is_set():
    stored = {"b"}
    app = AppTest.from_function(script, args=(stored,), default_timeout=60).run()
    assert [(one.value, one.proto.set_value) for one in app.checkbox] == [(False, True), (True, True)]
    app.checkbox("a").check().run()
    assert [(one.value, one.proto.set_value) for one in app.checkbox] == [(True, False), (True, False)]
    stored.clear()
    app.run()
    assert [(one.value, one.proto.set_value) for one in app.checkbox] == [(False, True), (False, True)]
