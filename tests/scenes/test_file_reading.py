"""YAML is read by two readers, a quick one and one that says what is wrong: they may not differ."""

from collections.abc import Callable, Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.errors import SceneError
from characterbox.scenes import file_reading
from characterbox.scenes.file_reading import parse
from characterbox.scenes.line_numbers import Step

BUNDLED = [
    file
    for language in ("en", "zh")
    for file in sorted((files("characterbox.scenes") / "bundled" / language).iterdir(), key=str)
    if file.name.endswith(".yaml")
]
Loader = Callable[[str], file_reading._QuickYaml | file_reading._PlainYaml]
FAULTS = (yaml.YAMLError, ValueError, RecursionError)
PIECES = (
    *("a", "b: ", "- ", "\n", "\n  ", "\n    ", "[", "]", "{", "}", ", ", ":", "'", '"', "#", " # ", "&x ", "*x"),
    *("!t ", "|\n", "> \n", "|-\n  ", "~", "null", " ", "\x85", "é", "文", "\\n", "\\u00e9", "---\n", "...\n", "😀"),
    *("%YAML 1.1\n", "<<: ", "%", "@", "`", "\r\n", "12:30", "yes", "0o17", "\x07", "\t", "\ufeff", "\u2028"),
)


def read(loader: Loader, text: str) -> tuple[object, tuple[str, ...], list[int]] | None:
    """The data, the keys that stand twice, and the line of each field; None for what can't be read."""
    try:
        plain = file_reading._read_yaml(loader(text))
    except FAULTS:
        return None
    return plain.data, plain.repeated, [plain.places.line(*way) for way in ways(plain.data)]


def ways(data: object, way: tuple[Step, ...] = (), depth: int = 0) -> Iterator[tuple[Step, ...]]:
    """The steps to all that is there; what an alias holds within itself is left out."""
    yield way
    if depth < 6 and isinstance(data, dict):
        for key, value in data.items():
            yield from ways(value, (*way, key), depth + 1)
    if depth < 6 and isinstance(data, list):
        for place, value in enumerate(data):
            yield from ways(value, (*way, place), depth + 1)


@pytest.mark.parametrize("file", BUNDLED, ids=lambda file: file.name)
def test_both_read_the_bundled_scenes_alike(file: Traversable) -> None:
    text = file.read_text(encoding="utf-8")
    found = read(file_reading._QuickYaml, text)
    assert found is not None
    assert found == read(file_reading._PlainYaml, text)


TREES = st.recursive(
    st.none() | st.text("ab:-#'\"[]{}!&*|> \n~é文", max_size=12) | st.sampled_from(["no", "12:30", "~", "0x1", "1e3"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab文 :", min_size=1, max_size=5), inner),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(tree=TREES, flow=st.sampled_from([True, False, None]), style=st.sampled_from([None, "'", '"', "|", ">"]))
def test_both_read_what_was_written_alike(tree: object, flow: bool | None, style: str | None) -> None:
    text = yaml.safe_dump(tree, allow_unicode=True, default_flow_style=flow, default_style=style)
    assert read(file_reading._QuickYaml, text) == read(file_reading._PlainYaml, text)


@settings(max_examples=300, deadline=None)
@given(text=st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_what_both_read_of_anything_they_read_alike(text: str) -> None:
    quick, slow = read(file_reading._QuickYaml, text), read(file_reading._PlainYaml, text)
    if None not in (quick, slow) and not any(one in text for one in file_reading._TAKEN_OTHERWISE):
        assert quick is not None
        assert slow is not None
        assert quick[:2] == slow[:2]


def test_characters_that_they_take_otherwise_are_read_by_the_one_that_says_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(file_reading, "_QuickYaml", None)
    assert parse("a.yaml", b"a: 'b\tc'").data == {"a": "b\tc"}
    with pytest.raises(SceneError, match=r"^a\.yaml: line 1, column 1: not valid YAML \(found character"):
        parse("a.yaml", b"\ta: b")


def test_a_good_file_is_read_by_the_quick_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_reading, "_PlainYaml", None)
    assert parse("a.yaml", b"a: no\nb: ~\nc: '~'\nd: 12:30\na: 1\n").data == {
        "a": "1",
        "b": None,
        "c": "~",
        "d": "12:30",
    }
    assert parse("a.yaml", b"a: no\na: 1\n").repeated == ("a",)


@pytest.mark.parametrize("text", ["[" * 9_000, "- " * 9_000, "{a: " * 9_000, "? " * 9_000])
def test_what_is_nested_deeply_crashes_nothing(text: str) -> None:
    """Composing in C, it ended the process."""
    with pytest.raises(SceneError, match="RecursionError"):
        parse("a.yaml", text.encode())


def test_what_is_told_of_a_fault_is_as_it_was() -> None:
    with pytest.raises(SceneError) as refused:
        parse("a.yaml", b"a: [b\nc: d\n")
    assert str(refused.value).startswith("a.yaml: line 2, column 2: not valid YAML (expected ',' or ']', but got ':')")


def test_aliases_of_aliases_are_one_list_each() -> None:
    """A billion entries, if each were made anew."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    data = parse("a.yaml", "\n".join(lines).encode()).data
    assert isinstance(data, dict)
    assert len({id(one) for one in data["a8"]}) == 1
