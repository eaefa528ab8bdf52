"""How endpoints word that a prompt is too long, and that an option is."""

import pytest

from characterbox.llm.calls.call import is_too_long, refused_by
from characterbox.llm.calls.connection import window_told
from characterbox.llm.request import ChatMessage, Request

PROMPT = Request("r1/ann/action", "Ann", "en", (ChatMessage("user", "Act."),))
ASKED = {
    "seed": 1,
    "temperature": 0.5,
    "top_p": 1.0,
    "max_completion_tokens": 4000,
    "response_format": {"type": "json_schema"},
}

TOO_LONG = [
    ("This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.", 8192),
    ('{"error": {"message": "x", "code": "context_length_exceeded"}}', None),
    ("The decoder prompt (length 9000) is longer than the maximum model length of 8192.", 8192),
    (
        "'max_tokens' or 'max_completion_tokens' is too large: 4000. This model's maximum context length is 2048 tokens"
        " and your request has 100 input tokens (4000 > 2048 - 100).",
        2048,
    ),
    ("The input (9000 tokens) is longer than the model's context length (8192 tokens).", 8192),
    ("prompt is too long: 210000 tokens > 200000 maximum", None),
    ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", None),
    ("the request exceeds the available context size, try increasing it", None),
    ("Prompt contains 40000 tokens, too large for model with 32,768 maximum context length", None),
    ("Invalid request: Your request exceeded model token limit: 8192", 8192),
    ("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]", None),
    ("Please reduce the length of the messages.", None),
    ("Prompt 超长", None),
    ("输入内容超过模型最大长度限制", None),
    ("请求的 token 数超出上下文长度", None),
    ("prompt tokens too long", None),
]
NOT_TOO_LONG = [
    "max_tokens is too large: 4000. This model supports at most 2048 completion tokens",
    "Unsupported value: 'seed' is not supported with this model.",
    "json_schema is not supported",
    "Invalid schema for response_format 'result': in context=(), 'additionalProperties' is required",
    "Unknown parameter: 'context'",
    "模型不存在",
    "参数错误：seed 不支持",
    "",
]


@pytest.mark.parametrize(("text", "window"), TOO_LONG)
def test_a_prompt_that_is_too_long_is_known_by_many_wordings(text, window):
    assert is_too_long(PROMPT, 400, text)
    assert is_too_long(PROMPT, 422, text)
    assert not is_too_long(PROMPT, 401, text)
    assert window_told(text) == window


@pytest.mark.parametrize("text", NOT_TOO_LONG)
def test_other_refusals_are_about_something_else(text):
    assert not is_too_long(PROMPT, 400, text)


def test_a_body_that_is_too_large_is_too_long_whatever_is_said():
    assert is_too_long(PROMPT, 413, "<html>Request Entity Too Large</html>")


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("max_completion_tokens is too large: 4000", "max_completion_tokens"),
        ("Unrecognized request argument supplied: seed", "seed"),
        ("guided decoding is not available", "json_schema"),
        ("Unsupported: response_format with seed", "json_schema"),
        ("the model is overloaded with seeds", None),
        (
            "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is "
            "supported.",
            "temperature",
        ),
        ("Unsupported parameter: 'top_p' is not supported with this model.", "top_p"),
        ("`temperature` and `top_p` cannot both be specified for this model. Please use only one.", "top_p"),
    ],
)
def test_the_option_that_is_refused_is_the_one_spoken_of_first(text, option):
    assert refused_by(text, ASKED) == option
