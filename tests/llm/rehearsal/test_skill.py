"""The rehearsal's models play the better, the earlier they are listed, and its judges see it in the text."""

import json
from collections import Counter
from itertools import pairwise, product
from statistics import fmean, pstdev

import pytest

from annotations.rubrics.rubric import load_rubric
from characterbox.judging.protocol import Protocol
from characterbox.judging.subject import Part
from characterbox.judging.verdict import judge_work
from characterbox.llm.rehearsal.brief import Turn
from characterbox.llm.rehearsal.grammar import MODELS, grammar
from characterbox.llm.rehearsal.improvise import improvise
from characterbox.play.algorithm import play
from characterbox.play.world import Script
from characterbox.prompts import fill, render
from characterbox.scenes.library import bundled, bundled_scene

pytestmark = pytest.mark.slow

LANGUAGES = ("en", "zh")
PLAIN, WOODEN = "rehearsal-plain", "rehearsal-wooden"
JUDGES = ("judge-a", "judge-b")
TASKS = ("action", "dialogue", "reaction")


def asked(model, seed=1, narrator="rehearsal"):
    """What asks the model for the characters, and the narrator's for the rest."""

    async def ask(request):
        turns = [Turn(message.role, message.content) for message in request.messages]
        form = None if request.form is None else request.form.name
        return improvise(narrator if request.agent is None else model, turns, seed, form)

    return ask


async def played(scene, model, rounds=3):
    events = []

    async def emit(event):
        events.append(event)

    await play(Script(scene=scene, rounds=rounds), asked(model), emit)
    return events


async def scored(scene, events, name, judge, protocol=Protocol()):  # noqa: B008 - a frozen value
    return await judge_work(asked(judge), judge, protocol, Part(scene, name, events), load_rubric())


def said(model, language, task, seed):
    told = improvise(model, [Turn("user", render(task, language, name="Ann"))], seed, None)
    return json.loads(told)["action"] if task == "action" else told


def stock_of(language, task):
    speech = grammar(language)
    frames = speech.stock_lines if task == "dialogue" else speech.stock_acts
    return {fill(frame, name="Ann") if "$name" in frame else frame for frame in frames}


@pytest.mark.parametrize(("language", "task"), [*product(LANGUAGES, TASKS)])
def test_the_worse_a_model_the_more_it_says_what_fits_any_scene(language, task):
    stock = stock_of(language, task)
    shares = [sum(said(model, language, task, seed) in stock for seed in range(300)) / 300 for model in MODELS]
    assert shares == pytest.approx([0, 0.55, 0.95], abs=0.08)
    assert {said(WOODEN, language, task, seed) for seed in range(99)} >= stock


def test_the_same_request_gets_the_same_reply():
    for model, language, task in product(MODELS, LANGUAGES, TASKS):
        assert said(model, language, task, 1) == said(model, language, task, 1)


def test_a_name_that_is_not_listed_plays_like_the_best():
    for language, task in product(LANGUAGES, TASKS):
        assert not {said("gpt-4", language, task, seed) for seed in range(200)} & stock_of(language, task)


@pytest.mark.parametrize("id", ["holmes-study", "shuihu-xuedian"])
async def test_worse_models_narrate_like_any_other(id):
    scene = bundled_scene(id)
    events = []

    async def emit(event):
        events.append(event)

    await play(Script(scene=scene, rounds=2), asked("rehearsal", narrator=WOODEN), emit)
    told = [event.text for event in events if event.kind in ("action_influence", "interaction_result")]
    assert not [event for event in events if event.degraded]
    assert len(set(told)) > 0.9 * len(told)


each_share = pytest.mark.parametrize(("every", "apart"), [(10, 0.1), pytest.param(1, 0.3, marks=pytest.mark.soak)])
"""One scene of so many is played, and by how much means differ at least; fewer scenes tell less."""


def one_of(every, scenes):
    return scenes[every // 2 :: every]


async def scores_of(scenes):
    """All scores of the scenes' stories, by judge and model; no event of them is degraded."""
    found = {key: [] for key in product(JUDGES, MODELS)}
    for scene, model in product(scenes, MODELS):
        events = await played(scene, model)
        assert not [event.reason for event in events if event.degraded]
        for judge, name in product(JUDGES, scene.names):
            found[judge, model].extend((await scored(scene, events, name, judge)).values())
    return found


@each_share
@pytest.mark.parametrize("language", LANGUAGES)
async def test_each_judge_puts_the_models_in_the_order_in_which_they_were_made(language, every, apart):
    found = await scores_of(one_of(every, [scene for scene in bundled() if scene.language == language]))
    for judge in JUDGES:
        means = [fmean(found[judge, model]) for model in MODELS]
        assert all(better > worse + apart for better, worse in pairwise(means)), means
        for model in MODELS:
            assert set(found[judge, model]) <= {1, 2, 3, 4, 5}
            assert pstdev(found[judge, model]) > 0.3
    first, second = (fmean(fmean(found[judge, model]) for model in MODELS) for judge in JUDGES)
    assert abs(first - second) > 0.1


PROTOCOLS = [
    Protocol(),
    Protocol(replies="each"),
    Protocol(order="shuffled"),
    Protocol(manner="direct"),
    Protocol(manner="brief"),
    Protocol(manner="brief", replies="each", language="en"),
]


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=repr)
async def test_however_a_judge_is_asked_it_goes_by_the_text(protocol):
    scene = bundled_scene("honglou-shigao")
    found = [await played(scene, model) for model in MODELS]
    best, _, worst = [[await scored(scene, events, name, "j", protocol) for name in scene.names] for events in found]
    assert best == [await scored(scene, found[0], name, "j") for name in scene.names]
    means = [fmean(score for verdict in verdicts for score in verdict.values()) for verdicts in (best, worst)]
    assert means[0] > means[1] + 0.5


@each_share
async def test_repetition_costs_feeling_and_coherence_more_than_knowledge(every, apart):
    verdicts = []
    for scene in one_of(every, bundled()):
        events = await played(scene, WOODEN)
        verdicts += [await scored(scene, events, name, judge) for judge, name in product(JUDGES, scene.names)]
    means = {key: fmean(verdict[key] for verdict in verdicts) for key in load_rubric().keys}
    assert max(means["EE"], means["BC"]) + apart < means["KA"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_trajectory_that_shows_nothing_of_the_character_is_scored_about_the_middle(language):
    values = {"work": "w", "title": "t", "environment": "e", "name": "Ann", "profile": "p", "wanted": '"KA"'}
    wish = render("score_directly", language, trajectory="-", **values)
    counts = Counter(improvise(f"j{number}", [Turn("user", wish)], 1, "scores") for number in range(100))
    assert counts.most_common(1)[0][0] == '{"KA": 3}'
    assert set(counts) <= {f'{{"KA": {score}}}' for score in (2, 3, 4)}
