"""What is sent to the running app by half, or is nonsense, leaves no traceback: not in its log, nor in an answer."""

import socket
import time
import urllib.error
import urllib.request

import pytest

from tests.browser.app import App, running

pytestmark = [pytest.mark.process, pytest.mark.slow]


@pytest.fixture
def served(tmp_path, monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_AUTH", "local")
    with running(tmp_path / "app.db") as app:
        yield app


def send_half(app: App, path: str) -> None:
    """The head of a form and half of its body; then the line is cut."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{app.port}\r\nOrigin: {app.url}\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nname=Ann"
    )
    with socket.create_connection(("127.0.0.1", app.port), timeout=30) as line:
        line.sendall(head.encode())
        time.sleep(0.3)  # it is being read by then; where it is not yet, the test passes without having looked


def answer(app: App, path: str, body: bytes, kind: str) -> str:
    headers = {"Origin": app.url, "Content-Type": kind}
    request = urllib.request.Request(f"{app.url}{path}", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as told:
            return str(told.read())
    except urllib.error.HTTPError as refused:
        return str(refused.read())


def test_a_form_that_is_broken_off_leaves_no_traceback(served):
    for path in ("/sign-in", "/invitation/abc"):
        send_half(served, path)
    told = answer(served, "/sign-in", b"\xff%ff=%ff", "application/x-www-form-urlencoded")
    told += answer(served, "/sign-in", b"{" * 5000, "application/json")
    assert "Traceback" not in told
    assert "site-packages" not in told
    served.stop()
    log = served.db.with_suffix(".log").read_text(encoding="utf-8")
    assert "Traceback" not in log, log


def test_what_streamlit_cannot_read_is_refused_without_a_word_of_its_insides(tmp_path):
    with running(tmp_path / "app.db") as app:
        told = answer(app, "/_stcore/upload_file/1/1", b"nonsense", "multipart/form-data")
        told += answer(app, "/_stcore/upload_file/1/1", b"--a\r\nnonsense", "multipart/form-data; boundary=a")
        told += "".join(
            answer(app, path, b"", "text/plain")
            for path in ("/media/%00", "/_stcore/bidi-components/%2e%2e/a", "/component/a/%2e%2e/b", "/marks")
        )
    for word in ("Traceback", "site-packages", 'File "'):
        assert word not in told
