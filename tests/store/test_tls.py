"""A PostgreSQL over TLS, with a certificate of our own: it is checked as the URL says; passwords are in no message."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from characterbox.errors import StoreError
from characterbox.store import Store
from tests.fakes.ports import free_port
from tests.fakes.postgres import cluster, why_not

pytestmark = [pytest.mark.process, pytest.mark.slow]

PASSWORD = "secretpw"


def certificate(folder: Path, name: str) -> Path:
    """A certificate for the host localhost that its own key has signed, beside that key."""
    made = folder / f"{name}.pem"
    subject = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
    request = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject)
    files = ("-keyout", folder / f"{name}.key", "-out", made)
    subprocess.run([*request, *files], check=True, capture_output=True, timeout=60)
    return made


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server that takes nobody without TLS and a password, but for the parameters."""
    if (reason := why_not()) or shutil.which("openssl") is None:
        pytest.skip(reason or "there is no openssl")
    folder, port = tmp_path_factory.mktemp("tls"), free_port()
    right = certificate(folder, "right")
    certificate(folder, "other")

    def set_up(data: Path) -> str:
        owner = data.stat()
        for file in (right, right.with_suffix(".key")):
            shutil.copyfile(file, data / file.name)
            (data / file.name).chmod(0o600)
            shutil.chown(data / file.name, owner.st_uid, owner.st_gid)
        with (data / "pg_hba.conf").open("a", encoding="utf-8") as rules:
            rules.seek(0)
            rules.truncate()
            rules.write("local all all trust\nhostssl all all all scram-sha-256\n")
        ssl = f"-c ssl=on -c ssl_cert_file={data}/right.pem -c ssl_key_file={data}/right.key"
        return f"-c listen_addresses=127.0.0.1 -p {port} {ssl}"

    with cluster(set_up) as url:
        with psycopg.connect(f"{url.format(database='postgres')}&port={port}", autocommit=True) as connection:
            connection.execute(f"CREATE ROLE me LOGIN PASSWORD '{PASSWORD}'")
            connection.execute("CREATE DATABASE mine OWNER me")
        yield f"postgresql://me:{PASSWORD}@HOST:{port}/mine?sslrootcert={folder}/right.pem"


def refusal(url: str) -> str:
    with pytest.raises(StoreError, match="cannot be opened") as caught:
        Store(url)
    assert PASSWORD not in str(caught.value)
    assert PASSWORD not in repr(caught.value.__cause__)
    return str(caught.value)


def test_a_server_whose_certificate_is_right_is_used_over_tls(server: str) -> None:
    url = server.replace("HOST", "localhost") + "&sslmode=verify-full"
    store = Store(url)
    with psycopg.connect(url) as connection:
        assert connection.pgconn.ssl_in_use
    assert store.audit.read(1) == []
    store.close()


def test_another_name_or_another_authority_is_refused(server: str) -> None:
    by_number = server.replace("HOST", "127.0.0.1") + "&sslmode=verify-full"
    assert "does not match host name" in refusal(by_number)
    other = server.replace("HOST", "localhost").replace("right.pem", "other.pem") + "&sslmode=verify-full"
    assert "certificate verify failed" in refusal(other)
    refusal(server.replace("HOST", "localhost").replace("right.pem", "nowhere.pem") + "&sslmode=verify-ca")


def test_no_message_of_a_wrong_password_or_host_has_a_password(server: str) -> None:
    wrong = server.replace("HOST", "localhost").replace(f":{PASSWORD}", f":{PASSWORD}-too") + "&sslmode=verify-full"
    assert "password authentication failed" in refusal(wrong)
    assert "password authentication failed" in refusal(wrong.replace(f":{PASSWORD}-too", "") + f"&password={PASSWORD}x")
    refusal(server.replace("HOST", "nowhere.invalid"))
