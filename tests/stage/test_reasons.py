"""Why a story stands still: kept in English, told in the language of the one who looks."""

import ast
from pathlib import Path
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import characterbox
from annotations.wording import speaking
from characterbox import reasons
from characterbox.errors import EndpointDown, RecordMismatch
from characterbox.llm.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import ChatMessage, Request
from characterbox.llm.retry_policy import Patience
from characterbox.play.events import Action
from characterbox.play.script import Script
from characterbox.reasons import LEFT_OUT, MOST_REASON, MOST_SAID, at_endpoint, filed, in_full, retold
from characterbox.stage.pace import Pace
from characterbox.stage.perform import perform
from characterbox.stage.view import player_data
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_reply, a_story, casting_at

QUICK = Patience(pause=0.001)
TOLD = {
    "the reply recorded at r1/ann/action answers another prompt than the one asked now": (
        "r1/ann/action 处记录的回复对应的提示词与现在的不同"
    ),
    "the reply recorded at r1/ann/action was given by gpt-4, not by m": (
        "r1/ann/action 处记录的回复由 gpt-4 给出，而非 m"
    ),
    "KeyError; the log of the app tells more": "KeyError；详情见应用日志",
    "endpoint http://127.0.0.1:9/v1#m: HTTP 429: slow down; it asks for 90 s of rest (2 attempts)": (
        "端点 http://127.0.0.1:9/v1#m：HTTP 429: slow down；服务器要求等待 90 秒（尝试 2 次）"
    ),
    "endpoint http://127.0.0.1:9/v1#m: timed out after 2.5 s (6 attempts), while other calls got through": (
        "端点 http://127.0.0.1:9/v1#m：2.5 秒后超时（尝试 6 次），而其他调用均已成功"
    ),
    "endpoint http://127.0.0.1:9/v1#m: a (b) {c}\nd": "端点 http://127.0.0.1:9/v1#m：a (b) {c}\nd",
    "endpoint http://127.0.0.1:9/v1#m: no connection in 15 s (6 attempts)": (
        "端点 http://127.0.0.1:9/v1#m：15 秒内未能连接（尝试 6 次）"
    ),
    "endpoint http://127.0.0.1:9/v1#m: connection broken: what came back is not whole, or no HTTP (2 attempts)": (
        "端点 http://127.0.0.1:9/v1#m：连接中断：返回内容不完整，或不是 HTTP 响应（尝试 2 次）"
    ),
    "endpoint http://127.0.0.1:9/v1#m: connection broken (2 attempts)": (
        "端点 http://127.0.0.1:9/v1#m：连接中断（尝试 2 次）"
    ),
    "endpoint http://127.0.0.1:9/v1#m: no connection": "端点 http://127.0.0.1:9/v1#m：无法连接",
    "endpoint http://127.0.0.1:9/v1#m: no chat completion: more than 16 bytes": (
        "端点 http://127.0.0.1:9/v1#m：返回的不是对话补全结果：超过 16 字节"
    ),
    "the budget is spent": "预算已用完",
    "a person plays in it, and has to answer; open it in the app": "故事中有真人参演，正等待其作答；请在应用中打开",
    "a person has ended it before its end; delete it to have it played anew": (
        "故事已被人提前结束；如需重新演出，请先删除"
    ),
    "endpoint http://h/v1#m: the reply of 30 characters did not come as a stream": (
        "端点 http://h/v1#m：回复共 30 个字符，未以流式返回"
    ),
    "it takes json_schema, but the reply is no JSON object, as it was cut off": (
        "接受 json_schema，但回复被截断，不是 JSON 对象"
    ),
    "it takes json_schema, but the reply is no JSON object": "接受 json_schema，但回复不是 JSON 对象",
    "story 0123456789ab: only a story that has ended can be judged": "故事 0123456789ab：只有已结束的故事才能评审",
    "endpoint http://h/v1#m: HTTP 401: no; check OPENAI_API_KEY in the environment or in .streamlit/secrets.toml": (
        "端点 http://h/v1#m：HTTP 401: no；请检查环境变量或 .streamlit/secrets.toml 中的 OPENAI_API_KEY"
    ),
    "endpoint http://h/v1#m: HTTP 401: a; b; set A_API_KEY in the environment or in .streamlit/secrets.toml": (
        "端点 http://h/v1#m：HTTP 401: a; b；请在环境变量或 .streamlit/secrets.toml 中设置 A_API_KEY"
    ),
    "endpoint http://h/v1#m: HTTP 404; it offers a, b": "端点 http://h/v1#m：HTTP 404；该服务器提供的模型有 a, b",
    "endpoint http://h/v1#m: HTTP 404; it offers no model": "端点 http://h/v1#m：HTTP 404；该服务器没有提供任何模型",
    "fluency: the score is missing": "fluency：缺少分数",
    "fluency: the reply gives several scores (4, 5); give one": "fluency：回复给出了多个分数（4, 5），应只给一个",
    "there is no critique to score by: the reply was cut off after 9 tokens; be briefer": (
        "没有可据以评分的评语：回复在 9 个词元后被截断，请写得简短些"
    ),
    "no score on some metric: the reply has no text": "部分指标没有分数：回复没有内容",
    "no score on some metric: fluency: the score is missing; wit: 7 lies outside the scale; give a whole number from 1 "
    "to 5; style: the score is missing": (
        "部分指标没有分数：fluency：缺少分数；wit：7 超出量表范围；请给出 1 至 5 的整数；style：缺少分数"
    ),
    "affected: 'Zed' is none of the characters Ann, Bob": "affected：'Zed' 不是以下角色之一：Ann, Bob",
    "something else": "something else",
}


@pytest.mark.parametrize(("stored", "told"), TOLD.items())
def test_a_reason_is_told_in_either_language(stored, told):
    with in_full():
        assert retold(stored) == stored
        with speaking("zh"):
            assert retold(stored) == told


AT = "endpoint http://10.0.0.5/v1#m: "
SECRET = "the secret of another service"
FOR_OTHERS = {
    f"HTTP 404: {SECRET}; check the URL: most end in /v1": (
        "HTTP 404: an admin sees what was said; check the URL: most end in /v1"
    ),
    f"HTTP 500: a; {SECRET}; b (6 attempts)": "HTTP 500: an admin sees what was said (6 attempts)",
    f"HTTP 429: {SECRET}; it asks for 90 s of rest": "HTTP 429: an admin sees what was said; it asks for 90 s of rest",
    f"HTTP 404: {SECRET}; it offers {SECRET}, b": (
        "HTTP 404: an admin sees what was said; it offers others, which an admin sees"
    ),
    f"HTTP 302: it leads on to http://{SECRET}; give that address": (
        "HTTP 302: it leads on to an address that an admin sees; give that address"
    ),
    f"HTTP 400: the reply recorded at {SECRET} answers another prompt than the one asked now": (
        "HTTP 400: an admin sees what was said"
    ),
    f"HTTP 401: {SECRET}; check OPENAI_API_KEY in the environment or in .streamlit/secrets.toml": (
        "HTTP 401: an admin sees what was said; check OPENAI_API_KEY in the environment or in .streamlit/secrets.toml"
    ),
    f"no chat completion: {SECRET} (2 attempts)": "no chat completion: an admin sees what was said (2 attempts)",
    f"answer broken off: {SECRET}, while other calls got through": (
        "answer broken off: an admin sees what was said, while other calls got through"
    ),
    f"connection broken: {SECRET}": "connection broken: an admin sees what was said",
    f"no connection: {SECRET}": "no connection: an admin sees what was said",
    f"it cannot be asked ({SECRET})": "it cannot be asked (an admin sees what was said)",
    SECRET: "an admin sees what was said",
    "HTTP 503": "HTTP 503",
    "connection refused": "connection refused",
    "no chat completion: more than 16 bytes": "no chat completion: more than 16 bytes",
    f"HTTP 500: {SECRET * 200}": "HTTP 500: an admin sees what was said",
    "lab.example leads to 10.0.0.5, an address of a private network; an admin can allow it on the Models page": (
        "lab.example leads to an address that an admin sees, an address of a private network; an admin can allow it on "
        "the Models page"
    ),
}


@pytest.mark.parametrize(("said", "told"), FOR_OTHERS.items())
def test_what_a_server_said_is_for_admins_alone(said, told):
    assert retold(AT + said) == AT + told
    assert SECRET not in retold(f"story 0123456789ab: {AT}{said}")
    with speaking("zh"):
        assert SECRET not in retold(AT + said)


@pytest.mark.parametrize(
    "model",
    ["x: affected: a is none of the characters b", "x: y (z", "x:\ny (z", "x: it does not offer y", "x y", "x:"],
)
def test_no_name_of_a_model_has_the_words_of_a_server_taken_for_others(model):
    """Whoever has a server asked chooses the name."""
    reason = at_endpoint(f"http://10.0.0.5/v1#{model}", f"HTTP 404: {SECRET}; it offers a (6 attempts)")
    for told in (retold(reason), retold(f"story 0123456789ab: {reason}"), filed(reason)):
        assert "HTTP 404: " in told
        assert SECRET not in told


@pytest.mark.parametrize(
    "said",
    [
        "affected: a is none of the characters {}",
        "x: several answers differ; give one",
        "{}: Field required",
        "a ({}",
        "{} endpoint http://x: y",
        "story 1: endpoint {}",
    ],
)
def test_no_words_of_a_server_are_taken_for_what_is_wrong_with_a_reply(said):
    told = "HTTP 500: an admin sees what was said (6 attempts)"
    assert retold(f"HTTP 500: {said.format(SECRET)} (6 attempts)") == told
    assert retold(f"{AT}HTTP 500: {said.format(SECRET)} (6 attempts)") == AT + told


WORDS = st.sampled_from(
    [SECRET, "a", "; ", ": ", ", ", "(", ")", "'", "\n", *{piece for message in reasons._KNOWN
                                                       for piece, *_ in Formatter().parse(message) if piece.strip()}]
)  # fmt: skip
"""What texts can be made of that look as if they were ours."""
AROUND = (
    reasons.OTHERS_THROUGH, reasons.NO_KEY_NAMED, reasons.WRONG_URL, reasons.WRONG_DEPLOYMENT, reasons.OFFERS_NONE,
    "{what} (6 attempts)", "{what}; it asks for 90 s of rest", "{what}; it offers a, the secret of another service",
    "{what}; check LAB_API_KEY in the environment or in .streamlit/secrets.toml",
    "{what}; there is no memory left to drop at r1/ann/action",
)  # fmt: skip


@given(
    st.lists(WORDS, max_size=8).map("".join),
    st.lists(WORDS, max_size=8).map(lambda words: "x" + "".join(words).replace(SECRET, "b")),
    st.sampled_from(sorted(reasons._OF_SERVERS)),
    st.lists(st.sampled_from(AROUND), max_size=3),
)
def test_whatever_a_server_says_of_whatever_model_nobody_else_reads_it(said, model, message, around):
    what = " ".join(message.format(status=500, detail=f"{said}{SECRET}").split())
    for one in around:
        what = one.format(what=what)
    reason = at_endpoint(f"http://10.0.0.5/v1#{model}", what)
    for told in (retold(reason), filed(reason)):
        assert SECRET not in told
        assert "10.0.0.5" in told


@pytest.mark.parametrize("said", FOR_OTHERS)
def test_a_file_has_what_a_server_said_for_admins_alone(said):
    with in_full(), speaking("zh"):
        assert filed(AT + said) == (AT + said)[:MOST_REASON]
    with speaking("zh"):
        told = filed(AT + said)
    assert SECRET not in told
    assert told == retold(AT + said).replace("an admin sees what was said", LEFT_OUT).replace(
        "others, which an admin sees", LEFT_OUT
    ).replace("an address that an admin sees", LEFT_OUT)
    assert filed(told) == told, "it is the same after it was brought in"
    assert retold(told) == told, "nobody is told of an admin who sees more"
    with in_full():
        assert retold(told) == told


def test_what_a_file_leaves_out_is_told_in_chinese():
    with speaking("zh"):
        assert retold(f"{AT}HTTP 500: {LEFT_OUT}") == "端点 http://10.0.0.5/v1#m：HTTP 500: 文件中不含服务器返回的内容"


def test_admins_see_the_beginning_of_what_a_server_said():
    with in_full():
        assert retold(f"{AT}HTTP 500: {'x' * 300}") == f"{AT}HTTP 500: {'x' * MOST_SAID} …"


def test_nobody_is_told_in_full_after_an_admin_was():
    with in_full():
        assert SECRET in retold(f"{AT}HTTP 500: {SECRET}")
    assert SECRET not in retold(f"{AT}HTTP 500: {SECRET}")


def test_whatever_the_program_itself_says_of_a_trouble_is_a_reason_that_is_told_in_chinese():
    """No text of ours stands in the code of the clients; what servers and the system say is none."""
    written = [
        word.value
        for file in (Path(characterbox.__file__).parent / "llm").rglob("*.py")
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", None) in ("Trouble", "_troubles")
        for word in call.args
        if isinstance(word, ast.Constant)
    ]
    assert written == []


@pytest.mark.parametrize(
    "endless", ["endpoint a: " * 160, "endpoint a: " * 5000, "the reply recorded at " + "x was given by " * 20_000]
)
def test_whatever_a_file_gives_as_a_reason_is_told_at_once(endless):
    with speaking("zh"), in_full():
        assert len(retold(endless)) <= len(endless)
    with speaking("zh"):
        assert len(retold(endless)) <= MOST_REASON


async def performed(store, story):
    client = Client(patience=QUICK)
    try:
        with speaking("zh"):
            await perform(store.stories, client, story, Pace(), on_event=lambda _, __: None)
    finally:
        await client.close()


def as_seen(store, story):
    """The reason as it is stored, and as somebody reads it who reads Chinese."""
    story = store.stories.story(story.id)
    with speaking("zh"):
        return story.reason, player_data(store.stories, story, "stage")["story"]["reason"]


async def test_a_reply_to_another_prompt_is_told_in_the_language_of_the_one_who_looks(store):
    story = a_story(store)
    with store.stories.claimed(story.id) as claimed:
        await claimed.answered(a_reply())
    with pytest.raises(RecordMismatch):
        await performed(store, story)
    assert as_seen(store, story) == next(iter(TOLD.items()))


async def test_an_event_that_is_read_differently_is_told_in_the_language_of_the_one_who_looks(store):
    scene = a_scene()
    story = store.stories.create(Script(scene=scene), casting_at(Endpoint.parse("rehearsal"), scene), "app")
    with store.stories.claimed(story.id) as claimed:
        await claimed.record(1, Action(path="r1/ann/action", round=1, turn="Ann", character="Ann", text="Other."))
    with pytest.raises(RecordMismatch):
        await performed(store, story)
    stored, told = as_seen(store, story)
    assert stored.startswith("the event recorded at r1/ann/action is not what its replies give now")
    assert told == "r1/ann/action 处记录的内容与其回复现在的解读结果不同：回复的解读方式已有变化"


async def test_an_endpoint_that_is_not_there_is_told_in_the_language_of_the_one_who_looks():
    client = Client(patience=QUICK)
    request = Request("r1/ann/action", "Ann", "en", (ChatMessage("user", "Act."),))
    try:
        with pytest.raises(EndpointDown) as down:
            await client.complete(Endpoint(url="http://127.0.0.1:9/v1", model="m"), request, seed=1)
    finally:
        await client.close()
    with speaking("zh"):
        assert retold(str(down.value)) == "端点 http://127.0.0.1:9/v1#m：连接被拒绝（尝试 6 次）"


@given(st.text(max_size=60), st.sampled_from(["HTTP 500: ", "connection broken: ", "it cannot be asked ("]))
def test_what_may_be_a_servers_words_is_withheld_whatever_stands_before_it(before, says):
    reason = f"{before}{says}SECRET"
    with speaking("en"):
        assert "SECRET" not in retold(reason)
        assert "SECRET" not in filed(reason)
        with in_full():
            assert "SECRET" in retold(reason)
