"""A TOML file becomes a value, or is refused with every fault by line and reason."""

from typing import Annotated, Literal, Self

import pytest
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StringConstraints, model_validator

from annotations.errors import RatingError
from annotations.rubrics.rubric_file import (
    LONGEST_FILE,
    LONGEST_LINE,
    Fault,
    FaultyFile,
    hold_together,
    read_toml,
    refused,
)


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: Annotated[str, StringConstraints(min_length=1, max_length=5)]
    size: Annotated[StrictInt, Field(ge=0, le=9)] = 0
    kind: Literal["big", "small"] = "big"
    sold: StrictBool = False


class Whole(BaseModel):
    model_config = ConfigDict(extra="forbid")
    parts: Annotated[tuple[Part, ...], Field(min_length=1, max_length=3)]

    @model_validator(mode="after")
    def _differ(self) -> Self:
        names = [part.name for part in self.parts]
        hold_together(
            (("parts", number, "name"), f"{name} is there already")
            for number, name in enumerate(names)
            if name in names[:number]
        )
        return self


def faults(toml: str) -> list[str]:
    with pytest.raises(FaultyFile) as caught:
        read_toml(toml, Whole, file="mine.toml")
    assert isinstance(caught.value, RatingError)
    assert caught.value.file == "mine.toml"
    assert str(caught.value).startswith(f"mine.toml: {caught.value.faults[0]}")
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.parametrize("start", ["", "\ufeff", "# one\r\n\r\n"])
def test_a_valid_file_becomes_the_value(start: str) -> None:
    assert read_toml(f"{start}[[parts]]\nname = 'a'\n", Whole, file="x") == Whole(parts=(Part(name="a"),))


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("", "line 2, parts.name: is missing"),
        ("name = ''", "line 3, parts.name: is empty"),
        ("name = 'abcdef'", "line 3, parts.name: is longer than 5 characters"),
        ("name = 1", "line 3, parts.name: must be text in quotes"),
        ("name = 'a'\nsize = 1.5", "line 4, parts.size: must be a whole number"),
        ("name = 'a'\nsize = '1'", "line 4, parts.size: must be a whole number"),
        ("name = 'a'\nsize = -1", "line 4, parts.size: must be 0 or more"),
        ("name = 'a'\nsize = 10", "line 4, parts.size: must be 9 or less"),
        ("name = 'a'\nkind = 'huge'", "line 4, parts.kind: must be 'big' or 'small'"),
        ("name = 'a'\nsold = 'yes'", "line 4, parts.sold: must be true or false"),
        ("name = 'a'\ncolor = 1", "line 4, parts.color: does not belong here; correct the spelling, or remove it"),
        ("name = 'a'\n[[parts]]\nname = 'a'", "line 5, parts.name: a is there already"),
    ],
)
def test_a_fault_is_told_by_line_field_and_reason(line: str, fault: str) -> None:
    assert faults(f"# mine\n[[parts]]\n{line}\n") == [fault]


@pytest.mark.parametrize(
    ("toml", "fault"),
    [
        ("", "line 1, parts: is missing"),
        ("\nparts = []", "line 2, parts: is empty"),
        ("\nparts = 1", "line 2, parts: must be a list"),
        ("\nparts = [1]", "line 2, parts: must be a table"),
        ("[[parts]]\nname='a'\n" * 4, "line 1, parts: has more than 3 entries"),
        ("a = 1\nb", "line 2: this is not valid TOML: "),
        ("a = 1\na = 2\nc = 3", "line 2: this is not valid TOML: "),
        ("a = 1\n\nb = '''\n\n\n", "line 3: this is not valid TOML: "),
        ('a = 1\n\nb = """\n\n\n', "line 3: this is not valid TOML: "),
        ("a = 1\n\nb = '\n\n\n", "line 3: this is not valid TOML: "),
        ("a = 1\nb = [\n1,\n", "line 3: this is not valid TOML: "),
        ("a = '''\n'\"\\x\"' =\n", "line 1: this is not valid TOML: "),
        ("a = \x00", "line 1: this is not valid TOML: "),
        (
            "a = 1\n\nb = " + "9" * LONGEST_LINE,
            "line 3: the line is longer than 4000 characters; text in triple",
        ),
        ("#\n" * (LONGEST_FILE // 2 + 1), "line 1: the file is larger than 256 KB; shorten its texts"),
        ("界" * (LONGEST_FILE // 3 + 1), "line 1: the file is larger than 256 KB; shorten its texts"),
        ("a = " + "[\n" * 2000, "line 17: lists and tables are nested more than 16 levels deep"),
        ("a = " + "[" * 17 + "]" * 17, "line 1: lists and tables are nested more than 16 levels deep"),
        ("\na = '\ud800'", "line 1, parts: is missing"),
    ],
)
def test_a_file_that_is_no_such_thing_is_refused_with_a_line(toml: str, fault: str) -> None:
    assert faults(toml)[0].startswith(fault)


def test_all_faults_are_there_in_the_order_of_their_lines_and_the_message_tells_the_first_ten() -> None:
    toml = "color = 1\n[[parts]]\nname = 1\nsize = true\n" + "".join(f"x{number} = 1\n" for number in range(12))
    with pytest.raises(FaultyFile) as caught:
        read_toml(toml, Whole, file="mine.toml")
    assert [fault.line for fault in caught.value.faults] == [1, 3, 4, *range(5, 17)]
    assert "line 11" in str(caught.value)
    assert "line 12" not in str(caught.value)
    assert str(caught.value).endswith("; and 5 more")


def test_what_does_not_fit_something_else_is_told_by_line_too() -> None:
    toml = "[[parts]]\nname = 'a'\n[[parts]]\nname = 'b'\n"
    error = refused([(("parts", 1, "name"), "is sold out")], toml, file="mine.toml")
    assert error.faults == (Fault(line=4, field="parts.name", reason="is sold out"),)
    assert str(error) == "mine.toml: line 4, parts.name: is sold out"
