"""Who is shown what, step by step, in the story of a masked guest, a whisper, a hidden hand and a locked room."""

import json
from collections.abc import Collection, Mapping

import pytest

from bench.story import improvised
from characterbox.llm.request import Request
from characterbox.play.algorithm import play
from characterbox.play.events import CharacterUpdate, Event, InteractionResult
from characterbox.play.perception import knowers
from characterbox.play.trajectory import as_text, trajectory
from characterbox.play.world import Script, moments
from characterbox.scenes.scene import slug_of
from characterbox.values import Language
from tests.play.leak_check import leaks
from tests.play.masked_guest import ROUNDS, TEXTS, replies, scene, text_of

both = pytest.mark.parametrize("language", ["en", "zh"])


async def told(language: Language, **instead: str) -> tuple[Mapping[str, Request], list[Event]]:
    """The requests by path, and the events, of the story as it is written, but for what is replied `instead`, by path
    with `__` for `/`."""
    requests: dict[str, Request] = {}
    events: list[Event] = []
    written = replies(language) | {path.replace("__", "/"): text for path, text in instead.items()}

    async def ask(request: Request) -> str:
        requests[request.path] = request
        return written[request.step]

    async def emit(event: Event) -> None:
        events.append(event)

    await play(Script(scene=scene(language), rounds=ROUNDS), ask, emit)
    return requests, events


SEEN = (
    # after this, of whom, what is told: to whom, and to whom not
    ("r1/guest/influence", "host does", "host guest steward", "prisoner"),
    ("r1/guest/influence", "host says", "host guest steward", "prisoner"),
    ("r1/guest/influence", "guest feels it", "guest", "host steward prisoner"),
    ("r1/guest/influence", "guest felt", "guest", "host steward prisoner"),
    ("r1/steward/influence", "guest whispers", "guest steward", "host prisoner"),
    ("r1/steward/influence", "steward hears it", "steward", "host guest prisoner"),
    ("r1/prisoner/influence", "steward does", "steward", "host guest prisoner"),
    ("end", "prisoner does", "prisoner", "host guest steward"),
    ("end", "prisoner says", "prisoner steward", "host guest"),
    ("end", "steward hears knocking", "steward", "host guest prisoner"),
    ("end", "steward coughs", "host guest steward", "prisoner"),
    ("end", "guest opens", "host guest steward", ""),
    ("end", "guest calls", "host guest steward prisoner", ""),
    ("end", "fifth result", "host guest steward prisoner", ""),
    ("end", "steward kneels", "host guest steward prisoner", ""),
    ("end", "prisoner thanks", "host guest steward prisoner", ""),
    ("end", "prisoner asks", "host guest steward prisoner", ""),
    ("end", "host state", "host", "guest steward prisoner"),
    ("end", "prisoner at", "prisoner", "host guest steward"),
    ("end", "in the hall", "host guest steward prisoner", ""),
    ("end", "tears", "host guest steward", ""),
    ("end", "hall", "host guest steward prisoner", ""),
)
"""What is on the record of the requests up to a place, each as the texts are named; all that anybody is ever told."""


@both
@pytest.mark.parametrize(("until", "text", "to", "not_to"), SEEN, ids=[f"{one[0]} {one[1]}" for one in SEEN])
async def test_what_happens_is_told_to_those_who_perceive_it(
    language: Language, until: str, text: str, to: str, not_to: str
) -> None:
    t = TEXTS[language]
    requests, _ = await told(language)
    heard = dict.fromkeys(("host", "guest", "steward", "prisoner"), "")
    for request in requests.values():
        for who in heard:
            if request.agent == t[who]:
                heard[who] += text_of(request)
    for who in to.split():
        said = _as_told(language, text, who)
        assert said in heard[who], f"{who} is not told: {said}"
    for who in not_to.split():
        assert t[text] not in heard[who], f"{who} is told: {t[text]}"


AFTER = ("guest stands", "recognition", "guest opens", "guest calls", "fifth result", "steward kneels")
"""What happens once the countess has pulled the mask off."""


def _as_told(language: Language, text: str, who: str) -> str:
    """The text in the names that its reader has as it happens."""
    t = TEXTS[language]
    knows = who != "prisoner" and (who != "host" or text in AFTER)
    said, other = (t[text], t["alias"]) if knows else (t[text].replace(t["guest"], t["alias"]), t["guest"])
    if knows:
        said = said if who == "host" else said.replace(t["alias"], t["guest"])
    return said[0].upper() + said[1:] if t[text].startswith(other) else said


@both
async def test_nothing_that_is_written_is_a_leak(language: Language) -> None:
    requests, _ = await told(language)
    t = TEXTS[language]
    known_to_host = [one for one in requests.values() if one.agent != t["host"] or one.path.startswith(("r0", "r1"))]
    assert list(leaks(scene(language), (), known_to_host)) == []


@both
async def test_who_is_recognised_has_its_name_from_that_step_on(language: Language) -> None:
    t = TEXTS[language]
    requests, events = await told(language)
    host, guest = slug_of(t["host"]), slug_of(t["guest"])
    before, after = requests[f"r2/{host}/action"], requests[f"r2/{host}/self-belief"]
    assert t["guest"] not in text_of(before)
    assert t["alias"] in text_of(before)
    record = text_of(after).rpartition(t["host unmasks"])[2]
    assert t["guest"] in record
    assert t["recognition"] in record
    assert t["guest opens"] in record
    assert t["guest"] not in text_of(requests[f"r2/{slug_of(t['prisoner'])}/self-belief"])
    account = as_text(trajectory(events, t["host"], scene(language)), language)
    unmasked = account.index(t["recognition"])
    assert t["guest"] not in account[:unmasked]
    assert t["alias"] not in account[unmasked:].casefold()
    assert t["guest"] in account[unmasked:]
    assert requests[f"r2/{guest}/action"].agent == t["guest"]
    assert t["alias"] in text_of(requests[f"r2/{guest}/action"]), "it knows what others call it"


@both
async def test_the_knowledge_view_says_what_the_prompts_tell(language: Language) -> None:
    t = TEXTS[language]
    _, events = await told(language)
    shown = {event.path: knowers(event, now) for event, _, now in moments(events, scene(language))}

    def those(path: str, share: str) -> Collection[str]:
        step, who = path.split()
        round, kind, *other = step.split("/")
        place = "/".join([round, slug_of(t[who]), kind, *(slug_of(t[name]) for name in other)])
        return {role for role in ("host", "guest", "steward", "prisoner") if shown[place][t[role]] == share}

    assert those("r1/action host", "none") == {"prisoner"}
    assert those("r1/influence host", "whole") == {"guest"}
    assert those("r1/result host", "whole") == {"guest"}
    assert those("r1/result host", "part") == {"host", "steward"}
    assert those("r1/dialogue guest", "whole") == {"guest", "steward"}
    assert those("r1/action steward", "whole") == {"steward"}
    assert those("r1/action prisoner", "whole") == {"prisoner"}
    assert those("r1/dialogue prisoner", "whole") == {"prisoner", "steward"}
    assert those("r1/reaction/steward prisoner", "none") == {"prisoner"}
    assert those("r2/update/prisoner guest", "part") == {"host", "guest", "steward"}
    assert those("r2/update/guest guest", "none") == set()
    assert those("r0/self-belief host", "whole") == {"host"}


@both
async def test_the_maid_sees_the_hall_once_the_door_is_open(language: Language) -> None:
    t = TEXTS[language]
    requests, events = await told(language)
    locked = text_of(requests[f"r1/{slug_of(t['prisoner'])}/action"])
    assert t["host"] not in locked
    assert t["alias"] not in locked
    free = text_of(requests[f"r2/{slug_of(t['prisoner'])}/action"])
    assert t["host at"] in free
    assert t["dust"] in free
    assert t["alias"] in free.casefold()
    assert t["guest"] not in free
    [recognised] = [one for event in events if isinstance(event, InteractionResult) for one in event.recognised]
    assert (recognised.who, recognised.by) == (t["guest"], (t["host"],))
    assert any(isinstance(event, CharacterUpdate) and event.visible == t["tears"] for event in events)


@both
async def test_the_rehearsal_plays_it_and_nothing_is_told_that_must_not_be(language: Language) -> None:
    requests: list[Request] = []

    async def ask(request: Request) -> str:
        requests.append(request)
        return improvised(request, 1)

    async def emit(event: Event) -> None:
        assert not event.degraded

    await play(Script(scene=scene(language), rounds=3), ask, emit)
    assert list(leaks(scene(language), (), requests)) == []
    assert len({request.agent for request in requests}) == 5


@both
async def test_only_who_sees_it_and_does_not_know_the_name_recognises_somebody(language: Language) -> None:
    t = TEXTS[language]
    host, guest, steward, prisoner = (t[who] for who in ("host", "guest", "steward", "prisoner"))
    recognised = [{"who": guest, "by": [host, steward, prisoner]}, {"who": steward, "by": [host]}]
    reply = json.dumps({"result": t["recognition"], "recognised": recognised})
    _, events = await told(language, **{f"r2__{slug_of(host)}__result": reply})
    [found] = [event for event in events if isinstance(event, InteractionResult) and event.recognised]
    assert [(one.who, one.by) for one in found.recognised] == [(guest, (host,))]
