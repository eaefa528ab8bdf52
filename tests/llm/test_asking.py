"""Asking over a journal: what is recorded is not asked again, unless its question or its model has changed."""

from dataclasses import replace

import pytest

from characterbox.errors import EndpointError, RecordMismatch, ReplyError
from characterbox.llm.asking import JournaledAsk
from characterbox.llm.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.reading import read_prose
from characterbox.llm.request import Message, Request, answer
from characterbox.play.replies import RESULT
from tests.fakes.journal import MemoryJournal
from tests.fakes.mock_server import key_of, mock_server

REQUEST = Request("r1/ann/action", "Ann", "en", (Message("user", "## Task: action"),))
OTHER = replace(REQUEST, messages=(Message("user", "## Task: action\nNow differently."),))


@pytest.fixture
def server():
    with mock_server() as server:
        yield server


@pytest.fixture
def journal():
    return MemoryJournal()


@pytest.fixture
async def asks(server, journal):
    """Makes the `Ask` of a story, as it is made each time the story is played."""
    client = Client()

    async def make(model="m", seed=1, on_mismatch="stop"):
        return JournaledAsk(
            story="s",
            journal=journal,
            client=client,
            endpoint_of=lambda _: Endpoint(url=server.url, model=model),
            seed=seed,
            recorded=dict(await journal.replies("s")),
            on_mismatch=on_mismatch,
        )

    yield make
    await client.close()


async def test_a_reply_is_recorded_with_its_question_and_what_it_took(asks, journal, server):
    ask = await asks()
    text = await ask(REQUEST)
    [reply] = journal.kept
    assert (reply.text, reply.path, reply.take, reply.author) == (text, REQUEST.path, 0, "model")
    assert reply.digest == REQUEST.digest(1)
    assert reply.messages == REQUEST.messages
    assert reply.endpoint == Endpoint(url=server.url, model="m")
    assert (reply.attempts, reply.prompt_tokens, reply.completion_tokens) == (1, 7, len(text))
    assert journal.marks == [(REQUEST.path, 0)]
    assert ask.calls == 1


async def test_the_mark_is_made_before_the_call_leaves(asks, journal, server):
    server.always = "401"
    with pytest.raises(EndpointError):
        await (await asks())(REQUEST)
    assert journal.marks == [(REQUEST.path, 0)]
    assert journal.kept == []


async def test_what_is_recorded_is_not_asked_again(asks, journal, server):
    text = await (await asks())(REQUEST)
    again = await asks()
    assert await again(REQUEST) == text
    assert await again(REQUEST) == text
    assert again.calls == 0
    assert server.keys() == [key_of([{"role": "user", "content": "## Task: action"}])]
    assert len(journal.marks) == 1


@pytest.mark.parametrize(
    ("changed", "more", "told"),
    [
        (OTHER, {}, "another prompt"),
        (replace(REQUEST, form=RESULT), {}, "another prompt"),
        (REQUEST, {"seed": 2}, "another prompt"),
        (REQUEST, {"model": "n"}, "given by m, not by n"),
    ],
)
async def test_a_record_of_something_else_stops_is_kept_or_is_asked_again(asks, journal, server, changed, more, told):
    text = await (await asks())(REQUEST)
    with pytest.raises(RecordMismatch, match=f"{REQUEST.path} .*{told}") as caught:
        await (await asks(**more))(changed)
    assert caught.value.path == REQUEST.path
    assert await (await asks(**more, on_mismatch="keep"))(changed) == text
    assert len(server.seen) == 1
    anew = await (await asks(**more, on_mismatch="ask"))(changed)
    assert len(server.seen) == 2
    assert [reply.take for reply in journal.kept] == [0, 1]
    assert await (await asks(**more))(changed) == anew
    assert len(server.seen) == 2


@pytest.mark.parametrize("author", ["human", "edit"])
async def test_what_a_person_wrote_counts_for_every_model(asks, journal, server, author):
    await (await asks())(REQUEST)
    journal.kept.append(replace(journal.kept[0], take=1, text="Ann sings.", author=author))
    assert await (await asks(model="n"))(REQUEST) == "Ann sings."
    assert len(server.seen) == 1


def test_the_digest_depends_on_all_that_the_reply_may_depend_on():
    requests = [REQUEST, OTHER, replace(REQUEST, form=RESULT)]
    digests = {request.digest(seed) for request in requests for seed in (1, 2)}
    assert len(digests) == 6
    elsewhere = replace(REQUEST, path="r2/ann/action", agent="Bob")
    assert elsewhere.digest(1) == REQUEST.digest(1)


async def test_a_reply_that_was_cut_off_is_asked_again_and_so_it_is_from_the_record(asks, journal, server):
    server.faults.append("length")
    text = await answer(await asks(), REQUEST, read_prose)
    cut, whole = journal.kept
    assert (cut.finish_reason, whole.finish_reason) == ("length", "stop")
    assert text == whole.text
    assert whole.path == f"{REQUEST.path}/again"
    assert f"cut off after {cut.completion_tokens} tokens" in whole.messages[-1].content
    assert whole.messages[-2].content == cut.text
    assert await answer(await asks(), REQUEST, read_prose) == text
    assert len(server.seen) == 2


async def test_a_reply_that_is_cut_off_twice_can_not_be_read(asks, journal, server):
    server.always = "length"
    for _ in range(2):
        with pytest.raises(ReplyError, match="cut off after") as caught:
            await answer(await asks(), REQUEST, read_prose)
        assert caught.value.reply == journal.kept[1].text
    assert len(server.seen) == 2


async def test_what_a_person_wrote_in_place_of_a_reply_cut_off_is_whole(asks, journal, server):
    server.faults.append("length")
    with pytest.raises(ReplyError):
        await (await asks())(REQUEST)
    journal.kept.append(replace(journal.kept[0], take=1, text="Ann sings.", author="edit"))
    assert await (await asks())(REQUEST) == "Ann sings."
