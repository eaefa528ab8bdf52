"""Faults that are raised in the background, where nobody reads, are told in the language of whoever reads them."""

import re
from concurrent.futures import ThreadPoolExecutor

from annotations.i18n.translation import speaking, translate
from characterbox.errors import CharacterBoxError
from characterbox.llm.server import Launch, Server
from characterbox.llm.vllm.command import arguments, find_vllm
from characterbox.llm.vllm.health import read_metrics
from characterbox.llm.vllm.servers import Servers

OWN = re.compile(
    r"CHARACTERBOX_\w+|vllm|LoRA|Python|Qwen/Qwen3-8B|--[\w-]+|http://[\w.:/]+|/metrics|/2/adapter_config\.json",
    re.IGNORECASE,
)
"""Words that stand in Chinese as they are."""


def test_faults_raised_in_the_background_are_told_in_chinese(tmp_path):
    servers = Servers(tmp_path / "vllm", lambda: ("vllm",))
    nowhere = "http://127.0.0.1:9/v1"

    def launched(flag):
        return lambda: arguments(Launch(model="m", port=8000, flags=(flag,)))

    faults = {
        "a flag that gives a key away": launched("--api-key=1"),
        "a flag of the address": launched("--host=0"),
        "a folder that is not there": lambda: arguments(Launch(model="./1", port=8000)),
        "an adapter that is not there": lambda: arguments(Launch(model="m", port=8000, adapters={"1": "/2"})),
        "a command that is not there": lambda: find_vllm("/1"),
        "a server that is not started here": lambda: servers.start(Server(name="1", url=nowhere, kind="api")),
        "figures of another program": lambda: read_metrics(""),
    }
    with ThreadPoolExecutor(1) as background:
        raised = {name: background.submit(what).exception() for name, what in faults.items()}
    for name, error in raised.items():
        assert isinstance(error, CharacterBoxError), name
        with speaking("zh"):
            told = OWN.sub("", translate(error))
        assert not re.search(r"[A-Za-z]{2}", told), (name, told)
