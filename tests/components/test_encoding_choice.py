"""Where the encoding of a file is not certain, it is chosen by how the file reads; nothing is read before."""

from streamlit.testing.v1 import AppTest

CSV = "item,rater\na,<b>蔡</b>\n"


def script(name, raw):
    import streamlit as st  # noqa: PLC0415 - the script is run by itself

    from characterbox.components.encoding_choice import read_as_chosen  # noqa: PLC0415

    content = read_as_chosen(name, raw, "test")
    st.text("nothing yet" if content is None else content.decode())


def opened(name, raw):
    app = AppTest.from_function(script, args=(name, raw)).run()
    assert not app.exception
    return app


def test_few_chinese_letters_are_shown_as_they_would_read_and_read_as_chosen():
    app = opened("a.csv", CSV.encode("gb18030"))
    assert app.text[0].value == "nothing yet"
    shown = "".join(one.proto.body for one in app.get("html"))
    assert "<dt>GB18030</dt><dd>a,&lt;b&gt;蔡&lt;/b&gt;</dd>" in shown
    assert "<dt>Big5</dt>" in shown
    app.button_group[0].set_value("GB18030").run()
    assert app.text[0].value == CSV.strip()


def test_what_is_certain_is_not_asked():
    app = opened("a.csv", CSV.encode())
    assert (app.text[0].value, len(app.button_group)) == (CSV.strip(), 0)
