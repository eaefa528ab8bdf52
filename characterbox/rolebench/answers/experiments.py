"""Experiments on how roles are put on: conditions that answer the same questions, planned, priced and run as a batch.

- strategy: one model by zsp, fsp and fsd (RoleLLM, table 7).
- customisation: one or two models, by system instruction and with retrieved rounds (table 8).
- mix: three models, trained on general data, on role-specific data, and on both (table 10).

Each condition is a generation of its own; the same experiment, planned once more, is found again by what is asked.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from annotations.i18n.messages import Message, cited, listed
from characterbox.errors import EndpointError, Interlude, RoleError, StoryError
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.usage import estimate
from characterbox.rolebench.answers.answering import PROMPT_OF, Answering, Trial
from characterbox.rolebench.running import Generated, How, batch_of, begin, budgeted, look, run, wish_of
from characterbox.roles.prompting import STRATEGIES, Strategy
from characterbox.stage.forecast import reply_tokens
from characterbox.store import Store

Experiment = Literal["strategy", "customisation", "mix"]
EXPERIMENTS: tuple[Experiment, ...] = get_args(Experiment)
MIXES = ("general", "specific", "both")
"""What the models of the third experiment were trained on, by the names that they are given."""
_DIGITS = 12


class Condition(NamedTuple):
    """One of the manners that are compared."""

    name: str
    model: Endpoint
    strategy: Strategy


@dataclass(frozen=True, slots=True)
class Planned:
    """What a condition will take."""

    condition: str
    model: Endpoint
    questions: int
    calls: int
    """Those that are still to be made."""
    prompt_tokens: int
    completion_tokens: int
    """Roughly: as many as replies of the model usually have."""
    price: float | None
    """US dollars; None where the price of the model is not known."""


def conditions_of(of: Experiment, models: Mapping[str, Endpoint], trained: Strategy = "zsp") -> list[Condition]:
    """The conditions of an experiment with models by the names that people gave them; `trained` is how the models of
    `mix` are put on. Raises RoleError for too many, too few or other models than it needs."""
    if of == "strategy":
        if len(models) != 1:
            raise RoleError("experiment strategy: it needs one model; give --model once")
        return [Condition(one, model, one) for model in models.values() for one in STRATEGIES]
    if of == "customisation":
        if not 1 <= len(models) <= 2:
            raise RoleError("experiment customisation: it needs one or two models; give --model once or twice")
        each = [(name, model, *one) for name, model in models.items() for one in PROMPT_OF.items()]
        return [Condition(f"{name}, {way}", model, strategy) for name, model, way, strategy in each]
    if {*models} != {*MIXES}:
        raise RoleError(
            "experiment mix: it needs three models, by what they were trained on; give --model general=URL#MODEL,"
            " --model specific=URL#MODEL and --model both=URL#MODEL"
        )
    return [Condition(name, models[name], trained) for name in MIXES]


def wishes_of(of: Experiment, conditions: Sequence[Condition], common: Mapping[str, Any]) -> list[Answering]:
    """What is wished for in each condition; `common` are the other fields of all. The batch is known by all of it but
    the budget, so that the same experiment has the same."""
    names = tuple(one.name for one in conditions)
    wishes = [
        Answering(
            **common,
            model=one.model,
            strategy=one.strategy,
            trial=Trial(of=of, condition=one.name, conditions=names),
        )
        for one in conditions
    ]
    told = [one.model_dump(mode="json", exclude={"budget"}) for one in wishes]
    batch = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:_DIGITS]
    return [one.model_copy(update={"batch": batch}) for one in wishes]


def begun(store: Store, wishes: Sequence[Answering]) -> dict[str, str]:
    """The generation of each condition, by its name: those that there are, with the budget that is wished for now, and
    new ones for the rest. Raises PlayedElsewhere where another process is at one whose budget would change."""
    there = _there(store, wishes[0].batch or "")
    found = {}
    for wish in wishes:
        if wish.trial is None:
            raise TypeError("a wish of an experiment has its trial")
        name = wish.trial.condition
        found[name] = there.get(name) or begin(store, wish)
        if wish_of(store, found[name]).budget != wish.budget:
            with store.craftings.claimed(found[name]) as claimed:
                claimed.wish_for(wish.model_dump(mode="json"))
    return found


def resumed(store: Store, batch: str) -> list[Answering]:
    """What was wished for in each condition of an experiment. Raises StoryError where there is none with this id, or
    not all of it was stored when it began."""
    there = _there(store, batch)
    wishes = [wish for id in there.values() if isinstance(wish := wish_of(store, id), Answering)]
    trials = [wish.trial for wish in wishes if wish.trial is not None]
    if not trials:
        raise StoryError("there is no experiment {id}", id=cited(batch))
    if absent := [name for name in trials[0].conditions if name not in there]:
        raise StoryError(
            "experiment {id}: it was broken off before all of it was stored ({names} is missing); give the whole"
            " command again",
            id=batch,
            names=listed(map(cited, absent)),
        )
    order = trials[0].conditions
    return sorted(wishes, key=lambda wish: order.index(wish.trial.condition) if wish.trial else 0)


def _there(store: Store, batch: str) -> dict[str, str]:
    """The generations of an experiment by their conditions; of two of a condition the older one."""
    found: dict[str, str] = {}
    for one in batch_of(store, batch):
        found.setdefault(str((one.content.get("trial") or {}).get("condition")), one.id)
    return found


def plan(store: Store, client: Client, wishes: Sequence[Answering]) -> list[Planned]:
    """What each condition will still take. Not on an event loop."""
    there = _there(store, wishes[0].batch or "")
    return [_planned(store, client, wish, there) for wish in wishes]


def _planned(store: Store, client: Client, wish: Answering, there: Mapping[str, str]) -> Planned:
    name = wish.trial.condition if wish.trial else ""
    known = look(store, there[name]).known if name in there else {}
    prompts = [estimate(messages()) for task, messages in wish.asked() if task not in known]
    reply = min(reply_tokens(store.stories.usual(wish.model)), wish.sampling.max_tokens or float("inf"))
    tokens = sum(prompts), round(len(prompts) * reply)
    price = client.price(wish.model, *tokens)
    return Planned(name, wish.model, len(wish.questions.questions), len(prompts), *tokens, price)


async def run_all(
    store: Store, client: Client, ids: Mapping[str, str], how: How | None = None
) -> list[tuple[str, EndpointError | Interlude]]:
    """Go on with all conditions, one after the other, and give those that did not come to their end, with the reason.

    What fails in one stops no other. Raises RecordMismatch and StoryError as `run` does.
    """
    failures: list[tuple[str, EndpointError | Interlude]] = []
    for name, id in ids.items():
        try:
            await run(store, budgeted(store, client, id), id, how)
        except (EndpointError, Interlude) as error:
            failures.append((name, error))
    return failures


def found_in(store: Store, ids: Mapping[str, str]) -> dict[str, Generated]:
    """Each condition as it stands. Not on an event loop."""
    return {name: look(store, id) for name, id in ids.items()}


def named_model(text: str) -> tuple[str, Endpoint]:
    """A model as people name it for an experiment: `NAME=URL#MODEL`, or `URL#MODEL`, whose name is that of the model.

    Raises AddressError for an endpoint that is none.
    """
    name, equals, address = text.partition("=")
    if equals and not {*"/:#"} & {*name}:
        return name.strip(), Endpoint.parse(address)
    model = Endpoint.parse(text)
    return model.label, model


def models_by_name(texts: Sequence[str]) -> dict[str, Endpoint]:
    """All of them. Raises RoleError where two have one name, or a name is blank."""
    found: dict[str, Endpoint] = {}
    for name, model in map(named_model, texts):
        if not name or name in found:
            why = Message("it is blank") if not name else Message("two models have it")
            raise RoleError("--model: name {name!r}: {why}; give NAME=URL#MODEL", name=cited(name), why=why)
        found[name] = model
    return found
