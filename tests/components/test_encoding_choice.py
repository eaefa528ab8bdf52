"""Where the encoding of a file is not certain, it is chosen by how the file reads; nothing is read before."""

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.processes import limited
from characterbox.processes.limited import Limits

CSV = "item,rater\na,<b>蔡</b>\n"


def script():
    import streamlit as st  # noqa: PLC0415 - the script is run by itself

    from characterbox.components.encoding_choice import read_as_chosen  # noqa: PLC0415

    content = read_as_chosen(file) if (file := st.file_uploader("File")) else None
    st.text("nothing yet" if content is None else content.decode())


def opened(raw, app=None):
    """The app after such a file is given."""
    app = app or AppTest.from_function(script, default_timeout=60).run()
    app.file_uploader[0].set_value(("a.csv", raw, "text/csv")).run()
    assert not app.exception
    return app


@pytest.mark.process
def test_few_chinese_letters_are_shown_as_they_would_read_and_read_as_chosen():
    app = opened(CSV.encode("gb18030"))
    assert app.text[0].value == "nothing yet"
    shown = "".join(one.proto.body for one in app.get("html"))
    assert "<dt>GB18030</dt><dd>a,&lt;b&gt;蔡&lt;/b&gt;</dd>" in shown
    assert "<dt>Big5</dt>" in shown
    app.button_group[0].set_value("GB18030").run()
    assert app.text[0].value == CSV.strip()


@pytest.mark.process
def test_a_file_that_is_cut_short_is_told_to_be_so_beside_what_can_be_chosen():
    raw = "item,rater\na,蔡莫".encode("gb18030")[:-1]
    shown = "".join(one.proto.body for one in opened(raw).get("html"))
    assert "<dt>Windows-1252</dt>" in shown
    assert (
        f">If the file is GB18030, it is cut off within the character at byte {len(raw)} (line 2): download it again.<"
        in shown
    )


@pytest.mark.process
def test_a_choice_is_for_one_file_and_not_for_the_next_of_its_name():
    app = opened(CSV.encode("gb18030"))
    app.button_group[0].set_value("GB18030").run()
    opened(CSV.replace("蔡", "莫").encode("big5"), app)
    assert app.text[0].value == "nothing yet"
    app.button_group[0].set_value("Big5").run()
    assert app.text[0].value == CSV.strip().replace("蔡", "莫")


def test_what_is_certain_is_not_asked():
    app = opened(CSV.encode())
    assert (app.text[0].value, len(app.button_group)) == (CSV.strip(), 0)


@pytest.mark.process
def test_what_takes_much_memory_to_tell_is_refused(monkeypatch):
    """Of 50 MB: 2.7 GB, and 6 seconds in which nobody else's page was drawn."""
    monkeypatch.setattr(limited, "LIMITS", Limits(megabytes=100))
    app = opened(b"\xe9a" * 3_000_000)
    assert app.text[0].value == "nothing yet"
    shown = "".join(one.proto.body for one in app.get("html"))
    assert "a.csv: reading the file takes more than 100 MB of memory; split it" in shown
