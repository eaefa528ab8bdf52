"""General instructions of a file: three forms, short, each once; what is wrong is told with its line."""

import json

import pytest

from characterbox.errors import RoleError
from characterbox.rolebench.instructions import read_instructions

TOLD = ["Name three fruits.", "How does a kettle work?"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("i.txt", "\ufeff" + "\n\n".join(TOLD)),
        ("i.jsonl", "\n".join(json.dumps({"instruction": one, "source": "x"}) for one in TOLD)),
        ("i.json", json.dumps(TOLD)),
        ("i.json", json.dumps([{"instruction": one} for one in TOLD])),
    ],
)
def test_each_form_gives_the_same(tmp_path, name, content):
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    assert read_instructions(file, "en").kept == tuple(TOLD)


def test_what_is_too_long_or_there_already_is_left_out_and_told(tmp_path):
    file = tmp_path / "i.txt"
    long = " ".join(f"word{n}" for n in range(101))
    file.write_text("\n".join([TOLD[0], long, TOLD[1], "", "name three fruits"]), encoding="utf-8")
    found = read_instructions(file, "en")
    assert found.kept == tuple(TOLD)
    assert [(one.place, one.reason, one.like) for one in found.left_out] == [(2, "too_long", None), (5, "duplicate", 1)]


def test_in_chinese_characters_count(tmp_path):
    file = tmp_path / "i.txt"
    file.write_text("写" * 101 + "\n" + "请写一首诗。", encoding="utf-8")
    assert read_instructions(file, "zh").kept == ("请写一首诗。",)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("i.csv", b"a", "end in .txt, .jsonl or .json"),
        ("i.txt", b"\xff", "not UTF-8"),
        ("i.txt", b"\n \n", "no instruction of 100 words or less"),
        ("i.json", b"{", "not JSON"),
        ("i.json", b"{}", "must be a list"),
        ("i.json", b'["a", 5]', "line 2: this is no instruction: .*'instruction' with one, but 5"),
        ("i.jsonl", b'{"instruction": "a"}\n{"question": "b"}', "line 2: this is no instruction"),
        ("i.jsonl", b'{"instruction": "a"}\n{', "line 2: this is no instruction: it is not JSON"),
        ("none.txt", None, "cannot be read"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path, name, content, why):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(RoleError, match=why):
        read_instructions(tmp_path / name, "en")
