"""Models by the names that a sweep's file calls them by, and where each is reached."""

import pytest

from annotations.rubrics.rubric_file import FaultyFile
from characterbox.errors import SceneError
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.usage import Price
from characterbox.settings import settings
from characterbox.stage.client import open_client
from characterbox.sweeps.cast import Cast, read_cast
from characterbox.sweeps.file import read_given_sweep, read_sweep

CAST = """[models]
strong = { endpoint = "http://h:1/v1#big", price = { input = 1.0, output = 2.0 } }
"7B" = { endpoint = "rehearsal#plain" }
"""
SWEEP = """name = "named"
characters = ["#strong", " # 7B ", "rehearsal#other"]
narrators = ["#7B"]
scenes = [{ file = "bundled:holmes-study" }]

[[judges]]
name = "GPT-4"
endpoint = "#strong"
"""


def test_a_name_stands_for_the_address_that_the_cast_has(tmp_path):
    (tmp_path / "sweep.toml").write_text(SWEEP, "utf-8")
    (tmp_path / "cast.toml").write_text(CAST, "utf-8")
    read = read_sweep(tmp_path / "sweep.toml")
    assert [str(one) for one in read.sweep.characters] == ["http://h:1/v1#big", "rehearsal#plain", "rehearsal#other"]
    assert [one.model for one in read.sweep.narrators] == ["plain"]
    assert read.sweep.judges[0].endpoint.model == "big"
    assert read.cast.prices == {"big": Price(input=1.0, output=2.0)}
    assert read_given_sweep({"sweep.toml": SWEEP.encode(), "cast.toml": CAST.encode()}).sweep == read.sweep


NAMELESS = """name = "nameless"
characters = ["rehearsal"]
narrators = ["rehearsal"]
scenes = [{ file = "bundled:holmes-study" }]
"""


def test_a_file_that_is_called_as_a_cast_is_read_only_for_a_sweep_that_names_models(tmp_path):
    file, cast = tmp_path / "sweep.toml", tmp_path / "cast.toml"
    file.write_text(NAMELESS, "utf-8")
    cast.write_text("actors = 3\n", "utf-8")
    assert read_sweep(file).cast == Cast()
    assert read_given_sweep({"sweep.toml": NAMELESS.encode(), "cast.toml": b"actors = 3\n"}).cast == Cast()
    file.write_text(NAMELESS.replace('narrators = ["rehearsal"]', 'narrators = ["#plain"]'), "utf-8")
    with pytest.raises(FaultyFile, match=r"^cast\.toml: .*models: is missing"):
        read_sweep(file)
    with pytest.raises(FaultyFile, match=r"^cast\.toml: .*models: is missing"):
        read_given_sweep({"sweep.toml": file.read_bytes(), "cast.toml": b"actors = 3\n"})


def test_a_sweep_that_is_itself_called_as_a_cast_is_none(tmp_path):
    file = tmp_path / "cast.toml"
    file.write_text(NAMELESS, "utf-8")
    sweep = read_sweep(file).sweep
    assert sweep.name == "nameless"
    assert read_given_sweep({"cast.toml": NAMELESS.encode()}).sweep == sweep
    file.write_text(SWEEP, "utf-8")
    with pytest.raises(FaultyFile, match=r"line 2, characters: there is no address yet for strong, 7B"):
        read_sweep(file)
    with pytest.raises(FaultyFile, match=r"line 2, characters: there is no address yet for strong, 7B"):
        read_given_sweep({"cast.toml": SWEEP.encode()})


def test_the_embedding_model_can_be_one_of_the_cast(tmp_path):
    file = tmp_path / "sweep.toml"
    file.write_text(f'memory = "#recall"\n{NAMELESS}', "utf-8")
    with pytest.raises(FaultyFile, match=r"line 1, memory: there is no address yet for recall; replace #NAME"):
        read_sweep(file)
    (tmp_path / "cast.toml").write_text('[models]\nrecall = { endpoint = "http://h:1/v1#bge-m3" }\n', "utf-8")
    read = read_sweep(file)
    assert read.sweep.memory == Endpoint.parse("http://h:1/v1#bge-m3")
    assert read.written.memory == "#recall"
    (tmp_path / "cast.toml").write_text('[models]\nrecall = { endpoint = "rehearsal" }\n', "utf-8")
    with pytest.raises(FaultyFile, match=r"sweep\.toml: line 1, memory: the rehearsal has no embeddings"):
        read_sweep(file)


def test_without_a_cast_or_without_the_name_it_is_told_who_waits(tmp_path):
    file = tmp_path / "sweep.toml"
    file.write_text(SWEEP, "utf-8")
    with pytest.raises(FaultyFile, match=r"line 2, characters: there is no address yet for strong, 7B; replace #NAME"):
        read_sweep(file)
    (tmp_path / "cast.toml").write_text('[models]\nstrong = { endpoint = "rehearsal" }\n', "utf-8")
    with pytest.raises(FaultyFile, match=r"there is no address yet for 7B; .* or add the name to cast\.toml"):
        read_sweep(file)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('[models]\na = { endpoint = "gpt-4" }', "line 2, models.a.endpoint: endpoint 'gpt-4': it is neither an http"),
        ('[models]\na = { endpoint = "http://u:p@h/v1#m" }', "models.a.endpoint: endpoint: a URL with @"),
        ('[models]\na = { address = "rehearsal" }', "models.a.endpoint: is missing; line 2, models.a.address"),
        (
            '[models]\na = { endpoint = "rehearsal", price = { input = -1, output = 1 } }',
            "price.input: must be 0.0 or more",
        ),
        ("models = 3", "cast.toml: line 1, models: must be a table"),
        ("", "cast.toml: line 1, models: is missing"),
    ],
)
def test_a_fault_is_told_with_its_line(content, told):
    with pytest.raises(FaultyFile) as refused:
        read_cast(content.encode())
    assert told in str(refused.value)


def test_a_cast_that_cannot_be_read_is_told(tmp_path):
    (tmp_path / "sweep.toml").write_text(SWEEP, "utf-8")
    (tmp_path / "cast.toml").mkdir()
    with pytest.raises(SceneError, match=r"cast\.toml: the file cannot be read"):
        read_sweep(tmp_path / "sweep.toml")


def test_an_address_that_a_file_says_itself_stays():
    cast = Cast({"rehearsal": Endpoint.parse("http://h:1/v1#m")})
    assert cast.addressed("rehearsal") == "rehearsal"
    assert cast.addressed("#rehearsal") == "http://h:1/v1#m"
    assert cast.addressed("#else") == "#else"


def test_its_prices_count_where_nobody_else_knows_one(store, tmp_path, monkeypatch):
    own = tmp_path / "prices.toml"
    own.write_text("[mine]\ninput = 7.0\noutput = 7.0\n", "utf-8")
    monkeypatch.setenv("CHARACTERBOX_PRICES", str(own))
    settings.cache_clear()
    told = {name: Price(input=1.0, output=1.0) for name in ("mine", "gpt-4", "unknown")}
    client = open_client(store, prices=told)
    price = {name: client.price(Endpoint(url="http://h:1/v1", model=name), 1_000_000, 0) for name in told}
    settings.cache_clear()
    assert (price["mine"], price["unknown"]) == (7.0, 1.0)
    assert price["gpt-4"] > 1.0
