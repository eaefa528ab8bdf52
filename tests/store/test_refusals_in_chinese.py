"""What a write refuses is said in the language of whoever asked for it, though another thread writes."""

import pytest

from annotations.wording import speaking
from characterbox.accounts.account import LOCAL
from characterbox.errors import AccountError


def test_a_name_that_is_taken_is_told_in_either_language(store):
    store.accounts.add(LOCAL, "Ann", "expert")
    with pytest.raises(AccountError, match="there is an account with the name Ann already; use another name"):
        store.accounts.add(LOCAL, "Ann", "expert")
    with speaking("zh"), pytest.raises(AccountError) as refused:
        store.accounts.add(LOCAL, "Ann", "expert")
    assert str(refused.value) == "已有名为 Ann 的账户，请换一个名称"
