"""The figures of the table, each measured anew; what several rows need is measured once."""

import asyncio
import os
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.call_depth import depth
from bench.faults import silent_or_crashed
from bench.kills import kill
from bench.load import Load, load
from bench.prompt_parts import table_of
from bench.prompts import count
from bench.server import rehearsal_server
from bench.story import ROUNDS, played, script
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.play.events import ActionInfluence
from characterbox.play.memory import embedding
from characterbox.play.paths import parse_path
from characterbox.play.world import Script
from characterbox.values import LANGUAGE_CODES, Language
from tests.fakes.mock_server import mock_server
from tests.fakes.scenes import a_scene
from tests.play.paraphrases.pairs import KEPT, pairs, recall
from tests.vllm.played import play_story
from tests.vllm.recall import recall_by
from tests.vllm.server import ENVIRONMENT, serving, serving_encoder

MILLI = 1000.0
KILO = 1024
PERCENT = 100.0
VLLM = "CHARACTERBOX_VLLM"
"""Names the Python that has a real vLLM."""


@cache
def story_depth() -> int:
    """How many calls deep the story is. Raises RuntimeError unless each action of it touches somebody."""
    _, events = asyncio.run(played(script()))
    touching = [event for event in events if isinstance(event, ActionInfluence) and event.affected]
    if len(touching) != turns():
        raise RuntimeError(f"only {len(touching)} of {turns()} actions touch somebody")
    return asyncio.run(depth(script()))


def turns() -> int:
    """How many own turns the characters of the story take."""
    return ROUNDS * len(script().scene.names)


def one_story() -> float:
    """Wall time of one story over its depth and the latency of each call."""
    latency = 0.2
    with rehearsal_server(latency) as url:
        load(1, url, rounds=1)  # whatever is made once, on both sides
        return load(1, url).wall / (story_depth() * latency)


def calls_per_turn() -> float:
    """Calls to models over own turns of characters."""
    requests, _ = asyncio.run(played(script()))
    return len(requests) / turns()


@cache
def crowd(stories: int, latency: float) -> float:
    """Wall time of so many stories at once over that of one of them."""
    with rehearsal_server(latency) as url:
        load(1, url, rounds=1)
        return load(stories, url).wall / load(1, url).wall


@cache
def _busy() -> Load:
    with rehearsal_server(0.0) as url:
        load(1, url, rounds=1)
        return load(32, url)


def cpu_per_call() -> float:
    """CPU of this process over calls, in milliseconds: client, prompts, parsing, memory, journal."""
    return MILLI * _busy().cpu / _busy().calls


def new_tokens_per_turn() -> float:
    """Prompt tokens that no earlier prompt of the story begins with, over own turns; the mean of three stories."""
    stories = [asyncio.run(played(script(seed=seed)))[0] for seed in (1, 2, 3)]
    return sum(count(requests).new for requests in stories) / len(stories) / turns()


def story_tokens() -> float:
    """Thousands of prompt tokens of a story; the mean of three. Tells what each part of a prompt takes."""
    stories = [asyncio.run(played(script(seed=seed)))[0] for seed in (1, 2, 3)]
    print(table_of(stories[0]))
    return sum(count(requests).total for requests in stories) / len(stories) / MILLI


def requests_without_memories() -> int:
    """Requests to characters in the rounds 2 and 3 in which nothing is recalled; tells how much is in each round."""
    requests, _ = asyncio.run(played(script()))
    recalled: dict[int, list[int]] = {}
    for request in requests:
        if request.agent is not None:
            told = request.messages[1].content.partition("<recalled>")[2].partition("</recalled>")[0]
            recalled.setdefault(parse_path(request.path)[0].round, []).append(told.count("\n- "))
    for round, counts in sorted(recalled.items()):
        print(f"  round {round}: {sum(counts) / len(counts):.1f} memories recalled in each of {len(counts)} requests")
    return sum(recalled[round].count(0) for round in (2, 3))


def long_story() -> float:
    """Tokens of prompts in each round of 30, over those in each round of 3; CPU instead where it grows more."""
    with rehearsal_server(0.0) as url:
        load(1, url, rounds=1)
        short, long = load(1, url, rounds=3), load(1, url, rounds=30)
    tokens = (long.prompt_tokens / 30) / (short.prompt_tokens / 3)
    return max(tokens, (long.cpu / 30) / (short.cpu / 3))


def story_size() -> float:
    """Kilobytes by which the database grows with one story, its prompts included."""
    with rehearsal_server(0.0) as url:
        return load(1, url).bytes / KILO


def memory_growth() -> float:
    """Memory of the process after 500 stories of one round over that after the first 100."""
    with rehearsal_server(0.0) as url:
        resident = load(550, url, rounds=1, at_once=50).resident
    return resident[-1] / resident[1]


def kills() -> int:
    """Events lost, recorded replies asked again, and replies given to another path, over 100 kills in all.

    A call that was sent twice counts too, unless the first was in flight at a kill, so that its reply was never had.
    """
    found = 0
    for workers in (1, 2):
        with TemporaryDirectory() as folder, mock_server(latency=0.01) as server:
            told = kill(f"sqlite:///{folder}/kills.db", server, Script(scene=a_scene(), rounds=2), kills=50,
                        workers=workers, seed=workers)  # fmt: skip
            found += told.lost + told.asked_again + told.misplaced + max(0, told.repeated - told.unanswered)
    return found


def faults() -> int:
    """Cases, of every fault at every kind of call, in which a story crashed or something went unseen."""
    return asyncio.run(silent_or_crashed())


def cache_misses() -> float:
    """Percent of the prompt tokens of a story that a real vLLM server, with two adapters, does not find in its cache.

    Raises SystemExit where there is no vLLM.
    """
    with TemporaryDirectory() as folder, serving(_vllm(), Path(folder)) as server:
        story = play_story(server, "treasure-watch", Path(folder) / "story.db")
    return PERCENT * (1 - story.hits / story.queries)


def paraphrases_missed() -> float:
    """Percent of the paraphrased memories that a real encoder does not bring back, in the language in which these are
    more; prints what letters and the encoder bring back in each.

    Raises SystemExit where there is no vLLM.
    """
    with TemporaryDirectory() as folder, serving_encoder(_vllm(), Path(folder), "e5") as server:
        found = asyncio.run(_recall(Endpoint.parse(server.at("e5"))))
    for language, share in found.items():
        print(
            f"  {language}: recall at {KEPT} is {share:.3f}, that of letters {recall(embedding, pairs(language)):.3f}"
        )
    return PERCENT * (1 - min(found.values()))


async def _recall(model: Endpoint) -> dict[Language, float]:
    client = Client()
    try:
        return {language: await recall_by(client, model, language) for language in LANGUAGE_CODES}
    finally:
        await client.close()


def _vllm() -> Path:
    """The Python that has a real vLLM. Raises SystemExit, with what to do, where there is none."""
    if VLLM not in os.environ:
        raise SystemExit(f"{VLLM} names no Python with a vLLM: use `make bench`, which sets one up")
    os.environ.update(ENVIRONMENT)
    return Path(os.environ[VLLM]).absolute()
