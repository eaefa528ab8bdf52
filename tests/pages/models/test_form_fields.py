"""What is written in the form of a server becomes a server, or one sentence for each field that can't be used."""

from pathlib import Path
from typing import Any

import pytest

from annotations.i18n.translation import speaking
from characterbox.llm.server import Launch, Server
from pages.models.form import read_server, written_of
from pages.shared.form import FieldFaults

LIMITS: dict[str, Any] = {
    "parallel": 8, "requests_per_minute": None, "tokens_per_minute": 90_000, "timeout": 60.0, "reply_tokens": 500,
    "context": 8192,
}  # fmt: skip
API: dict[str, Any] = {
    **LIMITS,
    "name": " Lab ", "url": "https://llm.example.org/v1/", "key": "LAB_API_KEY", "models": "a\n\n b \na",
}  # fmt: skip
AZURE: dict[str, Any] = {**API, "url": "https://lab.openai.azure.com", "api_version": "2024-10-21"}
STARTED: dict[str, Any] = {
    **LIMITS,
    "name": "Here", "model": "Qwen/Qwen3-8B", "port": 8003, "adapters": "", "flags": "", "keep": False,
}  # fmt: skip


def faults(kind: Any, written: dict[str, Any]) -> dict[str, str]:
    with pytest.raises(FieldFaults) as raised:
        read_server(kind, written)
    return dict(raised.value.faults)


def test_an_api_is_read_with_its_models_and_limits() -> None:
    assert read_server("api", API) == Server(
        url="https://llm.example.org/v1", name="Lab", kind="api", models=("a", "b"), key="LAB_API_KEY", parallel=8,
        tokens_per_minute=90_000, timeout=60.0, context=8192, reply_tokens=500,
    )  # fmt: skip


def test_a_server_to_be_started_has_its_address_and_models_from_its_launch(tmp_path: Path) -> None:
    for adapter in ("ron", "luna"):
        (tmp_path / adapter).mkdir()
        (tmp_path / adapter / "adapter_config.json").write_text('{"r": 8}')
    written = {
        **STARTED,
        "adapters": f"ron = {tmp_path / 'ron'}\nluna={tmp_path / 'luna'}",
        "flags": "--max-model-len 8192 --dtype 'bfloat16'",
        "keep": True,
    }
    server = read_server("started", written)
    assert server.url == "http://127.0.0.1:8003/v1"
    assert server.models == ("Qwen/Qwen3-8B", "ron", "luna")
    assert server.launch == Launch(
        model="Qwen/Qwen3-8B", port=8003, adapters={"ron": str(tmp_path / "ron"), "luna": str(tmp_path / "luna")},
        flags=("--max-model-len", "8192", "--dtype", "bfloat16"), keep=True,
    )  # fmt: skip


def test_a_folder_is_the_model_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "config.json").write_text("{}")
    assert read_server("started", {**STARTED, "model": "~/tiny/"}).models == (str(tmp_path / "tiny"),)


@pytest.mark.parametrize("kind", ["api", "vllm"])
def test_what_is_shown_of_a_server_is_read_as_the_same_server(kind: Any) -> None:
    server = read_server(kind, API)
    assert read_server(kind, written_of(server)) == server


def test_what_is_shown_of_a_started_server_is_read_as_the_same_server() -> None:
    server = read_server("started", {**STARTED, "flags": "--dtype 'half' --seed=\"5\"", "keep": True})
    assert read_server("started", written_of(server)) == server


@pytest.mark.parametrize(
    ("kind", "change", "field", "part"),
    [
        ("api", {"name": "  "}, "name", "Enter a name."),
        ("api", {"name": "n" * 81}, "name", "at most 80"),
        ("api", {"url": ""}, "url", "such as http://127.0.0.1:8000/v1."),
        ("api", {"url": "ftp://x"}, "url", "such as http://127.0.0.1:8000/v1."),
        ("api", {"url": "https://me:secret@x/v1"}, "url", "can hold a secret"),
        ("vllm", {"url": "https://x/v1?key=secret"}, "url", 'variable that holds the key under "Name of the key".'),
        ("azure", {"url": "https://x?key=secret"}, "url", 'variable that holds the key under "Name of the key".'),
        ("api", {"url": "https://x/v1#m"}, "url", "no # in it"),
        ("vllm", {"url": "https://x/v1/chat/completions"}, "url", "write https://x/v1 alone."),
        ("azure", {"url": "https://x/a/../b"}, "url", "no . or .."),
        ("azure", {"url": "https://x/openai/deployments/m"}, "url", "its address is https://x alone"),
        ("azure", {"url": f"https://{'x' * 3000}.com"}, "url", "no such host"),
        ("azure", {"models": "gpt-4\n.."}, "models", "A deployment has a name of up to 64 letters"),
        ("azure", {"api_version": "latest"}, "api_version", "such as 2024-10-21."),
        ("vllm", {"url": "rehearsal"}, "url", "rehearsal"),
        ("api", {"key": "OPENAI_KEY"}, "key", "ends in _API_KEY"),
        ("api", {"url": "http://10.0.0.5/v1"}, "key", "unencrypted to http://10.0.0.5; give an address"),
        ("api", {"parallel": 0}, "parallel", "greater than or equal to 1"),
        ("api", {"parallel": None}, "parallel", "Enter a number."),
        ("api", {"timeout": 4000.0}, "timeout", "less than or equal to 3600"),
        ("api", {"context": 10}, "context", "greater than or equal to 256"),
        ("started", {"port": 80}, "port", "greater than or equal to 1024"),
        ("started", {"port": None}, "port", "Enter a number."),
        ("started", {"model": ""}, "model", "Name the model"),
        ("started", {"model": "/nowhere/at/all"}, "model", "There is no folder /nowhere/at/all"),
        ("started", {"adapters": "just-a-name"}, "adapters", "NAME = FOLDER"),
        ("started", {"adapters": "a = /x\na = /y"}, "adapters", "Two adapters are called a."),
        ("started", {"adapters": "a = /nowhere"}, "adapters", "Adapter a: there is no /nowhere"),
        ("started", {"flags": "--dtype 'half"}, "flags", "quotation mark"),
        ("started", {"flags": "--api-key hush"}, "flags", "can't be used here"),
        ("started", {"flags": "--trust-remote-code"}, "flags", "can't be used here"),
        ("started", {"flags": "--port 9000"}, "flags", "set the port"),
    ],
)
def test_each_field_that_cannot_be_used_has_its_sentence(
    kind: Any, change: dict[str, Any], field: str, part: str
) -> None:
    found = faults(kind, {**{"started": STARTED, "azure": AZURE}.get(kind, API), **change})
    assert list(found) == [field]
    assert part in found[field]
    assert found[field].endswith(".")


def test_a_sentence_in_chinese_ends_as_chinese_does() -> None:
    with speaking("zh"):
        found = faults("azure", {**AZURE, "models": ".."})
    assert found["models"].endswith("全是点。")


def test_all_fields_that_cannot_be_used_are_named_at_once() -> None:
    assert set(faults("api", {**API, "name": "", "url": "x", "key": "k", "context": 1})) == {
        "name", "url", "key", "context",
    }  # fmt: skip
    assert set(faults("started", {**STARTED, "name": "", "port": None, "model": "", "parallel": None})) == {
        "name", "port", "model", "parallel",
    }  # fmt: skip


@pytest.mark.parametrize("field", ["key", "url"])
def test_no_sentence_repeats_what_may_be_a_secret(field: str) -> None:
    secret = "sk-hush-0123456789"
    written = secret if field == "key" else f"https://me:{secret}@x/v1"
    assert secret not in faults("api", {**API, field: written})[field]
