"""The paper's tables 2 and 3 can be read on Validity before there are ratings of one's own."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotations.i18n.translation import speaking
from annotations.report.published import TABLE_2, TABLE_3
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.reliability_validity import paper_reliability, paper_validity
from characterbox.components.figures.tables.text import decimal
from tests.fakes.databases import store_in

PAGE = Path(__file__).parents[3] / "pages" / "validity" / "page.py"


@pytest.mark.process
def test_on_a_new_database_they_are_there(tmp_path, monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_DB", str(tmp_path / "new.db"))
    monkeypatch.setattr("streamlit.page_link", lambda *_, **__: None)  # there are no other pages beside the script
    store_in(tmp_path / "new.db").close()
    app = AppTest.from_file(str(PAGE), default_timeout=60).run()
    assert not app.exception
    shown = "\n".join(element.proto.body for element in app.get("html"))
    assert "There are no ratings yet" in shown
    assert "Paper, table 2" in shown
    assert "Paper, table 3" in shown


def test_each_of_the_papers_figures_stands_in_them():
    for language, heads in (("en", ("Character Fidelity", "English")), ("zh", ("角色忠实度", "中文"))):
        with speaking(language):
            alphas, pearsons = html_of(paper_reliability()), html_of(paper_validity())
        for table, figures in ((alphas, [one.alpha for one in TABLE_2]), (pearsons, [one.pearson for one in TABLE_3])):
            assert [figure for figure in figures if f">{decimal(figure)}<" not in table] == []
        assert [head for head in heads if head not in alphas] == []
        assert [one.judge for one in TABLE_3 if one.judge not in pearsons] == []
