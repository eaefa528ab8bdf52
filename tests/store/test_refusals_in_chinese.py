"""What a write refuses is said in the language of whoever asked for it, though another thread writes."""

import json
import re
from uuid import uuid4

import pytest
from sqlalchemy import text

from annotations.errors import RatingError
from annotations.i18n.translation import speaking, translate
from annotations.marking.marks import Score
from annotations.rubrics.rubric import bundled_text
from characterbox.accounts.account import LOCAL
from characterbox.errors import AccountError, CampaignError, StoreError
from characterbox.store import Store
from tests.fakes.campaigns import mark, running
from tests.fakes.databases import connection_to
from tests.fakes.scenes import a_scene


def test_a_name_that_is_taken_is_told_in_either_language(store):
    store.accounts.add(LOCAL, "Ann", "expert")
    with pytest.raises(AccountError, match="there is already an account named Ann; use another name"):
        store.accounts.add(LOCAL, "Ann", "expert")
    with pytest.raises(AccountError) as refused:
        store.accounts.add(LOCAL, "Ann", "expert")
    with speaking("zh"):
        assert translate(refused.value) == "已有名为 Ann 的账号，请换一个姓名"


def test_refused_rubrics_are_told_in_chinese(store):
    own = bundled_text("character").replace('name = "character"', 'name = "house"', 1)
    store.rubrics.add(own, "house.toml", LOCAL)
    for act, told in {
        lambda: store.rubrics.text("nothing", "1.0"): "没有评分标准 'nothing'；现有：",
        lambda: store.rubrics.add(bundled_text("character"), "mine.toml", LOCAL): (
            "mine.toml：'character' 是内置评分标准的名称；请换一个名称"
        ),
        lambda: store.rubrics.add(
            f"{own}# changed\n", "mine.toml", LOCAL
        ): "mine.toml：'1.1' 版的评分标准 'house' 已存在",
    }.items():
        with pytest.raises(RatingError) as refused:
            act()
        with speaking("zh"):
            assert translate(refused.value).startswith(told), told


async def test_a_click_that_was_another_mark_is_told_in_chinese(store):
    _, _, assigned = running(store, a_scene("Ann"), "Cai")
    click, (one,) = uuid4(), assigned["Cai"]
    await mark(store, one, Score(metric="KA", score=4), click)
    with pytest.raises(CampaignError) as refused:
        await mark(store, one, Score(metric="KA", score=5), click)
    with speaking("zh"):
        assert translate(refused.value) == f"操作编号 {click} 已用于另一处更改，本次更改未保存；请重试"


def test_settings_that_cannot_be_read_are_told_in_chinese(url, store):
    campaign, _, _ = running(store, a_scene("Ann"), "Cai")
    with connection_to(url) as connection:
        connection.execute(text("UPDATE campaign SET settings = :settings"), {"settings": json.dumps({})})
    later = Store(url)
    with pytest.raises(StoreError) as refused:
        later.campaigns.campaign(campaign.id)
    with speaking("zh"):
        told = translate(refused.value)
    assert re.fullmatch(f"评分项目 {campaign.id}：其设置无法读取（.*）；请在数据库中修正", told)
    later.close()
