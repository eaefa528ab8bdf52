"""Without accounts an app is served to its own computer only."""

import pytest

from characterbox.settings import Settings, exposure_fault, is_loopback


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "127.0.0.2", "::1"])
def test_loopback_is_always_safe(address):
    assert is_loopback(address)
    for auth in ("off", "local", "oidc"):
        assert exposure_fault(auth, None, address) is None


@pytest.mark.parametrize(
    "address", ["0.0.0.0", "::", "10.0.0.1", "rate.example.org", "", None, "127.0.0.1.example.org"]
)
def test_elsewhere_accounts_and_an_address_are_needed(address):
    assert not is_loopback(address)
    refusal = exposure_fault("off", "https://rate.example.org", address)
    assert "without accounts" in refusal
    assert "CHARACTERBOX_AUTH to local or oidc" in refusal
    assert "or serve on 127.0.0.1" in refusal
    for auth in ("local", "oidc"):
        assert "set CHARACTERBOX_URL" in exposure_fault(auth, None, address)
        assert exposure_fault(auth, "https://rate.example.org", address) is None


def test_a_proxy_lets_nobody_into_an_app_without_accounts():
    for url in ("https://rate.example.org", "http://10.0.0.1:8501"):
        fault = exposure_fault("off", url, "127.0.0.1")
        assert f"CHARACTERBOX_URL is {url}" in fault
        assert "Set CHARACTERBOX_AUTH to local or oidc" in fault
        assert exposure_fault("local", url, "127.0.0.1") is None
    for url in ("http://localhost:8600", "http://127.0.0.1:8600", "http://[::1]:8600"):
        assert exposure_fault("off", url, "127.0.0.1") is None


@pytest.mark.parametrize("name", ["vllm", "train"])
def test_an_empty_program_is_none(name, monkeypatch):
    monkeypatch.setenv(f"CHARACTERBOX_{name.upper()}", "")
    assert getattr(Settings(), name) is None
    monkeypatch.setenv(f"CHARACTERBOX_{name.upper()}", "/opt/python")
    assert str(getattr(Settings(), name)) == "/opt/python"
