"""`characterbox rolebench instruct` and `build`: models write about roles; broken off, they go on where they were."""

import argparse
import json
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pydantic import ValidationError

from annotations.i18n.messages import wrong_with
from characterbox.commands.client import with_client
from characterbox.commands.database import open_store
from characterbox.commands.exits import ENDPOINT_FAILED, say
from characterbox.components.figures.tables.text import unanswered_told
from characterbox.errors import EndpointError, Interlude, RecordMismatch, RoleError, StoryError
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import REHEARSAL, Endpoint
from characterbox.rolebench.benchmark import Building, RoleBench
from characterbox.rolebench.cleaning import TOLD
from characterbox.rolebench.context_instruct import REJECTIONS, ContextInstruct, Questions
from characterbox.rolebench.folder import check_new_folder, rejected_questions, told_of, write_benchmark
from characterbox.rolebench.generation import Generation
from characterbox.rolebench.instructions import LeftOut, read_instructions
from characterbox.rolebench.running import Generated, How, begin, budgeted, look, run, wish_of
from characterbox.roles.library import open_roles
from characterbox.roles.role import Role
from characterbox.store import Store

W = TypeVar("W", bound=Generation)


def instruct(options: argparse.Namespace) -> int:
    """Have questions to roles written, and print them: what is kept, and what is rejected and why."""
    with open_store(options) as store:
        id = _begun(
            store, options, ContextInstruct, lambda roles: ContextInstruct(roles=roles, **_common(options, roles))
        )
        status = go_on(store, options, id)
        generated = look(store, id)
    for one in generated.result:
        if options.json:
            _print_questions(one)
        _tell_questions(one)
    tell_generated(generated)
    return status


def build(options: argparse.Namespace) -> int:
    """Build a benchmark, and write its folder once all is there."""
    check_new_folder(options.out)  # before anything is paid
    if (options.instructions is None) != (options.resume is not None):
        raise RoleError("--instructions: a new benchmark needs a file of them; one that goes on has its own")
    with open_store(options) as store:
        id = _begun(store, options, Building, lambda roles: _building(options, roles))
        status = go_on(store, options, id)
        generated = look(store, id)
        bench: RoleBench = generated.result
        for one in bench.questions:
            _tell_questions(one)
        for flaw, count in bench.flaws.items():
            say(f"{count:,} references to general instructions are removed: {TOLD[flaw]}")
        tell_generated(generated)
        if status == 0:
            for path, rows in write_benchmark(options.out, generated).items():
                print(f"{options.out / path}: {rows:,} rows")
    return status


def _begun(store: Store, options: argparse.Namespace, kind: type[W], wish: Callable[[tuple[Role, ...]], W]) -> str:
    """The id of a new generation, or of the one to go on with, which has to be of the kind."""
    if options.resume is None:
        if not options.roles:
            raise RoleError("ROLE: name a role or more; --resume ID goes on with what was begun")
        roles = tuple(role for one in options.roles for role in open_roles(one))
        try:
            id = begin(store, wish(roles))
        except ValidationError as error:
            fault = error.errors()[0]
            field = f"{fault['loc'][0]}: " if fault["loc"] else ""
            raise RoleError(f"{field}{wrong_with(fault)}") from None
    else:
        if options.roles:
            raise RoleError("ROLE: --resume goes on with the roles that it was begun with; leave them out")
        id = options.resume
        if not isinstance(wish_of(store, id), kind):
            raise StoryError(f"generation {id}: it is of another kind; go on with it by the command that began it")
    again = f"characterbox rolebench {options.action} --resume {id}"
    say(f"generation {id}: if it is broken off, go on with: {again}")
    return id


def _common(options: argparse.Namespace, roles: tuple[Role, ...]) -> dict[str, Any]:
    """What all wishes have in common."""
    model = Endpoint.parse(options.model or REHEARSAL)
    told = {"budget": options.budget, "seed": options.seed, "alike": options.alike}
    return {"language": roles[0].language, "model": model, **told}


def _building(options: argparse.Namespace, roles: tuple[Role, ...]) -> Building:
    common = _common(options, roles)
    instructions = read_instructions(options.instructions, roles[0].language, options.alike)
    _tell_left_out(options, instructions.left_out)
    return Building(roles=roles, instructions=instructions.kept, strategy=options.strategy, **common)


def _tell_left_out(options: argparse.Namespace, left_out: Iterable[LeftOut]) -> None:
    for one in left_out:
        why = "it is too long" if one.like is None else f"it says much the same as line {one.like}"
        say(f"{options.instructions}, line {one.place}: left out, as {why}")


def go_on(store: Store, options: argparse.Namespace, id: str) -> int:
    """Ask for all that is missing, as far as the budget goes. Gives the exit status."""
    how = How(on_mismatch=options.on_mismatch)

    async def generate(client: Client) -> None:
        await run(store, budgeted(store, client, id), id, how)

    try:
        with_client(store, generate)
    except RecordMismatch as error:
        raise StoryError(f"{error}: --on-mismatch keep or ask") from None
    except (EndpointError, Interlude) as error:
        say(f"it is not done: {error}")
        return ENDPOINT_FAILED
    return 0


def _print_questions(one: Questions) -> None:
    for part, candidates in (("train", one.kept), ("test", one.test)):
        for each in candidates:
            told = {"role": one.role.name, "task": each.task, "part": part, "type": each.type}
            triplet = {name: getattr(each.triplet, name) for name in ("question", "confidence", "rationale", "answer")}
            print(json.dumps(told | triplet, ensure_ascii=False))
    for rejected in rejected_questions(one):
        print(json.dumps(rejected, ensure_ascii=False))


def _tell_questions(one: Questions) -> None:
    """The counts of a role, to standard error; each reason with how many were rejected for it."""
    told = told_of(one)
    counts = ", ".join(f"{told[name]:,} {name}" for name in ("segments", "runs", "candidates", "train", "test"))
    say(f"{one.role.name}: {counts}")
    for reason, text in REJECTIONS.items():
        if count := one.reasons[reason]:
            say(f"{one.role.name}: {count:,} {reason}: {text}")
    for task, unread in one.unread.items():
        say(f"{one.role.name}: {task} could not be read: {unread.problem}")


def tell_generated(generated: Generated) -> None:
    known, price = f"{len(generated.known):,} of {generated.all:,} tasks are done", generated.price
    say(f"{known}; {'the price is not known' if price is None else f'{price:.4f} US dollars'}")
    if unanswered := generated.unanswered:
        say(unanswered_told(unanswered))
    if generated.wish.improvised:
        say(f"made by the rehearsal: {DEMO_NOTE}")
