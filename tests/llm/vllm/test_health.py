from collections.abc import AsyncIterator

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from annotations.i18n.translation import translate
from characterbox.errors import EndpointDown, EndpointError
from characterbox.llm.vllm.health import Metrics, metrics, read_metrics
from tests.fakes.host_names import leads_to
from tests.fakes.mock_server import serving

TOLD = """\
# HELP python_info Python platform information
# TYPE python_info gauge
python_info{implementation="CPython",version="3.11.7"} 1.0
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="/models/a b} 9"} 3.0
vllm:num_requests_running{engine="1",model_name="/models/a b} 9"} 2.0
vllm:num_requests_waiting{engine="0",model_name="m"} 1.0
vllm:num_requests_waiting_by_reason{engine="0",model_name="m",reason="capacity"} 7.0
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25
vllm:kv_cache_usage_perc{engine="1",model_name="m"} 0.125
vllm:prefix_cache_queries_total{engine="0",model_name="m"} 1.6e+06
vllm:prefix_cache_queries_created{engine="0",model_name="m"} 1.7952590498813715e+09
vllm:external_prefix_cache_queries_total{engine="0",model_name="m"} 5.0
vllm:prefix_cache_hits_total{engine="0",model_name="m"} 1.2e+06 1795259049881
vllm:prompt_tokens_total{engine="0",model_name="m"} 1.700001e+06
vllm:generation_tokens_total{engine="0",model_name="m"} 42.0
vllm:iteration_tokens_total_bucket{engine="0",le="1.0",model_name="m"} 8.0
vllm:request_latency NaN
"""


def test_the_figures_of_all_engines_are_read():
    figures = read_metrics(TOLD)
    assert figures == Metrics(
        running=5,
        waiting=1,
        kv_cache_usage=0.25,
        prompt_tokens=1_700_001,
        generation_tokens=42,
        prefix_queries=1_600_000,
        prefix_hits=1_200_000,
    )
    assert figures.hit_rate == 0.75


def test_the_names_of_older_versions_are_known():
    figures = read_metrics(
        'vllm:gpu_cache_usage_perc{model_name="m"} 0.5\n'
        'vllm:gpu_prefix_cache_queries_total{model_name="m"} 10.0\n'
        'vllm:gpu_prefix_cache_hits_total{model_name="m"} 4.0\n'
    )
    assert (figures.kv_cache_usage, figures.hit_rate, figures.running) == (0.5, 0.4, None)


def test_what_is_not_told_is_none_and_no_rate_comes_from_nothing():
    figures = read_metrics("vllm:num_requests_running 0.0\n")
    assert figures == Metrics(0, None, None, None, None, None, None)
    assert figures.hit_rate is None
    assert read_metrics("vllm:prefix_cache_queries_total 0.0\nvllm:prefix_cache_hits_total 0.0\n").hit_rate is None


@pytest.mark.parametrize("text", ["", "python_info 1.0\n", "<html>", "# vllm:num_requests_running 1.0\n"])
def test_another_program_is_told_from_vllm(text):
    with pytest.raises(EndpointError, match="has no vLLM metrics"):
        read_metrics(text)


@pytest.mark.parametrize("value", ["many", "NaN", "+Inf"])
def test_a_figure_that_is_no_number_is_an_error(value):
    with pytest.raises(EndpointError, match=r"^the value of vllm:num_requests_running in /metrics is not a number$"):
        read_metrics(f"vllm:num_requests_running {value}\n")


async def _too_much() -> AsyncIterator[str]:
    for _ in range(9):
        yield "x" * 1_000_000


@pytest.mark.process
def test_a_server_is_asked_beside_its_api():
    told = Starlette(routes=[Route("/metrics", lambda _: PlainTextResponse(TOLD))])
    with serving(told) as address:
        assert metrics(f"{address}/v1").running == 5
        assert metrics(f"{address}/v1/").running == 5
    with pytest.raises(EndpointDown, match="cannot be reached"):
        metrics(f"{address}/v1")


@pytest.mark.process
def test_figures_are_asked_for_no_further_than_the_server_may_be_reached(monkeypatch):
    asked = []
    told = Starlette(routes=[Route("/metrics", lambda _: asked.append(1) or PlainTextResponse(TOLD))])
    leads_to(monkeypatch, "models.example", "127.0.0.1")
    with serving(told) as address:
        url = address.replace("127.0.0.1", "models.example")
        with pytest.raises(
            EndpointError, match=r"^models\.example resolves to 127\.0\.0\.1, which is on the computer"
        ) as no:
            metrics(f"{url}/v1", reach="public")
        assert "127.0.0.1" not in translate(no.value), "where a name leads is for admins alone"
        assert not asked
        assert metrics(f"{url}/v1", reach="network").running == 5


@pytest.mark.process
def test_a_server_without_metrics_or_without_end_is_an_error():
    with serving(Starlette()) as address, pytest.raises(EndpointError, match="status 404"):
        metrics(f"{address}/v1")
    endless = Starlette(routes=[Route("/metrics", lambda _: StreamingResponse(_too_much()))])
    with serving(endless) as address, pytest.raises(EndpointError, match="does not end"):
        metrics(f"{address}/v1")
