"""A trained adapter registered with the app's server of its base."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from characterbox.accounts.account import LOCAL, Account
from characterbox.commands.training import serve as command
from characterbox.errors import EndpointError, NotAllowed, TrainingError
from characterbox.llm.vllm.servers import Servers
from characterbox.training.base_model import base_digest
from characterbox.training.serving import FIRST_PORT, adapter_name, serve, to_serve
from tests.fakes.ports import free_port
from tests.llm.vllm.test_servers import PROGRAM
from tests.training.folders import write_base

pytestmark = pytest.mark.process
RESEARCHER = Account(id=None, name="Rita", role="researcher")


def trained(folder: Path, name: str = "nr", base: str = "Qwen/Qwen3-8B", identity: str = "a" * 64) -> Path:
    """The folder of a run that is done, as far as serving looks at it."""
    (folder / "adapter").mkdir(parents=True)
    adapter = {"r": 16, "base_model_name_or_path": base, "peft_type": "LORA"}
    (folder / "adapter/adapter_config.json").write_text(json.dumps(adapter))
    (folder / "run.json").write_text(json.dumps({"recipe": {"name": name, "base": base, "base_digest": None}}))
    (folder / "result.json").write_text(json.dumps({"identity": identity}))
    return folder


def test_the_first_adapter_of_a_base_has_a_server_registered_and_the_next_joins_it(store, tmp_path):
    first = serve(store, LOCAL, trained(tmp_path / "a"))
    assert (first.server.kind, first.server.models) == ("started", ("Qwen3-8B", "nr-aaaaaaaa"))
    assert first.server.launch.port >= FIRST_PORT
    assert (first.base.model, first.tuned.model) == ("Qwen3-8B", adapter_name("nr", "a" * 64))
    second = serve(store, LOCAL, trained(tmp_path / "b", identity="b" * 64))
    assert second.server.url == first.server.url
    assert second.server.launch.adapters == {
        "nr-aaaaaaaa": str(tmp_path / "a/adapter"),
        "nr-bbbbbbbb": str(tmp_path / "b/adapter"),
    }
    assert serve(store, LOCAL, tmp_path / "b").server == second.server
    apart = serve(store, LOCAL, tmp_path / "b", first.server.launch.port + 100).server
    store.servers.save(LOCAL, first.server)
    assert to_serve(store, tmp_path / "b").server == apart, "the server that has it already"
    other = serve(store, LOCAL, trained(tmp_path / "c", base="Qwen/Qwen3-4B"))
    assert other.server.launch.port != first.server.launch.port
    assert [one for one in store.servers.all() if one.kind == "started"] == [other.server, first.server, apart], (
        "by name"
    )


def test_an_adapter_is_served_beside_the_base_that_it_was_trained_on_alone(store, tmp_path):
    base = write_base(tmp_path / "base")
    folder = trained(tmp_path / "a", base=str(base))
    run = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({"recipe": {**run["recipe"], "base_digest": base_digest(base)}}))
    assert serve(store, LOCAL, folder).base.model == "base"
    (base / "config.json").write_text("{}")
    with pytest.raises(TrainingError, match=f"{base} has changed since the run was begun"):
        to_serve(store, folder)


@pytest.mark.parametrize(
    ("flags", "called"),
    [
        ((), "Qwen/Qwen3-8B"),
        (("--served-model-name", "mine"), "mine"),
        (("--max-model-len", "512", "--served_model_name=mine"), "mine"),
    ],
)
def test_the_base_is_called_as_its_server_serves_it(store, tmp_path, flags, called):
    server = serve(store, LOCAL, trained(tmp_path / "a")).server
    launch = server.launch.model_copy(update={"flags": flags})
    store.servers.save(LOCAL, server.model_copy(update={"launch": launch, "models": ("something", called)}))
    served = serve(store, LOCAL, trained(tmp_path / "b", identity="b" * 64))
    assert (served.base.model, served.server.models) == (called, ("something", called, "nr-bbbbbbbb"))


def test_only_what_is_done_is_served_and_only_by_admins(store, tmp_path):
    folder = trained(tmp_path / "a")
    with pytest.raises(NotAllowed):
        serve(store, RESEARCHER, folder)
    (folder / "adapter/adapter_config.json").unlink()
    with pytest.raises(TrainingError, match="the adapter is gone"):
        serve(store, LOCAL, folder)
    (folder / "result.json").unlink()
    with pytest.raises(TrainingError, match="no finished training here"):
        serve(store, LOCAL, folder)
    assert not [one for one in store.servers.all() if one.kind == "started"]


def test_a_server_that_runs_without_the_adapter_is_left_alone(store, url, tmp_path, monkeypatch):
    port, servers = free_port(), Servers(tmp_path / "vllm", lambda: PROGRAM)
    monkeypatch.setattr(command, "open_starter", lambda: SimpleNamespace(servers=servers))
    server = serve(store, LOCAL, trained(tmp_path / "a"), port).server
    running = servers.start(server)
    trained(tmp_path / "b", identity="b" * 64)
    with pytest.raises(EndpointError, match=r"a server with other settings is running .* stop it first"):
        command.run(SimpleNamespace(run=tmp_path / "b", port=None, db=url))
    assert servers.state(server.url).pid == running.pid
    assert server in store.servers.all(), "nobody is offered what is not served"
    servers.stop(server.url)
