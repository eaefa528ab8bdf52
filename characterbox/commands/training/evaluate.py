"""`characterbox evaluate`: see whether a training helped: base, tuned and teacher on the scenes that are held out."""

import argparse
import asyncio
import json
import signal
import time
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from annotations.exchange.markdown import markdown_of
from annotations.i18n.messages import wrong_with
from annotations.i18n.translation import say_count
from annotations.reliability.pingouin_check import take_from_pingouin
from characterbox.commands.database import open_store
from characterbox.commands.exits import ENDPOINT_FAILED, INTERRUPTED, say
from characterbox.components.figures.tables.evaluation import evaluation_tables
from characterbox.errors import TrainingError
from characterbox.judging.experiments import as_plain
from characterbox.judging.judge import Judge
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.stage.client import open_client
from characterbox.store import Store
from characterbox.sweeps.progress import Plan
from characterbox.training.evaluation.figures import figures_of
from characterbox.training.evaluation.folder import evaluate, evaluated_in, evaluation_in
from characterbox.training.evaluation.plan import EvaluationPlan, Models, plan_evaluation
from characterbox.training.evaluation.progress import EvaluationProgress, taken
from characterbox.training.evaluation.running import EvaluationRun

_MODELS = ("base", "tuned", "teacher", "characters", "narrator")
_OTHERS = ("teacher", "characters", "narrator", "seeds", "rounds", "budget")
"""Options that plan an evaluation, besides base, tuned and judges."""
_EVERY = 2.0
"""Seconds between two lines of progress."""


def run(options: argparse.Namespace) -> int:
    """Plan the evaluation, do what is missing, and print what it shows."""
    take_from_pingouin()
    with open_store(options) as store:
        plan = _plan(store, options)
        client = open_client(store, for_owner=True)
        if options.plan:
            found = taken(store, client, plan)
            print(json.dumps(as_plain(found)) if options.json else "\n".join(_told(plan, found)))
            return 0
        return _run(store, client, plan, options)


def _plan(store: Store, options: argparse.Namespace) -> EvaluationPlan:
    """The evaluation that the options describe; without any, the one that was begun in the folder."""
    if options.base is None and options.tuned is None:
        begun = evaluation_in(options.folder, store)
        if begun is None:
            raise TrainingError(
                "{folder}: no evaluation was begun here; name the models with --base and --tuned", folder=options.folder
            )
        if options.judges or any(getattr(options, name) is not None for name in _OTHERS):
            raise TrainingError(
                "evaluation: without --base and --tuned, the one that was begun goes on as it was planned; give both to"
                " plan it anew, or no other options"
            )
        return begun.plan
    if options.base is None or options.tuned is None:
        raise TrainingError("evaluation: base and tuned are compared; give both --base and --tuned")
    told = {name: value for name in ("base", "tuned", *_OTHERS) if (value := getattr(options, name)) is not None}
    given = {name: Endpoint.parse(value) if name in _MODELS else value for name, value in told.items()}
    judges = tuple(Judge.parse(text) for text in options.judges)
    try:
        models = Models(**given, judges=judges)
    except ValidationError as error:
        raise TrainingError("evaluation: {reason}", reason=wrong_with(error.errors()[0])) from None
    return plan_evaluation(store, evaluated_in(options.folder), models)


def _told(plan: EvaluationPlan, found: Plan) -> list[str]:
    """What there is of an evaluation, and what the rest would take."""
    done = found.progress
    price = "unknown" if found.price is None else f"${found.price:.2f}"
    unpriced = f" (no price for {', '.join(map(str, found.unpriced))})" if found.unpriced else ""
    seconds = "unknown" if found.seconds is None else f"{found.seconds / 60:.1f} minutes"
    counts = [f"{done.stories:,} stories, {done.played:,} of them played"] if done.stories else []
    counts += [f"{done.judgements:,} judgements, {done.made:,} of them made"] if done.judgements else []
    if isinstance(done, EvaluationProgress) and done.decisions:
        counts.append(f"{done.decisions:,} decisions, {done.decided:,} of them made")
    scenes = say_count("{count:,} held-out scene", "{count:,} held-out scenes", len(plan.scenes))
    lines = [
        f"evaluation of {plan.name} ({plan.kind}) on {scenes}: {'; '.join(counts)}",
        f"missing: about {found.calls:,} calls, {found.prompt_tokens:,} tokens in, {found.completion_tokens:,} out",
        f"price: {price}{unpriced}; spent so far: ${done.spent:.4f}; time: {seconds}",
    ]
    return [*lines, DEMO_NOTE] if plan.demo else lines


def _run(store: Store, client: Client, plan: EvaluationPlan, options: argparse.Namespace) -> int:
    running = EvaluationRun(store, client, plan, _teller())
    try:
        progress = asyncio.run(_perform(store, running, client, options.folder))
    except (KeyboardInterrupt, asyncio.CancelledError):
        say("interrupted; run the same command again to continue")
        return INTERRUPTED
    say(_in_words(progress))
    for failure in running.failures:
        say(f"failed: {failure.what}: {failure.reason}")
    figures = figures_of(store, plan)
    if options.json:
        print(json.dumps(figures.as_json(), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        print("\n".join(markdown_of(table, DEMO_NOTE) for table in evaluation_tables(figures)), end="")
    if not progress.done:
        why = "" if running.reason is None else f": {running.reason}"
        say(f"not all of it is done{why}; the same command goes on with what is missing")
        return ENDPOINT_FAILED
    if progress.unread:
        say(f"{progress.unread:,} judgements have scores missing; characterbox judge --anew asks for them again")
        return ENDPOINT_FAILED
    return 0


def _teller() -> Callable[[EvaluationProgress], None]:
    """Says how far it is, every few seconds."""
    told = time.monotonic()

    def on_change(progress: EvaluationProgress) -> None:
        nonlocal told
        if time.monotonic() - told >= _EVERY:
            told = time.monotonic()
            say(_in_words(progress))

    return on_change


async def _perform(store: Store, run: EvaluationRun, client: Client, folder: Path) -> EvaluationProgress:
    """Run it; SIGTERM cancels it. The client is closed with it."""
    running = asyncio.ensure_future(evaluate(store, run, folder, "command line"))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)
    try:
        return await running
    finally:
        await client.close()


def _in_words(progress: EvaluationProgress) -> str:
    """How far it is, in a line."""
    failed = f", {progress.failed} failed" if progress.failed else ""
    return (
        f"{progress.played} of {progress.stories} stories played, {progress.judged} of {progress.judgements} judged,"
        f" {progress.decided} of {progress.decisions} decided{failed}; {progress.calls:,} calls, ${progress.spent:.4f}"
    )
