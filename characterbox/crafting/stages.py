"""Crafting one scene in three stages: draft, refinement, evaluation, and back with the reasons (paper, section 3.1).

What comes of it is a function of the wish and the replies: crafting again over the same journal gives the same steps.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

from annotations.i18n.messages import Message
from characterbox.crafting.draft import DRAFT_FORM, draft_of, read_draft
from characterbox.crafting.request import RUBRIC, Role, Wish, place_of
from characterbox.errors import ReplyError
from characterbox.judging.protocol import read_all_scores, rubric_text
from characterbox.llm.problem_words import as_asked
from characterbox.llm.replies.loose_json import json_objects
from characterbox.llm.replies.reading import plain
from characterbox.llm.request import Ask, ChatMessage, Form, Request, answer
from characterbox.pause_reasons import Reason
from characterbox.prompts import render, words
from characterbox.scenes.scene import Scene

_REASONS = "reasons"
_NOTHING = "{}"
"""Stands for a reply that was no scene where its writer is asked for another."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a writer has written: a scene, or a reply that is none."""

    path: str
    attempt: int
    """From 1; each time that a scene goes back counts one on."""
    role: Role
    scene: Scene | None
    problem: Message | None
    """Why the reply is no scene; None where it is one."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the evaluator says of a refined draft."""

    path: str
    attempt: int
    scores: Mapping[str, float]
    """By metric of the rubric of scenes."""
    reasons: str
    accepted: bool

    @property
    def mean(self) -> float:
        """Over the metrics."""
        return sum(self.scores.values()) / len(self.scores)


@dataclass(frozen=True, slots=True)
class Undecided:
    """The evaluator's reply could not be read, asked twice: nobody knows whether the scene is good enough."""

    path: str
    attempt: int
    problem: Message


Step = Draft | Evaluation | Undecided


async def craft_scene(ask: Ask, wish: Wish, crafting: str, number: int) -> AsyncIterator[Step]:
    """The steps of scene `number` of a crafting, the last of which tells whether it is accepted (see `accepted`).

    Raises what `ask` raises.
    """
    questions = _Questions(wish, crafting, number)
    talk = questions.opening()
    for attempt in range(1, wish.attempts(number) + 1):
        draft = await questions.draft(ask, "screenwriter", attempt, talk)
        yield draft
        if wish.method == "direct":
            return
        if draft.scene is not None:
            draft = await questions.draft(ask, "director", attempt, questions.refinement(draft.scene))
            yield draft
        if draft.scene is None:
            talk = questions.back("", as_asked(draft.problem or ""))
            continue
        verdict = await questions.evaluation(ask, attempt, draft.scene)
        yield verdict
        if isinstance(verdict, Undecided) or verdict.accepted:
            return
        talk = questions.back(draft_of(draft.scene), verdict.reasons)


def accepted(wish: Wish, steps: list[Step]) -> Scene | None:
    """The scene that the steps so far have come to, if it is accepted."""
    drafts = [step for step in steps if isinstance(step, Draft)]
    last = drafts[-1].scene if drafts else None
    if wish.method == "direct":
        return last
    decided = isinstance(steps[-1], Evaluation) and steps[-1].accepted if steps else False
    return last if decided else None


@dataclass(frozen=True)
class _Questions:
    """All that is asked about one scene."""

    wish: Wish
    crafting: str
    number: int

    def opening(self) -> tuple[ChatMessage, ...]:
        """The wish for a first draft."""
        wish = self.wish
        task = render(
            f"craft_{wish.way}",
            wish.language,
            work=self._work,
            passage=self._passage,
            number=str(self.number),
            count=str(wish.count),
            **self._cast,
        )
        return self._rules("craft_screenwriter"), ChatMessage("user", task)

    def back(self, written: str, criticism: str) -> tuple[ChatMessage, ...]:
        """The wish for another draft, after what was written last, if it was a scene, and what is wrong with it."""
        task = render("craft_back", self.wish.language, criticism=criticism, **self._cast)
        return (*self.opening(), ChatMessage("assistant", written or _NOTHING), ChatMessage("user", task))

    def refinement(self, scene: Scene) -> tuple[ChatMessage, ...]:
        """The wish that the director refines a draft."""
        shown = {"work": self._work, "passage": self._passage, "draft": draft_of(scene)}
        task = render("craft_refine", self.wish.language, **shown, **self._cast)
        return self._rules("craft_director"), ChatMessage("user", task)

    async def draft(self, ask: Ask, role: Role, attempt: int, messages: tuple[ChatMessage, ...]) -> Draft:
        """What a writer writes."""
        path = f"{place_of(self.number)}/{attempt}/{role}"
        request = Request(path, role, self.wish.language, messages, DRAFT_FORM, sampling=self.wish.sampling)
        try:
            scene = await answer(ask, request, self._read)
        except ReplyError as error:
            return Draft(path, attempt, role, None, error.args[0])
        return Draft(path, attempt, role, scene, None)

    def _read(self, text: str) -> Scene:
        """The scene in a reply. Raises ReplyError, which the model is told in English."""
        return read_draft(text, self.wish, self.crafting, self.number)

    async def evaluation(self, ask: Ask, attempt: int, scene: Scene) -> Evaluation | Undecided:
        """What the evaluator says."""
        language, path = self.wish.language, f"{place_of(self.number)}/{attempt}/evaluator"
        wanted = (", " if language == "en" else "、").join(f'"{key}"' for key in RUBRIC.keys)
        rules = render("craft_evaluator", language, rubric=rubric_text(RUBRIC, language, RUBRIC.keys), wanted=wanted)
        shown = draft_of(scene)
        kind = getattr(words(language).crafting, self.wish.way)
        task = render("craft_evaluate", language, kind=kind, work=self._work, passage=self._passage, scene=shown)
        messages = (ChatMessage("system", rules), ChatMessage("user", task))
        request = Request(path, "evaluator", language, messages, _EVALUATION_FORM, sampling=self.wish.sampling)
        try:
            scores, reasons = await answer(ask, request, lambda text: _read_evaluation(text, shown))
        except ReplyError as error:
            return Undecided(path, attempt, error.args[0])
        mean = sum(scores.values()) / len(scores)
        return Evaluation(path, attempt, scores, reasons, mean >= self.wish.threshold)

    def _rules(self, task: str) -> ChatMessage:
        return ChatMessage("system", render(task, self.wish.language))

    @property
    def _work(self) -> str:
        mark = " — " if self.wish.language == "en" else "，"
        return mark.join(filter(None, (self.wish.work, self.wish.author)))

    @property
    def _passage(self) -> str:
        piece = self.wish.piece(self.number)
        return words(self.wish.language).crafting.no_source if piece is None else piece.text

    @property
    def _cast(self) -> dict[str, str]:
        return {"fewest": str(self.wish.fewest), "most": str(self.wish.most)}


_EVALUATION_FORM = Form(
    "scene_evaluation",
    {
        "type": "object",
        "properties": {
            _REASONS: {"type": "string"},
            **{key: {"type": "integer", "minimum": 1, "maximum": RUBRIC.scale.high} for key in RUBRIC.keys},
        },
        "required": [_REASONS, *RUBRIC.keys],
        "additionalProperties": False,
    },
)


def _read_evaluation(text: str, scene: str) -> tuple[dict[str, float], str]:
    """The scores, and the reasons for them. Raises ReplyError if one of them is missing."""
    verdict = read_all_scores(text, RUBRIC, RUBRIC.keys, scene)
    scores = {key: float(score) for key, score in verdict.items()}
    content = plain(text)
    found = [*json_objects(content)]
    told = [str(value) for one in found for key, value in one.pairs if key == _REASONS and isinstance(value, str)]
    before = content[: found[0].start] if found else ""
    reasons = (told[-1] if told else before).strip()
    if not reasons:
        raise ReplyError(Reason("no_reasons"), reply=text)
    return scores, reasons
