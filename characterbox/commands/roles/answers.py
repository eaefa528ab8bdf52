"""`characterbox rolebench answer`, `experiment` and `dataset`: models answer a benchmark."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from annotations.errors import Undefined
from annotations.i18n.messages import wrong_with
from annotations.resampling.estimates import Estimate
from characterbox.atomic_file import check_new
from characterbox.commands.client import with_client
from characterbox.commands.database import open_store
from characterbox.commands.exits import ENDPOINT_FAILED, say
from characterbox.commands.roles.generating import go_on, tell_generated
from characterbox.commands.training.dataset import as_text
from characterbox.errors import RecordMismatch, RoleError, StoryError
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import REHEARSAL, Endpoint
from characterbox.rolebench.answers.answering import PROMPT_OF, Answering, Answers
from characterbox.rolebench.answers.datasets import RoleExamples, Teaching
from characterbox.rolebench.answers.experiments import (
    Planned,
    begun,
    conditions_of,
    found_in,
    models_by_name,
    plan,
    resumed,
    run_all,
    wishes_of,
)
from characterbox.rolebench.answers.questions import Choice, read_questions
from characterbox.rolebench.answers.scores import Scores, scores_of, write_predictions
from characterbox.rolebench.answers.standings import COLUMNS, MEAN, Rouge, above, rouge_of
from characterbox.rolebench.benchmark import SAMPLING
from characterbox.rolebench.running import Generated, How, begin, look, wish_of
from characterbox.rolebench.scoring import ROLE_ANSWERS, Part
from characterbox.roles.library import open_roles
from characterbox.roles.role import Role
from characterbox.store import Store
from characterbox.training.datasets.recipe import RoleRecipe
from characterbox.training.datasets.writing import write_role_dataset

W = TypeVar("W")


def answer(options: argparse.Namespace) -> int:
    """Have all questions answered, and print the scores."""
    if options.out is not None:
        check_new(options.out)  # before anything is paid
    with open_store(options) as store:
        id = _begun(store, options)
        status = go_on(store, options, id)
        generated = look(store, id)
        tell_generated(generated)
        scores = _scores(options, generated)
        if options.json:
            print(json.dumps({"generation": id, **_as_json(generated, scores)}, ensure_ascii=False, allow_nan=False))
        else:
            print("\n".join(f"{name}: {_cell(one)}" for name, one in rouge_of(scores).items()))
        if options.out is not None and status == 0:
            for file, rows in write_predictions(options.out, generated.result).items():
                say(f"{file}: {rows:,} rows")
    return status


def _begun(store: Store, options: argparse.Namespace) -> str:
    """The id of a new generation, or of the one to go on with."""
    if options.resume is None:
        strategy = PROMPT_OF[options.customisation] if options.customisation else options.strategy
        model = Endpoint.parse(options.model or REHEARSAL)
        id = begin(store, _wish(lambda common: Answering(**common, model=model, strategy=strategy), options))
    else:
        _check_resumed(options)
        id = options.resume
        wish = wish_of(store, id)
        if not isinstance(wish, Answering):
            raise StoryError(f"generation {id}: it is of another kind; go on with it by the command that began it")
        if wish.batch is not None:
            raise StoryError(
                f"generation {id}: it is a condition of an experiment, whose budget it shares; go on with:"
                f" characterbox rolebench experiment --resume {wish.batch}"
            )
    say(f"generation {id}: if it is broken off, go on with: characterbox rolebench answer --resume {id}")
    return id


def experiment(options: argparse.Namespace) -> int:
    """Tell what is planned and what it costs, run it when that is agreed to, and print what the conditions come to."""
    with open_store(options) as store:
        wishes = _conditions(store, options)

        async def planned(client: Client) -> list[Planned]:
            return await asyncio.to_thread(plan, store, client, wishes)

        rows = with_client(store, planned)
        _tell_plan(rows, wishes[0])
        if wishes[0].budget is not None and (unpriced := {str(row.model) for row in rows if row.price is None}):
            models = ", ".join(sorted(unpriced))
            raise RoleError(f"a budget needs prices, but there is no price for {models}; add prices, or no --budget")
        if any(row.calls for row in rows) and not _agreed(options):
            say("nothing was asked")
            return 0
        ids = begun(store, wishes)
        batch = wishes[0].batch
        say(f"experiment {batch}: if it is broken off, give the command again, or: --resume {batch}")
        how = How(on_mismatch=options.on_mismatch)
        try:
            failures = with_client(store, lambda client: run_all(store, client, ids, how))
        except RecordMismatch as error:
            raise StoryError(f"{error}: --on-mismatch keep or ask") from None
        for name, why in failures:
            say(f"{name} is not done: {why}")
        found = found_in(store, ids)
    _print_experiment(options, found)
    return ENDPOINT_FAILED if failures else 0


def _conditions(store: Store, options: argparse.Namespace) -> list[Answering]:
    """What is wished for in each condition of a new experiment, or of the one to go on with."""
    if options.resume is not None:
        _check_resumed(options)
        if options.of is not None or options.model:
            raise RoleError("--resume goes on with the models that it was begun with; leave out all but its id")
        wishes = resumed(store, options.resume)
        if options.budget is None:
            return wishes
        return [_checked(one, options.budget) for one in wishes]
    if options.of is None:
        raise RoleError("EXPERIMENT: name one (strategy, customisation or mix), or go on with --resume ID")
    conditions = conditions_of(options.of, models_by_name(options.model or [REHEARSAL]))
    return _wish(lambda common: wishes_of(options.of, conditions, common), options)


def _checked(wish: Answering, budget: float) -> Answering:
    return _valid(lambda: Answering.model_validate(wish.model_dump() | {"budget": budget}))


def _check_resumed(options: argparse.Namespace) -> None:
    if options.folder is not None or options.roles or options.temperature is not None:
        raise RoleError("--resume goes on with the questions, roles and temperature of its beginning; leave them out")


def _wish(wish: Callable[[dict[str, Any]], W], options: argparse.Namespace) -> W:
    """What `wish` makes of all that conditions have in common."""
    if options.folder is None or not options.roles:
        raise RoleError("FOLDER and --roles: name the benchmark and the roles that answer; --resume ID goes on")
    choice = Choice(options.name, options.limit, options.seed, options.plain)
    found = read_questions(options.folder, _roles(options), choice)
    for name, count in found.others.items():
        say(f"{options.folder}: {count:,} questions to {name} are left out, who is none of the roles")
    for name in found.silent:
        say(f"{options.folder}: it has no question to {name}, who is left out")
    if (place := found.questions.place) is not None and place.doubtful:
        most = f"no row has more than the {ROLE_ANSWERS} texts that a role gives"
        say(f"{options.folder}: the first text of a row is taken for the plain answer, though {most}; see --plain none")
    common: dict[str, Any] = {"roles": found.roles, "questions": found.questions, "language": found.roles[0].language}
    common |= {"budget": options.budget, "seed": options.seed}
    if options.temperature is not None:
        common["sampling"] = SAMPLING.model_dump() | {"temperature": options.temperature}
    return _valid(lambda: wish(common))


def _valid(wish: Callable[[], W]) -> W:
    try:
        return wish()
    except ValidationError as error:
        fault = error.errors()[0]
        field = f"{fault['loc'][0]}: " if fault["loc"] else ""
        raise RoleError(f"{field}{wrong_with(fault)}") from None


def _roles(options: argparse.Namespace) -> tuple[Role, ...]:
    roles = tuple(role for one in options.roles for role in open_roles(one))
    if len({role.language for role in roles}) > 1:
        raise RoleError("--roles: they are of two languages; give those of one")
    return roles


def _tell_plan(rows: Sequence[Planned], wish: Answering) -> None:
    """What there is to be asked, before it is."""
    general, specific = (wish.questions.count(kind) for kind in ("general", "specific"))
    drawn = f"{len(wish.questions.questions):,} of {wish.questions.available:,}"
    roles = ", ".join(role.name for role in wish.roles[:5]) + (", …" if len(wish.roles) > 5 else "")
    say(f"{wish.questions.benchmark}: {drawn} questions ({general:,} general, {specific:,} about roles) to {roles}")
    for row in rows:
        cost = f"about {row.prompt_tokens:,} tokens in, {row.completion_tokens:,} out, {_dollars(row.price)}"
        say(f"{row.condition}: {row.model}: {row.questions:,} questions, {row.calls:,} calls to be made, {cost}")
    prices = [row.price for row in rows if row.price is not None]
    whole = _dollars(sum(prices) if len(prices) == len(rows) else None)
    budget = "" if wish.budget is None else f"; the budget is {_dollars(wish.budget)}"
    say(f"all together: {sum(row.calls for row in rows):,} calls, {whole}{budget}")


def _dollars(price: float | None) -> str:
    return "at an unknown price" if price is None else f"{price:.4f} US dollars"


def _agreed(options: argparse.Namespace) -> bool:
    """Whether somebody wants it run. Raises RoleError where there is nobody to ask."""
    if options.yes:
        return True
    if not sys.stdin.isatty():
        raise RoleError("nobody is here to agree to this; give --yes to run it")
    print("Run this? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _scores(options: argparse.Namespace, generated: Generated) -> Scores:
    wish, answers = generated.wish, generated.result
    if not isinstance(wish, Answering) or not isinstance(answers, Answers):
        raise TypeError("answers are of Answering")
    if answers.cut_off:
        say(f"{answers.cut_off:,} answers did not come to their end; they count as they are")
    for name, unread in answers.unread.items():
        say(f"{name} could not be read and is not scored: {unread.problem}")
    return scores_of(wish, answers, options.policy, processes=os.cpu_count() or 1)


def _print_experiment(options: argparse.Namespace, found: Mapping[str, Generated]) -> None:
    scores = {name: _scores(options, one) for name, one in found.items()}
    first = next(iter(scores.values()))
    gaps = {name: above(first, one) for name, one in scores.items()}
    if options.json:
        told = [
            {"condition": name, **_as_json(one, scores[name]), "above_first": _estimates(gaps[name])}
            for name, one in found.items()
        ]
        print(json.dumps(told, ensure_ascii=False, indent=1, allow_nan=False))
    else:
        print("\n".join(_table("Rouge-L, with 95 % intervals", {n: rouge_of(one) for n, one in scores.items()})))
        others = {name: gap for name, gap in gaps.items() if name != next(iter(gaps))}
        print("\n".join(["", *_table(f"above {next(iter(gaps))}, on the same questions", others)]))
    if any(one.wish.improvised for one in found.values()):
        say(f"answered by the rehearsal: {DEMO_NOTE}")


def _table(title: str, rows: Mapping[str, Rouge]) -> Iterator[str]:
    """A table as text."""
    cells = [[title, *(part.upper() for part in COLUMNS), MEAN]]
    cells += [[name, *(_cell(one) for one in figures.values())] for name, figures in rows.items()]
    widths = [max(len(row[at]) for row in cells) for at in range(len(cells[0]))]
    for row in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _cell(one: Estimate | Undefined | None) -> str:
    if one is None or isinstance(one, Undefined):
        return "-"
    limits = one.interval
    between = "no interval" if isinstance(limits, Undefined) else f"{limits.low:.4f} to {limits.high:.4f}"
    return f"{one.estimate:.4f} [{between}; n={one.n:,}]"


def _estimates(figures: Rouge) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for name, one in figures.items():
        if one is None or isinstance(one, Undefined):
            told[name] = None
            continue
        limits = one.interval
        low, high = (None, None) if isinstance(limits, Undefined) else (limits.low, limits.high)
        told[name] = {"rougeL": one.estimate, "low": low, "high": high, "n": one.n}
    return told


def _as_json(generated: Generated, scores: Scores) -> dict[str, Any]:
    """The scores with all that they rest on."""
    wish, answers = generated.wish, generated.result
    parts = {part: one for part in get_args(Part) if (one := scores.parts.get(part)) is not None}
    return {
        "model": str(wish.model),
        "strategy": wish.strategy if isinstance(wish, Answering) else None,
        "no_language_model": wish.improvised,
        "answers": len(answers.given),
        "unread": len(answers.unread),
        "waiting": answers.waiting,
        "cut_off": answers.cut_off,
        "price": generated.price,
        "scores": _estimates(rouge_of(scores)),
        "references": {part: one.references for part, one in parts.items()},
        "missing": {part: one.missing for part, one in parts.items()},
        "tokenizer": next((one.tokenizer for one in parts.values()), None),
    }


def dataset(options: argparse.Namespace) -> int:
    """Write a dataset of roles, and tell what is in it."""
    teaching = Teaching(options.mix, options.customisation, options.plain)
    examples = RoleExamples(options.folder, _roles(options), teaching)
    source = f"{options.folder.resolve().name}: {teaching.told}"
    report = write_role_dataset(options.out, examples, RoleRecipe(source=source))
    print("\n".join(as_text(report)))
    for name, count in examples.others.items():
        say(f"{options.folder}: {count:,} rows of {name} are left out, who is none of the roles")
    if examples.blank:
        say(f"{options.folder}: {examples.blank:,} answers without text are left out")
    return 0


ACTIONS = {"answer": answer, "experiment": experiment, "dataset": dataset}
