import pytest

from characterbox.llm.vllm.folder import faults, progress, tail

ENGINE = "(EngineCore pid=10172) INFO 11-21 11:04:05 [core.py:133] "
WORKER = "(Worker_TP0 pid=34322) INFO 05-06 20:59:59 [gpu_model_runner.py:4879] "


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("$ vllm serve tiny", ("launching", None)),
        (f"{ENGINE}Initializing a V1 LLM engine (v0.32.0) with config: model='x'", ("launching", None)),
        (f"{WORKER}Starting to load model /models/x...", ("weights", None)),
        ("Loading safetensors checkpoint shards:  56% Completed | 5/9 [00:13<00:11,  2.87s/it]", ("weights", 0.56)),
        ("Loading pt checkpoint shards: 100% Completed | 1/1 [00:00<00:00,  2.39it/s]", ("weights", 1.0)),
        (f"{WORKER}Model loading took 12.66 GiB memory and 31.657031 seconds", ("memory", None)),
        (f"{ENGINE}CPU KV cache size: 2,097,152 tokens", ("memory", None)),
        (f"{WORKER}Dynamo bytecode transform time: 3.54 s", ("compiling", None)),
        ("Capturing CUDA graphs (mixed prefill-decode, PIECEWISE):  45%|####5     | 30/67 [00:01]", ("graphs", 0.45)),
        (f"{WORKER}Capturing the model for CUDA graphs. This may take a while", ("graphs", None)),
        (f"{ENGINE}init engine (profile, create kv cache, warmup model) took 3.89 s", ("listening", None)),
        ("INFO:     Waiting for application startup.", ("listening", None)),
    ],
)
def test_the_log_tells_how_far_a_server_has_come(line, expected):
    assert progress([line]) == expected
    assert progress([f"{WORKER}Starting to load model x...", line, "nothing special"]) == (
        expected if line[0] != "$" else ("weights", None)
    )


def test_settings_that_speak_of_compiling_are_no_phase():
    line = (
        "(APIServer pid=1) WARNING 11-21 11:03:47 [vllm.py:1703] Enforce eager set, disabling torch.compile, CUDAGraphs"
    )
    assert progress([line]) == ("launching", None)
    assert progress([]) == ("launching", None)


def test_errors_are_told_with_their_cause_first_and_once():
    lines = [
        "(Worker pid=5) ERROR 11-21 11:30:55 [multiproc_executor.py:9] Traceback (most recent call last):",
        "(Worker pid=5) ERROR 11-21 11:30:55 [multiproc_executor.py:9]     raise ValueError(text)",
        "(Worker pid=5) ERROR 11-21 11:30:55 [multiproc_executor.py:9] torch.OutOfMemoryError: CUDA out of memory.",
        "(EngineCore pid=4) Process EngineCore:",
        "(EngineCore pid=4) torch.OutOfMemoryError: CUDA out of memory.",
        "(APIServer pid=3) RuntimeError: Engine core initialization failed. See root cause above.",
    ]
    assert faults(lines) == (
        "torch.OutOfMemoryError: CUDA out of memory.",
        "RuntimeError: Engine core initialization failed. See root cause above.",
    )


def test_what_a_setting_can_not_be_is_told():
    lines = [
        "pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig",
        "  Value error, User-specified max_model_len (9999999) is too large",
        "    For further information visit https://errors.pydantic.dev/2.14/v/value_error",
    ]
    assert faults(lines)[1] == "Value error, User-specified max_model_len (9999999) is too large"
    assert faults(["usage: ...", "api_server.py: error: unrecognized arguments: --x"]) == (
        "api_server.py: error: unrecognized arguments: --x",
    )


def test_without_a_named_error_the_last_lines_are_told():
    assert faults([f"(W pid=1) INFO 11-21 11:30:55 [a.py:1] line {n}" for n in range(9)]) == tuple(
        f"line {n}" for n in range(4, 9)
    )
    assert faults([]) == ()


def test_secrets_and_escapes_do_not_leave_the_log(tmp_path):
    log = tmp_path / "a.log"
    log.write_text(
        "token hf_abcdefghijklmnopqrst and sk-proj-0123456789abcdef\n"
        "\x1b[36mproxy http://ann:pass@proxy.example:80/\x1b[0m Authorization: Bearer abc.def\n"
        'mine is swordfish1\n\n\r\nINFO:     127.0.0.1:5 - "GET /health HTTP/1.1" 200 OK\n'
        'INFO:     127.0.0.1:5 - "GET /v1/models HTTP/1.1" 401 Unauthorized\n'
    )
    assert tail(log, {"SOME_TOKEN": "swordfish1", "SHORT_KEY": "is", "HOME": "token"}) == [
        "token *** and ***",
        "proxy http://***proxy.example:80/ Authorization: Bearer ***",
        "mine is ***",
        'INFO:     127.0.0.1:5 - "GET /v1/models HTTP/1.1" 401 Unauthorized',
    ]
    assert tail(tmp_path / "none.log", {}) == []


@pytest.mark.slow
def test_of_a_huge_log_only_the_end_is_read(tmp_path):
    log = tmp_path / "a.log"
    log.write_bytes(b"first\n" + b"x" * 5_000_000 + b"\n\xffend\n")
    assert tail(log, {})[-1] == "�end"
    assert sum(map(len, tail(log, {}))) < 4_000_001
