"""Files in another encoding than UTF-8: where it is not certain, nothing is read until it is named with --encoding."""

import pytest

from characterbox.scenes.library import bundled
from characterbox.scenes.writing import as_yaml

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
