"""`characterbox experiment`: see what changes when a judge judges in another way."""

import argparse
import json
from collections.abc import Sequence

from annotations.i18n.messages import Readable
from annotations.reliability.pingouin_check import take_from_pingouin
from characterbox.commands.client import with_client
from characterbox.commands.database import open_store
from characterbox.commands.exits import say
from characterbox.commands.judge import judge_of
from characterbox.errors import RecordMismatch, StoryError
from characterbox.judging.experiments import (
    Trial,
    as_json,
    as_text,
    experiment,
    findings,
    planned,
    usual_variations,
    variations,
)
from characterbox.judging.judge import registered


def run(options: argparse.Namespace) -> int:
    """Tell what is to be asked, have it asked, and print what changed."""
    take_from_pingouin()
    judge = judge_of(options)
    names = options.tried.split(",") if options.tried else usual_variations(judge.protocol)
    tried = variations(judge, [name.strip() for name in names], options.repeats)
    with open_store(options) as store:
        stories = [store.stories.story(id) for id in dict.fromkeys(options.stories)]
        judge = registered(store, judge)
        tried = [one.model_copy(update={"version": judge.version}) for one in tried]
        trials = planned(store, stories, judge, tried)
        if options.plan:
            print("\n".join(_plan(trials)))
            return 0
        for line in _plan(trials):
            say(line)
        try:
            with_client(store, lambda client: experiment(store, client, trials, anew=options.anew))
        except RecordMismatch as error:
            raise StoryError(
                "judge {judge}: {error}; use --anew to judge again", judge=judge.called, error=error
            ) from None
        found = findings(store, judge.rater, [story.id for story in stories])
    if options.json:
        print(json.dumps(as_json(found), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        print(as_text(found))
    return 0


def _plan(trials: Sequence[Trial]) -> list[str]:
    """How many replies each way of judging takes, and all together."""
    calls: dict[Readable, int] = {}
    for trial in trials:
        calls[trial.judge.called] = calls.get(trial.judge.called, 0) + trial.calls
    stories = len({trial.story.id for trial in trials})
    on = f"{stories:,} {'story' if stories == 1 else 'stories'}"
    whole = f"{sum(calls.values()):,} replies to be asked for on {on}, besides those recorded"
    return [whole, *(f"{judge}: {number:,}" for judge, number in calls.items())]
