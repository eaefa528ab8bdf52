"""A rubric as it is shown, and a faulty one with each reason beside its line."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from annotations.rubrics.rubric import bundled_rubrics, load_rubric, parse_rubric
from annotations.rubrics.rubric_file import FaultyFile
from pages.campaigns.rubrics import TEMPLATE, WIDEST, about, faults_as_html, guide_as_html, metrics_as_html

GOOD = TEMPLATE.read_text(encoding="utf-8")


def faults_of(text):
    with pytest.raises(FaultyFile) as found:
        parse_rubric(text, file="x.toml")
    return found.value.faults


def cells(shown):
    """The rows of the table, each as its number, or `!` for a reason, and its text."""
    rows = re.findall(r"<tr([^>]*)><td>(\d*)</td><td>(.*?)</td></tr>", shown, re.DOTALL)
    return [("!" if "cb-reason" in kind else number, text) for kind, number, text in rows]


def test_the_template_is_a_rubric():
    rubric = parse_rubric(GOOD, file="rubric.toml")
    assert rubric.keys == ("CL", "VO")
    assert rubric.name not in bundled_rubrics()


@pytest.mark.parametrize("name", bundled_rubrics())
def test_all_texts_of_a_rubric_are_shown_in_both_languages(name):
    rubric = load_rubric(name)
    shown = metrics_as_html(rubric)
    for metric in rubric.metrics:
        for text in (metric.name, metric.question, *(anchor.text for anchor in metric.anchors)):
            assert text.zh in shown
    assert shown.count('class="cb-level"') == 2 * sum(len(metric.anchors) for metric in rubric.metrics)
    assert rubric.guide.background.zh in guide_as_html(rubric)
    assert len(about(rubric)) == 2


def test_texts_of_a_rubric_are_data():
    marked = GOOD.replace("Clarity", "Clarity <script>x</script>").replace("You judge", "<img src=x> You judge")
    rubric = parse_rubric(marked, file="x.toml")
    shown = metrics_as_html(rubric) + guide_as_html(rubric)
    assert "<script" not in shown
    assert "<img" not in shown
    assert "Clarity &lt;script&gt;x&lt;/script&gt;" in shown


def test_each_reason_stands_under_its_line():
    text = 'name = "x"\nversion = "1.0"\nsubject = "<b>"\n' + GOOD.split('subject = "character"')[1]
    text = text.replace("low = 1", "low = 9")
    rows = cells(faults_as_html(text, faults_of(text)))
    lines = text.split("\n")
    at = rows.index(("!", "subject: must be &#x27;character&#x27;, &#x27;narrator&#x27; or &#x27;scene&#x27;"))
    assert rows[at - 1] == ("3", "subject = &quot;&lt;b&gt;&quot;")
    scale = next(row for row in rows if row[0] == "!" and "less than high" in row[1])
    before = rows[rows.index(scale) - 1]
    assert lines[int(before[0]) - 1].startswith("[scale]")
    assert ("", "…") in rows, "lines between that are right are left out"


def test_faults_at_the_ends_of_a_text_and_in_long_lines_are_shown():
    assert cells(faults_as_html("= 1", faults_of("= 1")))[0] == ("1", "= 1")
    rows = cells(faults_as_html("", faults_of("")))
    assert rows[0] == ("1", "")
    assert rows[1][0] == "!"
    long = f'name = "{"x" * 500}"'
    assert cells(faults_as_html(long, faults_of(long)))[0] == ("1", f"name = &quot;{'x' * (WIDEST - 8)} …")
    unclosed = 'name = "x"\nversion = """'
    assert [number for number, _ in cells(faults_as_html(unclosed, faults_of(unclosed)))] == ["1", "2", "!"]


def script(store, language):
    from annotations.i18n.translation import speaking  # noqa: PLC0415 - the script is run by itself
    from pages.campaigns.rubrics import add_rubric  # noqa: PLC0415

    with speaking(language):
        add_rubric(store)


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "The rubric was not added: byte {byte} (line {line}) is not UTF-8; save the file as UTF-8."),
        ("zh", "评分标准未添加：第 {byte} 个字节（第 {line} 行）不是 UTF-8；请将文件另存为 UTF-8 编码。"),
    ],
)
def test_a_file_that_is_not_utf_8_is_refused_in_a_whole_sentence_with_its_line(store, language, told):
    """No other encoding is chosen for it: TOML has none."""
    raw = GOOD.encode("gb18030")
    with pytest.raises(UnicodeDecodeError) as fault:
        raw.decode()
    place = {"byte": fault.value.start + 1, "line": raw.count(b"\n", 0, fault.value.start) + 1}
    app = AppTest.from_function(script, args=(store, language), default_timeout=60).run()
    app.file_uploader(key="rubric-file").set_value(("mine.toml", raw, "application/toml")).run()
    app.button(key="rubric-add").click().run()
    assert not app.exception
    assert any(f">{told.format(**place)}<" in one.proto.body for one in app.get("html"))


def test_a_file_that_is_cut_short_is_told_to_be(store):
    raw = GOOD.encode()[: GOOD.encode().rindex("。".encode()) + 1]
    line = raw.count(b"\n") + 1
    app = AppTest.from_function(script, args=(store, "en"), default_timeout=60).run()
    app.file_uploader(key="rubric-file").set_value(("mine.toml", raw, "application/toml")).run()
    app.button(key="rubric-add").click().run()
    shown = "".join(one.proto.body for one in app.get("html"))
    assert f"byte {len(raw)} (line {line}) is not UTF-8" in shown
    assert "truncated" in shown
