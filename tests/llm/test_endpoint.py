"""Endpoints are given as URL#MODEL, or as rehearsal; anything else is refused with the reason."""

import pytest

from annotations.i18n.translation import speaking, translate
from characterbox.errors import AddressError
from characterbox.llm.endpoint import Casting, Endpoint

MODEL = Endpoint(url="http://127.0.0.1:8000/v1", model="m")
REHEARSAL = Endpoint(url="rehearsal", model="rehearsal")


@pytest.mark.parametrize(
    ("text", "endpoint"),
    [
        ("http://127.0.0.1:8000/v1#m", MODEL),
        (" http://127.0.0.1:8000/v1/#m ", MODEL),
        ("http://127.0.0.1:8000/v1 # m", MODEL),
        ("https://h/v1#Qwen/Qwen2-7B#x", Endpoint(url="https://h/v1", model="Qwen/Qwen2-7B#x")),
        ("rehearsal", REHEARSAL),
        ("rehearsal#second", Endpoint(url="rehearsal", model="second")),
    ],
)
def test_what_is_taken(text, endpoint):
    assert Endpoint.parse(text) == endpoint
    assert Endpoint.parse(str(endpoint)) == endpoint


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "neither an http"),
        ("gpt-4", "neither an http"),
        ("ftp://h/v1#m", "neither an http"),
        ("http://#m", "neither an http"),
        ("http://a b/v1#m", "a space or a control character"),
        ("http://h/v\n1#m", "a space or a control character"),
        ("http://h/\x07v1#m", "a space or a control character"),
        ("http://h/v1", "model name is missing"),
        ("http://h/v1#  ", "model name is missing"),
        ("http://me:pw@h/v1#m", "register the server"),
        ("http://me@h/v1#m", "register the server"),
        ("http://h/v1?key=pw#m", "register the server"),
        ("http://me:p/w@h/v1#m", "register the server"),
        ("ftp://me:pw@h/v1#m", "register the server"),
        ("http://me:1p#pw@h/v1#m", "neither an http"),
        ("http://[h/v1#m", "enter URL#MODEL"),
    ],
)
def test_what_is_refused(text, told):
    with pytest.raises(AddressError, match=told) as caught:
        Endpoint.parse(text)
    assert "\n" not in str(caught.value)
    assert "enter URL#MODEL or rehearsal" in str(caught.value)
    assert "pw" not in str(caught.value)
    assert "p/w" not in str(caught.value)


def test_what_is_refused_is_named_where_it_holds_no_secret():
    with pytest.raises(AddressError, match="endpoint 'gpt-4': it is neither an http"):
        Endpoint.parse("gpt-4")


def test_a_casting_tells_who_is_played_where_and_whether_it_is_rehearsed():
    mixed = Casting(narrator=MODEL, characters={"Ann": REHEARSAL, "Bob": MODEL})
    assert (mixed.endpoint(None), mixed.endpoint("Ann"), mixed.endpoint("Bob")) == (MODEL, REHEARSAL, MODEL)
    assert mixed.improvised == "some"
    assert not Casting(narrator=MODEL, characters={"Ann": MODEL}).improvised
    assert Casting(narrator=REHEARSAL, characters={"Ann": REHEARSAL}).improvised == "all"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("gpt-4", "模型接口 'gpt-4'：既不是 http(s) 网址，也不是 rehearsal；请填写 URL#MODEL 或 rehearsal"),
        ("http://a/v1", "模型接口 'http://a/v1'：缺少模型名称；请填写 URL#MODEL 或 rehearsal"),
        ("handwritten", "模型接口 handwritten：没有可调用的模型；请填写 URL#MODEL 或 rehearsal"),
    ],
)
def test_what_is_wrong_is_told_in_the_language_of_the_one_who_writes(text, told):
    with pytest.raises(AddressError) as caught:
        Endpoint.parse(text)
    with speaking("zh"):
        assert translate(caught.value) == told


def test_a_secret_is_told_in_no_language():
    with pytest.raises(AddressError) as caught:
        Endpoint.parse("http://me:hidden@a/v1#m")
    assert "hidden" not in str(caught.value)
    with speaking("zh"):
        assert "hidden" not in translate(caught.value)
        assert translate(caught.value).startswith("模型接口：")
