"""Admins see failed sign-ins, and nothing of what was typed."""

from datetime import UTC, datetime

from streamlit.testing.v1 import AppTest

from characterbox.accounts.account import LOCAL, Account
from characterbox.accounts.login_throttle import (
    account_of_device,
    address_of,
    key_of_address,
    key_of_device,
    key_of_name,
)
from characterbox.routes.security import LOOKED_AT
from characterbox.store.accounts.failed_sign_ins import Failures
from pages.accounts.log import account_failures
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ANN = Account(id="0123456789ab", name="Ann", role="expert")


def test_names_of_accounts_are_told_and_no_others():
    counted = [
        Failures(key_of_name("my secret password"), 9, NOON),
        Failures(key_of_address("10.0.0.1"), 9, NOON),
        Failures(key_of_name("ann"), 7, NOON),
        Failures(key_of_device("0123456789ab", "one"), 2, NOON),
        Failures(key_of_device("ba9876543210", "two"), 1, NOON),
    ]
    assert account_failures([ANN], counted) == [
        {
            "Name": "Ann",
            "Failures": 7,
            "Last (UTC)": "2026-05-01 12:00:00",
            "Where": "browsers new to the account",
        },
        {
            "Name": "Ann",
            "Failures": 2,
            "Last (UTC)": "2026-05-01 12:00:00",
            "Where": "a browser known to the account",
        },
    ]


def test_keys_tell_addresses_and_accounts():
    assert address_of(key_of_address("10.0.0.1")) == "10.0.0.1"
    assert address_of(key_of_address("2001:db8:1:2::9")) == "2001:db8:1:2::"
    assert address_of(key_of_name("Ann")) is None
    assert account_of_device(key_of_device("0123456789ab", "one")) == "0123456789ab"
    assert account_of_device(key_of_name("Ann")) is None


def draw():
    from characterbox.stage.stage import open_stage  # noqa: PLC0415
    from pages.accounts.log import failures_view  # noqa: PLC0415

    failures_view(open_stage().store)


def test_the_page_lists_accounts_and_addresses(tmp_path):
    with app_stage(database_in(tmp_path / "page.db")) as stage:
        assert [one.value for one in AppTest.from_function(draw).run().subheader] == ["Accounts", "Addresses"]
        stage.store.accounts.add(LOCAL, "Ann", "expert")
        stage.store.throttles.attempt(key_of_name("ann"), key_of_address("10.0.0.1"))
        stage.store.throttles.attempt(key_of_name("my secret password"), key_of_address("10.0.0.1"))
        page = AppTest.from_function(draw).run()
    assert not page.exception
    accounts, addresses = (table.value for table in page.dataframe)
    assert accounts[["Name", "Failures"]].to_numpy().tolist() == [["Ann", 1]]
    assert addresses[["Address", "Failures"]].to_numpy().tolist() == [["10.0.0.1", 2]]


def draw_list():
    from characterbox.stage.stage import open_stage  # noqa: PLC0415
    from pages.accounts.list import account_list  # noqa: PLC0415

    account_list(open_stage().store)


def test_admins_are_told_of_a_proxy_that_hides_people(tmp_path, monkeypatch):
    with app_stage(database_in(tmp_path / "page.db")):
        assert not AppTest.from_function(draw_list).run().warning
        monkeypatch.setattr("characterbox.routes.security.FORWARDED._seen", {"10.0.0.2"})
        monkeypatch.setattr("characterbox.routes.security.FORWARDED._count", LOOKED_AT)
        [told] = AppTest.from_function(draw_list).run().warning
    assert told.value.startswith("All requests come from 10.0.0.2: set FORWARDED_ALLOW_IPS")
