"""Asking over a journal: what is recorded is not asked again, unless its question or its model has changed."""

from dataclasses import replace

import pytest

from characterbox.errors import ContextOverflow, Cue, EndpointError, Interlude, RecordMismatch, ReplyError
from characterbox.llm.asking import JournaledAsk, OpenDoor
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import Inheritance, Record, Reply
from characterbox.llm.replies.reading import read_prose
from characterbox.llm.request import ChatMessage, Request, answer
from characterbox.llm.sampling import Sampling
from characterbox.llm.server import Server
from characterbox.llm.usage import Usage, estimate
from characterbox.play.replies.forms import RESULT
from tests.fakes.in_process_servers import ToNearby, nearby_mock
from tests.fakes.journal import MemoryJournal
from tests.fakes.mock_server import key_of

REQUEST = Request("r1/ann/action", "Ann", "en", (ChatMessage("user", "## Task: reaction"),))
OTHER = replace(REQUEST, messages=(ChatMessage("user", "## Task: reaction\nNow differently."),))


@pytest.fixture
def server():
    with nearby_mock() as server:
        yield server


@pytest.fixture
def journal():
    return MemoryJournal()


@pytest.fixture
async def asks(server, journal):
    """Makes the `Ask` of a story, as it is made each time the story is played."""
    client = Client(transport=ToNearby())

    async def make(model="m", seed=1, on_mismatch="stop", parent=None, door=None):
        record = Record(
            replies=journal.replies(),
            endpoint_of=lambda _: Endpoint(url=server.url, model=model),
            seed=seed,
            on_mismatch=on_mismatch,
            parent=parent,
        )
        return JournaledAsk(journal, record, client, door or OpenDoor())

    yield make
    await client.close()


async def test_a_reply_is_recorded_with_its_question_and_what_it_took(asks, journal, server):
    text = await (await asks())(REQUEST)
    [reply] = journal.kept
    assert (reply.text, reply.path, reply.take, reply.author) == (text, REQUEST.path, 0, "model")
    assert reply.digest == REQUEST.digest(1)
    assert reply.messages == REQUEST.messages
    assert reply.endpoint == Endpoint(url=server.url, model="m")
    assert (reply.usage.attempts, reply.usage.prompt_tokens, reply.usage.completion_tokens) == (1, 7, len(text))
    assert journal.marks == [(REQUEST.path, 0)]
    assert (reply.usage.troubles, reply.dropped, reply.origin, reply.usage.price) == ((), (), None, None)


async def test_each_draw_is_asked_with_a_seed_of_its_own_and_each_take_too(asks, journal, server):
    ask = await asks()
    for draw in range(3):
        await ask(replace(REQUEST, path=f"d{draw}", draw=draw))
    ask.record.anew.add("d1")
    await ask(replace(REQUEST, path="d1", draw=1))
    assert [body["seed"] for body in server.seen] == [1, 1001, 2001, 1002]


@pytest.mark.parametrize(("most", "bound"), [(200, 200), (None, 4000), (9000, 4000)])
async def test_a_reply_is_bounded_by_its_sampling_where_the_server_may_send_more(asks, journal, server, most, bound):
    await (await asks())(replace(REQUEST, sampling=Sampling(max_tokens=most)))
    assert server.seen[-1]["max_completion_tokens"] == bound


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
    assert server.keys() == [key_of([{"role": "user", "content": "## Task: reaction"}])]
    assert len(journal.marks) == 1


@pytest.mark.parametrize(
    ("changed", "more", "told"),
    [
        (OTHER, {}, "answers a different prompt"),
        (replace(REQUEST, form=RESULT), {}, "answers a different prompt"),
        (REQUEST, {"seed": 2}, "answers a different prompt"),
        (REQUEST, {"model": "n"}, "came from m, not from n"),
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
    assert f"cut off after {cut.usage.completion_tokens} tokens" in whole.messages[-1].content
    assert whole.messages[-2].content == cut.text
    assert await answer(await asks(), REQUEST, read_prose) == text
    assert len(server.seen) == 2


@pytest.mark.parametrize(
    ("tokens", "told"), [(None, "was cut off;"), (1, "cut off after 1 token;"), (2, "cut off after 2 tokens;")]
)
def test_a_reply_that_was_cut_off_says_after_how_many_tokens(tokens, told):
    took = Usage(completion_tokens=tokens)
    cut = Reply("r1/ann/action", 0, "", (), "She", "model", Endpoint.parse("rehearsal"), took, finish_reason="length")
    with pytest.raises(ReplyError, match=told):
        cut.whole()


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


def inheritance(replies, *, anew="changed", before=(), at="r1/ann/action"):
    return Inheritance(
        story="parent",
        replies={reply.path: reply for reply in replies},
        before=frozenset(before),
        at=at,
        anew=anew,
    )


async def test_a_branch_takes_a_reply_over_and_records_where_it_came_from(asks, journal, server):
    text = await (await asks())(REQUEST)
    former = journal.kept.pop()
    assert await (await asks(parent=inheritance([former])))(REQUEST) == text
    assert journal.kept == [replace(former, origin="parent")]
    assert len(server.seen) == 1
    grandchild = inheritance([replace(former, origin="grandparent")])
    journal.kept.clear()
    await (await asks(parent=grandchild))(REQUEST)
    assert journal.kept[0].origin == "grandparent"


@pytest.mark.parametrize(
    ("branch", "request_", "model", "asked"),
    [
        ({"anew": "all"}, REQUEST, "m", True),
        ({"anew": "this"}, REQUEST, "m", True),
        ({"anew": "this", "at": "r1/ann/dialogue"}, REQUEST, "m", False),
        ({"anew": "changed"}, REQUEST, "n", True),
        ({"anew": "changed"}, OTHER, "m", True),
        ({"anew": "all", "before": [REQUEST.path]}, REQUEST, "n", False),
    ],
)
async def test_a_branch_asks_anew_what_it_is_to_and_what_has_changed(
    asks, journal, server, branch, request_, model, asked
):
    await (await asks())(REQUEST)
    former = journal.kept.pop()
    await (await asks(model=model, parent=inheritance([former], **branch)))(request_)
    assert len(server.seen) == 1 + asked
    assert journal.kept[-1].take == (1 if asked else 0)


async def test_a_reply_before_the_branch_that_answers_another_prompt_stops_the_branch(asks, journal, server):
    await (await asks())(REQUEST)
    former = journal.kept.pop()
    parent = inheritance([former], anew="all", before=[REQUEST.path])
    with pytest.raises(RecordMismatch, match="answers a different prompt"):
        await (await asks(parent=parent))(OTHER)
    assert await (await asks(parent=parent, on_mismatch="keep"))(OTHER) == former.text
    journal.kept.clear()
    await (await asks(parent=parent, on_mismatch="ask"))(OTHER)
    assert len(server.seen) == 2


async def test_what_another_prompt_tells_is_not_remembered_of_a_reply_that_is_kept(asks, journal):
    await (await asks())(REQUEST)
    former = journal.kept.pop()
    parent = inheritance([former], anew="all", before=[REQUEST.path])
    for request, memory in [(REQUEST, "told"), (OTHER, None)]:
        ask = await asks(parent=parent, on_mismatch="keep")
        await ask(replace(request, remember=lambda: "told"))
        kept = journal.kept.pop()
        assert (kept.text, kept.memory) == (former.text, memory)


class Door(OpenDoor):
    """Lets in what it is told to."""

    def __init__(self, people=(), closed=()):
        self.people = people
        self.closed = closed

    def admitted(self, request, endpoint):
        if request.path in self.closed:
            raise Interlude(request.path)
        return super().admitted(request, endpoint)


async def test_no_call_leaves_for_a_person_or_through_a_closed_door(asks, journal, server):
    with pytest.raises(Cue, match="Ann is played by a person"):
        await (await asks(door=Door(people=["Ann"])))(REQUEST)
    with pytest.raises(Cue, match="the narrator is played"):
        await (await asks(door=Door(people=[None])))(replace(REQUEST, agent=None))
    with pytest.raises(Interlude):
        await (await asks(door=Door(closed=[REQUEST.path])))(REQUEST)
    assert (server.seen, journal.marks, journal.kept) == ([], [], [])
    await (await asks(door=Door(people=["Bob", None])))(REQUEST)
    assert await (await asks(door=Door(people=["Ann"], closed=[REQUEST.path])))(REQUEST) == journal.kept[0].text


def with_memories(*memories, dropped=()):
    """A request whose memories can be left out, the first one first."""
    told = "\n".join(["## Task: reaction", *memories])
    return replace(
        REQUEST,
        messages=(ChatMessage("user", told),),
        droppable=len(memories),
        dropped=dropped,
        drop=lambda count: with_memories(*memories[count:], dropped=(*dropped, *memories[:count])),
    )


MEMORIES = tuple(f"{letter * 900}." for letter in "abcdefgh")


@pytest.mark.parametrize("context", [512, 1024, 2048, None])
async def test_memories_are_left_out_until_the_prompt_has_room_and_the_reply_says_which(server, journal, context):
    known = Server(url=server.url, name="Small", kind="api", context=context)
    client = Client(lambda _: known, transport=ToNearby())
    record = Record({}, lambda _: Endpoint(url=server.url, model="m"), 1)
    request = with_memories(*MEMORIES)
    try:
        await JournaledAsk(journal, record, client, OpenDoor())(request)
    finally:
        await client.close()
    [reply] = journal.kept
    count = len(reply.dropped)
    assert reply.dropped == MEMORIES[:count]
    assert reply.messages == request.without(count).messages
    assert reply.digest == request.without(count).digest(1)
    room = known.prompt_room
    if room is None:
        assert count == 0
    else:
        assert estimate(reply.messages) <= room or count == len(MEMORIES)
        assert count == 0 or estimate(request.without(count - 1).messages) > room
    again = Record({reply.path: reply}, record.endpoint_of, 1)
    assert again.find(request).reply == reply
    assert again.find(request).request.messages == reply.messages


async def test_a_window_that_proves_too_small_makes_the_prompt_shorter(server, journal):
    server.window = 3_000
    client = Client(transport=ToNearby())
    record = Record({}, lambda _: Endpoint(url=server.url, model="m"), 1)
    try:
        await JournaledAsk(journal, record, client, OpenDoor())(with_memories(*MEMORIES))
        [reply] = journal.kept
        assert 0 < len(reply.dropped) < len(MEMORIES)
        assert len(reply.messages[0].content) <= server.window
        server.window = 1
        with pytest.raises(ContextOverflow, match="no more memories can be left out"):
            await JournaledAsk(journal, Record({}, record.endpoint_of, 1), client, OpenDoor())(with_memories())
    finally:
        await client.close()


async def test_a_huge_reply_is_shown_in_short_to_the_one_who_is_asked_again(asks, journal, server):
    reply = "Ann waits. " * 1000
    await (await asks())(REQUEST.again(ReplyError("it has no end", reply=reply[:-1])))
    shown = journal.kept[0].messages[-2].content
    beginning, end = shown.split(" [...] ")
    assert (len(beginning), len(end)) == (600, 200)
    assert reply.startswith(beginning)
    assert reply[:-1].endswith(end)


async def test_where_there_is_no_room_for_a_reply_that_could_not_be_read_it_is_left_out_after_all_memories(
    server, journal
):
    client = Client(transport=ToNearby())
    request = with_memories(*MEMORIES[:2]).again(ReplyError("it has no end", reply="Ann waits."))
    record = Record({}, lambda _: Endpoint(url=server.url, model="m"), 1)
    ask = JournaledAsk(journal, record, client, OpenDoor())
    try:
        for window, dropped in [(9_999, 0), (400, 2)]:
            server.window = window
            record.replies.clear()
            await ask(request)
            assert journal.kept[-1].dropped == MEMORIES[:dropped]
            assert journal.kept[-1].messages[-2].content == "Ann waits."
        server.window = sum(len(message.content) for message in request.without(3).messages)
        record.replies.clear()
        await ask(request)
    finally:
        await client.close()
    [*_, reply] = journal.kept
    assert reply.dropped == (*MEMORIES[:2], "Ann waits.")
    assert reply.messages[-2].content == " [...] "
    assert record.find(request).reply == reply
