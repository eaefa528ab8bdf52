"""Rows of RoleBench: the released files with all that tells them from one another, and what is no row."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.errors import FileError, RoleError
from characterbox.rolebench.released import TYPES, Key, Row, read_rows, write_rows
from tests.rolebench.role_answers import a_file, a_row

RELEASED = (
    b'{"role": "Old Tam", "question": " What do you eat?\\n", "generated": ["Fish."], "type": "script_based"}\n'
    b'{"role": "Old Tam", "question": "Who are you?", "generated": ["Tam."], "type": ["script_agnostic"]}\n'
    b'{"role": "Old Tam", "question": " Add 1 and 2.", "generated": ["3", "Three, aye.", "3 coins.", "", "3!", "3"]}\n'
) + '{"role": "孙悟空", "question": "  “三”加一？ ", "generated": ["四！\\t俺老孙会数。\u2028"]}\n'.encode()
"""Type as a text, as a list, and absent; blanks at the ends of questions; one to six answers; a first one that is plain
in English; an answer that is empty; a sign that some take for the end of a line."""

texts = st.text(max_size=8)
told = texts.filter(str.strip)
types = st.sampled_from(TYPES)
rows = st.builds(
    Row,
    role=told,
    question=told,
    generated=st.lists(texts, min_size=1, max_size=6).map(tuple),
    type=st.none() | types | st.tuples(types),
)


def refusal(file: Path) -> str:
    with pytest.raises(RoleError) as caught:
        list(read_rows(file))
    return str(caught.value)


def test_released_rows_are_read_as_they_are_and_written_back_byte_for_byte(tmp_path: Path) -> None:
    (file := tmp_path / "released.jsonl").write_bytes(RELEASED)
    read = list(read_rows(file))
    assert [one.line for one in read] == [1, 2, 3, 4]
    first, second, third, fourth = (one.row for one in read)
    assert first == a_row(" What do you eat?\n", "Fish.", type="script_based")
    assert second.type == ("script_agnostic",)
    assert third.generated == ("3", "Three, aye.", "3 coins.", "", "3!", "3")
    assert (third.type, fourth.generated) == (None, ("四！\t俺老孙会数。\u2028",))
    assert write_rows(tmp_path / "again.jsonl", (one.row for one in read)) == 4
    assert (tmp_path / "again.jsonl").read_bytes() == RELEASED


@pytest.mark.slow
@given(st.lists(rows, unique_by=lambda row: row.key, max_size=5))
def test_all_that_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, given: list[Row]) -> None:
    file = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    assert write_rows(file, given) == len(given)
    assert [(one.line, one.row) for one in read_rows(file)] == [*enumerate(given, 1)]


def test_a_key_has_no_blanks_at_its_ends() -> None:
    assert a_row(" \u3000Who?\n", "I.", role=" Tam ").key == Key("Tam", "Who?")


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u3000", "\x1c"])
def test_a_row_asks_somebody_something(blank: str) -> None:
    for field in ("role", "question"):
        with pytest.raises(ValueError, match=field):
            Row.model_validate({"role": "Tam", "question": "Who?", "generated": ("I.",), field: blank})


@pytest.mark.parametrize("form", ["utf-8-sig", "utf-8"])
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_files_of_other_programs_are_read_all_the_same(tmp_path: Path, form: str, end: str) -> None:
    (file := tmp_path / "rows.jsonl").write_bytes(
        f'{{"generated":["\\u4e09"],"question":"几","role":"沙"}}{end}'.encode(form)
    )
    assert [one.row for one in read_rows(file)] == [a_row("几", "三", role="沙")]


FINE = {"role": "Tam", "question": "Who?", "generated": ["I."]}


def changed(**fields: object) -> bytes:
    return json.dumps({**FINE, **fields}).encode()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"", "it is not JSON"),
        (b'{"role": "Tam"', "it is not JSON"),
        pytest.param(b"[" * 100_000, "it is not JSON", id="lists within lists"),
        (b'{"role": "\xff"}', "it is not UTF-8 text"),
        (b'{"role": "Tam", "role": "Tim"}', "it has a field twice"),
        (b'["Tam"]', "it is no JSON object"),
        (b'{"role": "Tam"}', "it lacks question and generated"),
        (changed(score=1, rank=2), "it has fields that are unknown here ('score', 'rank')"),
        (changed(role=7), "its role is no text"),
        (changed(role=" "), "its role is blank"),
        (changed(question=None), "its question is no text"),
        (changed(question="\x1c\u3000"), "its question is blank"),
        (changed(generated="I."), "generated is no list of texts"),
        (changed(generated=["I.", None]), "generated is no list of texts"),
        (changed(generated=[]), "generated is empty"),
        (changed(generated=["\ud83d"]), "a text holds half of a character (a lone surrogate)"),
        (changed(role="\udc00"), "a text holds half of a character (a lone surrogate)"),
        (changed(type=None), "its type is None, not one of script_based, script_agnostic, alone or in a list"),
        (changed(type="script"), "its type is 'script'"),
        (changed(type=[]), "its type is []"),
        (changed(type=[*TYPES]), "its type is ['script_based', 'script_agnostic']"),
        (changed(type=[["script_based"]]), "its type is [['script_based']]"),
        (changed(question="\nWho? "), "line 1 has the same role and question"),
    ],
)
def test_a_line_that_is_no_row_is_told_with_its_number(tmp_path: Path, line: bytes, told: str) -> None:
    (file := tmp_path / "rows.jsonl").write_bytes(changed() + b"\n" + line + b"\n" + changed(role="Tim") + b"\n")
    found = refusal(file)
    assert found.startswith(f"{file}, line 2: this is no row of RoleBench: {told}")
    assert found.endswith("; mend the line, or take it out")


def test_rows_are_read_one_by_one_up_to_the_first_fault(tmp_path: Path) -> None:
    (file := tmp_path / "rows.jsonl").write_bytes(changed() + b"\nnone")
    rows = read_rows(file)
    assert next(rows).line == 1
    with pytest.raises(RoleError, match="line 2"):
        next(rows)


def test_a_file_that_is_not_there_and_one_that_is(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none").startswith(f"{tmp_path / 'none'}: it cannot be read (No such file or directory)")
    assert "Is a directory" in refusal(tmp_path)
    file = a_file(tmp_path / "rows.jsonl", a_row("Who?", "I."))
    with pytest.raises(FileError, match="it is there already"):
        write_rows(file, [])
    assert list(tmp_path.iterdir()) == [file]
