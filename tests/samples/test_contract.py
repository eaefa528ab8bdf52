"""The samples keep what the prompts ask of models: they show what these prompts can yield."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Sequence

import pytest

from characterbox.llm.request import Request
from characterbox.play.algorithm import play
from characterbox.play.events import Action, ActionInfluence, Dialogue, Event, InteractionResult
from characterbox.samples import Sample, samples
from tests.play.leak_check import Leak, leaks, overheard, secrets_of

each = pytest.mark.parametrize("sample", samples(), ids=lambda one: one.id)

OUT = {"何都头腰里带着铁链，手下土兵都走散了。": "r2/何都头/action"}
"""Secrets of the scenes that come out: by which reply."""

SPEECH = re.compile('["“”「」『』]')
THOUGHTS = {
    "en": re.compile(
        r"\b(?:think|know|believe|suppose|realise|wonder|understand|remember|hope|fear|suspect|guess|decide|intend|wish"
        r"|regret|recognise|conclude)(?:s|es|d|ed)?\b|\b(?:thought|knew|understood|aware|in (?:his|her) mind)\b"
    ),
    "zh": re.compile(
        "心想|心里|心中|心下|暗想|暗道|寻思|想着|想起|想到|以为|知道|晓得|明白过来|觉得|记得|记起|疑心|怀疑|料想|料到"
        "|打算|盘算|后悔|不知|猜|认出"
    ),
}
"""Words that tell what goes on in a head."""
SEEN = ("action", "effect", "result", "position", "visible", "other_position", "other_visible", "description")
"""The fields that tell what can be seen or heard."""


def told(sample: Sample) -> tuple[Sequence[Request], Sequence[Event]]:
    """The questions of the story, in order, and its events."""
    asked: list[Request] = []
    events: list[Event] = []

    async def ask(request: Request) -> str:
        asked.append(request)
        reply = sample.replies[request.path]
        return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)

    async def emit(event: Event) -> None:
        events.append(event)

    asyncio.run(play(sample.script, ask, emit))
    return asked, events


def texts(sample: Sample) -> Iterator[tuple[str, str]]:
    """What can be seen or heard of what happens, but for the words of the characters, each with its path."""
    for path, reply in sample.replies.items():
        if isinstance(reply, str):
            yield path, reply
        else:
            yield from ((path, reply[field]) for field in SEEN if reply.get(field))


@each
def test_each_reply_is_read_as_those_of_models_are_and_at_once(sample: Sample) -> None:
    asked, events = told(sample)
    assert sorted(request.path for request in asked) == sorted(sample.replies)
    assert [event.path for event in events if event.degraded] == []


@each
def test_each_form_has_no_other_fields_than_it_asks_for(sample: Sample) -> None:
    for request in told(sample)[0]:
        reply = sample.replies[request.path]
        assert isinstance(reply, str) == (request.form is None)
        if request.form is not None:
            assert reply.keys() <= request.form.schema["properties"].keys(), request.path


@each
def test_acts_and_reactions_hold_no_speech(sample: Sample) -> None:
    acts = [text for path, text in texts(sample) if re.search("/action$|/reaction/", path)]
    assert acts
    assert [text for text in acts if SPEECH.search(text)] == []


@each
def test_what_can_be_seen_holds_no_thoughts(sample: Sample) -> None:
    words = THOUGHTS[sample.script.scene.language]
    assert [(path, found[0]) for path, text in texts(sample) if (found := words.search(text))] == []


@each
def test_words_are_for_somebody_whom_the_speaker_knows(sample: Sample) -> None:
    """An addressee that the speaker does not know by this name would be left out."""
    spoken = {event.path: event for event in told(sample)[1] if isinstance(event, Dialogue)}
    for path, reply in sample.replies.items():
        if path.endswith("/action"):
            event = spoken[path.replace("/action", "/dialogue")]
            assert (event.to is None) == (reply.get("to") is None)
            assert event.text == (reply["dialogue"] or "")
            assert not event.whispered or event.to


@each
def test_each_prompt_tells_what_the_one_who_is_asked_can_know(sample: Sample) -> None:
    scene = sample.script.scene
    asked, events = told(sample)
    place = {request.path: number for number, request in enumerate(asked)}
    found = leaks(scene, secrets_of(scene.id, scene.language), asked)
    assert [one for one in found if not _has_come_out(one, place, events)] == []
    assert [one for one in overheard(events, asked) if not _was_noticed(one, events)] == []


def _has_come_out(leak: Leak, place: dict[str, int], events: Sequence[Event]) -> bool:
    """Whether everybody knows the secret by then, or the one who is asked has recognised the one it is about."""
    recognised = [
        event.path
        for event in events
        if isinstance(event, InteractionResult)
        for one in event.recognised
        if leak.what == f"who {one.who} is" and leak.agent in one.by
    ]
    out = [*recognised, *([OUT[leak.what]] if leak.what in OUT else [])]
    return any(place[path] < place[leak.path] for path in out)


def _was_noticed(leak: Leak, events: Sequence[Event]) -> bool:
    """Whether it is an act that nobody was to notice, and the narrator says that this one does."""
    turns = {(event.round, event.turn) for event in events if isinstance(event, Action) and event.text == leak.found}
    return any(
        isinstance(event, ActionInfluence)
        and (event.round, event.turn) in turns
        and leak.agent in (event.seen_by or ())
        for event in events
    )


def test_they_show_what_scenes_can_hide() -> None:
    """Together they have all that tells more than that all perceive everything."""
    events = [event for sample in samples() for event in told(sample)[1]]
    fields = ("unseen", "whispered", "to", "seen_by", "heard_by", "felt", "recognised", "visible", "hidden")
    assert [field for field in fields if not any(getattr(event, field, None) for event in events)] == []


@pytest.mark.parametrize(
    ("path", "field", "planted", "check"),
    [
        ("r1/林冲/result", "result", "林冲知道店家要救自己。", test_what_can_be_seen_holds_no_thoughts),
        ("r1/店家周嫂/action", "action", "周嫂说：“林冲，走！”", test_acts_and_reactions_hold_no_speech),
        ("r1/店家周嫂/action", "action", "周嫂望着林冲。", test_each_prompt_tells_what_the_one_who_is_asked_can_know),
        (
            "r1/林冲/updates", "description", "墙上一张海捕文书。",
            test_each_prompt_tells_what_the_one_who_is_asked_can_know,
        ),
        ("r1/林冲/action", "to", "何都头", test_each_reply_is_read_as_those_of_models_are_and_at_once),
    ],
)  # fmt: skip
def test_what_breaks_the_contract_is_found(
    path: str, field: str, planted: str, check: Callable[[Sample], None]
) -> None:
    [sample] = [one for one in samples() if one.script.scene.id == "shuihu-xuedian"]
    broken = Sample(sample.script, {**sample.replies, path: {**sample.replies[path], field: planted}})
    with pytest.raises((AssertionError, KeyError)):
        check(broken)
