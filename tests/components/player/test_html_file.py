"""The exported page as text: what it embeds, what it allows, how big it is."""

import base64
import hashlib
import json
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.components.player.html_file import embedded, story_page
from characterbox.pause_reasons import Reason, several, stored
from tests.components.sample import CHINESE_EVENTS, ENGLISH_EVENTS, LIGHTHOUSE, TEAHOUSE, player_data


@given(st.text(st.characters(exclude_categories=())))
def test_embedded_json_means_the_same_and_cannot_leave_its_element(text: str) -> None:
    written = embedded({"text": text})
    assert json.loads(written) == {"text": text}
    assert not re.search("[<>&\u2028\u2029]", written)
    written.encode("utf-8")


def test_a_page_refuses_numbers_that_json_does_not_have() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        embedded({"at": float("nan")})


def test_policy_names_exactly_the_script_and_the_style_of_the_page() -> None:
    page = story_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    script = re.search(r'<script type="module">(.*?)</script>', page, re.DOTALL)[1]
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]

    def digest(text: str) -> str:
        return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    assert policy.startswith("default-src 'none';")
    assert f"script-src '{digest(script)}'" in policy
    assert f"style-src '{digest(style)}'" in policy
    assert "unsafe" not in policy


def test_a_page_is_in_playback_and_never_live() -> None:
    page = story_page(player_data(TEAHOUSE, CHINESE_EVENTS, live="/stories/1/live", mode="stage"))
    data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)[1])
    assert (data["live"], data["mode"]) == (None, "playback")
    assert data["scene"]["title"] == "雨夜茶馆"
    assert '<html lang="zh-CN">' in page


def test_a_title_with_markup_is_text() -> None:
    data = player_data(LIGHTHOUSE, [])
    data["story"] |= {"title": "</title><script>alert(1)</script>\ud800"}
    assert "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;?</title>" in story_page(data)


def test_thirty_rounds_stay_below_a_megabyte() -> None:
    turn = [event for event in CHINESE_EVENTS if event.turn == "沈掌柜"] * 4
    events = [event.model_copy(update={"round": number}) for number in range(1, 31) for event in turn]
    assert len(story_page(player_data(TEAHOUSE, events)).encode("utf-8")) < 1_000_000


@pytest.mark.process
def test_the_export_does_without_streamlit() -> None:
    code = "import sys; import characterbox.components.player.html_file; sys.exit('streamlit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_why_a_step_is_neutral_is_told_in_both_languages() -> None:
    told = "result: Field required; the reply was cut off; be briefer"
    reason = stored(several([Reason("field_missing", field="result"), Reason("cut_off")]))
    data = player_data(LIGHTHOUSE, ENGLISH_EVENTS)
    data["events"][0] |= {"degraded": True, "reason": reason}
    (content,) = re.findall(r'<script id="data" type="application/json">(.*?)</script>', story_page(data))
    words = json.loads(content)["words"]
    assert words["en"]["reasons"][reason] == told
    assert words["zh"]["reasons"][reason] == "result：缺少此项；回复被截断，请写得简短些"
