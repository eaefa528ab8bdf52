import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from characterbox.errors import EndpointError, ProgramError
from characterbox.llm.server import Launch, Server
from characterbox.llm.vllm.folder import Folder, Owner
from characterbox.llm.vllm.servers import Servers, State
from characterbox.processes.detached import birth
from characterbox.settings import settings
from tests.fakes.ports import free_port

FAKE = Path(__file__).with_name("fake_vllm.py")
PROGRAM = (sys.executable, "-I", "-S", str(FAKE), "serve")
SOON = 60.0
pytestmark = pytest.mark.process


def server(port: int, *flags: str, keep: bool = False) -> Server:
    launch = Launch(model="tiny", port=port, flags=flags, keep=keep)
    return Server(url=f"http://127.0.0.1:{port}/v1", name="Tiny", kind="started", launch=launch)


def until(state: Callable[[], State], name: str) -> State:
    """The first state with this name."""
    last = time.monotonic() + SOON
    while (now := state()).name != name:
        assert time.monotonic() < last, f"it is still {now}"
        time.sleep(0.02)
    return now


def group(pid: int) -> list[int]:
    """The living processes of a group."""
    found = []
    for entry in filter(str.isdecimal, os.listdir("/proc")):
        try:
            fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[2]) == pid and fields[0] not in "ZX":
            found.append(int(entry))
    return found


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Servers]:
    """Servers of the program that stands in for vLLM; two arguments besides are allowed."""
    monkeypatch.setenv("CHARACTERBOX_VLLM_ARGUMENTS", "--fake --override-generation-config")
    settings.cache_clear()
    made = Servers(tmp_path, lambda: PROGRAM, patience=5)
    yield made
    for port in Folder(tmp_path).ports():
        made.stop(f"http://127.0.0.1:{port}/v1")
    assert not any(str(FAKE) in line for line in _commands(tmp_path))
    settings.cache_clear()


def _commands(folder: Path) -> list[str]:
    """The command lines of the processes that write to a log in the folder."""
    found = []
    for entry in filter(str.isdecimal, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{entry}/fd/1").startswith(str(folder)):
                found.append(Path(f"/proc/{entry}/cmdline").read_text())
        except OSError:
            continue
    return found


def test_a_server_starts_serves_and_stops_with_all_its_processes(servers, port):
    tiny = server(port)
    assert servers.state(tiny.url) == State("stopped")
    assert servers.log(tiny.url) == ""
    begun = servers.start(tiny)
    assert begun.name in ("starting", "ready")
    ready = until(lambda: servers.state(tiny.url), "ready")
    assert (ready.models, ready.context, ready.faults, ready.keep) == (("tiny", "ann"), 8192, (), False)
    assert len(group(ready.pid)) == 2
    assert os.getsid(ready.pid) == ready.pid
    servers.stop(tiny.url)
    assert group(ready.pid) == []
    assert servers.state(tiny.url) == State("stopped")
    assert "Application startup complete." in servers.log(tiny.url)
    assert "GET /health" not in servers.log(tiny.url)
    servers.stop(tiny.url)


def test_the_log_begins_with_the_command_and_its_last_lines_are_given(servers, port):
    tiny = server(port, "--override-generation-config", "1 2")
    servers.start(tiny)
    until(lambda: servers.state(tiny.url), "ready")
    lines = servers.log(tiny.url).splitlines()
    assert f"serve tiny --host 127.0.0.1 --port {port} --enable-prefix-caching" in lines[0]
    assert lines[0].endswith("--override-generation-config '1 2'")
    assert "'--override-generation-config', '1 2']" in lines[1]
    assert servers.log(tiny.url, last=2).splitlines() == lines[-2:]


def test_a_server_that_loads_tells_how_far_it_is(servers, port):
    tiny = server(port, "--fake", "load")
    servers.start(tiny)
    last = time.monotonic() + SOON
    while (state := servers.state(tiny.url)).fraction is None:
        assert time.monotonic() < last
        time.sleep(0.02)
    assert (state.name, state.phase, state.fraction) == ("starting", "weights", 0.5)


def test_a_server_that_fails_says_why_and_leaves_nothing_behind(servers, port, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hush-hush-hush")
    tiny = server(port, "--fake", "fail")
    begun = servers.start(tiny)
    state = until(lambda: servers.state(tiny.url), "failed")
    assert state.faults == (
        "ValueError: no room for ***",
        "RuntimeError: Engine core initialization failed. See root cause above.",
    )
    assert state.status == 1
    assert group(begun.pid) == []
    assert "hush" not in servers.log(tiny.url)
    assert servers.state(tiny.url) == state
    servers.start(server(port))
    until(lambda: servers.state(tiny.url), "ready")


def test_keys_and_settings_of_the_app_are_kept_from_the_server(servers, port, monkeypatch):
    kept = {"HF_TOKEN": "1", "HF_HUB_OFFLINE": "1"}
    dropped = {"OPENAI_API_KEY": "1", "CHARACTERBOX_API_KEY": "1", "CHARACTERBOX_DB": "1", "PGPASSWORD": "1"}
    for name, value in {**kept, **dropped}.items():
        monkeypatch.setenv(name, value)
    tiny = server(port)
    servers.start(tiny)
    until(lambda: servers.state(tiny.url), "ready")
    told = next(line for line in servers.log(tiny.url).splitlines() if "environment:" in line)
    assert all(repr(name) in told for name in kept)
    assert not any(repr(name) in told for name in dropped)


def test_what_a_killed_server_leaves_behind_is_ended(servers, port):
    tiny = server(port)
    servers.start(tiny)
    pid = until(lambda: servers.state(tiny.url), "ready").pid
    os.kill(pid, signal.SIGKILL)
    while birth(pid) is not None:
        time.sleep(0.01)
    state = until(lambda: servers.state(tiny.url), "failed")
    assert state.status == -9
    assert group(pid) == []


def test_a_server_that_ignores_sigterm_is_killed_and_is_stopping_meanwhile(tmp_path, servers, port):
    tiny = server(port, "--fake", "stubborn")
    hasty = Servers(tmp_path, lambda: PROGRAM, patience=15)
    hasty.start(tiny)
    pid = until(lambda: hasty.state(tiny.url), "ready").pid
    stopper = threading.Thread(target=hasty.stop, args=(tiny.url,))
    stopper.start()
    until(lambda: servers.state(tiny.url), "stopping")
    with pytest.raises(EndpointError, match="is stopping"):
        servers.start(tiny)
    stopper.join(SOON)
    assert not stopper.is_alive()
    assert group(pid) == []
    assert servers.state(tiny.url) == State("stopped")


def test_a_server_that_hangs_can_be_stopped(servers, port):
    tiny = server(port, "--fake", "hang")
    state = servers.start(tiny)
    assert state.name == "starting"
    servers.stop(tiny.url)
    assert group(state.pid) == []


def test_a_server_that_is_no_longer_well_has_failed(servers, port):
    tiny = server(port)
    servers.start(tiny)
    os.kill(until(lambda: servers.state(tiny.url), "ready").pid, signal.SIGUSR1)
    state = until(lambda: servers.state(tiny.url), "failed")
    assert tuple(map(str, state.faults)) == (f"http://127.0.0.1:{port}/health returned status 503",)


def test_a_silent_server_that_was_ready_counts_as_busy(servers, port):
    tiny = server(port)
    servers.start(tiny)
    ready = until(lambda: servers.state(tiny.url), "ready")
    os.kill(ready.pid, signal.SIGSTOP)
    try:
        assert servers.state(tiny.url) == ready
    finally:
        os.kill(ready.pid, signal.SIGCONT)


def test_another_app_on_the_folder_finds_the_server_and_starts_no_second_one(tmp_path, servers, port):
    tiny = server(port)
    other = Servers(tmp_path, lambda: PROGRAM)
    begun = []
    threads = [threading.Thread(target=lambda s=s: begun.append(s.start(tiny).pid)) for s in (servers, other) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SOON)
    assert len(begun) == 6
    assert len(set(begun)) == 1
    assert len(list(tmp_path.glob("*.log"))) == 1
    with pytest.raises(EndpointError, match="other settings"):
        other.start(server(port, "--seed", "2"))


def test_close_stops_what_is_not_to_be_kept(tmp_path, servers):
    ports = [free_port() for _ in range(3)]
    started = [servers.start(server(port, keep=keep)) for port, keep in zip(ports, (False, True, False), strict=True)]
    servers.close()
    assert [bool(group(state.pid)) for state in started] == [False, True, False]
    assert Folder(tmp_path).ports() == [ports[1]]


def run_app(folder: Path, port: int, keep: bool) -> subprocess.Popen[str]:
    """An app in a process of its own that has started a server, and waits."""
    script = (
        "import sys; from pathlib import Path\n"
        "from characterbox.llm.server import Launch, Server\n"
        "from characterbox.llm.vllm.servers import Servers\n"
        f"servers = Servers(Path({str(folder)!r}), lambda: {PROGRAM!r})\n"
        f"launch = Launch(model='tiny', port={port}, keep={keep})\n"
        f"one = Server(url='http://127.0.0.1:{port}/v1', name='Tiny', kind='started', launch=launch)\n"
        "print(servers.start(one).pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    return subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_an_app_that_is_killed_leaves_its_servers_and_the_next_app_has_them(tmp_path, servers):
    ports = free_port(), free_port()
    with run_app(tmp_path, ports[0], keep=False) as one, run_app(tmp_path, ports[1], keep=True) as two:
        pids = [int(app.stdout.readline()) for app in (one, two)]
        servers.close()
        assert all(group(pid) for pid in pids), "they belong to apps that run"
        one.kill()
        two.kill()
    states = [until(lambda port=port: servers.state(server(port).url), "ready") for port in ports]
    assert [state.pid for state in states] == pids
    assert servers.start(server(ports[0])).pid == pids[0]
    servers.close()
    assert [bool(group(pid)) for pid in pids] == [False, True]


def test_a_process_that_has_got_the_number_of_a_server_is_left_alone(tmp_path, servers, port):
    tiny = server(port)
    servers.start(tiny)
    until(lambda: servers.state(tiny.url), "ready")
    folder = Folder(tmp_path)
    record = folder.read(port)
    servers.stop(tiny.url)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True) as other:
        folder.write(record.model_copy(update={"started": record.started.model_copy(update={"pid": other.pid})}))
        assert servers.state(tiny.url).name == "failed"
        servers.stop(tiny.url)
        assert other.poll() is None
        other.communicate(b"\n")
        assert other.returncode == 0


def test_a_server_from_before_a_restart_of_the_machine_is_stopped(tmp_path, servers, port):
    tiny = server(port)
    servers.start(tiny)
    folder = Folder(tmp_path)
    record = folder.read(port)
    folder.write(record.model_copy(update={"started": record.started.model_copy(update={"boot": "another"})}))
    assert servers.state(tiny.url) == State("stopped")
    assert group(record.started.pid)
    folder.write(record)


def test_a_port_that_is_taken_is_said_before_anything_starts(tmp_path, servers):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(EndpointError, match=f"port {port} is in use by another program"):
            servers.start(server(port))
    assert list(tmp_path.glob("*.log")) == []


def test_five_logs_are_kept(tmp_path, servers, port):
    tiny = server(port, "--fake", "hang")
    for _ in range(7):
        servers.start(tiny)
        servers.stop(tiny.url)
    logs = sorted(tmp_path.glob("*.log"))
    assert len(logs) == 5
    assert {oct(log.stat().st_mode & 0o777) for log in logs} == {"0o600"}


def test_a_program_that_can_not_be_run_is_an_error(tmp_path, port):
    with pytest.raises(ProgramError, match=r"/no/vllm cannot be started: No such file"):
        Servers(tmp_path, lambda: ("/no/vllm",)).start(server(port))
    assert Folder(tmp_path).ports() == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/v1", "http://localhost:8001/v1", "https://a.example/v1"])
def test_the_address_and_the_port_have_to_agree(servers, url):
    launch = Launch(model="tiny", port=8001)
    with pytest.raises(EndpointError, match=r"must be http://127\.0\.0\.1:8001/v1"):
        servers.start(Server(url=url, name="Tiny", kind="started", launch=launch))


def test_a_server_of_another_kind_is_not_started(servers):
    with pytest.raises(EndpointError, match="not a server started by the app"):
        servers.start(Server(url="http://127.0.0.1:8001/v1", name="Far", kind="vllm"))
    with pytest.raises(EndpointError, match="has no port"):
        servers.state("https://api.example/v1")


def test_a_damaged_record_is_said(tmp_path, servers, port):
    (tmp_path / f"{port}.json").write_text("half")
    with pytest.raises(EndpointError, match="is damaged"):
        servers.state(server(port).url)
    (tmp_path / f"{port}.json").unlink()


def test_a_process_that_ended_but_was_not_reaped_does_not_live():
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        last = time.monotonic() + SOON
        while birth(child.pid) is not None:
            assert time.monotonic() < last
            time.sleep(0.01)
        assert Path(f"/proc/{child.pid}").exists()
    assert birth(os.getpid()) == Owner.this().birth
    assert Owner.this().runs()
