"""What the Models page and the launch form say of servers, their keys, their prices and their work."""

from pathlib import Path
from typing import Any

import pytest

from annotations.i18n.translation import speaking
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.llm.endpoint_check import Probe
from characterbox.llm.server import Server
from characterbox.llm.usage import Prices
from characterbox.llm.vllm.health import Metrics
from characterbox.llm.vllm.servers import State
from characterbox.pause_reasons import Reason, at_endpoint, in_full
from pages.models.endpoint_check import findings
from pages.models.list import example, money
from pages.models.text import NO_MODEL, choices, key_in_words, limits
from pages.models.vllm_server import in_figures, in_words
from pages.story.casting import keys_told

LAB = Server(url="https://lab.example.org/v1", name="Lab", kind="api", models=("a", "b"), key="LAB_API_KEY")
REHEARSAL = Server.unregistered("rehearsal")


@pytest.fixture(autouse=True)
def one_key_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LAB_API_KEY", "hush-hush-hush")


def test_limits_stand_in_one_line() -> None:
    assert limits(LAB) == "1,000 concurrent · timeout 180 s · replies up to 4,000 tokens · context window unknown"
    strict = LAB.model_copy(
        update={"parallel": 4, "requests_per_minute": 60, "tokens_per_minute": 90_000, "timeout": 2.5, "context": 8192}
    )
    assert limits(strict) == (
        "4 concurrent · 60 requests and 90,000 tokens per minute · timeout 2.5 s · replies up to 2,048 tokens "
        "· context window 8,192 tokens"
    )
    least = dict.fromkeys(("parallel", "requests_per_minute", "tokens_per_minute", "timeout", "reply_tokens"), 1)
    assert limits(LAB.model_copy(update=least | {"context": 8192})) == (
        "1 concurrent · 1 request and 1 token per minute · timeout 1 s · replies up to 1 token "
        "· context window 8,192 tokens"
    )


def test_a_key_is_named_and_never_shown() -> None:
    assert key_in_words(None) == "no key"
    assert key_in_words("LAB_API_KEY") == "key LAB_API_KEY (set)"
    assert key_in_words("OTHER_API_KEY") == "key OTHER_API_KEY (not set)"


def test_a_key_that_cannot_be_used_is_not_shown_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_API_KEY", "hush\x07hush")
    said = key_in_words("LAB_API_KEY")
    assert "can't be used" in said
    assert "hush" not in said


def test_models_to_choose_from_name_their_server_and_the_rehearsal_comes_first() -> None:
    assert list(choices([REHEARSAL, LAB]).items()) == [
        ("rehearsal", "Built-in rehearsal"),
        ("rehearsal#rehearsal-plain", "Built-in rehearsal · rehearsal-plain"),
        ("rehearsal#rehearsal-wooden", "Built-in rehearsal · rehearsal-wooden"),
        ("https://lab.example.org/v1#a", "Lab · a"),
        ("https://lab.example.org/v1#b", "Lab · b"),
    ]


def test_each_address_has_a_line_on_the_key_it_gets() -> None:
    casting = Casting(
        narrator=Endpoint.parse("rehearsal"),
        characters={
            "A": Endpoint.parse("https://lab.example.org/v1#a"),
            "B": Endpoint.parse("https://lab.example.org/v1#b"),
            "C": Endpoint.parse("http://10.0.0.1/v1#m"),
        },
    )
    assert keys_told((casting.narrator, *casting.characters.values()), [REHEARSAL, LAB]) == [
        NO_MODEL,
        "Sent to Lab: key LAB_API_KEY (set).",
        "Sent to http://10.0.0.1/v1: no key.",
    ]


@pytest.mark.parametrize(
    ("dollars", "shown"), [(0, "0.00"), (2.5, "2.50"), (0.075, "0.075"), (1234.5, "1,234.50"), (0.0375, "0.0375")]
)
def test_money_has_at_least_two_decimals_and_loses_none(dollars: float, shown: str) -> None:
    assert money(dollars) == shown


@pytest.mark.parametrize("model", ["gpt-4o", 'a "b"', "c\\d", "x.y/z"])
def test_the_example_of_a_price_can_be_read_for_any_model(model: str, tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(example(model), encoding="utf-8")
    assert Prices.load(file).price(model, 1_000_000, 0, 1_000_000) == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (State("stopped"), "stopped"),
        (State("starting"), "starting: launching"),
        (State("starting", "weights", 0.5), "starting: loading the weights, 50%"),
        (State("ready", pid=7, since=0.0), "ready · process 7, since 01 Jan 1970, 00:00 UTC"),
        (State("failed", status=-9), "failed with exit status -9"),
        (State("failed"), "failed"),
        (State("stopping"), "stopping"),
    ],
)
def test_the_state_of_a_server_in_words(state: State, said: str) -> None:
    assert in_words(state) == said


def test_figures_that_are_not_told_are_not_zero() -> None:
    told = Metrics(
        running=3, waiting=0, kv_cache_usage=0.125, prompt_tokens=12_345, generation_tokens=None,
        prefix_queries=1000, prefix_hits=755,
    )  # fmt: skip
    assert in_figures(told) == {
        "Requests running": "3",
        "Requests waiting": "0",
        "Cache usage": "12.5%",
        "Prefix cache hits (share of prompt tokens)": "75.5%",
        "Prompt tokens since start": "12,345",
        "Reply tokens since start": "not reported",
    }


def probed(**found: Any) -> Probe:
    return Probe(endpoint=Endpoint(url="https://lab.example.org/v1", model="a"), **found)


def test_all_that_a_test_finds_out_is_told() -> None:
    found = probed(
        models=("a", "b"), context=8192, latency=0.417, pieces=31, first_token=0.208, tokens_per_second=1045.06,
        structured="json_schema",
    )  # fmt: skip
    assert findings(found) == {
        "Model": "a",
        "Reachable": "yes",
        "Latency": "0.42 s for a short call",
        "Streaming": "yes, in 31 chunks, the first after 0.21 s",
        "Speed": "1,045.1 tokens per second",
        "Structured replies": "JSON schema (strictest)",
        "Context window": "8,192 tokens",
        "Models offered": "a, b",
    }


def test_a_part_that_failed_has_its_reason_and_hides_no_other() -> None:
    place = "https://lab.example.org/v1#a"
    said = {
        "models": Reason("status", status=404),
        "stream": Reason("status", status=500),
        "structured": Reason("no_object", way="x"),
    }
    errors = {part: at_endpoint(place, why) for part, why in said.items()}
    with in_full(True):  # an admin
        told = findings(probed(latency=1.0, errors=errors))
    assert told["Latency"] == "1.00 s for a short call"
    assert (told["Streaming"], told["Speed"]) == ("no: HTTP 500", "no: HTTP 500")
    assert told["Structured replies"] == "no: the server accepts x, but the reply is not a JSON object"
    assert (told["Context window"], told["Models offered"]) == ("no: HTTP 404", "no: HTTP 404")


def test_reasons_are_told_in_the_language_of_the_reader() -> None:
    place = "https://lab.example.org/v1#a"
    errors = {"stream": at_endpoint(place, Reason("not_streamed", count=30))}
    with speaking("zh"):
        told = findings(probed(latency=1.0, errors=errors))
        unreached = findings(
            probed(errors=dict.fromkeys(("models", "call", "stream", "structured"), Reason("refused")))
        )
    assert any(text.endswith("回复（30 个字符）未以流式方式返回") for text in told.values()), told
    assert not [text for text in unreached.values() if "connection refused" in text], unreached


def test_who_cannot_be_reached_has_the_reason_once() -> None:
    errors = dict.fromkeys(("models", "call", "stream", "structured"), Reason("refused"))
    assert findings(probed(errors=errors)) == {"Model": "a", "Reachable": "no: connection refused"}


def test_of_many_models_that_are_offered_some_are_named() -> None:
    told = findings(probed(latency=1.0, models=tuple(f"m{number}" for number in range(80))))["Models offered"]
    assert told.endswith("m10, m11 and 68 more")
