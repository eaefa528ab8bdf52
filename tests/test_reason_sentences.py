"""Reasons as sentences that never change."""

from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.i18n.translation import speaking, translate
from characterbox import pause_reasons
from characterbox.pause_reasons import Reason, ServerWords, filed, in_full, stored
from characterbox.reason_sentences import _NEVER, _OF_SERVERS, TEXTS, as_now, as_sentence, read_sentence, reread

AT = "endpoint http://10.0.0.5/v1#m: "
SECRET = "the secret of another service"
TOLD = {
    "the reply recorded at r1/ann/action answers another prompt than the one asked now": (
        "r1/ann/action 处记录的回复对应的提示词与当前的提示词不同"
    ),
    "the reply recorded at r1/ann/action was given by gpt-4, not by m": (
        "r1/ann/action 处记录的回复来自 gpt-4，而不是 m"
    ),
    "KeyError; the log of the app tells more": "KeyError；详情见应用日志",
    "endpoint http://127.0.0.1:9/v1#m: HTTP 429: slow down; it asks for 90 s of rest (2 attempts)": (
        "模型接口 http://127.0.0.1:9/v1#m：HTTP 429：slow down；服务器要求等待 90 秒（尝试 2 次）"
    ),
    "endpoint http://127.0.0.1:9/v1#m: timed out after 2.5 s (6 attempts), while other calls got through": (
        "模型接口 http://127.0.0.1:9/v1#m：等待 2.5 秒后超时（尝试 6 次），但其他调用成功"
    ),
    "endpoint http://127.0.0.1:9/v1#m: a (b) {c}\nd": "模型接口 http://127.0.0.1:9/v1#m：a (b) {c}\nd",
    "endpoint http://127.0.0.1:9/v1#m: no connection in 15 s (6 attempts)": (
        "模型接口 http://127.0.0.1:9/v1#m：15 秒内未能连接（尝试 6 次）"
    ),
    "endpoint http://127.0.0.1:9/v1#m: connection broken: what came back is not whole, or no HTTP (2 attempts)": (
        "模型接口 http://127.0.0.1:9/v1#m：连接中断：响应不完整，或不是 HTTP 响应（尝试 2 次）"
    ),
    "endpoint http://127.0.0.1:9/v1#m: no connection": "模型接口 http://127.0.0.1:9/v1#m：无法连接",
    "endpoint http://127.0.0.1:9/v1#m: no chat completion: more than 16 bytes": (
        "模型接口 http://127.0.0.1:9/v1#m：返回的不是对话补全结果：超过 16 字节"
    ),
    "the budget is spent": "预算已用完",
    "story 0123456789ab: only a story that has ended can be judged": "故事 0123456789ab 尚未结束；只能评审已结束的故事",
    "endpoint http://h/v1#m: HTTP 401: a; b; set A_API_KEY in the environment or in .streamlit/secrets.toml": (
        "模型接口 http://h/v1#m：HTTP 401：a; b；请在环境变量或 .streamlit/secrets.toml 中设置 A_API_KEY"
    ),
    "endpoint http://h/v1#m: HTTP 404; it offers a, b": "模型接口 http://h/v1#m：HTTP 404；该服务器提供的模型：a, b",
    "endpoint http://h/v1#m: HTTP 404; it offers no model": (
        "模型接口 http://h/v1#m：HTTP 404；该服务器没有提供任何模型"
    ),
    "fluency: the reply gives several scores (4, 5); give one": "fluency：回复给出了多个分数（4, 5），应只给一个",
    "there is no critique to score by: the reply was cut off after 9 tokens; be briefer": (
        "缺少评分所依据的评语：回复在 9 个 token 后被截断，请写得简短些"
    ),
    "no score on some metric: the reply has no text": "部分指标没有分数：回复没有内容",
    "no score on some metric: fluency: the score is missing; wit: 7 lies outside the scale; give a whole number from 1 "
    "to 5; style: the score is missing": (
        "部分指标没有分数：fluency：缺少分数；wit：7 超出量表范围；请填写 1 至 5 的整数；style：缺少分数"
    ),
    "affected: 'Zed' is none of the characters Ann, Bob": "affected：'Zed' 不是以下角色之一：Ann, Bob",
    "something else": "something else",
}
NONE_OF_OURS = (
    "wit: 'seven' is not a number; give a number from 1 to 5",
    "wit: None is not a number; give a number from 1 to 5",
    "wit: (1, 2) is not a number; give a number from 1 to 5",
    "the reply is cut off: it has no whole belief and desire and intention",
    "position: Field required; state: Value error, has no text",
    "importance: Input should be less than or equal to 10",
    "one turn only",
    "Ann is played by a person, who has to answer at r1/ann/action",
)


def test_each_reason_has_a_sentence_with_the_same_values():
    def values(text):
        return {name for _, name, _, _ in Formatter().parse(text) if name}

    assert {code: values(text) for code, text in TEXTS.items()} == {
        code: values(text) for code, text in pause_reasons.TEXTS.items()
    }


@pytest.mark.parametrize(("sentence", "told"), TOLD.items())
def test_a_sentence_is_told_in_either_language(sentence, told):
    with in_full():
        assert as_sentence(read_sentence(sentence)) == sentence
        with speaking("zh"):
            assert translate(read_sentence(sentence)) == told


@pytest.mark.parametrize("sentence", [*TOLD, *NONE_OF_OURS])
def test_what_is_read_is_the_same_sentence_as_text_and_what_is_stored_of_it_the_same_reason(sentence):
    reason = read_sentence(sentence)
    assert as_sentence(reason) == sentence
    assert reread(stored(reason)) == reason
    assert reread(sentence) == reason
    assert (reason.code == "told") == (sentence == "something else")


FOR_OTHERS = {
    f"HTTP 404: {SECRET}; check the URL: most end in /v1": (
        "HTTP 404: details visible to admins only; check the URL (most end in /v1)"
    ),
    f"HTTP 500: a; {SECRET}; b (6 attempts)": "HTTP 500: details visible to admins only (6 attempts)",
    f"HTTP 404: {SECRET}; it offers {SECRET}, b": (
        "HTTP 404: details visible to admins only; the server offers other models, visible to admins only"
    ),
    f"HTTP 302: it leads on to http://{SECRET}; give that address": (
        "HTTP 302: the server redirects to an address visible to admins only; enter that address"
    ),
    f"HTTP 400: the reply recorded at {SECRET} answers another prompt than the one asked now": (
        "HTTP 400: details visible to admins only"
    ),
    f"answer broken off: {SECRET}, while other calls got through": (
        "response interrupted: details visible to admins only, although other calls succeeded"
    ),
    f"it cannot be asked ({SECRET})": "it cannot be called (details visible to admins only)",
    SECRET: "details visible to admins only",
    "HTTP 503": "HTTP 503",
    "no chat completion: more than 16 bytes": "the response is not a chat completion: larger than 16 bytes",
    f"HTTP 500: {SECRET * 200}": "details visible to admins only",
    "lab.example leads to 10.0.0.5, an address of a private network; an admin can allow it on the Models page": (
        "lab.example resolves to an address visible to admins only, which is in a private network; an admin can allow "
        "it on the Models page"
    ),
}


@pytest.mark.parametrize(("said", "told"), FOR_OTHERS.items())
def test_what_a_server_said_is_for_admins_alone(said, told):
    assert translate(read_sentence(AT + said)).removeprefix(AT) == told
    with speaking("zh"):
        assert SECRET not in translate(read_sentence(AT + said))


WORDS = st.sampled_from(
    [SECRET, "a", "; ", ": ", ", ", "(", ")", "'", "\n", *{piece for code, text in TEXTS.items() if code not in _NEVER
                                                       for piece, *_ in Formatter().parse(text) if piece.strip()}]
)  # fmt: skip
"""What texts can be made of that look as if they were ours."""
AROUND = (
    "{what}, while other calls got through", "{what}; check the URL: most end in /v1", "{what}; it offers no model",
    "{what} (6 attempts)", "{what}; it asks for 90 s of rest", "{what}; it offers a, the secret of another service",
    "{what}; check LAB_API_KEY in the environment or in .streamlit/secrets.toml",
    "{what}; there is no memory left to drop at r1/ann/action",
)  # fmt: skip


@given(
    st.lists(WORDS, max_size=8).map("".join),
    st.lists(WORDS, max_size=8).map(lambda words: "x" + "".join(words).replace(SECRET, "b")),
    st.sampled_from(sorted(_OF_SERVERS)),
    st.lists(st.sampled_from(AROUND), max_size=3),
)
def test_whatever_a_server_said_of_whatever_model_nobody_else_reads_it(said, model, code, around):
    what = " ".join(TEXTS[code].format(status=500, detail=f"{said}{SECRET}").split())
    for one in around:
        what = one.format(what=what)
    model = " ".join(model.split()).replace(": ", ":")  # as older versions wrote it
    reason = read_sentence(f"endpoint http://10.0.0.5/v1#{model}: {what}")
    for told in (translate(reason), translate(filed(reason))):
        assert SECRET not in told
    assert as_sentence(reason) == f"endpoint http://10.0.0.5/v1#{model}: {what}"


@pytest.mark.parametrize(
    "endless", ["endpoint a: " * 160, "endpoint a: " * 5000, "the reply recorded at " + "x was given by " * 20_000]
)
def test_whatever_a_file_gives_as_a_reason_is_read_at_once(endless):
    assert len(str(read_sentence(endless))) <= 2000


def test_what_is_none_of_ours_may_be_what_a_server_said():
    assert read_sentence(SECRET) == Reason("told", what=ServerWords(SECRET))


@given(st.text(max_size=60), st.sampled_from(["HTTP 500: ", "connection broken: ", "it cannot be asked ("]))
def test_what_may_be_a_servers_words_is_withheld_whatever_stands_before_it(before, says):
    told = translate(as_now(f"{before}{says}SECRET"))
    assert "SECRET" not in told
    with in_full():
        assert "SECRET" in translate(as_now(f"{before}{says}SECRET"))


def test_what_a_file_says_in_other_words_is_told_to_all():
    assert translate(as_now("nobody: knows\nwhy")) == "nobody: knows\nwhy"
