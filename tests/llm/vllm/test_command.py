import json
from pathlib import Path

import pytest

from characterbox.errors import EndpointError
from characterbox.llm.server import Launch
from characterbox.llm.vllm.command import arguments


def model(folder: Path) -> str:
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    return str(folder)


def adapter(folder: Path, rank: object = 8) -> str:
    folder.mkdir()
    (folder / "adapter_config.json").write_text(json.dumps({"r": rank}))
    return str(folder)


def test_a_name_is_passed_on_and_flags_come_last():
    launch = Launch(model="Qwen/Qwen3-8B", port=8005, flags=("--max-model-len", "8192", "-tp", "2", "--seed=a b; rm"))
    assert arguments(launch) == [
        *("Qwen/Qwen3-8B", "--host", "127.0.0.1", "--port", "8005"),
        *("--enable-prefix-caching", "--enable-prompt-tokens-details"),
        *("--max-model-len", "8192", "-tp", "2", "--seed=a b; rm"),
    ]


def test_a_folder_is_passed_on(tmp_path, monkeypatch):
    folder = model(tmp_path / "qwen 2")
    assert arguments(Launch(model=folder, port=8005))[0] == folder
    monkeypatch.setenv("HOME", str(tmp_path))
    assert arguments(Launch(model="~/qwen 2", port=8005))[0] == folder
    monkeypatch.chdir(tmp_path)
    assert arguments(Launch(model="qwen 2", port=8005))[0] == "qwen 2"


def test_adapters_are_served_under_their_names(tmp_path):
    launch = Launch(model="tiny", port=8005, adapters={"ann": adapter(tmp_path / "a"), "bob": adapter(tmp_path / "b")})
    assert arguments(launch)[7:] == [
        *("--enable-lora", "--lora-modules", f"ann={tmp_path}/a", f"bob={tmp_path}/b", "--max-loras", "2")
    ]


@pytest.mark.parametrize(("rank", "bound"), [(16, None), (17, "32"), (64, "64"), (512, "512"), (600, "600")])
def test_the_bound_of_the_rank_fits_the_adapters(tmp_path, rank, bound):
    adapters = {"ann": adapter(tmp_path / "a", 4), "bob": adapter(tmp_path / "b", rank)}
    words = arguments(Launch(model="tiny", port=8005, adapters=adapters))
    assert words[13:] == ([] if bound is None else ["--max-lora-rank", bound])


@pytest.mark.parametrize(
    "flag",
    [
        *("--host", "--host=0.0.0.0", "--port", "--port=1", "--model", "--api-key", "--api_key=abc", "--uds=/x"),
        *("--ssl-keyfile", "--ssl_certfile=a", "--ssl-ca-certs", "--root-path", "--config=a.yaml", "--hf-token=x"),
        *("--lora-modules", "--no-enable-prefix-caching", "--api-k", "--hos", "--grpc", "--headless"),
    ],
)
def test_an_argument_that_contradicts_is_refused_without_its_value(flag):
    with pytest.raises(EndpointError, match="can't be used here: ") as caught:
        arguments(Launch(model="tiny", port=8005, flags=("--seed", "1", flag)))
    assert flag.partition("=")[0] in str(caught.value)
    assert "abc" not in str(caught.value)


@pytest.mark.parametrize(
    "flag", ["--model-impl=vllm", "--served-model-name", "--hf-overrides", "--max-lora-rank", "--"]
)
def test_an_argument_with_a_similar_name_is_not_refused(flag):
    assert arguments(Launch(model="tiny", port=8005, flags=(flag,)))[-1] == flag


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/no/such", "there is no folder /no/such"),
        ("./none", "there is no folder"),
        ("~nobody-here/x", "there is no home folder ~nobody-here"),
        ("--trust-remote-code", "neither a folder nor the name"),
        (" x", "neither a folder nor the name"),
    ],
)
def test_a_model_that_is_not_there_is_said(text, message):
    with pytest.raises(EndpointError, match=message):
        arguments(Launch(model=text, port=8005))


def test_a_folder_without_a_model_and_a_file_are_said(tmp_path):
    with pytest.raises(EndpointError, match=r"holds no config\.json"):
        arguments(Launch(model=str(tmp_path), port=8005))
    (tmp_path / "model.gguf").touch()
    with pytest.raises(EndpointError, match="there is no folder"):
        arguments(Launch(model=str(tmp_path / "model.gguf"), port=8005))


@pytest.mark.parametrize("name", ["-x", "a=b", "a b", "", "a,b", "tiny"])
def test_an_adapter_needs_a_name_of_its_own(tmp_path, name):
    with pytest.raises(EndpointError, match="an adapter can't be called"):
        arguments(Launch(model="tiny", port=8005, adapters={name: adapter(tmp_path / "a")}))


def test_a_folder_without_an_adapter_is_said(tmp_path):
    def said(folder: str) -> str:
        with pytest.raises(EndpointError) as caught:
            arguments(Launch(model="tiny", port=8005, adapters={"ann": folder}))
        return str(caught.value)

    assert "adapter ann: there is no " in said(str(tmp_path))
    assert "tells no rank" in said(adapter(tmp_path / "a", rank="high"))
    assert "comma" in said(adapter(tmp_path / "a,b"))
    (tmp_path / "a" / "adapter_config.json").write_text("[")
    assert "tells no rank" in said(str(tmp_path / "a"))
