"""What is wrong with the form of a server is told of the form that was sent, not of another one."""

from types import SimpleNamespace

from streamlit.testing.v1 import AppTest


def script(stage):
    import streamlit as st  # noqa: PLC0415 - the script is run by itself

    from pages.parts.models_form import add_server  # noqa: PLC0415

    add_server(stage, st.query_params.get("new", "api"))


def faults(app):
    return [one.proto.body for one in app.get("html") if "cb-fault" in one.proto.body]


def test_another_kind_of_form_has_no_faults_of_the_one_before():
    app = AppTest.from_function(script, args=(SimpleNamespace(),), default_timeout=30).run()
    next(button for button in app.button if button.label == "Add the server").click().run()
    assert len(faults(app)) > 1
    app.query_params["new"] = "started"
    app.run()
    assert faults(app) == []
