"""`make bench`: the figures of the engine and of rating, each from this run, against a server in another process.

    python -m bench [ROW ...]

Rows: depth, one, calls, many, crowd, cpu, prompts, story, recalled, letters, meaning, rounds, size, memory, kills,
faults, misses, paraphrases; clicks, laden, looked, hostile, turns; figures, again; start, chat, hanna; board, filter,
first; events, tokens, scrub, behind, open, paint; split, copied; examples, flat; spoken, found,
rouge. All of them take some fifty
minutes on two cores.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass

from bench import figures, leaderboard, role_answers, role_turns, training_datasets
from bench.command_start import started, statistics_of
from bench.concurrent_raters import slowest_in_twenty
from bench.dashboard_viewer import looked_at
from bench.first_paint import slowest_page
from bench.hostile_viewer import attacked
from bench.live_latency import lags
from bench.next_item_latency import slowest_turn_in_twenty
from bench.passages import slowest_search, slowest_splitting
from bench.playback_latency import slowest_first_click_in_twenty, slowest_opening_in_twenty, slowest_scrub_in_twenty
from bench.recall import milliseconds
from bench.story import touch_always
from bench.validity_dashboard import every_figure_in, second_look

STORED = 150_000
"""Ratings, besides those that are given while it is measured."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    told: str
    before: str
    """What the authors' own simulator takes."""
    limit: float
    measure: Callable[[], float]
    unit: str = ""


ROWS = {
    "depth": Row("sequential depth of 3 rounds, 4 characters, all influenced", "153", 64, figures.story_depth, "calls"),
    "one": Row("wall time / (depth x latency), one story, 200 ms", "1.09", 1.05, figures.one_story),
    "calls": Row("calls per own turn of a character, 4 characters", "19", 8, figures.calls_per_turn),
    "many": Row("64 stories at once, 1 s: wall / that of one story", "64", 1.10, lambda: figures.crowd(64, 1.0)),
    "crowd": Row("200 stories at once, 2 s: wall / that of one story", "200", 1.15, lambda: figures.crowd(200, 2.0)),
    "cpu": Row("our CPU per call, all in, 32 stories at once", "-", 5.0, figures.cpu_per_call, "ms"),
    "prompts": Row("prompt tokens per own turn not covered by a prefix", "7,000", 1500, figures.new_tokens_per_turn),
    "story": Row("prompt tokens of the story of 3 rounds, 4 characters", "92", 170, figures.story_tokens, "thousand"),
    "recalled": Row(
        "requests of rounds 2, 3 with nothing recalled", "-", 0, figures.requests_without_memories, "calls"
    ),
    "letters": Row(
        "recall from 10,000 memories, once a round: by wording",
        "-",
        40,
        lambda: milliseconds(by_meaning=False),
        "ms",
    ),
    "meaning": Row("the same by vectors of 1,024 numbers", "-", 40, lambda: milliseconds(by_meaning=True), "ms"),
    "rounds": Row("cost per round of 30 rounds / of 3 rounds", "-", 1.3, figures.long_story),
    "size": Row("database size of a story of 3 rounds, 4 characters", "535", 300, figures.story_size, "KB"),
    "memory": Row("memory of the process after 500 stories / after 100", "-", 1.05, figures.memory_growth),
    "kills": Row("kill -9 at 100 moments: lost, asked again, misplaced", "all", 0, figures.kills, "replies"),
    "faults": Row("faults x calls: crashes and silent defaults", "all", 0, figures.faults, "cases"),
    "clicks": Row("50 raters, no ratings yet: 95 % acknowledged in", "-", 50, lambda: slowest_in_twenty(0), "ms"),
    "laden": Row("the same with 150,000 ratings stored", "-", 50, lambda: slowest_in_twenty(STORED), "ms"),
    "looked": Row(
        "the same while the figures are computed", "-", 50, lambda: slowest_in_twenty(STORED, looked_at), "ms"
    ),
    "hostile": Row(
        "the same while a viewer does his worst", "-", 100, lambda: slowest_in_twenty(STORED, attacked), "ms"
    ),
    "turns": Row(
        "Enter to the next item, 150,000 stored: 95 % in", "-", 0.5, lambda: slowest_turn_in_twenty(STORED), "s"
    ),
    "figures": Row("every figure of 50,688 ratings, with intervals", "-", 5, every_figure_in, "s"),
    "again": Row("a second look at a view of them, in the browser", "-", 0.5, second_look, "s"),
    "start": Row("start of a command that does next to nothing", "-", 0.6, started, "s"),
    "chat": Row("stats of 4,320 ratings (topical-chat)", "-", 1, lambda: statistics_of("topical-chat.csv"), "s"),
    "hanna": Row("stats of 50,688 ratings (hanna)", "-", 2, lambda: statistics_of("hanna.csv"), "s"),
    "board": Row(
        "leaderboard of 10,000 trajectories x 2 judges: 95 % in", "-", 1, leaderboard.slowest_opening_in_twenty, "s"
    ),
    "filter": Row("another language of it, in the browser: 95 %", "-", 0.3, leaderboard.slowest_change_in_twenty, "s"),
    "first": Row("the first time it opens in a process", "-", 1.5, leaderboard.first_opening, "s"),
    "events": Row(
        "end of a reply to its step in pixels, 30 watchers: 95 % in", "-", 150, lambda: lags(10, 30).event, "ms"
    ),
    "tokens": Row("the same of a token, 10 stories at once: 95 % in", "-", 100, lambda: lags(10, 30).token, "ms"),
    "scrub": Row("to any step of 30 rounds, in the browser: 95 % in", "-", 50, slowest_scrub_in_twenty, "ms"),
    "behind": Row(
        "first click on a step of 30 rounds to its reply: 95 % in", "-", 0.2, slowest_first_click_in_twenty, "s"
    ),
    "open": Row("to open one of 5,000 stories: 95 % in", "-", 1, slowest_opening_in_twenty, "s"),
    "paint": Row("any page of a new database to its first paint: 95 % in", "-", 1, slowest_page, "s"),
    "split": Row("a novel of 3 MB into passages, English or Chinese", "-", 2, slowest_splitting, "s"),
    "copied": Row("wording that a scene copies from it, all in", "-", 1, slowest_search, "s"),
    "examples": Row("a dataset of 100,000 examples", "-", 60, training_datasets.seconds, "s"),
    "flat": Row("its memory / that of 20,000 examples", "-", 1.1, training_datasets.memory_growth),
    "spoken": Row("first token of a role's turn to the page: 95 % in", "-", 10, role_turns.first_token, "ms"),
    "found": Row("5 examples among 10,000 rounds, in the slower language", "-", 5, role_turns.retrieval, "ms"),
    "rouge": Row("Rouge-L of 100,000 answers, half of them Chinese", "-", 60, role_answers.seconds, "s"),
    "misses": Row("prompt tokens not in the cache of a real vLLM", "69", 25, figures.cache_misses, "%"),
    "paraphrases": Row("paraphrased memories that a real encoder misses", "-", 35, figures.paraphrases_missed, "%"),
}
_LINE = "{:<58} {:>7} {:>8} {:>10} {:<8} {}"


def main(wanted: list[str]) -> int:
    """Print the table. 0 if every figure reaches its target, 1 if one falls short, 2 for an unknown row."""
    if unknown := [name for name in wanted if name not in ROWS]:
        sys.stderr.write(f"no row {', '.join(unknown)}; there are {', '.join(ROWS)}\n")
        return 2
    touch_always()
    print(_LINE.format("figure", "authors", "target", "measured", "", ""))
    return max([_measured(ROWS[name]) for name in wanted or ROWS])


def _measured(row: Row) -> int:
    figure = row.measure()
    short = figure > row.limit
    print(
        _LINE.format(row.told, row.before, f"<= {row.limit:g}", f"{figure:.4g}", row.unit, "SHORT" if short else "ok"),
        flush=True,
    )
    return int(short)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
