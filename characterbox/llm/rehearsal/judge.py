"""Critique and scores, improvised.

Those of a character depend on how much it repeats itself, and on chance; those of a narrator or a scene on what is
shown, metric, model and seed alone.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import get_args

from annotations.rubrics.rubric import Metric, bundled_rubrics, load_rubric
from characterbox.llm.rehearsal.brief import Brief, shape
from characterbox.llm.rehearsal.grammar import Chance, grammar
from characterbox.prompts import fill, words
from characterbox.values import Language

_FRESH, _UNKNOWN = 4.0, 3.0
"""About what a metric gets where a character never repeats itself, and where nothing of its own can be found."""
_FALL: Mapping[str, float] = {"KA": 3.0, "BA": 4.5, "EE": 5.5, "PT": 4.0, "IM": 5.0, "AD": 4.5, "BC": 5.5}
"""How far each metric would fall if all were repeated: feeling and coherence suffer most, knowledge least."""
_LENIENCY, _LIKING = 0.8, 1.0
"""How far apart judges lie, and the views that one judge has of trajectories that are equally good."""
_QUOTE_LENGTH = {"en": 70, "zh": 30}
_LEAD = re.compile(r"^[\s\-*#>\d.、]*(?:[^:：|｜]{1,40}[:：])?\s*")


def scores(brief: Brief, model: str, seed: int | None) -> dict[str, int]:
    """A whole number from 1 to 5 for each metric, in line with the critique of the same trajectory.

    On average it is what the metric deserves, moved by how lenient the judge is and how it likes the trajectory.
    """
    chance = _grading(brief, model, seed)
    leaning = _LENIENCY * _within(Chance(model), "leniency") + _LIKING * _within(chance, "trajectory")
    given = {key: round(due + leaning + _within(chance, key)) for key, due in _deserved(brief).items()}
    return {key: min(5, max(1, score)) for key, score in given.items()}


def critique(brief: Brief, model: str, seed: int | None) -> str:
    """Strengths and weaknesses by metric, each with a line of the trajectory, if there is one."""
    speech, chance = grammar(brief.language), _grading(brief, model, seed)
    name = brief.trajectory.get("name") or speech.someone
    quotes = chance.shuffled("quotes", _quotes(brief))
    paragraphs = [fill(chance.pick("opening", speech.critique.opening), name=name)]
    for number, (key, grade) in enumerate(scores(brief, model, seed).items()):
        metric = speech.metrics[key]
        verdict = metric.weak if grade < 3 else metric.mixed if grade == 3 else metric.strong
        values = {"metric": metric.name, "verdict": _about(verdict, name)}
        if quotes:
            paragraphs.append(fill(speech.critique.quoted, quote=quotes[number % len(quotes)], **values))
        else:
            paragraphs.append(fill(speech.critique.plain, **values))
    return "\n\n".join(paragraphs)


def _about(verdict: str, name: str) -> str:
    return fill(verdict, name=name) if "$name" in verdict else verdict


def _deserved(brief: Brief) -> dict[str, float]:
    """What each metric deserves, before any chance."""
    repeated = repetition(brief.trajectory.get("trajectory", ""))
    if repeated is None:
        return dict.fromkeys(_FALL, _UNKNOWN)
    return {key: _FRESH - fall * repeated for key, fall in _FALL.items()}


def _within(chance: Chance, purpose: str) -> float:
    """A number between -1/2 and 1/2."""
    return (chance.number(purpose, 1000) + 0.5) / 1000 - 0.5


def _grading(brief: Brief, model: str, seed: int | None) -> Chance:
    """Chance that is the same for the critique and the scores of a trajectory."""
    return Chance(model, str(seed), brief.trajectory.get("name", ""), brief.trajectory.get("trajectory", brief.told))


def _quotes(brief: Brief) -> list[str]:
    """Pieces of the trajectory without the labels before them, shortened."""
    longest = _QUOTE_LENGTH[brief.language]
    lines = (_LEAD.sub("", line).strip(' “”"') for line in brief.trajectory.get("trajectory", "").splitlines())
    found = dict.fromkeys(line for line in lines if len(line) > longest // 6)
    return [line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…" for line in found]


_LETTERS = re.compile(r"[^\W_]+")


def repetition(trajectory: str) -> float | None:
    """The share of a character's own lines that say what an earlier one said: at least 0, and less than 1.

    The trajectory is that of `characterbox.play.trajectory.as_text`, in either language. What the character did, said
    and how it reacted are lines of its own; silence is none. Case, spaces and punctuation make no difference. None
    where there is no such line.
    """
    said = [plain for line in own_lines(trajectory) if (plain := _plainly(line)) not in _nothing()]
    return 1 - len(set(said)) / len(said) if said else None


def own_lines(trajectory: str) -> list[str]:
    """What the character did and said, and how it reacted, in order."""
    beginning, own = _patterns()
    steps = beginning.split(trajectory)
    return [step[found.end() :].strip() for step in steps if (found := own.match(step))]


def _plainly(line: str) -> str:
    return "".join(_LETTERS.findall(line.casefold()))


@cache
def _nothing() -> frozenset[str]:
    """Lines that say nothing, so that they repeat nothing either."""
    return frozenset({"", *(_plainly(words(language).silence) for language in get_args(Language))})


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Where a step or a round begins, and how a step of the character's own begins, in all languages."""
    phrases = [words(language) for language in get_args(Language)]
    labels = [one.trajectory for one in phrases]
    own = "|".join(re.escape(name) for one in labels for name in (one.action, one.dialogue, one.reaction))
    seen = "|".join(re.escape(one.observation) for one in labels)
    rounds = "|".join(re.escape(fill(one.memory.round, round="0")).replace("0", r"\d+") for one in phrases)
    beginning = re.compile(rf"^(?=- (?:{own}|{seen})(?:: |：)|(?:{rounds})$)", re.MULTILINE)
    return beginning, re.compile(rf"- (?:{own})(?:: |：)")


_SUBJECT = re.compile("(critique|scores?)_(narrator|scene)")


def review(brief: Brief, model: str, seed: int | None) -> str | dict[str, int] | None:
    """A critique, or a whole number from 1 to 5 for each metric that is asked for; None if neither is the task."""
    if (asked := _SUBJECT.fullmatch(brief.task)) is None:
        return None
    wish, subject = asked.groups()
    metrics = load_rubric(subject).metrics
    chance = Chance(model, str(seed), *_shown(brief, subject))
    if wish == "critique":
        mark = ": " if brief.language == "en" else "："
        told = (
            f"{one.name.text(brief.language)}{mark}{_level(one, _chosen(one.key, chance), brief)}" for one in metrics
        )
        return "\n\n".join(told)
    wanted = re.findall(r"\w+", brief.values.get("wanted", "")) or [one.key for one in metrics]
    return {key: _chosen(key, chance) for key in wanted if key in _keys(subject)}


def _chosen(metric: str, chance: Chance) -> int:
    return 1 + chance.number(metric, 5)


@cache
def _keys(subject: str) -> frozenset[str]:
    """The metrics of all rubrics for such work."""
    rubrics = map(load_rubric, bundled_rubrics())
    return frozenset(key for rubric in rubrics if rubric.subject == subject for key in rubric.keys)


def _shown(brief: Brief, subject: str) -> list[str]:
    """What is under judgement, which is the same for the critique and the scores."""
    for task in (f"critique_{subject}", f"score_{subject}"):
        if (values := shape(task, brief.language).read(brief.told)) is not None:
            return [value for name, value in sorted(values.items()) if name != "wanted"]
    return [brief.told]


def _level(metric: Metric, score: int, brief: Brief) -> str:
    """How the rubric describes the level that the score is nearest to."""
    nearest = min(metric.anchors, key=lambda anchor: abs(anchor.score - score))
    return nearest.text.text(brief.language)
