"""A rubric file becomes the rubric, or is refused with the line and reason of each fault."""

import re
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.i18n.translation import translate_into
from annotations.rubrics.rubric import MOST_METRICS, Rubric, bundled_rubrics, load_rubric, parse_rubric
from annotations.rubrics.rubric_file import FaultyFile
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english

FILES = {
    name: (resources.files("annotations") / "rubrics" / f"{name}.toml").read_text(encoding="utf-8")
    for name in bundled_rubrics()
}
TOML = FILES["character"]
PAIR = re.compile(r"^([a-z]+) = .+\n", re.MULTILINE)
"""A line `key = value`; a rubric file needs each one that it has."""
CONSISTENCY = '{ en = "Consistency", zh'


def line_of(toml: str, text: str) -> int:
    return toml[: toml.index(text)].count("\n") + 1


def told(toml: str) -> list[str]:
    with pytest.raises(FaultyFile, match=r"^mine\.toml: line ") as caught:
        parse_rubric(toml, file="mine.toml")
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.parametrize("name", FILES)
def test_a_bundled_file_parses_to_the_bundled_rubric(name: str) -> None:
    assert parse_rubric(FILES[name], file=f"{name}.toml") == load_rubric(name)


OF = 'of = { metric = "quality", step = "action_influence" }'


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('key = "KA"', "key = 5", "metrics.key: must be text in quotes"),
        ('key = "KA"', 'key = "K A"', "metrics.key: must start with a letter"),
        ('key = "KA"', 'key = "KA\\n"', "metrics.key: must start with a letter"),
        ('key = "KA"', f'key = "{"K" * 41}"', "metrics.key: must start with a letter"),
        ('name = "character"', 'name = "../character"', "name: must start with a letter"),
        ('version = "1.1"', "version = 1.1", "version: must be text in quotes"),
        ('version = "1.1"', 'version = "1.1 beta"', "version: may only contain letters a to z, digits"),
        ('subject = "character"', 'subject = "story"', "subject: must be 'character', 'narrator' or 'scene'"),
        ('evidence = "optional"', "evidence = true", "evidence: must be 'optional' or 'required'"),
        ("low = 1", "low = 1.0", "scale.low: must be a whole number"),
        ("low = 1", "low = -1000001", "scale.low: must be -1000000 or more"),
        ("high = 5", "high = 1000001", "scale.high: must be 1000000 or less"),
        ("fractions = false", 'fractions = "no"', "scale.fractions: must be true or false"),
        (
            '["KA", "BA"]',
            '["KA", "BA", "XX"]',
            "dimensions.metrics: 'XX' is not a metric of this rubric; its metrics are KA",
        ),
        ('["IM", "AD", "BC"]', '["IM", "AD", "BC", "KA"]', "dimensions.metrics: 'KA' already belongs to a dimension"),
        ('["KA", "BA"]', "[]", "dimensions.metrics: is empty"),
        (CONSISTENCY, '{ en = "KA", zh', "dimensions.name.en: the name 'KA' is already used elsewhere"),
        (CONSISTENCY, '{ en = "Human-Likeness", zh', "dimensions.name.en: the name 'Human-Likeness' is already used"),
        (CONSISTENCY, '{ en = "\\u200b", zh', "dimensions.name.en: contains no letter or digit"),
        (CONSISTENCY, '{ en = "a\\nb", zh', "dimensions.name.en: must be on one line"),
        (
            CONSISTENCY,
            f'{{ en = "{"a" * 101}", zh',
            "dimensions.name.en: must be on one line with at most 100 characters",
        ),
        (CONSISTENCY, '{ en = "a\\u202eb", zh', "dimensions.name.en: contains an invisible control character"),
        (CONSISTENCY, '{ en = "a\\u0000b", zh', "dimensions.name.en: contains an invisible control character"),
        (CONSISTENCY, '{ de = "Konsistenz", zh', "dimensions.name.en: is missing"),
        (
            'zh = "涉及角色的内容大多有误或不相干，与角色背景明显不符。"',
            'zh = " "',
            "metrics.anchors.text.zh: is empty",
        ),
        ('key = "KA"', f'{OF}\nkey = "KA"', "metrics.of: only narrators have such steps; remove this entry"),
        ('key = "KA"', f'{OF.replace("action_", "")}\nkey = "KA"', "metrics.of.step: must be 'action_influence', "),
        ("score = 3", "color = 1\nscore = 3", "metrics.anchors.color: does not belong here"),
        ("score = 3", 'score = "3"', "metrics.anchors.score: must be a whole number"),
    ],
)
def test_a_faulty_line_is_told_with_field_and_reason(old: str, new: str, fault: str) -> None:
    lines = told(TOML.replace(old, new, 1))
    assert any(in_english(one).startswith(f"line {line_of(TOML, old)}, {fault}") for one in lines), lines


@pytest.mark.parametrize(
    ("old", "new", "at", "fault"),
    [
        ('key = "KA"', 'key = "KA', 'key = "KA\n', ": this is not valid TOML: "),
        ('version = "1.1"\n', "", "# The rubric", ", version: is missing"),
        ("[scale]", "[scales]", "# The rubric", ", scale: is missing"),
        ("[scale]", "[scales]", "[scales]", ", scales: does not belong here"),
        ('key = "BA"', 'key = "ka"', 'key = "ka"', ", metrics.key: the key 'ka' is already used by an earlier metric"),
        ('["KA", "BA"]', '["KA"]', 'key = "BA"', ", metrics.key: 'BA' belongs to no dimension; add it to one"),
        ('"BA"', '"Overall"', 'key = "Overall"', ", metrics.key: 'Overall' is reserved for the mean of all metrics"),
        ("low = 1", "low = 5", "[scale]", ", scale: low (5) must be less than high (5)"),
        ("high = 5", "high = 101", "[scale]", ", scale: has 101 levels; the maximum is 100 unless fractions = true"),
        (
            "low = 1",
            "low = 0",
            "[[metrics.anchors]]",
            ", metrics.anchors: anchor scores must increase from 0 to 5, not [1, 3, 5]",
        ),
        (
            "score = 3",
            "score = 1",
            "[[metrics.anchors]]",
            ", metrics.anchors: anchor scores must increase from 1 to 5, not [1, 1, 5]",
        ),
        (
            '"Behavioral Accuracy"',
            '"Immersion"',
            '"Immersion", zh = "沉浸感" }\nq',
            ", metrics.name.en: the name 'Immersion' is already used by an earlier metric",
        ),
        (
            '"行为准确性"',
            '"沉浸感"',
            '"Immersion", zh = "沉浸感" }\nq',
            ", metrics.name.zh: the name '沉浸感' is already used by an earlier metric",
        ),
    ],
)
def test_what_does_not_hang_together_is_told_at_a_line_too(old: str, new: str, at: str, fault: str) -> None:
    toml = TOML.replace(old, new)
    lines = told(toml)
    assert any(in_english(one).startswith(f"line {line_of(toml, at)}{fault}") for one in lines), lines


def test_more_metrics_than_a_rater_can_hold_in_mind_are_refused() -> None:
    head, first = TOML.split("[[metrics]]\n")[:2]
    head = head[: head.index("[[dimensions]]")]
    keys = [f"M{number}" for number in range(MOST_METRICS + 1)]

    def rubric_of(count: int) -> str:
        dimension = f"[[dimensions]]\nname = {{ en = 'All', zh = '全部' }}\nmetrics = {keys[:count]}\n"
        metrics = [first.replace("KA", key).replace("Knowledge", key).replace("知识", key) for key in keys[:count]]
        return "[[metrics]]\n".join([head + dimension, *metrics])

    assert parse_rubric(rubric_of(MOST_METRICS), file="mine.toml").keys == tuple(keys[:-1])
    toml = rubric_of(MOST_METRICS + 1)
    assert in_english(told(toml)) == [f"line {line_of(toml, '[[metrics]]')}, metrics: has more than 20 entries"]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("score = 1\n", "score = 2\n", "，metrics.anchors：锚点分数必须从 1 递增到 5，现为 [2, 3, 5]"),
        (
            'key = "KA"',
            'key = "K A"',
            "，metrics.key：必须以字母 a 至 z 开头，其后只能是字母、数字、- 或 _，最多 40 个字符",
        ),
        ('key = "KA"\n', "", "，metrics.key：缺失"),
    ],
)
def test_a_fault_is_told_in_chinese_to_those_who_read_chinese(old: str, new: str, fault: str) -> None:
    assert old in TOML
    with pytest.raises(FaultyFile) as caught:
        parse_rubric(TOML.replace(old, new, 1), file="mine.toml")
    said = translate_into("zh", caught.value)
    assert said.startswith("mine.toml：第 ")
    assert fault in said


def test_a_hundred_levels_are_allowed_and_any_number_where_fractions_are() -> None:
    anchors = TOML.replace("score = 5", "score = 100")
    assert len(parse_rubric(anchors.replace("high = 5", "high = 100"), file="mine.toml").scale.levels) == 100
    wide = TOML.replace("score = 5", "score = 500").replace("high = 5", "high = 500")
    assert (
        parse_rubric(wide.replace("fractions = false", "fractions = true"), file="mine.toml").check("KA", 498.5)
        == 498.5
    )


def test_text_that_looks_like_markup_is_kept_as_it_is() -> None:
    script = "<script>alert(1)</script> **bold** $x$ [a](javascript:b)"
    rubric = parse_rubric(TOML.replace('en = "Immersion"', f'en = "{script}"'), file="mine.toml")
    assert rubric.metric("IM").name.en == script


@st.composite
def spoiled(draw) -> tuple[str, int]:
    """A bundled file of which one line `key = value` is spoiled, and the number of that line."""
    toml = draw(st.sampled_from(list(FILES.values())))
    found = draw(st.sampled_from(list(PAIR.finditer(toml))))
    key, line = found[1], found[0].partition("  #")[0].rstrip("\n")  # a comment may say anything
    wrong = [f"{key} = []", f"{key} = 1979-05-27", f"{key} = [1 2]", f"{key} = '", key, f"{line} x", f"{line} = 1"]
    number = toml.count("\n", 0, found.start()) + 1
    return toml[: found.start()] + draw(st.sampled_from(wrong)) + "\n" + toml[found.end() :], number


@settings(max_examples=examples(40, 80))
@given(spoiled())
def test_whichever_line_is_spoiled_it_is_that_line_that_is_told(case: tuple[str, int]) -> None:
    toml, line = case
    assert any(re.match(rf"line {line}\b", in_english(fault)) for fault in told(toml))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(list(FILES.values())), st.data())
def test_a_file_that_lacks_one_of_its_lines_is_refused_with_a_line_of_the_file(toml: str, data) -> None:
    found = data.draw(st.sampled_from(list(PAIR.finditer(toml))))
    shorter = toml[: found.start()] + toml[found.end() :]
    with pytest.raises(FaultyFile) as caught:
        parse_rubric(shorter, file="mine.toml")
    assert all(1 <= fault.line <= shorter.count("\n") for fault in caught.value.faults)
    assert any(
        in_english(fault.field).endswith(found[1]) and in_english(fault.reason) == "is missing"
        for fault in caught.value.faults
    )


SNIPPETS = [
    "",
    "\n",
    "[",
    "]]",
    "{",
    '"',
    '"""',
    "'''",
    "=",
    ".",
    "#",
    "\\",
    "\x00",
    "\r",
    "\ud800",
    "[[a]]\n",
    "1e999",
]


@settings(max_examples=examples(30, 150))
@given(st.sampled_from(list(FILES.values())), st.sampled_from(SNIPPETS) | st.text(max_size=5), st.data())
def test_any_edit_leaves_a_rubric_or_is_refused_with_a_line_of_the_file(toml: str, snippet: str, data) -> None:
    start = data.draw(st.integers(0, len(toml)))
    end = data.draw(st.integers(start, min(start + 60, len(toml))))
    edited = toml[:start] + snippet + toml[end:]
    try:
        faults = () if isinstance(parse_rubric(edited, file="mine.toml"), Rubric) else None
    except FaultyFile as error:
        faults = error.faults
    assert faults is not None
    assert all(1 <= fault.line <= edited.removesuffix("\n").count("\n") + 1 for fault in faults)


def test_a_scene_has_no_places_that_a_score_could_rest_on() -> None:
    """Else nothing that is rated with the rubric could ever be submitted."""
    line = line_of(FILES["scene"], 'evidence = "optional"')
    fault = f'line {line}, evidence: an opening scene has no steps to mark as evidence; use "optional"'
    assert in_english(told(FILES["scene"].replace('evidence = "optional"', 'evidence = "required"'))) == [fault]


def test_a_rubric_asks_of_kinds_of_step_throughout_and_of_none_twice_the_same():
    text = FILES["narrator_steps"]
    with pytest.raises(FaultyFile, match=r"metrics.of: is missing"):
        parse_rubric(text.replace(f"{OF}\n", "", 1), file="x.toml")
    with pytest.raises(
        FaultyFile, match=r"metrics.of: an earlier metric scores the same maxim for the same kind of step"
    ):
        parse_rubric(text.replace("interaction_result", "action_influence", 1), file="x.toml")
