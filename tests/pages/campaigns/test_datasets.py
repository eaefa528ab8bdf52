"""What is refused of a file of ratings can be taken along, and does no harm in a spreadsheet."""

import tomllib
from pathlib import Path

from streamlit.config import get_config_options

from annotations.exchange.intake import refused_csv
from annotations.rubrics.rubric import load_rubric

HEADER = "item,scene,model,metric,rater,kind,score\n"


def test_no_cell_of_what_is_refused_is_a_formula():
    rows = "1,s,m,KA,ann,expert,=HYPERLINK(1)\n2,s,m,＠SUM(1),ann,expert,4\n3,s\n"
    file = refused_csv((HEADER + rows).encode(), load_rubric(), str).decode()
    head, *lines = file.splitlines()
    assert head == "line,column,value,reason,what to do"
    assert [line.split(",")[:3] for line in lines[:2]] == [
        ["2", "score", "'=HYPERLINK(1)"], ["3", "metric", "'＠SUM(1)"]
    ]  # fmt: skip
    assert lines[2].startswith('4,,"3,s",has a different number of cells')


def test_no_table_on_a_page_can_be_saved_or_copied_by_streamlit_which_would_leave_formulas_in_it():
    config = tomllib.loads((Path(__file__).parents[3] / ".streamlit/config.toml").read_text(encoding="utf-8"))
    assert config["client"]["disableDataExport"] is True
    assert "client.disableDataExport" in get_config_options()
