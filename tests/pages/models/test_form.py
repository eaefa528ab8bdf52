"""What is wrong with the form of a server is told of the form that was sent, and of no other."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.llm.server import Server


def script(stage):
    import streamlit as st  # noqa: PLC0415 - the script is run by itself

    from pages.models.form import add_server  # noqa: PLC0415

    add_server(stage, st.query_params.get("new", "api"))


def faults(app):
    return [one.proto.body for one in app.get("html") if "cb-fault" in one.proto.body]


def test_another_kind_of_form_has_no_faults_of_the_one_before():
    app = AppTest.from_function(script, args=(SimpleNamespace(),), default_timeout=60).run()
    next(button for button in app.button if button.label == "Add server").click().run()
    assert len(faults(app)) > 1
    app.query_params["new"] = "started"
    app.run()
    assert faults(app) == []


@pytest.mark.parametrize(
    ("kind", "url", "known"),
    [
        ("azure", "https://LAB.example/openai/", True),
        ("azure", "https://lab.example/lab", False),
        ("api", "https://LAB.example", True),
        ("api", "https://lab.example/openai", False),
    ],
)
def test_a_place_has_one_server_however_its_address_is_written(kind, url, known):
    lab = Server(url="https://lab.example", name="Lab", kind="azure", api_version="2024-10-21")
    saved = []
    servers = SimpleNamespace(all=lambda: [lab], find=lambda url: None, save=lambda _, server: saved.append(server))
    stage = SimpleNamespace(store=SimpleNamespace(servers=servers))
    app = AppTest.from_function(script, args=(stage,), default_timeout=60)
    app.query_params["new"] = kind
    app.run()
    for field, text in {"name": "Another", "url": url, "api_version": "2024-10-21"}.items():
        for box in app.text_input:
            if box.key == f"server-new-{field}":
                box.input(text)
    next(button for button in app.button if button.label == "Add server").click().run()
    assert any("There is a server at this address already: Lab." in told for told in faults(app)) == known
    assert len(saved) == (not known)


@pytest.mark.parametrize("private", [True, False])
def test_an_address_of_a_private_network_is_allowed_by_a_toggle(private):
    saved = []
    servers = SimpleNamespace(all=list, find=lambda url: None, save=lambda _, server: saved.append(server))
    stage = SimpleNamespace(store=SimpleNamespace(servers=servers))
    app = AppTest.from_function(script, args=(stage,), default_timeout=60).run()
    for box in app.text_input:
        if box.key in ("server-new-name", "server-new-url"):
            box.input("http://10.0.0.5/v1")
    app.toggle[0].set_value(private)
    next(button for button in app.button if button.label == "Add server").click().run()
    assert [server.private for server in saved] == [private]
