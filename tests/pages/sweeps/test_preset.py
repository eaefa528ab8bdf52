"""The paper's setting in the form: what the button fills in, and how models that wait get their addresses."""

import html

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.accounts.account import LOCAL
from characterbox.judging.judge import Judge
from characterbox.judging.protocol import PRESETS
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.server import Server
from characterbox.sweeps.file import unaddressed
from characterbox.sweeps.preset import ABOUT, PAPER, preset
from pages.shared.form import UNUSABLE, FieldFaults
from pages.sweeps.form import lacking, read_sweep_form
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in

NAMES = ", ".join(unaddressed(preset(PAPER).written.characters))
LAB = "http://127.0.0.1:1/v1"
WAITING = {
    "characters": f"addresses of the models ({NAMES})",
    "narrators": "address of the narrator (GPT-3.5)",
    "judges": "address of the judge (GPT-4)",
}


def draw():
    import streamlit as st  # noqa: PLC0415 - the script is run by itself

    from characterbox.stage.stage import open_stage  # noqa: PLC0415
    from pages.sweeps.form import sweep_form  # noqa: PLC0415

    st.session_state["made"] = sweep_form(open_stage())


@pytest.fixture
def form(tmp_path):
    with app_stage(database_in(tmp_path / "page.db")) as stage:
        stage.store.servers.save(LOCAL, Server(url=LAB, name="Lab", kind="api", models=(*NAMES.split(", "),)))
        yield AppTest.from_function(draw, default_timeout=60).run()


def told(form):
    return "\n".join(one.proto.body for one in form.get("html"))


def give(form, field, name, model):
    form.selectbox(key=f"sweep-address-{field}-{name}").set_value(f"Lab · {model}").run()
    assert not form.exception


@pytest.mark.slow
def test_the_button_fills_the_form_and_each_model_takes_its_address(form):
    assert ABOUT[PAPER][:60] not in told(form)
    form.text_input(key="sweep-name").set_value("mine").run()
    form.button(key="sweep-preset").click().run()
    assert not form.exception
    assert ABOUT[PAPER][:60] in told(form)
    assert form.session_state["made"] is None
    for name in NAMES.split(", "):
        give(form, "characters", name, name)
    give(form, "narrators", "GPT-3.5", "GPT-3.5")
    assert form.session_state["made"] is None
    give(form, "judges", "GPT-4", "GPT-4")
    sweep = form.session_state["made"]
    assert (sweep.name, sweep.rounds, sweep.size) == ("mine", 3, 108)
    assert {*sweep.scenes} == {*preset(PAPER).scenes}
    assert ", ".join(one.model for one in sweep.characters) == NAMES
    assert sweep.judges == (Judge(name="GPT-4", endpoint=Endpoint.parse(f"{LAB}#GPT-4"), protocol=PRESETS["GPT-4"]),)


FIELDS = (
    "name", "works", "each", "scenes", "characters", "narrators", "rounds", "repeats", "seeds", "early", "judges"
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("presses", [1, 2])
def test_what_was_in_the_form_before_comes_back_by_one_click(form, presses):
    assert not [one for one in form.button if one.key == "sweep-preset-undo"]
    form.number_input(key="sweep-rounds").set_value(7)
    form.text_input(key="sweep-seeds").set_value("4, 5")
    form.multiselect(key="sweep-works").set_value([("zh", "")])
    form.toggle(key="sweep-early").set_value(True).run()
    before = {one: form.session_state[f"sweep-{one}"] for one in FIELDS if f"sweep-{one}" in form.session_state}
    for _ in range(presses):
        form.button(key="sweep-preset").click().run()
    assert form.number_input(key="sweep-rounds").value == 3
    give(form, "narrators", "GPT-3.5", "GPT-3.5")
    form.button(key="sweep-preset-undo").click().run()
    assert not form.exception
    after = {one: form.session_state[f"sweep-{one}"] for one in FIELDS}
    assert after == {"judges": [], **before}
    assert form.number_input(key="sweep-rounds").value == 7
    assert not [one for one in form.button if one.key == "sweep-preset-undo"]


@pytest.mark.slow
def test_a_model_that_is_chosen_already_is_told_and_not_taken(form):
    form.button(key="sweep-preset").click().run()
    give(form, "characters", "GPT-4", "Qwen2.5-7B")
    give(form, "characters", "GPT-3.5", "Qwen2.5-7B")
    assert f"{LAB}#Qwen2.5-7B is already chosen." in told(form)
    assert form.session_state["sweep-characters"][:2] == [f"{LAB}#Qwen2.5-7B", "#GPT-3.5"]


def test_a_form_whose_models_wait_says_which_and_is_no_sweep():
    found = preset(PAPER)
    written = {
        "name": "paper", "scenes": found.scenes, "characters": [*found.written.characters],
        "narrators": [*found.written.narrators], "judges": found.written.judges, "seeds": "1",
    }  # fmt: skip
    assert lacking(written) == WAITING
    with pytest.raises(FieldFaults) as refused:
        read_sweep_form(written)
    assert {*refused.value.faults} == {"characters", "narrators", "judges"}


@pytest.mark.parametrize(
    ("key", "number"), [("sweep-rounds", 101), ("sweep-each", 0), ("sweep-budget", -1), ("sweep-half_life", 0)]
)
def test_a_number_out_of_its_range_makes_no_sweep(form, key, number):
    form.button(key="sweep-preset").click().run()
    assert UNUSABLE not in told(form)
    form.number_input(key=key).set_value(number).run()
    assert not form.exception
    assert 'class="cb-fault"' in told(form)
    assert html.escape(UNUSABLE) in told(form)
    assert form.session_state["made"] is None
