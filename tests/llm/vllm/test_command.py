import json
from pathlib import Path

import pytest

from characterbox.errors import CharacterBoxError, EndpointError
from characterbox.llm.server import Launch
from characterbox.llm.vllm.command import arguments
from characterbox.settings import settings


def model(folder: Path) -> str:
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    return str(folder)


def adapter(folder: Path, rank: object = 8) -> str:
    folder.mkdir()
    (folder / "adapter_config.json").write_text(json.dumps({"r": rank}))
    return str(folder)


def test_a_name_is_passed_on_and_flags_come_last():
    launch = Launch(model="Qwen/Qwen3-8B", port=8005, flags=("--max-model-len", "8192", "-tp", "2", "--seed=7"))
    assert arguments(launch) == [
        *("Qwen/Qwen3-8B", "--host", "127.0.0.1", "--port", "8005"),
        *("--enable-prefix-caching", "--enable-prompt-tokens-details"),
        *("--max-model-len", "8192", "-tp", "2", "--seed=7"),
    ]


@pytest.mark.parametrize("flags", [("--runner", "pooling"), ("--seed", "1", "--runner=pooling")])
def test_an_embedding_model_is_started_without_a_prefix_cache(flags):
    launch = Launch(model="intfloat/multilingual-e5-small", port=8005, flags=flags)
    assert arguments(launch) == ["intfloat/multilingual-e5-small", "--host", "127.0.0.1", "--port", "8005", *flags]
    assert "--enable-prefix-caching" in arguments(Launch(model="m", port=8005, flags=("--runner", "generate")))


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
    with pytest.raises(EndpointError, match="is not allowed") as caught:
        arguments(Launch(model="tiny", port=8005, flags=("--seed", "1", flag)))
    assert flag.partition("=")[0] in str(caught.value)
    assert "abc" not in str(caught.value)


@pytest.mark.parametrize(
    "flags",
    [
        *("--trust-remote-code", "--trust_remote_code", "--trust-remote", "--tool-parser-plugin=/tmp/x.py"),
        *("--tool-parser-plugin /tmp/x.py", "--reasoning-parser-plugin /tmp/x.py", "--middleware os.system"),
        *("--worker-extension-cls a.B", "--worker-cls a.B", "--logits-processors a:B", "--logits-process a:B"),
        *(
            "--hf-overrides {}",
            "--hf-overrides.auto_map x",
            "--compilation-config.backend a.b",
            "-cc.backend=a.b",
            "-O3",
        ),
        *("--distributed-executor-backend a.B", "--tokenizer /x", "--load-format pt", "--chat-template /x"),
        *("--kv-transfer-config {}", "--max-model-le 8", "--max-model-len.x 8", "--", "-", "stray", "--", "=1"),
    ],
)
def test_only_what_is_listed_passes_by_its_whole_name(flags):
    with pytest.raises(EndpointError, match="is not allowed"):
        arguments(Launch(model="tiny", port=8005, flags=tuple(flags.split())))


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("--max-model-len", "one whole number"),
        ("--max-model-len x", "one whole number"),
        ("--max-model-len 8 9", "one whole number"),
        ("--seed=-1", "one whole number"),
        ("--gpu-memory-utilization half", "one number"),
        ("--tool-call-parser /tmp/x.py", "one name"),
        ("--tool-call-parser a.b", "one name"),
        ("--reasoning_parser=../x", "one name"),
        ("--dtype", "one name"),
        ("--enforce-eager yes", "no value"),
        ("--enforce-eager=yes", "no value"),
    ],
)
def test_a_value_is_of_the_kind_that_its_argument_takes(flags, told):
    with pytest.raises(EndpointError, match=told):
        arguments(Launch(model="tiny", port=8005, flags=tuple(flags.split())))


@pytest.mark.parametrize(
    "flags",
    [
        "--no-enable-chunked-prefill --max-num-batched-tokens 32768",
        "--max-model-len 8192 --dtype bfloat16 --enforce_eager --gpu_memory_utilization=0.85",
        "--enable-auto-tool-choice --tool-call-parser hermes --reasoning-parser deepseek_r1 --max-model-len 32k",
        "-tp 2 -pp 2 --quantization fp8 --kv-cache-dtype fp8_e5m2 --cpu-offload-gb 4 --seed 1 --served-model-name base",
    ],
)
def test_plain_settings_pass(flags):
    words = tuple(flags.split())
    assert tuple(arguments(Launch(model="tiny", port=8005, flags=words))[-len(words) :]) == words


@pytest.fixture
def host(monkeypatch):
    """Sets what whoever runs the host allows besides."""

    def allow(names):
        monkeypatch.setenv("CHARACTERBOX_VLLM_ARGUMENTS", names)
        settings.cache_clear()

    yield allow
    settings.cache_clear()


def test_whoever_runs_the_host_allows_others_by_name_but_none_that_contradicts(host):
    host("--chat_template --api-key")
    flags = ("--chat-template", "/x/a b.jinja", "--seed", "1", "--chat-template=/y")
    assert tuple(arguments(Launch(model="tiny", port=8005, flags=flags))[-5:]) == flags
    for flag in "--api-key=x", "--trust-remote-code":
        with pytest.raises(EndpointError, match="is not allowed"):
            arguments(Launch(model="tiny", port=8005, flags=(flag,)))


def test_what_is_no_name_of_an_argument_is_told(host):
    host("--chat-template /x")
    with pytest.raises(CharacterBoxError, match=r"CHARACTERBOX_VLLM_ARGUMENTS.*'/x' is no name of an argument"):
        settings()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/no/such", "the folder /no/such does not exist"),
        ("./none", "the folder .*does not exist"),
        ("~nobody-here/x", "the home folder ~nobody-here does not exist"),
        ("--trust-remote-code", "neither a folder nor a model name"),
        (" x", "neither a folder nor a model name"),
    ],
)
def test_a_model_that_is_not_there_is_said(text, message):
    with pytest.raises(EndpointError, match=message):
        arguments(Launch(model=text, port=8005))


def test_a_folder_without_a_model_and_a_file_are_said(tmp_path):
    with pytest.raises(EndpointError, match=r"has no config\.json"):
        arguments(Launch(model=str(tmp_path), port=8005))
    (tmp_path / "model.gguf").touch()
    with pytest.raises(EndpointError, match=r"the folder .*does not exist"):
        arguments(Launch(model=str(tmp_path / "model.gguf"), port=8005))


@pytest.mark.parametrize("name", ["-x", "a=b", "a b", "", "a,b", "tiny"])
def test_an_adapter_needs_a_name_of_its_own(tmp_path, name):
    with pytest.raises(EndpointError, match="is not a valid adapter name"):
        arguments(Launch(model="tiny", port=8005, adapters={name: adapter(tmp_path / "a")}))


def test_a_folder_without_an_adapter_is_said(tmp_path):
    def said(folder: str) -> str:
        with pytest.raises(EndpointError) as caught:
            arguments(Launch(model="tiny", port=8005, adapters={"ann": folder}))
        return str(caught.value)

    assert f"adapter ann: {tmp_path / 'adapter_config.json'} does not exist" in said(str(tmp_path))
    assert "has no rank" in said(adapter(tmp_path / "a", rank="high"))
    assert "comma" in said(adapter(tmp_path / "a,b"))
    (tmp_path / "a" / "adapter_config.json").write_text("[")
    assert "has no rank" in said(str(tmp_path / "a"))
