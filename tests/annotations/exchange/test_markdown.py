"""Tables as Markdown: what any reader of Markdown makes of them."""

import pytest
from markdown_it import MarkdownIt

from annotations.errors import Undefined
from annotations.exchange.markdown import markdown_of
from annotations.exchange.table import IMPROVISED, MARK, Cell, Column, Group, Part, Row, Table
from annotations.i18n.messages import Message

DEMO = "Demo output"


def html_of(table):
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown_of(table, DEMO))


def test_cells_notes_and_marks_stand_where_they_belong():
    rows = [
        Row(
            Cell((Part("a", notes=("why",)), IMPROVISED)),
            [Cell((Part("1.0", "mean"), Part("[0, 2]", "interval")), "best"), "x"],
        ),
        Row("b", [Undefined(Message("too few")), Cell(("y",), "second")]),
        Row("c", Undefined(Message("too few"))),
    ]
    text = markdown_of(Table("T", [Column("One", "G"), Column("Two")], [Group(rows, "Heading")], ["A note."]), DEMO)
    assert text == (
        "**T**\n\n"
        "|  | G: One | Two |\n"
        "| --- | --- | --- |\n"
        "| *Heading* |  |  |\n"
        "| a<sup>1</sup> † | **1.0 \\[0, 2\\]** | x |\n"
        "| b | –<sup>2</sup> | <u>y</u> |\n"
        "| c | –<sup>2</sup> |  |\n\n"
        "A note.\n\n<sup>1</sup> why.\n\n<sup>2</sup> too few.\n\n† Demo output.\n"
    )


def test_a_cell_over_several_columns_takes_their_places():
    rows = [Row("a", [Cell(("wide",), columns=2), "z"])]
    assert "| a | wide |  | z |" in markdown_of(Table("T", [Column(str(n)) for n in range(3)], [Group(rows)]), DEMO)


def test_a_note_stands_where_the_text_refers_to_it():
    rows = [Row(Part(f"a{MARK}b", notes=("n",)), ["1"])]
    assert "| a<sup>1</sup>b | 1 |" in markdown_of(Table("T", [Column("1")], [Group(rows)]), DEMO)


@pytest.mark.parametrize(
    "name", ["a|b", "*a*", "_a_", "<b>x</b>", "[l](http://x)", "`a`", "# a", "a\n| b |", "a\\", "~~a~~"]
)
def test_names_are_data(name):
    html = html_of(Table(name, [Column(name)], [Group([Row(name, [name])])]))
    shown = " ".join(name.split()).replace("<", "&lt;").replace(">", "&gt;")
    assert html.count(f"<td>{shown}</td>") == 2
    assert f"<strong>{shown}</strong>" in html
