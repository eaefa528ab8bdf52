"""The figures of the paper: whole tables, which agree with themselves and with one another but where a note says so."""

import pytest

from characterbox.rolebench.published import AVERAGES_NOTE, OTHER_SPLIT_NOTE, PROMPTING_NOTE, PUBLISHED, PublishedTable

TABLES = {table.number: table for table in PUBLISHED}


def figures(number: str, name: str) -> tuple[float, ...]:
    [found] = [row.figures for row in TABLES[number].rows if row.name == name]
    return found


@pytest.mark.parametrize(
    ("number", "rows", "columns"),
    [
        *(("3a", 10, 4), ("3b", 5, 2), ("4a", 7, 4), ("4b", 4, 2), ("5a", 7, 4), ("5b", 4, 2), ("6", 3, 1)),
        *(("7", 3, 2), ("8", 3, 2), ("10a", 3, 4), ("10b", 3, 4), ("11", 3, 1)),
    ],
)
def test_a_table_is_whole(number: str, rows: int, columns: int) -> None:
    table = TABLES[number]
    assert (len(table.rows), len(table.columns)) == (rows, columns)
    assert len({row.name for row in table.rows}) == rows
    for row in table.rows:
        assert len(row.figures) == columns
        assert all(0 < figure < 100 for figure in row.figures)


def test_there_is_no_other_table() -> None:
    assert [*TABLES] == ["3a", "3b", "4a", "4b", "5a", "5b", "6", "7", "8", "10a", "10b", "11"]
    assert len({table.title for table in PUBLISHED}) == len(PUBLISHED)


@pytest.mark.parametrize(
    "table", [table for table in PUBLISHED if "Average" in table.columns], ids=lambda one: one.number
)
def test_an_average_is_the_mean_of_its_parts_but_where_the_note_says_so(table: PublishedTable) -> None:
    wrong = {}
    for row in table.rows:
        *parts, average = row.figures
        if average != pytest.approx(mean := sum(parts) / 3, abs=0.1):
            wrong[row.name] = f"{average} {mean:.1f}"
    noted = {"LLaMA": "22.4 17.0", "Alpaca": "30.2 28.1", "Vicuna": "28.4 24.7"}
    assert wrong == (noted if table.note == AVERAGES_NOTE else {})
    for pair in wrong.values():
        assert all(figure in table.note for figure in pair.split())


def test_a_model_of_several_tables_has_the_same_figures_in_all() -> None:
    assert figures("10a", "RoleLLaMA (mix)") == figures("3a", "RoleLLaMA-7B")
    assert figures("10b", "RoleGLM (mix)") == figures("4a", "RoleGLM")
    english, chinese = figures("3a", "RoleLLaMA-7B")[2], figures("4a", "RoleGLM")[2]
    assert figures("6", "RoleLLaMA (w/ c-inst)") == (english,)
    assert [figures("8", name)[1] for name in ("RoleLLaMA", "RoleGLM")] == [english, chinese]
    assert figures("6", "RoleLLaMA (w/o c-inst)") == (figures("10a", "RoleLLaMA (general)")[2],)
    for name in ("RoleGPT", "LLaMA", "Alpaca", "Vicuna", "ChatPLUG", "LLaMA-2-7B-Chat"):
        assert figures("5a", name)[1] == figures("3a", name)[1], "RAW, of which no role is part"


def test_notes_say_what_does_not_fit() -> None:
    rates, ranks = zip(*(row.figures for row in TABLES["7"].rows), strict=True)
    assert TABLES["7"].note == PROMPTING_NOTE
    assert f"{sum(rates):.1f}" in PROMPTING_NOTE
    assert sum(ranks) < 1 + 2 + 3
    assert TABLES["11"].note == OTHER_SPLIT_NOTE
    assert f"RoleLLaMA-7B {figures('5a', 'RoleLLaMA-7B')[2]} on SPE" in OTHER_SPLIT_NOTE
    assert figures("11", "RoleLLaMA (w/ c-inst)") == (35.0,)
