"""Files in another encoding than UTF-8: where it is not certain, nothing is read until it is named with --encoding."""

import json

import pytest

from characterbox.samples import bring, samples
from characterbox.scenes.export import as_yaml
from characterbox.scenes.library import bundled
from characterbox.share.story_file import file_of
from tests.fakes.databases import store_in

RATINGS = "item,scene,model,metric,rater,kind,score\n1,s,m,KA,蔡,expert,4\n"
SWEEP = """name = "few"
characters = ["rehearsal"]
narrators = ["rehearsal"]
[[scenes]]
file = "few.yaml"
"""


@pytest.fixture
def files(tmp_path):
    """Chinese with few letters, in GB18030."""
    scene = next(scene for scene in bundled() if scene.language == "en")
    scene = scene.model_copy(update={"id": "few", "title": "西游记"})
    (tmp_path / "few.yaml").write_bytes(as_yaml([scene]).decode().encode("gb18030"))
    (tmp_path / "few.csv").write_bytes(RATINGS.encode("gb18030"))
    (tmp_path / "few.txt").write_bytes(("She went to 西安. " * 3).encode("gb18030"))
    (tmp_path / "few.toml").write_text(SWEEP, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("import", "few.yaml"),
        ("play", "few.yaml", "--rounds", "1"),
        ("stats", "few.csv"),
        ("ratings", "import", "few.csv", "--rubric", "character"),
        ("craft", "few.txt", "--language", "en", "--work", "W"),
        ("craft", "--translate", "few.yaml", "--to", "zh"),
        ("sweep", "few.toml", "--plan"),
    ],
    ids=" ".join,
)
def test_an_uncertain_encoding_is_asked_for(in_process, files, words):
    refused = in_process(*words)
    assert refused.status == 2
    assert "is not UTF-8" in refused.one_line()
    assert "--encoding" in refused.one_line()
    wrong = in_process(*words, "--encoding", "UTF-8")
    assert (wrong.status, "is not UTF-8" in wrong.one_line()) == (2, True)
    read = in_process(*words, "--encoding", "GB18030")
    assert "UTF-8" not in read.err + read.out


def test_it_is_read_as_named(in_process, files):
    done = in_process("ratings", "import", "few.csv", "--rubric", "character", "--encoding", "GB18030", "--commit")
    assert (done.status, done.err) == (0, "")
    assert "dataset 'few'" in done.out
    done = in_process("import", "few.yaml", "--encoding", "GB18030")
    assert (done.status, "1 new" in done.out) == (0, True)
    done = in_process("import", "few.yaml", "--encoding", "latin-9")
    assert (done.status, "GB18030" in done.one_line()) == (2, True)


@pytest.fixture
def story(tmp_path):
    """The text of a file with a story whose label is Chinese."""
    store = store_in(tmp_path / "elsewhere.db")
    bring(store.stories, samples()[0])
    file = file_of(store.stories, store.stories.story(samples()[0].id))
    store.close()
    file["story"]["label"] = "掌柜"
    return json.dumps(file, ensure_ascii=False)


def test_a_story_is_brought_in_as_an_editor_has_stored_it(in_process, tmp_path, story):
    for number, (encoding, words) in enumerate(
        [("utf-8", ()), ("utf-8-sig", ()), ("utf-16", ()), ("gb18030", ("--encoding", "GB18030"))]
    ):
        (tmp_path / "story.json").write_bytes(story.encode(encoding))
        done = in_process("import", "story.json", *words)
        assert (done.status, done.err) == (0, ""), encoding
        assert f"story {samples()[0].id}, " in done.out
        assert ("there already" in done.out) == (number > 0), encoding


def test_a_story_whose_encoding_is_not_certain_is_refused_with_what_to_do(in_process, tmp_path, story):
    for encoding in ("gb18030", "utf-16-le"):
        (tmp_path / "story.json").write_bytes(story.encode(encoding))
        refused = in_process("import", "story.json")
        assert (refused.status, "--encoding" in refused.one_line()) == (2, True), encoding
