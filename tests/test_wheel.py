"""The wheel, installed in an empty environment, serves the same app from any folder."""

import os
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import pytest

from tests.fakes.ports import free_port

REPOSITORY = Path(__file__).parents[1]
pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def characterbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of the installed wheel. The dependencies are those of the test environment; the project is not."""
    folder = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder), cwd=REPOSITORY)
    (wheel,) = folder.glob("*.whl")
    _run(sys.executable, "-m", "venv", "--without-pip", str(folder / "venv"))
    python = folder / "venv/bin/python"
    _run(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps", "--python", str(python), str(wheel))
    site = Path(_run(str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    libraries = folder / "libraries/site-packages"  # Streamlit takes itself for a development build elsewhere
    libraries.mkdir(parents=True)
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith(("_editable", "characterbox", "_characterbox")):
            (libraries / entry.name).symlink_to(entry)
    (site / "libraries.pth").write_text(f"{libraries}\n")
    return folder / "venv/bin/characterbox"


def test_holds_the_licenses_and_tells_that_it_is_typed(characterbox: Path) -> None:
    (wheel,) = characterbox.parents[2].glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"characterbox/py.typed", "annotations/py.typed"} <= set(names)
    licenses = {name.partition("/licenses/")[2] for name in names} - {""}
    assert {"LICENSE", "THIRD_PARTY_NOTICES.md"} <= licenses
    assert any(name.startswith("characterbox/components/fonts/") for name in licenses)


def test_holds_everything_that_the_commands_need(characterbox: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "CHARACTERBOX_DB": str(tmp_path / "wheel.db")}
    events = _run(str(characterbox), "play", "bundled:disc-shanji", "--rounds", "1", cwd=tmp_path, env=environment)
    assert '"kind": "story_ended"' in events.splitlines()[-1]
    _run(str(characterbox), "study", "init", "pilot", cwd=tmp_path, env=environment)
    plan = _run(str(characterbox), "study", "run", "pilot", "--plan", cwd=tmp_path, env=environment)
    assert "rated by people: " in plan


def test_serves_the_app_from_any_folder(characterbox: Path, tmp_path: Path) -> None:
    port = free_port()
    environment = {**os.environ, "CHARACTERBOX_DB": str(tmp_path / "wheel.db")}
    with subprocess.Popen(
        [str(characterbox), "app", "--port", str(port)], cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL
    ) as app:
        try:
            assert _answer(f"http://127.0.0.1:{port}/_stcore/health", app) == b"ok"
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/stories/none/live", timeout=60)
        finally:
            app.terminate()
            app.wait(timeout=120)
    assert (tmp_path / "wheel.db").is_file()


def _answer(url: str, app: subprocess.Popen[bytes]) -> bytes:
    """What the app answers, once it has started."""
    deadline = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as response:
                body: bytes = response.read()
                return body
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            assert app.poll() is None, "the app ended"
            assert time.monotonic() < deadline, "the app did not start in a minute"
            time.sleep(0.2)


def _run(*command: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout
