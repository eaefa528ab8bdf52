"""`characterbox sweep`: play and judge scenes with models, all with all, and write the paper's tables of it."""

import argparse
import asyncio
import signal
import sys
import time

from annotations.rubrics.rubric import RESERVED
from characterbox.commands.database import open_store
from characterbox.commands.exits import DIFFERENT, ENDPOINT_FAILED, INTERRUPTED, say
from characterbox.components.settings_text import played_with
from characterbox.errors import StoryError
from characterbox.judging.leaderboard import Board, whose_scores
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import label_of
from characterbox.scenes.library import brought_along
from characterbox.stage.client import open_client
from characterbox.store import Store
from characterbox.store.sweeps import Task
from characterbox.sweeps.contents import boards
from characterbox.sweeps.file import read_sweep
from characterbox.sweeps.folder import check_free, check_sweep, differences, write_folder
from characterbox.sweeps.preset import preset_file
from characterbox.sweeps.progress import Plan, Progress, failures_of, plan
from characterbox.sweeps.running import Run
from characterbox.sweeps.sweep import Sweep, cells_of

_EVERY = 2.0
"""Seconds between two lines of progress."""


def run(options: argparse.Namespace) -> int:
    """Plan the sweep, run what is missing, and write its folder; or print the file of a preset."""
    if options.preset is not None:
        if options.file is not None:
            raise StoryError("sweep: --preset prints a sweep file of its own; omit SWEEP.toml")
        print(preset_file(options.preset), end="")
        return 0
    if options.file is None:
        raise StoryError("sweep: SWEEP.toml is missing; give a file, or print one with --preset paper")
    file = read_sweep(options.file, options.encoding)
    _check_folders(options)
    with open_store(options) as store:
        for repair in file.repairs:
            say(f"repaired: {repair}")
        client = open_client(store, for_owner=True, prices=file.cast.prices)
        tell_plan(file.sweep, plan(store, client, file.sweep))
        if options.plan:
            return 0
        store.scenes.add(brought_along(file.sweep.scenes))
        return _run(store, client, file.sweep, options)


def _check_folders(options: argparse.Namespace) -> None:
    """Before anything is asked, and paid for."""
    if options.out is not None:
        check_free(options.out)
    if options.against is not None:
        if options.out is None:
            raise StoryError("--against compares the folder of --out with another folder; give --out too")
        if options.against.resolve() == options.out.resolve():
            raise StoryError(f"{options.out}: --against is to be another folder than --out")
        check_sweep(options.against)


def _run(store: Store, client: Client, sweep: Sweep, options: argparse.Namespace) -> int:
    cells = [*cells_of(sweep)]
    only = frozenset(one.task for one in failures_of(store, sweep, cells)) if options.failed else None
    try:
        progress = asyncio.run(perform(store, client, sweep, only))
    except (KeyboardInterrupt, asyncio.CancelledError):
        say("interrupted; run the same command again to continue")
        return INTERRUPTED
    say(in_words(progress))
    for failure in failures_of(store, sweep, cells):
        say(f"failed: {failure.task}: {failure.reason}")
    for board in boards(store, sweep):
        print(_stands(board))
    if (unread := sum(store.sweeps.degraded([cell.id for cell in cells]).values())) > 0:
        say(f"{unread:,} events stand for replies that could not be read; stories.csv tells in which stories")
    if not progress.done:
        heading = store.sweeps.find(sweep.name)
        why, ways = "", "the same command goes on with what is missing"
        if heading is not None and heading.reason is not None:
            why, ways = f": {heading.reason}", "with another budget, or none, it goes on"
        say(f"not all of it is done{why}; {ways}")
        return ENDPOINT_FAILED
    if options.out is not None:
        write_folder(store, sweep, options.out)
        print(f"{options.out}: written")
    if options.against is not None and not _compare(options):
        return DIFFERENT
    if progress.unread:
        say(f"{progress.unread:,} judgements have scores missing; the same command with --failed asks for them again")
        return ENDPOINT_FAILED
    return 0


def _stands(board: Board) -> str:
    """One line: the models on average, the best first."""
    models = []
    for one in board.of(RESERVED).values():
        limits = "no interval" if one.low is None or one.high is None else f"{one.low:.2f} to {one.high:.2f}"
        mark = f", {DEMO_NOTE}" if one.model in board.improvised else ""
        models.append(f"{one.rank} {one.model} {one.mean:.2f} [{limits}; n={one.scenes} scenes{mark}]")
    return f"{board.wanted.language}, {whose_scores(board)}: {'; '.join(models)}"


def _compare(options: argparse.Namespace) -> bool:
    """Whether both folders are the same."""
    found = [*differences(options.against, options.out)]
    for difference in found:
        print(f"differs: {difference}")
    print(f"{options.out}: {'the same as' if not found else f'{len(found)} differences from'} {options.against}")
    return not found


async def perform(store: Store, client: Client, sweep: Sweep, only: frozenset[Task] | None = None) -> Progress:
    """Run a sweep, and say every few seconds how far it is; SIGTERM cancels it. The client is closed with it."""
    told = time.monotonic()

    def on_change(progress: Progress) -> None:
        nonlocal told
        if time.monotonic() - told >= _EVERY:
            told = time.monotonic()
            say(in_words(progress))

    running = asyncio.ensure_future(Run(store, client, sweep, on_change=on_change, only=only).run())
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)
    try:
        return await running
    finally:
        await client.close()


def in_words(progress: Progress) -> str:
    """How far a sweep is, in a line."""
    failed = f", {progress.failed} failed" if progress.failed else ""
    return (
        f"{progress.played} of {progress.stories} stories played, {progress.judged} of {progress.judgements} judged"
        f"{failed}; {progress.calls:,} calls, ${progress.spent:.4f}"
    )


def tell_plan(sweep: Sweep, found: Plan) -> None:
    """Print what there is of a sweep, and what the rest would take."""
    done = found.progress
    price = "unknown" if found.price is None else f"${found.price:.2f}"
    unpriced = f" (no price for {', '.join(map(str, found.unpriced))})" if found.unpriced else ""
    seconds = "unknown" if found.seconds is None else f"{found.seconds / 60:.1f} minutes"
    lines = [
        f"sweep {sweep.name}: {done.stories:,} stories, {done.played:,} of them played;"
        f" {done.judgements:,} judgements, {done.made:,} of them made",
        f"missing: about {found.calls:,} calls, {found.prompt_tokens:,} tokens in, {found.completion_tokens:,} out",
        f"settings: {'; '.join(played_with(sweep.settings, {}, label_of(sweep.memory)))}",
        f"price: {price}{unpriced}; spent so far: ${done.spent:.4f}; time: {seconds}",
    ]
    lines += [f"one character, nobody reacts: {scene.id}" for scene in sweep.scenes if len(scene.cast) == 1]
    if sweep.improvised:
        lines.append(f"the rehearsal plays or judges in it: {DEMO_NOTE}")
    print("\n".join(lines), file=sys.stdout, flush=True)
