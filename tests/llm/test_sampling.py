"""How replies are drawn is sent, is part of what a reply answers, and is left out where nobody set it."""

import hashlib
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from characterbox.llm.calls.call import options
from characterbox.llm.request import ChatMessage, Request
from characterbox.llm.sampling import LEFT, UNSENT, Sampling, read, written

REQUEST = Request("r1/ann/action", "Ann", "en", (ChatMessage("user", "What does Ann do?"),))
OPTIONS = st.none() | st.floats(0, 1, exclude_min=True)


def drawn(temperature, top_p):
    return replace(REQUEST, sampling=Sampling(temperature=temperature, top_p=top_p))


def digest_of_before(temperature):
    """As version 0.1 made it, which knew a temperature alone."""
    told = {} if temperature is None else {"temperature": temperature}
    content = {"messages": [["user", "What does Ann do?"]], "form": None, "seed": 1, **told}
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


@given(OPTIONS)
def test_without_top_p_a_request_has_the_digest_that_it_always_had(temperature):
    assert drawn(temperature, None).digest(1) == digest_of_before(temperature)
    assert drawn(temperature, 1.0).digest(1) != digest_of_before(temperature)


@given(OPTIONS, OPTIONS)
def test_what_is_set_is_sent_and_nothing_else(temperature, top_p):
    sent = options(drawn(temperature, top_p), 1, 100, set(), streamed=False)
    assert {name: sent.get(name) for name in ("temperature", "top_p")} == {"temperature": temperature, "top_p": top_p}
    assert None not in sent.values()


def test_by_default_half_of_a_temperature_and_all_tokens_are_sent():
    assert Sampling().sent == {"temperature": 0.5, "top_p": 1.0}
    assert (UNSENT.sent, REQUEST.sampling) == ({}, UNSENT)


@given(st.integers(1, 10_000))
def test_a_bound_of_the_reply_counts_in_its_digest_where_it_is_set_and_nowhere_else(most):
    bounded = Sampling(temperature=0.7, max_tokens=most)
    assert "max_tokens" not in bounded.sent, "it is sent under the name that the endpoint knows"
    assert bounded.told == {"temperature": 0.7, "top_p": 1.0, "max_tokens": most}
    plain = replace(REQUEST, sampling=Sampling(temperature=0.7))
    assert replace(REQUEST, sampling=bounded).digest(1) != plain.digest(1)
    assert Sampling(temperature=0.7).model_dump() == {"temperature": 0.7, "top_p": 1.0}, "as it was stored before"


def test_each_draw_of_a_question_has_a_digest_of_its_own_and_the_first_the_one_it_always_had():
    digests = [replace(drawn(0.5, None), draw=draw).digest(1) for draw in range(3)]
    assert digests[0] == digest_of_before(0.5)
    assert len({*digests}) == 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_tokens": 0},
        {"max_tokens": 1.5},
        {"temperature": -0.1},
        {"temperature": 2.1},
        {"temperature": True},
        {"top_p": 0},
    ],
)
def test_what_no_endpoint_takes_is_refused(wrong):
    with pytest.raises(ValidationError):
        Sampling.model_validate(wrong)


@given(OPTIONS)
def test_an_option_that_people_wrote_is_the_one_that_they_meant(option):
    assert read(written(option)) == option
    assert written(None) == LEFT
