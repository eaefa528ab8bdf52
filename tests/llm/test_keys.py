"""Keys: found by their names, kept nowhere, shown nowhere."""

import os

import pytest

from characterbox.errors import EndpointError
from characterbox.llm.keys import key_for, key_named
from characterbox.llm.server import Server


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty home, with a working folder in it."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SOME_API_KEY", raising=False)
    return tmp_path


def secrets(folder, text):
    file = folder / ".streamlit" / "secrets.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def found(name="SOME_API_KEY"):
    key = key_named(name)
    return None if key is None else key.get_secret_value()


def test_a_key_comes_from_the_environment_then_from_the_working_folder_then_from_the_home(home, monkeypatch):
    assert found() is None
    secrets(home, 'SOME_API_KEY = "sk-home"')
    assert found() == "sk-home"
    secrets(home / "work", 'SOME_API_KEY = "sk-work"\nOTHER_API_KEY = "x"')
    assert found() == "sk-work"
    monkeypatch.setenv("SOME_API_KEY", " sk-environment\n")
    assert found() == "sk-environment"
    assert found("OTHER_API_KEY") == "x"


def test_an_empty_key_is_none(home, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", " ")
    assert found() is None
    secrets(home / "work", 'SOME_API_KEY = ""')
    secrets(home, 'SOME_API_KEY = "sk-home"')
    assert found() == "sk-home"


def test_a_file_that_is_changed_is_read_anew(home):
    file = secrets(home, 'SOME_API_KEY = "sk-one"')
    assert found() == "sk-one"
    file.write_text('SOME_API_KEY = "sk-two"', encoding="utf-8")
    os.utime(file, ns=(1, 1))
    assert found() == "sk-two"
    file.unlink()
    assert found() is None


def test_only_entries_at_the_top_that_are_named_like_keys_are_read(home):
    secrets(home, 'password = "p"\n[section]\nSOME_API_KEY = "sk-inner"')
    assert found() is None
    for name in ("password", "SOME_API_KEY ", "PATH", "../SOME_API_KEY", "_API_KEY", "", "ÄB_API_KEY"):
        with pytest.raises(ValueError, match="_API_KEY"):
            key_named(name)


def test_a_key_is_not_shown(home, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "sk-very-secret")
    assert "secret" not in repr(key_named("SOME_API_KEY")) + str(key_named("SOME_API_KEY"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SOME_API_KEY = 7\nsecret=1", "SOME_API_KEY is not text"),
        ("SOME_API_KEY = sk-very-secret", "line 1, column 16"),
        ('SOME_API_KEY = "sk-secret-ключ"', "contains characters that a key cannot have"),
        ('SOME_API_KEY = "sk-secret\\u0000x"', "contains characters that a key cannot have"),
    ],
)
def test_what_can_not_be_used_is_told_without_showing_it(home, text, told):
    secrets(home / "work", text)
    with pytest.raises(EndpointError, match=told) as caught:
        key_named("SOME_API_KEY")
    assert "secret" not in str(caught.value).replace("secrets.toml", "")


def test_a_file_that_is_no_text_is_told(home):
    secrets(home, "").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(EndpointError, match=r"secrets\.toml: the file cannot be read"):
        key_named("SOME_API_KEY")


LAB = Server(url="https://lab.example.org/v1", name="Lab", kind="api", key="LAB_API_KEY")


def test_a_key_leaves_only_for_the_place_that_it_is_bound_to(monkeypatch):
    monkeypatch.setenv("LAB_API_KEY", "hush-hush-hush")
    bound = {("https://lab.example.org", "LAB_API_KEY"), ("http://10.0.0.5", "LAB_API_KEY")}

    def sent(**change):
        found = key_for(LAB.model_copy(update=change), lambda place, key: (place, key) in bound)
        return found and found.get_secret_value()

    assert sent() == sent(url="https://LAB.example.org:443/other") == "hush-hush-hush"
    assert sent(key=None) is None
    for url in "https://lab.example.org:8443/v1", "https://evil.example.org/v1":
        with pytest.raises(EndpointError, match=r"no admin has allowed the key LAB_API_KEY for https://.*Models page"):
            sent(url=url)
    with pytest.raises(EndpointError, match="no admin has allowed the key"):
        sent(key="OTHER_API_KEY")
    with pytest.raises(EndpointError, match="unencrypted"):
        sent(url="http://10.0.0.5/v1")
    with pytest.raises(EndpointError, match="no admin has allowed the key"):
        key_for(LAB)
