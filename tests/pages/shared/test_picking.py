"""Whoever types a few letters and presses Enter takes one option on any page: `pick_some` is the one way to several."""

from pathlib import Path

from streamlit.proto.SelectWidgetFilterMode_pb2 import SelectWidgetFilterMode
from streamlit.testing.v1 import AppTest

PAGES = Path(__file__).parents[3] / "pages"


def test_several_are_picked_in_one_way_on_all_pages():
    found = [file.name for file in PAGES.rglob("*.py") if "st.multiselect(" in file.read_text(encoding="utf-8")]
    assert found == ["form.py"]


def test_it_never_offers_to_take_all_that_match():
    app = AppTest.from_string(
        "from pages.shared.form import pick_some\npick_some('Scenes', ['A burnt worktop', 'A brown tent'], key='one')"
    ).run()
    (box,) = app.multiselect
    assert (box.proto.select_all, box.placeholder) == (0, "none selected")
    assert SelectWidgetFilterMode.Name(box.proto.filter_mode) == "FILTER_MODE_CONTAINS"
