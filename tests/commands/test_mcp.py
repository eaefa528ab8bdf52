"""The command that serves the functions of the API to an assistant, as far as it says why it does not."""

import pytest

from tests.fakes.databases import store_in


def test_where_there_are_accounts_one_is_named(in_process, monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_AUTH", "local")
    done = in_process("mcp")
    assert done.status == 2
    assert done.one_line() == (
        "characterbox: --account is missing; this app has accounts, so name the one whose rights count"
    )


def test_the_account_has_to_be_there(in_process, tmp_path):
    store_in(tmp_path / "served.db").close()
    done = in_process("mcp", "--account", "Nobody", "--db", str(tmp_path / "served.db"))
    assert done.status == 2
    assert "there is no account 'Nobody'" in done.one_line()


def test_without_its_package_it_says_how_to_get_it(in_process, monkeypatch):
    def lacking(name):
        raise ModuleNotFoundError(f"No module named {name!r}", name="mcp")

    monkeypatch.setattr("characterbox.commands.mcp.import_module", lacking)
    assert in_process("mcp").one_line() == (
        "characterbox: the package mcp is not installed; pip install 'characterbox[mcp]' gets it"
    )


@pytest.mark.parametrize("database", [" ", "nonsense://x"])
def test_a_database_that_cannot_be_opened_is_told(in_process, database):
    assert in_process("mcp", "--db", database).status == 2
